/** Light, dark, or as the system has it; one button goes round. */

import { byId } from "./dom";
import { save, settings } from "./settings";

const order = ["system", "light", "dark"] as const;
const button = byId("theme");

function apply(): void {
  const { theme } = settings;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.dataset.theme = theme;
  const label = `Colours: ${theme === "system" ? "as the system" : theme}`;
  button.setAttribute("aria-label", label);
  button.title = label;
}

export function startTheme(): void {
  button.addEventListener("click", () => {
    save({ theme: order[(order.indexOf(settings.theme) + 1) % order.length]! });
    apply();
  });
  apply();
}
