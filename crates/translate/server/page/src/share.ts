/** How sure the model is, at the end of a line. */

import { make, percent } from "./dom";

/** `87 %`, which a screen reader says as “87 % sure”; empty if it is not known. */
export function share(probability: number | undefined): HTMLElement {
  if (probability === undefined) return make("span", { class: "share" });
  return make("span", { class: "share" }, percent(probability), make("span", { class: "hidden" }, " sure"));
}
