// The camera's pictures, one after the other as fast as they come and no faster, each with what was seen in it.

const PAUSE_MS = 500; // after an answer without a picture

/** `draw({ url, reach, seen })` is called with each picture, `draw(null)` when none comes. */
export function createCamera(draw) {
  let running = false;
  let url = null;
  let after = -1;

  const next = async () => {
    const answer = await fetch(`/api/camera.jpg?after=${after}`);
    if (answer.status !== 200) return null;
    after = Number(answer.headers.get("x-time"));
    const old = url;
    url = URL.createObjectURL(await answer.blob());
    if (old) URL.revokeObjectURL(old);
    return { url, reach: Number(answer.headers.get("x-reach")), seen: JSON.parse(decodeURIComponent(answer.headers.get("x-seen"))) };
  };

  const loop = async () => {
    while (running) {
      try {
        const picture = await next();
        if (!running) return;
        if (!picture) url = null;
        draw(picture);
        if (!picture) await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
      } catch {
        url = null;
        draw(null); // the web server is away; the page says so, and pictures come back with it
        await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
      }
    }
  };

  return {
    run(wanted) {
      if (wanted && !running) { running = true; loop(); }
      running = wanted;
      if (!wanted) url = null;
    },
    /** Whether a picture is on the screen. */
    showing: () => url !== null,
  };
}
