/** What the page remembers in the browser: languages, theme, glossary, key. Texts are kept only if the user says so. */

export interface Entry {
  source: string;
  /** One or more translations; one of them has to appear. */
  target: string[];
}

/** A text that was translated. */
export interface Visit {
  source: string;
  target: string;
  text: string;
  translation: string;
}

interface Settings {
  source: string;
  target: string;
  theme: "light" | "dark" | "system";
  confidence: boolean;
  key: string;
  keepHistory: boolean;
  history: Visit[];
  /** Glossaries by pair of languages, as `en-de`. */
  glossaries: Record<string, Entry[]>;
  /** The server's glossary that is used too, by pair of languages. */
  shared: Record<string, string>;
}

const NAME = "metaphrase";

const defaults: Settings = { source: "auto", target: "", theme: "system", confidence: true, key: "", keepHistory: false, history: [], glossaries: {}, shared: {} };

function load(): Settings {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(NAME) ?? "{}") };
  } catch {
    return defaults; // storage is blocked, or holds something else
  }
}

export const settings: Settings = load();

export function save(change: Partial<Settings>): void {
  Object.assign(settings, change);
  try {
    localStorage.setItem(NAME, JSON.stringify(settings));
  } catch {
    // storage is blocked or full: the settings hold until the page is closed
  }
}
