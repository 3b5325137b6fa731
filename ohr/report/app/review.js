// @ts-check
"use strict";

const OF_QUESTION = ["question is bad", "evidence is wrong"];
const OF_ANSWER = ["right", "wrong"];
/** The fields that identify an answer in a run's cases.zip. */
const ANSWER_KEY = ["qid", "knowledge_base", "stage", "system", "chunker", "retriever", "reader"];

/**
 * @typedef {{verdict: string, note: string}} OfQuestion
 * @typedef {Record<string, string>} OfAnswer the fields of ANSWER_KEY, and ``verdict``
 */

/** A person's verdicts on questions and answers: stored in the browser, and saved as JSON. */
class Review {
  /** @param {string} report digest of the report, which separates the verdicts of different reports */
  constructor(report) {
    this.key = `ohr-review-${report}`;
    /** @type {Map<string, OfQuestion>} */
    this.questions = new Map();
    /** @type {Map<string, OfAnswer>} */
    this.answers = new Map();
    this.recall();
  }

  recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.key) ?? "{}");
      this.questions = new Map(Object.entries(kept.questions ?? {}));
      this.answers = new Map((kept.answers ?? []).map((/** @type {OfAnswer} */ answer) => [answerKey(answer), answer]));
    } catch {
      // Some browsers store nothing for pages from disk: then the review is lost with the page.
    }
  }

  keep() {
    try {
      localStorage.setItem(this.key, this.json());
    } catch {
      // The saved file is still complete.
    }
    for (const node of document.querySelectorAll(".reviewed")) node.textContent = this.summary();
  }

  /** @returns {string} the content of verdicts.json, for a study's dataset.verdicts */
  json() {
    const content = { format: "ohr-verdicts-1", questions: Object.fromEntries(this.questions), answers: [...this.answers.values()] };
    return JSON.stringify(content, null, 2);
  }

  /** @returns {string} */
  summary() {
    const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? "" : "s"}`;
    return `${count(this.questions.size, "question")} and ${count(this.answers.size, "answer")} reviewed`;
  }

  /**
   * @param {string} qid
   * @returns {HTMLElement}
   */
  form(qid) {
    const entry = this.questions.get(qid) ?? { verdict: "", note: "" };
    const note = /** @type {HTMLInputElement} */ (el("input", { type: "text", "aria-label": "note on the question", placeholder: "note", value: entry.note }));
    let verdict = entry.verdict;
    const keep = () => {
      if (verdict || note.value) this.questions.set(qid, { verdict, note: note.value });
      else this.questions.delete(qid);
      this.keep();
    };
    const form = radios("question", ["", ...OF_QUESTION], verdict, (choice) => {
      verdict = choice;
      keep();
    });
    form.prepend(el("legend", {}, "Review of the question"));
    note.addEventListener("input", keep);
    form.append(note);
    return form;
  }

  /**
   * The choice whether an answer is right.
   *
   * @param {OfAnswer} answer the fields of ANSWER_KEY
   * @param {string} name unique among the answers of the page
   * @returns {HTMLElement}
   */
  ofAnswer(answer, name) {
    const key = answerKey(answer);
    const form = radios(name, ["", ...OF_ANSWER], this.answers.get(key)?.verdict ?? "", (verdict) => {
      if (verdict) this.answers.set(key, { ...answer, verdict });
      else this.answers.delete(key);
      this.keep();
    });
    form.setAttribute("aria-label", "Review of this answer");
    return form;
  }

  /** @returns {HTMLElement[]} the view of the verdicts */
  nodes() {
    const rows = [
      ...[...this.questions].map(([qid, { verdict, note }]) => [qid, "the question", verdict, note]),
      ...[...this.answers.values()].map((answer) => [answer.qid, ANSWER_KEY.slice(1).map((field) => answer[field]).filter(Boolean).join(", "), answer.verdict, ""]),
    ];
    const lines = rows.map(([qid, ...cells]) => el("tr", {}, el("th", { scope: "row" }, shown(qid)), ...cells.map((cell) => el("td", {}, shown(cell)))));
    return [
      el("h2", {}, "Review"),
      el("p", {}, "Give your verdicts with each case; this browser stores them. Save them to a file, and a study leaves out questions that are bad or whose evidence is wrong:"),
      el("pre", { class: "command", tabindex: 0 }, "ohr run noise-curve … --dataset.verdicts verdicts.json"),
      el("p", {}, "'ohr analyse review' shows how far a judge and the metrics agree with you on answers."),
      el("p", { class: "reviewed" }, this.summary()),
      button("save verdicts.json", () => this.save(), { disabled: !rows.length }),
      ...(rows.length ? [tableWith("Verdicts", ["question", "of", "verdict", "note"], lines)] : []),
    ];
  }

  save() {
    const url = URL.createObjectURL(new Blob([this.json()], { type: "application/json" }));
    const link = el("a", { href: url, download: "verdicts.json" });
    link.click();
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {OfAnswer} answer
 * @returns {string}
 */
function answerKey(answer) {
  return JSON.stringify(ANSWER_KEY.map((field) => answer[field]));
}

/**
 * A choice among several; the empty choice is shown as "none".
 *
 * @param {string} name
 * @param {string[]} choices
 * @param {string} chosen
 * @param {(choice: string) => void} choose
 * @returns {HTMLElement}
 */
function radios(name, choices, chosen, choose) {
  const form = el("fieldset", { class: "review" });
  for (const value of choices) {
    const radio = el("input", { type: "radio", name: `review-${name}`, value, checked: value === chosen });
    radio.addEventListener("change", () => choose(value));
    form.append(el("label", {}, radio, value || "none"));
  }
  return form;
}
