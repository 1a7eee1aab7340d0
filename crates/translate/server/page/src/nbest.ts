/** Further translations of the sentence that was pointed at last. */

import type { Alternative } from "./api";
import { byId, make } from "./dom";
import { share } from "./share";
import { best, type Shown } from "./text";

const list = byId("nbest-list");
const about = byId("nbest-about");

/** Lists the translations of `shown`; `several` says whether the text has more than one sentence. */
export function showNBest(shown: Shown | undefined, several: boolean, choose: (alternative: Alternative) => void): void {
  about.textContent = shown && several ? `Of “${shown.sentence.source.text}”` : "";
  byId("nbest-shares").hidden = !shown;
  if (!shown) {
    list.replaceChildren(make("li", { class: "hint" }, "Further translations of a sentence appear here. One click takes one of them."));
    return;
  }
  // The model may write one text in several ways, of other pieces.
  const all = [best(shown.sentence), ...shown.sentence.alternatives];
  const candidates = all.filter(({ text }, index) => all.findIndex((other) => other.text === text) === index);
  candidates.sort((a, b) => (b.probability ?? 0) - (a.probability ?? 0));
  if (!candidates.some(({ text }) => text === shown.chosen.text)) candidates.unshift(shown.chosen);
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...candidates.map((candidate) => item(candidate, shown.chosen, choose)));
  if (focused) list.querySelector<HTMLElement>("[aria-current]")?.focus();
}

function item(candidate: Alternative, chosen: Alternative, choose: (alternative: Alternative) => void): HTMLElement {
  const current = candidate.text === chosen.text;
  const button = make(
    "button",
    { type: "button", class: "choice", click: () => choose(candidate) },
    make("span", { class: "choice-text" }, ...(current ? [candidate.text] : differing(candidate.text, chosen.text))),
    share(candidate.probability),
  );
  if (current) button.setAttribute("aria-current", "true");
  return make("li", {}, button);
}

/** The text, with the words in bold that are between what it shares with the beginning and the end of `other`. */
function differing(text: string, other: string): (Node | string)[] {
  const words = text.split(/(?<=\s)/);
  const others = other.split(/(?<=\s)/);
  const same = (a: string | undefined, b: string | undefined) => a?.trim() === b?.trim();
  const most = Math.min(words.length, others.length);
  let start = 0;
  while (start < most && same(words[start], others[start])) start++;
  let end = 0;
  while (end < most - start && same(words.at(-1 - end), others.at(-1 - end))) end++;
  const last = words.length - end;
  return [words.slice(0, start).join(""), make("b", {}, words.slice(start, last).join("")), words.slice(last).join("")];
}
