"use strict";

// The parts of a report's scripts that draw nothing, by Node's own test runner.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const vm = require("node:vm");

const APP = path.join(__dirname, "..", "..", "ohr", "report", "app");

/** Classic scripts share their names: they run in one context, which hands out some of them. */
function scripts(files, names, globals = {}) {
  const context = vm.createContext({ URLSearchParams, atob, Uint8Array, ...globals });
  for (const file of files) vm.runInContext(fs.readFileSync(path.join(APP, file), "utf8"), context);
  return vm.runInContext(`({ ${names.join(", ")} })`, context);
}

const packed = (type, numbers) => {
  const array = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array }[type].from(numbers);
  return { [type]: Buffer.from(array.buffer).toString("base64") };
};

function rowsOf(lines) {
  const { Rows } = scripts(["data.js", "rows.js"], ["Rows"], { Map, Float64Array });
  const column = (name, type) => packed(type, lines.map((line) => line[name] ?? 65535));
  return new Rows(
    {
      conditions: [
        { run: "r", name: "gt, clean", engine: "gt", noise: "none", level: "", clean: null },
        { run: "r", name: "ocr, mild", engine: "ocr", noise: "semantic", level: "mild", clean: 0 },
      ],
      settings: [
        { stage: "retrieval", system: "rag", retriever: "bm25", reader: "", name: "retrieval" },
        { stage: "overall", system: "rag", retriever: "bm25", reader: "fact", name: "overall" },
      ],
      questions: { qid: ["a", "b"], domain: ["law", "news"], source: ["text", "table"] },
      texts: ["What is the Rent?", "Who pays the rent and the wages?"],
    },
    {
      n: lines.length,
      question: column("question", "u32"),
      condition: column("condition", "u16"),
      setting: column("setting", "u16"),
      status: column("status", "u8"),
      score: column("score", "u16"),
      clean: column("clean", "u16"),
      evidence: column("evidence", "u16"),
      case: column("case", "u32"),
    },
  );
}

const LINES = [
  { question: 0, condition: 0, setting: 0, status: 0, score: 500, case: 0 },
  { question: 0, condition: 1, setting: 0, status: 0, score: 200, clean: 500, evidence: 900, case: 1 },
  { question: 1, condition: 1, setting: 1, status: 2, score: 0, clean: 0, evidence: 100, case: 2 },
  { question: 1, condition: 1, setting: 0, status: 0, score: 900, clean: 400, case: 2 },
  { question: 0, condition: 1, setting: 1, status: 0, score: 200, clean: 300, case: 0 },
];
const list = (found) => Array.from(found);

test("rows pass what they have in every field that is asked for", () => {
  const rows = rowsOf(LINES);
  const passing = (filters) => list(rows.passing(filters));
  assert.deepEqual(passing({}), [0, 1, 2, 3, 4]);
  assert.deepEqual(passing({ engine: "gt" }), [0]);
  assert.deepEqual(passing({ level: "mild", stage: "retrieval" }), [1, 3]);
  assert.deepEqual(passing({ domain: "law", source: "text", reader: "fact" }), [4]);
  assert.deepEqual(passing({ status: "error" }), [2]);
  assert.deepEqual(passing({ status: "nonsense" }), []);
  assert.deepEqual(passing({ engine: "no such engine" }), []);
  assert.deepEqual(passing({ details: "1" }), [1, 2, 3]);
});

test("words are found in any order and case", () => {
  const rows = rowsOf(LINES);
  assert.deepEqual(list(rows.passing({ text: "RENT  wages" })), [2, 3]);
  assert.deepEqual(list(rows.passing({ text: "rent" })), [0, 1, 2, 3, 4]);
  assert.deepEqual(list(rows.passing({ text: "fuel" })), []);
});

test("what was lost and gained against the clean pages", () => {
  const rows = rowsOf(LINES);
  assert.deepEqual(list(rows.passing({ change: "loss" })), [1, 4]);
  assert.deepEqual(list(rows.passing({ change: "gain" })), [3]);
  assert.deepEqual(list(rows.passing({ change: "same" })), [2]);
  assert.equal(rows.loss(0), null);
});

test("rows sort both ways, equal ones in their order and those without a number last", () => {
  const rows = rowsOf(LINES);
  const all = rows.passing({});
  assert.deepEqual(list(rows.sorted(all, "-loss")), [1, 4, 2, 3, 0]);
  assert.deepEqual(list(rows.sorted(all, "loss")), [3, 2, 4, 1, 0]);
  assert.deepEqual(list(rows.sorted(all, "score")), [2, 1, 4, 0, 3]);
  assert.deepEqual(list(rows.sorted(all, "-evidence")), [1, 2, 0, 3, 4]);
  assert.deepEqual(list(rows.sorted(all, "no such column")), [0, 1, 2, 3, 4]);
});

test("an address comes back as it was, whatever is in it", () => {
  const location = { hash: "" };
  const { address, addressOf, ofList } = scripts(["address.js"], ["address", "addressOf", "ofList"], { location });
  const settings = { text: "a&b=c #?% \"<img>\" \u202e\u{1f4a9}", sort: "-loss", case: "3" };
  location.hash = addressOf("case", { ...settings, level: "" });
  const { view, settings: back } = address();
  assert.equal(view, "case");
  assert.deepEqual({ ...back }, settings);
  assert.deepEqual({ ...ofList({ ...settings, beside: "4" }) }, { text: settings.text, sort: "-loss" });
  location.hash = "";
  assert.equal(address().view, "overview");
});

test("texts are shown without overrides of direction and without controls", () => {
  const { shown, score } = scripts(["dom.js"], ["shown", "score"]);
  assert.equal(shown("a\u202eb\u2066c\u0000d\u001b[31m\u007f"), "a\ufffdb\ufffdc\ufffdd\ufffd[31m\ufffd");
  assert.equal(shown("line\n\ttab <b>"), "line\n\ttab <b>");
  assert.equal(score(null), "–");
  assert.equal(score(0.12345), "0.123");
});

test("numbers are unpacked as they were packed", () => {
  const { unpack } = scripts(["data.js"], ["unpack"]);
  assert.deepEqual(list(unpack(packed("u16", [0, 1, 256, 65535]))), [0, 1, 256, 65535]);
  assert.deepEqual(list(unpack(packed("u32", [70000, 4294967295]))), [70000, 4294967295]);
  assert.deepEqual(list(unpack(packed("u8", []))), []);
});

test("a chunk is loaded once, and one that is missing may be asked for again", async () => {
  const asked = [];
  const document = {
    createElement: () => ({ addEventListener(_, failed) { this.failed = failed; } }),
    head: { append: (script) => asked.push(script) },
  };
  const { load, ohrData } = scripts(["data.js"], ["load", "ohrData"], { document, Map, Promise, Error });
  const both = Promise.all([load("pages"), load("pages")]);
  assert.equal(asked.length, 1);
  ohrData("pages", 7);
  assert.deepEqual(list(await both), [7, 7]);
  assert.equal(await load("pages"), 7);
  const gone = load("gone");
  asked[1].failed();
  await assert.rejects(gone, /gone\.js is missing/);
  load("gone");
  assert.equal(asked.length, 3);
});
