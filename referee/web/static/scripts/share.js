// A file handed on: by the device's own sharing where the browser has it, else downloaded.

import { h } from "./dom.js";

/** Resolves to "shared", "kept" (downloaded), "gone" where the file cannot be had, or "not" where people gave up. */
export async function shareFile(href, name, title) {
  const answer = await fetch(href).catch(() => null);
  return answer?.ok ? shareBlob(await answer.blob(), name, title) : "gone";
}

/** As `shareFile`, for what the page made itself. */
export async function shareBlob(blob, name, title) {
  const file = new File([blob], name, { type: blob.type });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file], title });
      return "shared";
    } catch (error) {
      if (error.name === "AbortError") return "not";
    }
  }
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return "kept";
}
