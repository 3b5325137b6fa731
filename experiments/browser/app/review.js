// @ts-check
"use strict";

const VERDICTS = ["right", "wrong", "question is bad", "evidence is wrong"];

/** What a person says of questions: kept in the browser, and written out as JSON. */
class Review {
  /** @param {string} report digest of the report, so that another's verdicts stay apart */
  constructor(report) {
    this.key = `ohr-review-${report}`;
    /** @type {Record<string, {verdict: string, note: string}>} */
    this.verdicts = this.kept();
  }

  /** @returns {Record<string, {verdict: string, note: string}>} */
  kept() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "{}");
    } catch {
      return {};
    }
  }

  keep() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.verdicts));
    } catch {
      // A browser that keeps nothing for pages from disk: the export still has it all.
    }
    for (const node of document.querySelectorAll(".reviewed")) node.textContent = this.summary();
  }

  /** @returns {string} */
  summary() {
    const count = Object.keys(this.verdicts).length;
    return count === 1 ? "1 question reviewed" : `${count} questions reviewed`;
  }

  /**
   * @param {string} qid
   * @returns {HTMLElement}
   */
  form(qid) {
    const there = this.verdicts[qid] ?? { verdict: "", note: "" };
    const form = el("fieldset", { class: "review" }, el("legend", {}, "Review"));
    const note = /** @type {HTMLInputElement} */ (el("input", { type: "text", "aria-label": "note", placeholder: "note", value: there.note }));
    let verdict = there.verdict;
    const keep = () => {
      if (verdict) this.verdicts[qid] = { verdict, note: note.value };
      else delete this.verdicts[qid];
      this.keep();
    };
    for (const one of ["", ...VERDICTS]) {
      const radio = el("input", { type: "radio", name: "verdict", value: one, checked: one === verdict });
      radio.addEventListener("change", () => {
        verdict = one;
        keep();
      });
      form.append(el("label", {}, radio, one || "none"));
    }
    note.addEventListener("input", keep);
    form.append(note);
    return form;
  }

  /** @returns {HTMLElement[]} */
  page() {
    const body = el("tbody");
    for (const [qid, { verdict, note }] of Object.entries(this.verdicts)) {
      body.append(el("tr", {}, el("th", { scope: "row" }, shown(qid)), el("td", {}, shown(verdict)), el("td", {}, shown(note))));
    }
    const head = el("tr", {}, ...["question", "verdict", "note"].map((title) => el("th", { scope: "col" }, title)));
    return [
      el("h2", { tabindex: -1 }, "Review"),
      el("p", {}, "Verdicts are kept in this browser. The file is what a study takes with dataset.verdicts."),
      el("p", { class: "reviewed" }, this.summary()),
      button("save verdicts.json", () => this.save()),
      el("table", {}, el("thead", {}, head), body),
    ];
  }

  save() {
    const json = JSON.stringify(this.verdicts, null, 2);
    const url = URL.createObjectURL(new Blob([json], { type: "application/json" }));
    const link = el("a", { href: url, download: "verdicts.json" });
    link.click();
    URL.revokeObjectURL(url);
  }
}
