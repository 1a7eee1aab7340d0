// Clients for Node against the server at the address of the first argument.
const assert = require("node:assert");
const address = process.argv[2].replace(/\/$/, "");

async function libretranslate() {
  const { translate } = require("libretranslate");
  const text = await translate({ query: "Good morning!", source: "en", target: "de", apiurl: address });
  assert.strictEqual(text, "Guten Morgen!");
}

async function deeplNode() {
  const deepl = require("deepl-node");
  const client = new deepl.Translator("none", { serverUrl: address });
  const one = await client.translateText("Good morning!", "en", "de");
  assert.strictEqual(one.text, "Guten Morgen!");
  assert.strictEqual(one.billedCharacters, 13);
  const several = await client.translateText(["Good morning!", "How are you?"], null, "de");
  assert.deepStrictEqual(several.map((text) => text.text), ["Guten Morgen!", "Wie geht es dir?"]);
  assert((await client.getTargetLanguages()).some((language) => language.code === "en-US"));
  assert.strictEqual((await client.getSourceLanguages()).length, 2);
  assert((await client.getUsage()).character.count > 0);
  const entries = new deepl.GlossaryEntries({ entries: { house: "Gebäude" } });
  const glossary = await client.createGlossary("g", "en", "de", entries);
  const text = await client.translateText("The house is old.", "en", "de", { glossary });
  assert.match(text.text, /Gebäude/);
  assert.deepStrictEqual((await client.getGlossaryEntries(glossary)).entries(), { house: "Gebäude" });
  await client.deleteGlossary(glossary);
  await assert.rejects(client.getGlossary(glossary.glossaryId), deepl.GlossaryNotFoundError);
}

(async () => {
  for (const client of [libretranslate, deeplNode]) {
    await client();
    console.log(`ok: ${client.name}`);
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
