// A clip of which every frame can be asked for: drawn to a canvas at once with what was seen in that very frame.

const LAST_S = 1 / 30; // how long the last frame is shown
const ROUNDED_S = 0.001;
const [AGAIN_MS, LATE_MS] = [250, 4000]; // longest wait for the frame after a seek; browsers that show it already do not tell again

const nap = () => new Promise((over) => { setTimeout(over, 5); });

/** `heard.frame(i)` when frame i is on the canvas, `heard.ended()`, `heard.failed()` when the video cannot be had. */
export function createClip(video, canvas, heard) {
  const pen = canvas.getContext("2d");
  let starts = []; // seconds on the video's own clock
  let wanted = null;
  let seeking = false;
  let rolling = false;
  let shown = 0;
  let presented = -1; // the frame that the browser says it has
  let loads = 0;

  const middle = (i) => (starts[i] + (starts[i + 1] ?? starts[i] + LAST_S)) / 2;
  const paint = (i, picture) => {
    shown = i;
    pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
    heard.frame(i);
  };
  /** Paints frame i if the browser holds it, and tells whether: a crowded one may say early that it does. */
  const painted = (i) => {
    if (video.readyState < video.HAVE_CURRENT_DATA) return false;
    const frame = globalThis.VideoFrame ? new VideoFrame(video) : null;
    const is = !frame || lastUntil(starts, frame.timestamp / 1e6) === i;
    if (is) paint(i, frame ?? video);
    frame?.close();
    return is;
  };
  /** Only the newest wish counts, so that a finger on the slider never waits for frames that it has left. */
  const show = async (i) => {
    wanted = i;
    if (seeking) return;
    seeking = true;
    const mine = loads;
    while (wanted !== null && mine === loads) {
      const now = wanted;
      wanted = null;
      if (!(await sought(now)) || mine !== loads) break;
      const late = performance.now() + LATE_MS;
      while (mine === loads && !painted(now) && wanted === null) {
        if (performance.now() > late) { paint(now, video); break; }
        await nap();
      }
    }
    seeking = false;
  };
  /** True when the browser has frame i; false when it cannot be had. A seek that is over may still show the frame before. */
  const sought = (i) => new Promise((resolve) => {
    if (video.error || presented === i) { resolve(!video.error); return; }
    const done = (got) => {
      clearTimeout(late);
      for (const [what, listener] of listeners) video.removeEventListener(what, listener);
      resolve(got);
    };
    let late = null;
    const seeked = () => { late = setTimeout(() => done(true), !video.requestVideoFrameCallback ? 0 : shown === i ? AGAIN_MS : LATE_MS); };
    const listeners = [["seeked", seeked], ["error", () => done(false)], ["emptied", () => done(false)]];
    for (const [what, listener] of listeners) video.addEventListener(what, listener);
    const hear = () => video.requestVideoFrameCallback?.((_, { mediaTime }) => {
      presented = lastUntil(starts, mediaTime);
      if (presented === i) done(true);
      else hear();
    });
    hear();
    video.currentTime = middle(i);
  });
  const roll = () => {
    const next = (time) => {
      if (!rolling) return;
      presented = lastUntil(starts, time);
      paint(presented, video);
      roll();
    };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback((_, { mediaTime }) => next(mediaTime));
    else requestAnimationFrame(() => next(video.currentTime));
  };
  const stop = () => { rolling = false; presented = -1; video.pause(); };

  video.addEventListener("ended", () => { stop(); show(starts.length - 1); heard.ended(); });
  video.addEventListener("error", () => { if (video.getAttribute("src")) { stop(); heard.failed(); } });

  return {
    /** Shows the frame nearest to `first` (an index) of the video at `url`; `clip` has its size and the times of its frames. */
    async load(url, clip, first) {
      stop();
      loads += 1;
      seeking = false;
      shown = -1;
      const mine = loads;
      starts = clip.times.map((t) => t - clip.times[0]);
      [canvas.width, canvas.height] = [clip.width, clip.height];
      video.src = url;
      await new Promise((loaded) => { for (const what of ["loadeddata", "error", "emptied"]) video.addEventListener(what, loaded, { once: true }); });
      if (mine === loads && !video.error) await show(first);
    },
    unload() { stop(); loads += 1; seeking = false; video.removeAttribute("src"); video.load(); },
    show,
    stop,
    async play(rate) {
      rolling = true;
      video.playbackRate = rate;
      if (shown >= starts.length - 1) video.currentTime = 0;
      roll();
      await video.play().catch(() => { rolling = false; });
    },
    /** Stops at exactly the frame that was seen last. */
    pause() { stop(); show(shown); },
    setRate(rate) { video.playbackRate = rate; },
  };
}

/** Index of the last entry of `times`, which grow, that is not later than `t`; addresses and logs round to milliseconds. */
export function lastUntil(times, t) {
  let [low, high] = [0, times.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t + ROUNDED_S) low = middle;
    else high = middle;
  }
  return low;
}
