// The browser of the tests: Debian's Chromium (or the one that CHROMIUM names), against a stand-in or a running `metaphrase serve`.

import assert from "node:assert/strict";
import { after } from "node:test";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { startMock } from "./mock.mjs";

// `node test/all.mjs URL` tests the page of a running server.
const given = process.argv[2];
const mock = given ? null : await startMock();
/** Whether the server is a real one, whose model chooses the words. */
export const real = given !== undefined;
export const url = new URL(given ?? mock.url).href;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
after(async () => {
  await browser.close();
  mock?.close();
});

export const desktop = { viewport: { width: 1280, height: 900 } };
export const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/** A test in a new window. It fails, too, on any message of the console, and on any request to another host. */
export function withPage(act, options = desktop) {
  return async () => {
    const context = await browser.newContext({ ...options, acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      // The tests of refusals make the server refuse: the browser reports each status from 400.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(message.text());
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "blob:" && origin !== new URL(url).origin) faults.push(`a request to ${request.url()}`);
    });
    try {
      await page.goto(url);
      await page.waitForSelector("[data-ready]");
      await act(page);
      assert.deepEqual(faults, []);
    } finally {
      await context.close();
    }
  };
}

export const output = (page) => page.locator("#output").textContent();

/** Writes a text and waits for its translation, whose sentences have to be `sentences`. */
export async function translated(page, text, sentences = 1) {
  await page.fill("#source-text", text);
  await settled(page, sentences);
  return output(page);
}

/** Waits until nothing is asked of the server any more. */
export async function settled(page, sentences = 1) {
  await page.waitForTimeout(400);
  await page.waitForSelector("#card:not([data-waiting])");
  await page.waitForFunction((number) => document.querySelectorAll("#output [data-sentence]").length === number, sentences);
}

export async function addTerm(page, source, target) {
  const row = page.locator("#glossary-rows tr").last();
  await row.getByLabel("Term", { exact: true }).fill(source);
  // A new last row is there now.
  await page.locator("#glossary-rows tr").nth(-2).getByLabel("Its translation").fill(target);
}

/** Asserts that axe finds nothing to mend: WCAG 2.2 A and AA, and axe's best practices. */
export async function accessible(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    window.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
  assert.deepEqual(found, []);
}
