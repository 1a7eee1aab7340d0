// What the page promises, in a real browser: test/all.mjs runs it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { accessible, addTerm, desktop, output, phone, real, settled, translated, url, withPage } from "./browser.mjs";

const DOG = "The old dog sleeps in my garden.";
const HOUSE = "The house is old and beautiful.";
const dark = { ...desktop, colorScheme: "dark" };

test("typing translates, and a new key cancels the earlier request", withPage(async (page) => {
  const cancelled = [];
  page.on("requestfailed", (request) => cancelled.push(request.failure().errorText));
  let first = true;
  await page.route("**/api/v1/translate", async (route) => {
    if (first) {
      first = false;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    await route.continue().catch(() => undefined); // the page may have cancelled it
  });
  // Text at once: on a busy machine single keys would be further requests.
  await page.locator("#source-text").focus();
  await page.keyboard.insertText("The house");
  await page.waitForTimeout(600);
  await page.keyboard.insertText(" is old.");
  await settled(page);
  assert.deepEqual(cancelled, ["net::ERR_ABORTED"]);
  assert.match(await output(page), /Haus/);
  assert.match(await page.locator("#time").textContent(), /^\d+ ms$/);
}));

test("line breaks and spaces between sentences are kept, and markup is text", withPage(async (page) => {
  const text = `${HOUSE}\n\n  ${DOG}\n`;
  const shown = await translated(page, text, 2);
  assert.match(shown, /\S\n\n {2}\S.*\n$/);
  await translated(page, "<img src=x onerror=alert(1)> <b>house</b>", 1).catch(() => undefined);
  assert.equal(await page.locator("#output img, #output b, #source-marks img").count(), 0);
}));

test("a long text is shown sentence by sentence", withPage(async (page) => {
  await page.evaluate(() => {
    window.seen = [];
    const watch = () => window.seen.push(document.querySelectorAll("#output [data-sentence]").length);
    new MutationObserver(watch).observe(document.querySelector("#output"), { childList: true });
  });
  const text = `${HOUSE} ${DOG}\n`.repeat(12);
  const shown = await translated(page, text, 24);
  assert.equal(shown.split("\n").length, 13);
  assert.doesNotMatch(shown, /…/);
  const seen = await page.evaluate(() => window.seen);
  assert.ok(real || seen.some((sentences) => sentences > 0 && sentences < 24), `numbers of sentences seen: ${seen}`);
}));

test("what the server notes is shown", { skip: real && "the stand-in alone notes long sentences" }, withPage(async (page) => {
  await translated(page, HOUSE);
  assert.equal(await page.locator("#notes").isVisible(), false);
  await translated(page, `${"the old house and ".repeat(20)}the dog.`);
  await page.locator("#notes summary", { hasText: "1 note" }).click();
  await page.locator("#notes li", { hasText: "translated in parts" }).waitFor();
  await accessible(page);
}));

test("the language is detected, and the target gives way to it", withPage(async (page) => {
  await translated(page, "Der alte Hund schläft in meinem Garten.");
  assert.equal(await page.locator("#source-language option:checked").textContent(), "German (auto)");
  assert.equal(await page.locator("#target-language").inputValue(), "en");
  assert.match(await output(page), /dog/i);
  await translated(page, DOG);
  assert.equal(await page.locator("#source-language option:checked").textContent(), "English (auto)");
  assert.equal(await page.locator("#target-language").inputValue(), "de");
  await page.click("#clear");
  assert.equal(await page.locator("#source-language option:checked").textContent(), "Detect language");
}));

test("swapping exchanges the languages and the texts", withPage(async (page) => {
  await page.selectOption("#source-language", "en");
  const german = await translated(page, HOUSE);
  await page.click("#swap");
  await settled(page);
  assert.equal(await page.locator("#source-text").inputValue(), german);
  assert.equal(await page.locator("#source-language").inputValue(), "de");
  assert.equal(await page.locator("#target-language").inputValue(), "en");
  assert.match(await output(page), /house/i);
  // Choosing the source's language as the target turns the pair round, too.
  await page.selectOption("#target-language", "de");
  await settled(page);
  assert.equal(await page.locator("#source-language").inputValue(), "en");
}));

test("terms are met or reported as missing, and are kept in the browser", withPage(async (page) => {
  await translated(page, `${DOG} ${HOUSE}`, 2);
  await addTerm(page, "dog", "Wachhund; Kettenhund");
  await addTerm(page, "house", "Unterbringung ".repeat(200).trim());
  await addTerm(page, "engine", "Motor");
  await settled(page, 2);
  const states = () => page.locator("#glossary-rows .state").allTextContents();
  assert.deepEqual(await states(), ["met", "missing", "not in the text", ""]);
  assert.match(await page.locator("#output .term.met").textContent(), /Wachhund|Kettenhund/);
  assert.equal(await page.locator("#source-marks .term.met").textContent(), "dog");
  assert.equal(await page.locator("#source-marks .term.missing").textContent(), "house");
  assert.equal(await page.locator("#terms-met").textContent(), "1 term met");
  assert.equal(await page.locator("#terms-missing").textContent(), "Missing: house");
  await accessible(page);
  await page.reload();
  await page.waitForSelector("[data-ready]");
  assert.equal(await page.locator("#glossary-rows tr").count(), 4);
  assert.equal(await page.locator("#source-text").inputValue(), "");
  await page.getByLabel("Remove this term").first().click();
  assert.equal(await page.locator("#glossary-count").textContent(), "2");
}));

test("a glossary is imported from a file and exported to one", withPage(async (page) => {
  const tsv = "# terms\ndog\tHund\tKöter\nhouse\tHaus\n";
  await page.setInputFiles("#glossary-file", { name: "terms.tsv", mimeType: "text/plain", buffer: Buffer.from(tsv) });
  await page.waitForFunction(() => document.querySelectorAll("#glossary-rows tr").length === 3);
  const download = page.waitForEvent("download");
  await page.click("#glossary-export");
  assert.equal(await readFile(await (await download).path(), "utf8"), "dog\tHund\tKöter\nhouse\tHaus\n");
  assert.equal(await page.locator("#glossary-says").textContent(), "2 terms were read from terms.tsv.");
  const csv = "garden;Park\nhouse;Heim\n";
  await page.setInputFiles("#glossary-file", { name: "terms.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.waitForFunction(() => document.querySelectorAll("#glossary-rows tr").length === 4);
  assert.equal(await page.locator("#glossary-rows tr").nth(1).getByLabel("Its translation").inputValue(), "Heim");
  await page.setInputFiles("#glossary-file", { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<html></html>") });
  await page.locator("#glossary-says", { hasText: /^page\.html: .*`html`/ }).waitFor();
  assert.equal(await page.locator("#glossary-rows tr").count(), 4);
}));

test("a glossary that the server keeps can be chosen", withPage(async (page) => {
  const shared = { name: "Gardening", source: "en", target: "de", entries: [{ source: "garden", target: ["Gartenanlage"] }] };
  const made = await page.request.post(new URL("api/v1/glossaries", url).href, { data: shared });
  assert.equal(made.status(), 201);
  try {
    await page.reload();
    await page.waitForSelector("[data-ready]");
    await page.getByLabel("Glossary of the server").selectOption({ label: "Gardening (1)" });
    await translated(page, DOG);
    assert.equal(await page.locator("#output .term.met").textContent(), "Gartenanlage");
    await accessible(page);
  } finally {
    await page.request.delete(new URL(`api/v1/glossaries/${(await made.json()).id}`, url).href);
  }
}));

test("pointing at a word shows its alignment and its confidence", withPage(async (page) => {
  await translated(page, HOUSE);
  await page.locator("#output .word", { hasText: "Haus" }).first().hover();
  assert.equal(await page.locator("#source-marks .aligned").first().textContent(), "house");
  assert.match(await page.locator("#detail").textContent(), /^Haus ← .*house.* · \d+\u202f% sure$/);
  const place = await page.locator('#source-marks [data-key="0.1"]').boundingBox();
  await page.mouse.move(place.x + 5, place.y + place.height / 2);
  assert.match((await page.locator("#output .aligned").allTextContents()).join(" "), /Haus/);
  await page.mouse.move(5, 5);
  assert.equal(await page.locator(".aligned").count(), 0);
  await page.uncheck("#confidence");
  assert.equal(await page.locator("#output").getAttribute("data-confidence"), null);
}));

test("a click on a word offers others, and the sentence goes on from the chosen one", withPage(async (page) => {
  const before = await translated(page, `${HOUSE} ${DOG}`, 2);
  const word = page.locator('#output [data-sentence="0"] .word').nth(1);
  const start = before.slice(0, before.indexOf(await word.textContent()));
  await word.click();
  const choice = page.locator("#alternatives .choice").first();
  await choice.waitFor();
  await accessible(page);
  const next = await choice.locator("b").textContent();
  await choice.click();
  await page.waitForSelector("#alternatives", { state: "hidden" });
  const after = await output(page);
  assert.ok(after.startsWith(start + next), `“${after}” begins with “${start + next}”`);
  assert.notEqual(after, before);
  // The choice stays while another sentence changes.
  await page.fill("#source-text", `${HOUSE} We live here.`);
  await settled(page, 2);
  assert.ok((await output(page)).startsWith(start + next));
}));

test("own words in place of a word are continued", withPage(async (page) => {
  const before = await translated(page, HOUSE);
  const word = page.locator("#output .word").nth(1);
  const start = before.slice(0, before.indexOf(await word.textContent()));
  await word.click();
  await page.fill("#alternatives-own", "Gebäude");
  await page.press("#alternatives-own", "Enter");
  await page.waitForFunction((wanted) => document.querySelector("#output").textContent.startsWith(wanted), `${start}Gebäude`);
  assert.ok((await output(page)).length > `${start}Gebäude`.length + 4);
}));

test("further translations of a sentence are listed, and one click takes one", withPage(async (page) => {
  await translated(page, HOUSE);
  const choices = page.locator("#nbest-list .choice");
  assert.ok((await choices.count()) > 1);
  const shares = (await page.locator("#nbest-list .share").allTextContents()).map(parseFloat);
  assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
  assert.equal(await page.locator("#nbest-shares").isVisible(), true);
  const second = await choices.nth(1).locator(".choice-text").textContent();
  await choices.nth(1).click();
  assert.equal(await output(page), second);
  assert.equal(await page.locator("#nbest-list [aria-current] .choice-text").textContent(), second);
}));

test("files are sent, translated and downloaded; others are refused in a sentence", withPage(async (page) => {
  await page.selectOption("#source-language", "en");
  await page.setInputFiles("#files-chooser", { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from(`${HOUSE}\n${DOG}\n`) });
  const job = page.locator(".job", { hasText: "letter.txt" });
  assert.equal(await job.locator("progress").getAttribute("aria-label"), "Progress of letter.txt");
  const download = page.waitForEvent("download");
  await job.getByRole("button", { name: /^Download letter/ }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /letter.*de.*\.txt$/);
  assert.match(await readFile(await file.path(), "utf8"), /Haus.*\n.*Garten.*\n$/);
  await page.setInputFiles("#files-chooser", { name: "picture.xyz", mimeType: "image/png", buffer: Buffer.from("x") });
  const refused = page.locator('.job[data-state="error"]', { hasText: "Files that end in .xyz are not translated" });
  await refused.waitFor();
  await accessible(page);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    for (const name of await page.locator(".job .name").all()) {
      const { whole, shown } = await name.evaluate((name) => ({ whole: name.scrollWidth, shown: name.clientWidth }));
      assert.ok(shown >= whole && shown > 80, `${await name.textContent()}: ${shown} of ${whole} pixels at ${width}`);
    }
  }
}));

test("the state of a file is asked for again when the network fails for a moment", withPage(async (page) => {
  let failures = 1;
  await page.route(/api\/v1\/files\/\d+$/, (route) => (failures-- > 0 ? route.abort() : route.continue()));
  await page.selectOption("#source-language", "en");
  await page.setInputFiles("#files-chooser", [1, 2].map((number) => ({ name: `${number}.txt`, mimeType: "text/plain", buffer: Buffer.from(HOUSE) })));
  for (const number of [1, 2]) await page.locator('.job[data-state="done"]', { hasText: `${number}.txt` }).waitFor();
}));

test("texts are in the history, which the browser keeps if it is told to", withPage(async (page) => {
  const german = await translated(page, HOUSE);
  await translated(page, `${HOUSE} We live here.`, 2);
  await page.click("#clear");
  await translated(page, DOG);
  const lines = () => page.locator("#history-list .line:not(.muted)").allTextContents();
  assert.deepEqual(await lines(), [DOG, `${HOUSE} We live here.`]);
  await accessible(page);
  await page.locator("#history-list button").nth(1).click();
  await settled(page, 2);
  assert.ok((await output(page)).startsWith(german));
  assert.deepEqual(await lines(), [`${HOUSE} We live here.`, DOG]);
  await page.reload();
  await page.waitForSelector("[data-ready]");
  assert.equal(await page.locator("#history").isVisible(), false);
  await translated(page, DOG);
  await page.check("#history-keep");
  await page.reload();
  await page.waitForSelector("[data-ready]");
  assert.deepEqual(await lines(), [DOG]);
  await page.uncheck("#history-keep");
  await page.reload();
  await page.waitForSelector("[data-ready]");
  assert.equal(await page.locator("#history").isVisible(), false);
}));

test("a link opens the page with its text, which is not sent as an address", withPage(async (page) => {
  const text = "100 % / a house # old?";
  const hash = ["en", "de", text].map(encodeURIComponent).join("/");
  await page.goto(`${url}#${hash}`);
  await settled(page);
  assert.equal(await page.locator("#source-text").inputValue(), text);
  assert.equal(new URL(page.url()).hash, "");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#link");
  await page.locator("#link-says", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${url}#${hash}`);
  for (const [hash, says] of [["xx/de/Hello", "xx"], ["en/%/%", ""], ["en/de", ""]]) {
    await page.goto(url);
    await page.waitForSelector("[data-ready]");
    await page.goto(`${url}#${hash}`);
    await page.waitForTimeout(200);
    assert.equal(await page.locator("#failure").isVisible(), says !== "", hash);
    assert.match(await page.locator("#failure-says").textContent(), new RegExp(says));
  }
}));

test("texts and links are copied over plain HTTP, too, where pages have no clipboard", withPage(async (page) => {
  await page.context().grantPermissions(["clipboard-read"]);
  const german = await translated(page, HOUSE);
  await page.evaluate(() => {
    window.clipboard = navigator.clipboard;
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await page.click("#copy");
  await page.locator("#copy-says", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => window.clipboard.readText()), german);
  assert.equal(await page.evaluate(() => document.activeElement.id), "copy");
}));

test("a slow server is waited for in words", withPage(async (page) => {
  await page.route("**/api/v1/translate", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await route.continue().catch(() => undefined);
  });
  await page.fill("#source-text", HOUSE);
  await page.locator("#detail", { hasText: "The translation takes a while" }).waitFor();
  assert.equal(await page.locator("#output").getAttribute("aria-busy"), "true");
  await settled(page);
  assert.equal(await page.locator("#output").getAttribute("aria-busy"), "false");
  assert.doesNotMatch(await page.locator("#detail").textContent(), /a while/);
}));

test("a file can be dropped on the page", withPage(async (page) => {
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.txt", { type: "text/plain" }));
    return data;
  }, HOUSE);
  await page.dispatchEvent("#output", "dragenter", { dataTransfer: transfer });
  await page.waitForSelector(".overlay", { state: "visible" });
  await page.dispatchEvent("#output", "drop", { dataTransfer: transfer });
  await page.waitForSelector(".overlay", { state: "hidden" });
  await page.locator('.job[data-state="done"]', { hasText: "dropped.txt" }).waitFor();
}));

test("all is done by keyboard", withPage(async (page) => {
  await page.keyboard.type(HOUSE); // the text area has the focus
  await settled(page);
  const before = await output(page);
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#output .current").getAttribute("data-key"), "0.1");
  assert.ok((await page.locator("#source-marks .aligned").count()) > 0);
  await page.keyboard.press("Enter");
  await page.locator("#alternatives .choice").first().waitFor();
  await page.keyboard.press("Escape");
  await page.waitForSelector("#alternatives", { state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "output");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "source-text");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.locator("#alternatives .choice").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#alternatives", { state: "hidden" });
  assert.notEqual(await output(page), before);
}));

test("a screen reader hears the translation", withPage(async (page) => {
  const text = await translated(page, HOUSE);
  await page.waitForFunction((wanted) => document.querySelector("#announcer").textContent === wanted, text);
  assert.equal(await page.locator("#output").getAttribute("lang"), "de");
}));

for (const [name, options] of Object.entries({ light: desktop, dark, phone, "dark phone": { ...phone, colorScheme: "dark" } })) {
  test(`axe finds nothing to mend: ${name}`, withPage(async (page) => {
    await accessible(page);
    await translated(page, `${HOUSE} ${DOG}`, 2);
    await addTerm(page, "dog", "Wachhund");
    await settled(page, 2);
    await accessible(page);
    await page.locator("#output .word").nth(3).click();
    await page.locator("#alternatives .choice, #alternatives .hint").first().waitFor();
    await accessible(page);
  }, options));
}

test("nothing is wider than a phone, and its buttons are large enough for a finger", withPage(async (page) => {
  for (const width of [320, 360, 412]) {
    await page.setViewportSize({ width, height: 740 });
    await translated(page, `${HOUSE} ${DOG}`, 2);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
  const source = await page.locator("#source-text").boundingBox();
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const rows = new Set();
    for (const name of ["Confidence", "Copy", "Link"]) rows.add((await page.locator(".target .plain", { hasText: name }).boundingBox()).y);
    assert.equal(rows.size, 1, `the buttons below the translation are in one row at ${width}`);
    const [from, swap] = [await page.locator("#source-language").boundingBox(), await page.locator("#swap").boundingBox()];
    assert.ok(from.x + from.width <= swap.x, "the swap button hides nothing");
  }
  const target = await page.locator("#output").boundingBox();
  assert.ok(target.y > source.y + source.height - 1, "the panes are one above the other");
  for (const button of await page.locator("button:visible, label.check").all()) {
    const { height } = await button.boundingBox();
    assert.ok(height >= 36, `${await button.textContent()} is ${height} pixels high`);
  }
  await page.locator("#output .word").nth(1).tap();
  const panel = await page.locator("#alternatives").boundingBox();
  assert.equal(Math.round(panel.y + panel.height), 740);
}, phone));

test("colours follow the system, and the button overrides them", withPage(async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), "rgb(19, 21, 24)");
  await page.click("#theme");
  assert.equal(await page.locator("#theme").getAttribute("aria-label"), "Colours: light");
  assert.equal(await paper(), "rgb(246, 245, 242)");
  await page.reload();
  await page.waitForSelector("[data-ready]");
  assert.equal(await paper(), "rgb(246, 245, 242)");
}, dark));

test("a failure is said in the server's sentence, and a busy server is asked again", withPage(async (page) => {
  let answer = { status: 500, body: { error: { code: "internal", message: "The model is broken." } } };
  let asked = 0;
  await page.route("**/api/v1/translate", (route) => {
    asked++;
    return answer ? route.fulfill({ status: answer.status, headers: answer.headers, json: answer.body }) : route.continue();
  });
  await page.fill("#source-text", HOUSE);
  await page.locator("#failure-says", { hasText: "The model is broken." }).waitFor();
  await accessible(page);
  answer = null;
  await page.click("#retry");
  await settled(page);
  assert.equal(await page.locator("#failure").isVisible(), false);
  answer = { status: 503, headers: { "Retry-After": "1" }, body: { error: { code: "busy", message: "Too many requests." } } };
  asked = 0;
  await page.fill("#source-text", DOG);
  await page.waitForTimeout(500);
  answer = null;
  await page.waitForFunction(() => /Garten/.test(document.querySelector("#output").textContent));
  assert.equal(asked, 2);
}));

test("a server that asks for a key gets one", withPage(async (page) => {
  let key = null;
  await page.route("**/api/v1/translate", (route) => {
    key = route.request().headers().authorization ?? null;
    return key ? route.continue() : route.fulfill({ status: 401, json: { error: { code: "key_missing", message: "send it as `Authorization: Bearer KEY`" } } });
  });
  await page.fill("#source-text", HOUSE);
  await page.locator("#key-says", { hasText: "people who have a key" }).waitFor();
  await accessible(page);
  await page.click("#key-cancel");
  await page.waitForSelector("#key", { state: "hidden" });
  await page.click("#retry");
  await page.locator("#key-says").waitFor();
  await page.fill("#key-field", "secret");
  await page.press("#key-field", "Enter");
  await settled(page);
  assert.equal(key, "Bearer secret");
}));

test("the page's policy allows nothing but its own files", async () => {
  const response = await fetch(url);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src '(none|self)'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const html = await response.text();
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*src="\.\/)/);
});

test("each colour of text has a contrast of 4.5 on each ground it stands on", async () => {
  const css = await readFile(new URL("../src/style/base.css", import.meta.url), "utf8");
  const colours = Object.fromEntries([...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\);/g)].map(([, name, ...pair]) => [name, pair]));
  const luminance = (hex) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = { ink: ["paper", "card", "raised", "aligned", "met-tint", "missing-tint"], muted: ["paper", "card", "raised"], accent: ["paper", "card", "raised"], met: ["paper", "card"], missing: ["paper", "card", "missing-tint"] };
  for (const [text, over] of Object.entries(grounds)) {
    for (const ground of over) {
      for (const theme of [0, 1]) {
        const found = contrast(colours[text][theme], colours[ground][theme]);
        assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
      }
    }
  }
});
