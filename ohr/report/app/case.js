// @ts-check
"use strict";

/** One case: its pages, hits and answers, and its scores with the truth in place of each. */
class Case {
  /**
   * @param {Rows} rows
   * @param {Review} review
   */
  constructor(rows, review) {
    this.rows = rows;
    this.review = review;
  }

  /**
   * The view of a case, or a message that it does not exist.
   *
   * @param {Record<string, string>} settings ``case``, ``beside`` and those of the list
   * @returns {Promise<HTMLElement[]>}
   */
  async nodes(settings) {
    const number = Number(settings.case) || 0;
    const details = await this.details(number);
    if (details === null) return [el("h2", {}, "This case does not exist")];
    const beside = await this.details(Number(settings.beside) || 0);
    const other = beside !== null && beside.question === details.question ? beside : null;
    const columns = [await this.column(details)];
    if (other !== null) columns.push(await this.column(other));
    return [
      el("p", { class: "path" }, el("a", { href: addressOf("cases", ofList(settings)) }, "Cases"), ` › ${number}`),
      el("h2", {}, shown(details.text)),
      this.facts(details),
      this.review.form(this.rows.meta.questions.qid[details.question]),
      ...this.conditions(number, details, settings),
      el("div", { class: columns.length > 1 ? "beside" : null }, ...columns),
      ...(details.command ? [el("h3", {}, "Reproduce this case"), el("pre", { class: "command", tabindex: 0 }, shown(details.command))] : []),
    ];
  }

  /**
   * The details of a case by its number; null if there are none.
   *
   * @param {number} number
   * @returns {Promise<any>}
   */
  async details(number) {
    if (!(number >= 1) || !this.rows.case.includes(number)) return null;
    const chunk = await load(`cases-${Math.floor((number - 1) / PER_CHUNK)}`);
    return chunk[(number - 1) % PER_CHUNK] ?? null;
  }

  /**
   * @param {any} details
   * @returns {HTMLElement}
   */
  facts(details) {
    const { questions } = this.rows.meta;
    const facts = el("dl", { class: "facts" });
    for (const [name, value] of [
      ["accepted answers", details.answers.join(" | ")],
      ["evidence", details.evidence],
      ["evidence source", questions.source[details.question]],
      ["domain", questions.domain[details.question]],
      ["question", questions.qid[details.question]],
    ]) {
      if (value) facts.append(el("dt", {}, name), el("dd", {}, shown(value)));
    }
    return facts;
  }

  /**
   * The details of the case under its condition.
   *
   * @param {any} details
   * @returns {Promise<HTMLElement>}
   */
  async column(details) {
    const pages = await Promise.all(details.pages.map((/** @type {any} */ { page }) => pageDetails(page)));
    const { name, kept } = this.rows.meta.conditions[details.condition];
    const draw = kept === name ? null : el("p", { class: "note" }, shown(`This is ${kept}. Scores are means over all draws.`));
    const parts = [el("h3", { class: "condition" }, shown(name)), draw, this.answers(details), this.swaps(details)];
    pages.forEach((page, at) => {
      if (page === null) return;
      const name = shown(`Evidence: ${page.doc}, page ${page.page + 1}`);
      const link = el("a", { href: addressOf("page", { page: String(page.number), a: String(details.condition) }) }, "under other conditions");
      parts.push(el("section", {}, el("h4", {}, name), el("p", {}, link), pageUnder(this.rows, page, details.condition, details.pages[at].boxes)));
    });
    for (const ranking of details.hits) parts.push(this.hits(ranking));
    return el("div", { class: "column" }, ...parts);
  }

  /**
   * The same question under other conditions: a choice of condition, and of one to show beside it.
   *
   * @param {number} number
   * @param {any} details
   * @param {Record<string, string>} settings
   * @returns {HTMLElement[]}
   */
  conditions(number, details, settings) {
    const { rows } = this;
    /** @type {Map<number, number>} */
    const others = new Map();
    for (let row = 0; row < rows.n; row += 1) {
      if (rows.question[row] === details.question && rows.case[row]) others.set(rows.condition[row], rows.case[row]);
    }
    if (others.size < 2) return [];
    /** @type {(key: string, title: string, chosen: string, none: boolean) => HTMLElement} */
    const choice = (key, title, chosen, none) => {
      const select = el("select", { "data-key": key });
      if (none) select.append(el("option", { value: "" }, "–"));
      for (const [condition, other] of others) {
        select.append(el("option", { value: other, selected: String(other) === chosen }, shown(rows.meta.conditions[condition].name)));
      }
      select.addEventListener("input", () => {
        go("case", { ...settings, [key]: /** @type {HTMLSelectElement} */ (select).value }, { replace: true });
      });
      return el("label", {}, title, select);
    };
    return [
      el("form", { class: "filters", "aria-label": "Conditions" }, choice("case", "condition", String(number), false), choice("beside", "compare with", settings.beside ?? "", true)),
    ];
  }

  /**
   * @param {any} details
   * @returns {HTMLElement}
   */
  answers(details) {
    const qid = this.rows.meta.questions.qid[details.question];
    const lines = details.replies.map((/** @type {any} */ reply, /** @type {number} */ at) => {
      const by = [reply.stage, reply.system, reply.chunker, reply.retriever, reply.reader].filter((part) => part && part !== "rag").join(", ");
      const text = el("td", { class: "said" }, reply.text === null ? `(${reply.status})` : shown(reply.text));
      if (reply.quote) text.append(el("blockquote", {}, shown(reply.quote)));
      if (reply.detail) text.append(el("p", { class: "detail" }, shown(reply.detail)));
      if (reply.trace.length) {
        const steps = el("ol", {}, ...reply.trace.map((/** @type {string} */ step) => el("li", {}, shown(step))));
        text.append(el("details", {}, el("summary", {}, `${reply.trace.length} steps`), steps));
      }
      const pages = reply.sources.map((/** @type {[string, number]} */ [doc, page]) => `${doc} page ${page + 1}`);
      const answer = Object.fromEntries(ANSWER_KEY.map((field) => [field, field === "qid" ? qid : reply[field]]));
      const review = el("td", {}, reply.text === null ? null : this.review.ofAnswer(answer, `${details.condition}-${at}`));
      return el("tr", {}, el("th", { scope: "row" }, shown(by)), text, el("td", { class: "from" }, shown(pages.join(", "))), review);
    });
    return el("section", {}, el("h4", {}, "Answers"), tableWith("Answers", ["setting", "answer", "cited pages", "review"], lines));
  }

  /**
   * @param {any} details
   * @returns {HTMLElement}
   */
  swaps(details) {
    const lines = details.swaps.map((/** @type {any} */ swap) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, shown(this.rows.meta.settings[swap.setting].name)),
        ...[swap.score, swap.clean, swap.gold].map((value) => el("td", { class: "number" }, score(value))),
      ),
    );
    const title = "Scores with clean or gold pages";
    return el("section", {}, el("h4", {}, title), tableWith(title, ["setting", "score", "with clean pages", "with gold pages"], lines, "fit"));
  }

  /**
   * @param {any} ranking
   * @returns {HTMLElement}
   */
  hits(ranking) {
    const list = el("ol", { class: "hits" });
    for (const hit of ranking.hits) {
      const name = shown(`${hit.doc}, page ${hit.page + 1}: ${hit.score}`);
      const text = el("pre", { class: "text", tabindex: 0 }, shown(hit.text));
      if (hit.cut) text.append(el("em", {}, ` … ${hit.cut.toLocaleString("en")} more characters`));
      list.append(
        el("li", { class: hit.gold ? "gold" : null }, el("details", { open: hit.rank === 0 }, el("summary", {}, name, hit.gold ? el("strong", {}, " evidence page") : null), text)),
      );
    }
    return el("section", {}, el("h4", {}, shown(`Hits of ${ranking.chunker}, ${ranking.retriever}`)), list);
  }
}
