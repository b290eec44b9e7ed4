// A stroke without video: its moments by a clock of our own, with the same ways as a clip.

export function createReel(heard) {
  let times = [];
  let rate = 1;
  let shown = 0;
  let rolling = 0; // which run of the clock counts

  const show = (i) => { shown = i; heard.frame(i); };
  const run = (mine, began, from) => {
    requestAnimationFrame((now) => {
      if (mine !== rolling) return;
      const start = began ?? now;
      const t = from + ((now - start) / 1000) * rate;
      while (shown < times.length - 1 && times[shown + 1] <= t) shown += 1;
      heard.frame(shown, Math.min(t, times.at(-1)));
      if (t >= times.at(-1)) { rolling += 1; heard.ended(); }
      else run(mine, start, from);
    });
  };

  return {
    load(moments, first) { rolling += 1; times = moments; show(first); },
    unload() { rolling += 1; },
    show,
    stop() { rolling += 1; },
    play(wished) {
      rolling += 1;
      rate = wished;
      if (shown >= times.length - 1) shown = 0;
      run(rolling, null, times[shown]);
    },
    pause() { rolling += 1; show(shown); },
    setRate(wished) { if (wished !== rate) this.play(wished); },
  };
}
