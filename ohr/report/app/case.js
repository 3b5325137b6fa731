// @ts-check
"use strict";

/** One case: its pages, what was found and answered, what the truth would change. */
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
   * What shows a case, or that there is none.
   *
   * @param {Record<string, string>} settings ``case``, ``beside`` and those of the list
   * @returns {Promise<HTMLElement[]>}
   */
  async nodes(settings) {
    const number = Number(settings.case) || 0;
    const one = await this.details(number);
    if (one === null) return [el("h2", {}, "There is no such case")];
    const there = await this.details(Number(settings.beside) || 0);
    const other = there !== null && there.question === one.question ? there : null;
    const columns = [await this.column(one)];
    if (other !== null) columns.push(await this.column(other));
    return [
      el("p", { class: "path" }, el("a", { href: addressOf("cases", ofList(settings)) }, "Cases"), ` › ${number}`),
      el("h2", {}, shown(one.text)),
      this.facts(one),
      this.review.form(this.rows.meta.questions.qid[one.question]),
      ...this.conditions(number, one, settings),
      el("div", { class: columns.length > 1 ? "beside" : null }, ...columns),
      ...(one.command ? [el("h3", {}, "Do it again"), el("pre", { class: "command", tabindex: 0 }, shown(one.command))] : []),
    ];
  }

  /**
   * The details of a case by its number; null where there is none.
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
   * @param {any} one
   * @returns {HTMLElement}
   */
  facts(one) {
    const { questions } = this.rows.meta;
    const facts = el("dl", { class: "facts" });
    for (const [name, value] of [
      ["accepted answers", one.answers.join(" | ")],
      ["evidence", one.evidence],
      ["evidence source", questions.source[one.question]],
      ["domain", questions.domain[one.question]],
      ["question", questions.qid[one.question]],
    ]) {
      if (value) facts.append(el("dt", {}, name), el("dd", {}, shown(value)));
    }
    return facts;
  }

  /**
   * All that there is of the case under its condition.
   *
   * @param {any} one
   * @returns {Promise<HTMLElement>}
   */
  async column(one) {
    const pages = await Promise.all(one.pages.map((/** @type {any} */ { page }) => pageDetails(page)));
    const { name, kept } = this.rows.meta.conditions[one.condition];
    const draw = kept === name ? null : el("p", { class: "note" }, shown(`Shown: ${kept}. Scores are means over all draws.`));
    const parts = [el("h3", { class: "condition" }, shown(name)), draw, this.answers(one), this.swaps(one)];
    pages.forEach((page, at) => {
      if (page === null) return;
      const name = shown(`Evidence: ${page.doc}, page ${page.page + 1}`);
      const link = el("a", { href: addressOf("page", { page: String(page.number), a: String(one.condition) }) }, "under other conditions");
      parts.push(el("section", {}, el("h4", {}, name), el("p", {}, link), pageUnder(this.rows, page, one.condition, one.pages[at].boxes)));
    });
    for (const found of one.hits) parts.push(this.hits(found));
    return el("div", { class: "column" }, ...parts);
  }

  /**
   * The same question under other conditions: a link to each, and a choice of one to set beside.
   *
   * @param {number} number
   * @param {any} one
   * @param {Record<string, string>} settings
   * @returns {HTMLElement[]}
   */
  conditions(number, one, settings) {
    const { rows } = this;
    /** @type {Map<number, number>} */
    const others = new Map();
    for (let row = 0; row < rows.n; row += 1) {
      if (rows.question[row] === one.question && rows.case[row]) others.set(rows.condition[row], rows.case[row]);
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
      el("form", { class: "filters", "aria-label": "Conditions" }, choice("case", "condition", String(number), false), choice("beside", "beside it", settings.beside ?? "", true)),
    ];
  }

  /**
   * @param {any} one
   * @returns {HTMLElement}
   */
  answers(one) {
    const qid = this.rows.meta.questions.qid[one.question];
    const lines = one.replies.map((/** @type {any} */ reply, /** @type {number} */ at) => {
      const by = [reply.stage, reply.system, reply.chunker, reply.retriever, reply.reader].filter((part) => part && part !== "rag").join(", ");
      const said = el("td", { class: "said" }, reply.text === null ? `(${reply.status})` : shown(reply.text));
      if (reply.quote) said.append(el("blockquote", {}, shown(reply.quote)));
      if (reply.detail) said.append(el("p", { class: "detail" }, shown(reply.detail)));
      if (reply.trace.length) {
        const steps = el("ol", {}, ...reply.trace.map((/** @type {string} */ step) => el("li", {}, shown(step))));
        said.append(el("details", {}, el("summary", {}, `${reply.trace.length} steps`), steps));
      }
      const pages = reply.sources.map((/** @type {[string, number]} */ [doc, page]) => `${doc} page ${page + 1}`);
      const answer = Object.fromEntries(ANSWER_KEY.map((field) => [field, field === "qid" ? qid : reply[field]]));
      const review = el("td", {}, reply.text === null ? null : this.review.ofAnswer(answer, `${one.condition}-${at}`));
      return el("tr", {}, el("th", { scope: "row" }, shown(by)), said, el("td", { class: "from" }, shown(pages.join(", "))), review);
    });
    return el("section", {}, el("h4", {}, "Answers"), tableWith("Answers", ["answered by", "answer", "from", "review"], lines));
  }

  /**
   * @param {any} one
   * @returns {HTMLElement}
   */
  swaps(one) {
    const lines = one.swaps.map((/** @type {any} */ swap) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, shown(this.rows.meta.settings[swap.setting].name)),
        ...[swap.score, swap.clean, swap.gold].map((value) => el("td", { class: "number" }, score(value))),
      ),
    );
    const title = "What the truth would change";
    return el("section", {}, el("h4", {}, title), tableWith(title, ["setting", "score", "with clean pages", "with the gold pages"], lines, "fit"));
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
    return el("section", {}, el("h4", {}, shown(`Found by ${found.chunker}, ${found.retriever}`)), list);
  }
}
