"""A browser plays the clips, and steps to exactly the frame asked for: each frame's shade tells its number."""

from __future__ import annotations

import base64

from playwright.sync_api import Page
from test_recorder import UNEVEN, coded

from referee.replay.clip import ClipFormat, mp4

LOAD = """async data => {
  const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
  const video = window.clip = document.createElement("video");
  video.muted = true;
  window.come = (before) => new Promise(there => {
    const look = (_, { mediaTime }) => mediaTime === before ? video.requestVideoFrameCallback(look) : there(mediaTime);
    video.requestVideoFrameCallback(look);
  });
  const first = come(null);
  await new Promise((loaded, failed) => {
    video.onloadeddata = loaded;
    video.onerror = () => failed(video.error.message);
    video.src = URL.createObjectURL(new Blob([bytes], {type: "video/mp4"}));
  });
  window.shown = await first;
  return video.duration;
}"""
SHADE = """async at => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const other = come(shown);
  await new Promise(there => { clip.onseeked = there; clip.currentTime = at; });
  window.shown = await other;
  const pen = canvas.getContext("2d");
  pen.drawImage(clip, 0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data[0];
}"""
"""A seek that is over may still show the frame before: what is drawn is what came after it, whichever frame that is."""
BLACK, WHITE = 16, 235
"""Luma of video's darkest and brightest shade."""


def test_a_browser_steps_to_exactly_the_frame_asked_for(page: Page) -> None:
    page.goto("about:blank")
    data = base64.b64encode(mp4(coded(UNEVEN), ClipFormat(480, 360, "x", False))).decode()
    starts = [t - UNEVEN[0] for t in UNEVEN]
    ends = [*starts[1:], starts[-1] + 1 / 30]
    assert abs(page.evaluate(LOAD, data) - ends[-1]) < 0.01
    for i in (40, 0, 1, 29, 30, 31, 39, 41, 60, 79):
        shade = page.evaluate(SHADE, (starts[i] + ends[i]) / 2)
        luma = BLACK + shade / 255 * (WHITE - BLACK)
        assert round((luma - 20) / 2) == i
