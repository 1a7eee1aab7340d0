/** Addresses of texts, as `#en/de/The%20house`. Browsers do not send what follows the `#` to a server. */

export interface Linked {
  /** A code, or `auto`. */
  source: string;
  target: string;
  text: string;
}

/** A longer address is cut by some programs that it is pasted into. */
export const LONGEST = 8000;

export function addressOf({ source, target, text }: Linked): string {
  const parts = [source, target, text].map(encodeURIComponent);
  return `${location.origin}${location.pathname}#${parts.join("/")}`;
}

/** The text of the page's address, which loses it; null: it has none. */
export function takeLinked(): Linked | null {
  const parts = location.hash.slice(1).split("/");
  if (parts.length < 3) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    const [source, target, ...text] = parts.map(decodeURIComponent);
    return { source: source!, target: target!, text: text.join("/") };
  } catch {
    return null; // a broken percent sequence
  }
}
