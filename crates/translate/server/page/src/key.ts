/** The dialog that asks for a key, where the server's operator wants one. */

import { byId } from "./dom";
import { save, settings } from "./settings";

const dialog = byId<HTMLDialogElement>("key");
const field = byId<HTMLInputElement>("key-field");

/** Asks for a key, saying why. False: the user has given none. */
export function askForKey(why: string): Promise<boolean> {
  if (dialog.open) return Promise.resolve(false);
  byId("key-says").textContent = why;
  field.value = settings.key;
  dialog.showModal();
  return new Promise((resolve) => {
    byId("key-cancel").onclick = () => dialog.close();
    byId("key-form").onsubmit = (event) => {
      event.preventDefault();
      save({ key: field.value.trim() });
      dialog.close("given");
    };
    dialog.onclose = () => {
      resolve(dialog.returnValue === "given");
      dialog.returnValue = "";
    };
  });
}
