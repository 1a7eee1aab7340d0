// What a user hears and reaches with a screen reader and without a pointer: the accessibility tree, announcements and the focus.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addTerm, output, settled, translated, withPage } from "./browser.mjs";

const DOG = "The old dog sleeps in my garden.";
const HOUSE = "The house is old and beautiful.";
const CONTROLS = ["button", "checkbox", "combobox", "dialog", "DisclosureTriangle", "progressbar", "textbox"];

/** The controls of the accessibility tree, each as its role and name. */
async function controls(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const shown = nodes.filter(({ ignored, role }) => !ignored && CONTROLS.includes(role.value));
  return shown.map(({ role, name }) => `${role.value} ${name.value}`);
}

/** Asserts that each control has a name, and that these are among them. */
async function named(page, ...wanted) {
  const found = await controls(page);
  assert.deepEqual(found.filter((control) => control.endsWith(" ")), [], "controls without a name");
  for (const control of wanted) assert.ok(found.includes(control), `no ${control} among ${found.join("; ")}`);
}

/** Collects announcements; the function that is returned waits for one that matches. */
async function listen(page) {
  await page.evaluate(() => {
    window.heard = [];
    const announcer = document.querySelector("#announcer");
    new MutationObserver(() => window.heard.push(announcer.textContent)).observe(announcer, { childList: true });
  });
  return (wanted) => page.waitForFunction(([source]) => window.heard.some((text) => new RegExp(source).test(text)), [wanted.source]);
}

const focused = (page) =>
  page.evaluate(() => {
    const { id, textContent } = document.activeElement;
    return document.activeElement.getAttribute("aria-label") ?? (id || textContent.trim());
  });

const sendFile = (page, name) => page.setInputFiles("#files-chooser", { name, mimeType: "text/plain", buffer: Buffer.from(HOUSE) });

test("each control has a name in the accessibility tree", withPage(async (page) => {
  await named(page, "combobox From", "combobox To", "textbox Text to translate", "textbox The translation", "button Import", "DisclosureTriangle All kinds");
  await translated(page, `${HOUSE} ${DOG}`, 2);
  await addTerm(page, "dog", "Wachhund");
  await settled(page, 2);
  await sendFile(page, "letter.txt");
  await page.locator('.job[data-state="done"]').waitFor();
  await named(page, "button Clear", "button Remove this term", "button Remove letter.txt", "button Empty", "checkbox Keep in this browser");
  const [field] = await page.locator("#glossary-rows input").nth(1).evaluateAll((all) => all.map((one) => one.getAttribute("aria-describedby")));
  assert.equal(await page.locator(`#${field}`).textContent(), "met");
  await page.locator("#output .word").nth(1).click();
  await page.locator("#alternatives .choice").first().waitFor();
  await named(page, "textbox Go on with your own words", "button Go on");
}));

test("announcements say what has happened", withPage(async (page) => {
  const heard = await listen(page);
  await translated(page, "Der alte Hund schläft in meinem Garten.");
  await heard(/^The text is German, so it is translated into English\.$/);
  await translated(page, `${HOUSE} ${DOG}`, 2);
  await heard(/^The text is English, so it is translated into German\.$/);
  await addTerm(page, "house", "Unterbringung ".repeat(200).trim());
  await heard(/ Missing term: house\.$/);
  await page.setInputFiles("#glossary-file", { name: "terms.tsv", mimeType: "text/plain", buffer: Buffer.from("dog\tHund\n") });
  await heard(/^1 term was read from terms\.tsv\.$/);
  await sendFile(page, "letter.txt");
  await heard(/^letter\.txt is translated\.$/);
  await sendFile(page, "letter.unknown");
  await heard(/^letter\.unknown: Files that end in \.unknown are not translated/);
  await page.locator("#output .word").nth(1).click();
  await heard(/^\d+ other words?\.$/);
}));

test("Tab goes through the page in the order of its parts", withPage(async (page) => {
  await translated(page, HOUSE);
  const order = ["source-text", "clear", "output", "confidence", "copy", "link", "glossary-import", "glossary-export"];
  await page.focus("#source-text");
  for (const id of order.slice(1)) {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), id);
  }
  for (const label of ["Term", "Its translation"]) {
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), label);
  }
  await page.keyboard.press("Tab");
  assert.match(await focused(page), /Haus/);
  await page.focus("#source-text");
  for (const id of ["target-language", "swap", "source-language", "theme"]) {
    await page.keyboard.press("Shift+Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), id);
  }
}));

test("the focus stays in the page when its element goes", withPage(async (page) => {
  await page.keyboard.insertText(HOUSE);
  await settled(page);
  await page.locator("#nbest-list button:not([aria-current])").first().focus();
  const before = await output(page);
  await page.keyboard.press("Enter");
  assert.notEqual(await output(page), before);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-current")), "true");
  await page.focus("#history-clear");
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "Text to translate");
  for (const name of ["one.txt", "two.unknown"]) await sendFile(page, name);
  await page.locator('.job[data-state="done"]').waitFor();
  await page.getByLabel("Remove two.unknown").focus();
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "Remove one.txt");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "files-choose");
  await addTerm(page, "house", "Haus");
  await page.getByLabel("Remove this term").first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "Term");
  await page.focus("#clear");
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "Text to translate");
}));
