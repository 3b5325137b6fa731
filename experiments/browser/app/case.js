// @ts-check
"use strict";

/** One case: its pages, what was found and answered, what the truth would change. */
class Case {
  /**
   * @param {Rows} rows
   * @param {HTMLElement} root
   * @param {Review} review
   */
  constructor(rows, root, review) {
    this.rows = rows;
    this.root = root;
    this.review = review;
  }

  /** @param {number} number */
  async show(number) {
    const chunk = await load(`cases-${Math.floor((number - 1) / PER_CHUNK)}`);
    const found = chunk[(number - 1) % PER_CHUNK];
    if (found === undefined) {
      this.root.replaceChildren(el("p", {}, "There is no such case."));
      return;
    }
    const pages = await Promise.all(found.pages.map((/** @type {any} */ { page }) => pageDetails(page)));
    this.root.replaceChildren(...this.parts(number, found, pages));
    this.root.querySelector("h2")?.focus();
  }

  /**
   * @param {number} number
   * @param {any} one
   * @param {any[]} pages
   * @returns {HTMLElement[]}
   */
  parts(number, one, pages) {
    const { conditions, questions } = this.rows.meta;
    const condition = conditions[one.condition];
    const facts = el("dl", { class: "facts" });
    /** @type {(name: string, value: string) => void} */
    const fact = (name, value) => facts.append(el("dt", {}, name), el("dd", {}, shown(value)));
    fact("condition", condition.name);
    if (condition.kept !== condition.name) fact("shown", `${condition.kept}; scores are means over all draws`);
    fact("accepted answers", one.answers.join(" | "));
    fact("evidence source", questions.source[one.question]);
    fact("domain", questions.domain[one.question]);
    fact("question", questions.qid[one.question]);
    const parts = [
      el("p", { class: "path" }, el("a", { href: "#cases" }, "Cases"), ` › ${number}`),
      el("h2", { tabindex: -1 }, shown(one.text)),
      facts,
      this.review.form(questions.qid[one.question]),
      ...this.conditions(number, one),
      this.answers(one),
      this.swaps(one),
      ...pages.filter(Boolean).map((page, at) => pageUnder(this.rows, page, one.condition, one.pages[at].boxes)),
      ...one.hits.map((/** @type {any} */ hits) => this.hits(hits)),
    ];
    if (one.command) parts.push(el("h3", {}, "Do it again"), el("pre", { class: "command", tabindex: 0 }, shown(one.command)));
    return parts;
  }

  /**
   * The same question under other conditions.
   *
   * @param {number} number
   * @param {any} one
   * @returns {HTMLElement[]}
   */
  conditions(number, one) {
    const { rows } = this;
    /** @type {Map<number, number>} */
    const others = new Map();
    for (let row = 0; row < rows.n; row += 1) {
      if (rows.question[row] === one.question && rows.case[row]) others.set(rows.condition[row], rows.case[row]);
    }
    if (others.size < 2) return [];
    const list = el("ul", { class: "conditions" });
    for (const [condition, other] of others) {
      const name = shown(rows.meta.conditions[condition].name);
      list.append(
        el("li", {}, other === number ? el("strong", {}, name) : el("a", { href: addressOf("case", { case: String(other) }) }, name)),
      );
    }
    return [el("h3", {}, "The same question"), list];
  }

  /**
   * @param {any} one
   * @returns {HTMLElement}
   */
  answers(one) {
    const body = el("tbody");
    const qid = this.rows.meta.questions.qid[one.question];
    for (const [at, reply] of one.replies.entries()) {
      const by = [reply.stage, reply.system, reply.chunker, reply.retriever, reply.reader].filter((part) => part && part !== "rag").join(", ");
      const said = el("td", {}, reply.text === null ? `(${reply.status})` : shown(reply.text));
      if (reply.quote) said.append(el("blockquote", {}, shown(reply.quote)));
      if (reply.detail) said.append(el("p", { class: "detail" }, shown(reply.detail)));
      if (reply.trace.length) {
        const steps = el("ol");
        for (const step of reply.trace) steps.append(el("li", {}, shown(step)));
        said.append(el("details", {}, el("summary", {}, `${reply.trace.length} steps`), steps));
      }
      const pages = reply.sources.map((/** @type {[string, number]} */ [doc, page]) => `${doc} page ${page + 1}`);
      const answer = Object.fromEntries(ANSWER_KEY.map((field) => [field, field === "qid" ? qid : reply[field]]));
      const review = el("td", {}, reply.text === null ? null : this.review.ofAnswer(answer, `answer-${at}`));
      body.append(el("tr", {}, el("th", { scope: "row" }, shown(by)), said, el("td", {}, shown(pages.join(", "))), review));
    }
    const head = el("tr", {}, ...["answered by", "answer", "from", "review"].map((title) => el("th", { scope: "col" }, title)));
    return el("section", {}, el("h3", {}, "Answers"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Answers" }, el("table", {}, el("thead", {}, head), body)));
  }

  /**
   * @param {any} one
   * @returns {HTMLElement}
   */
  swaps(one) {
    const body = el("tbody");
    for (const swap of one.swaps) {
      body.append(
        el(
          "tr",
          {},
          el("th", { scope: "row" }, shown(this.rows.meta.settings[swap.setting].name)),
          ...[swap.score, swap.clean, swap.gold].map((value) => el("td", { class: "number" }, score(value))),
        ),
      );
    }
    const head = el("tr", {}, ...["setting", "score", "with clean pages", "with the gold pages"].map((title) => el("th", { scope: "col" }, title)));
    return el("section", {}, el("h3", {}, "What the truth would change"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What the truth would change" }, el("table", {}, el("thead", {}, head), body)));
  }

  /**
   * @param {any} found
   * @returns {HTMLElement}
   */
  hits(found) {
    const list = el("ol", { class: "hits" });
    for (const hit of found.hits) {
      const name = shown(`${hit.doc}, page ${hit.page + 1}: ${hit.score}`);
      const text = el("pre", { class: "text", tabindex: 0 }, shown(hit.text));
      if (hit.cut) text.append(el("em", {}, ` … ${hit.cut.toLocaleString("en")} characters more`));
      list.append(
        el("li", { class: hit.gold ? "gold" : null }, el("details", { open: hit.rank === 0 }, el("summary", {}, name, hit.gold ? el("strong", {}, " evidence page") : null), text)),
      );
    }
    return el("section", {}, el("h3", {}, shown(`Found by ${found.chunker}, ${found.retriever}`)), list);
  }
}
