// Asks for the umpire's PIN.

/** Resolves to the PIN typed, or to null when the umpire cancels. */
export function askPin(why) {
  const dialog = document.getElementById("pin");
  const input = document.getElementById("pin-input");
  const error = document.getElementById("pin-error");
  input.value = "";
  error.hidden = !why;
  error.textContent = why;
  return new Promise((resolve) => {
    const done = (value) => { dialog.close(); resolve(value); };
    dialog.querySelector("form").onsubmit = (event) => { event.preventDefault(); done(input.value.trim() || null); };
    document.getElementById("pin-cancel").onclick = () => done(null);
    dialog.oncancel = () => resolve(null);
    dialog.showModal();
    input.focus();
  });
}
