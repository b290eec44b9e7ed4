// Whether this page can be installed as an app, and how; where it cannot, it says why.

let prompt = null;
let tell = () => {};

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  prompt = event;
  tell(installState());
});

/** "already", "can" (a button may offer it), "insecure" (plain http), or "browser" (by the browser's own menu). */
export function installState() {
  if (matchMedia("(display-mode: standalone), (display-mode: fullscreen)").matches) return "already";
  if (prompt) return "can";
  return isSecureContext ? "browser" : "insecure";
}

export function onInstallState(told) {
  tell = told;
}

export async function install() {
  await prompt?.prompt();
  prompt = null;
  tell(installState());
}
