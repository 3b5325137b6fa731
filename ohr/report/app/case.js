// @ts-check
"use strict";

/** LCS of evidence and page from which the evidence is intact, and F1 from which an answer is right. */
const DAMAGED = 0.95;
const RIGHT = 0.5;
const BRIEF = 60;

/**
 * The beginning of a text, on one line.
 *
 * @param {string} text
 * @returns {string}
 */
function brief(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > BRIEF ? `${line.slice(0, BRIEF)}…` : line;
}

/**
 * A tick or a cross for a score; null without one.
 *
 * @param {number | null} value
 * @returns {HTMLElement | null}
 */
function tick(value) {
  if (value === null) return null;
  const right = value >= RIGHT;
  return el("span", { class: right ? "gain" : "loss", role: "img", "aria-label": right ? "right" : "wrong" }, right ? "✓ " : "✗ ");
}

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
      ...this.why(details),
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
   * One line per system: what happened to the evidence, to the search, and to the answer.
   *
   * @param {any} details
   * @returns {HTMLElement[]}
   */
  why(details) {
    const evidence = this.evidence(this.row(details, (setting) => setting.stage !== "ocr"));
    const lines = details.replies
      .filter((/** @type {any} */ reply) => reply.stage === "overall")
      .map((/** @type {any} */ reply) => [...evidence, ...this.search(details, reply), this.outcome(details, reply)]);
    if (!lines.length && details.hits.length) lines.push([...evidence, ...this.search(details, details.hits[0])]);
    return lines.map((/** @type {string[]} */ parts) => el("p", { class: "why" }, el("strong", {}, "Why: "), shown(parts.join(" → "))));
  }

  /**
   * What happened to the evidence of a row.
   *
   * @param {number | null} row
   * @returns {string[]}
   */
  evidence(row) {
    if (row === null || this.rows.evidence[row] === NONE) return [];
    const lcs = this.rows.evidence[row] / 1000;
    return [lcs <= DAMAGED ? `evidence damaged (LCS ${lcs.toFixed(2)})` : "evidence intact"];
  }

  /**
   * What the list says of a case: accepted answer, answer with a tick or a cross, and why.
   *
   * @param {number} number
   * @param {number} row its row in the list
   * @returns {Promise<(Node | string)[][]>}
   */
  async brief(number, row) {
    const details = await this.details(number);
    const setting = this.rows.meta.settings[this.rows.setting[row]];
    /** @type {(reply: any) => boolean} */
    const fits = (reply) => ["system", "chunker", "retriever", "reader"].every((key) => !(/** @type {any} */ (setting)[key]) || !reply[key] || /** @type {any} */ (setting)[key] === reply[key]);
    const replies = details.replies.filter(fits);
    const reply = replies.find((/** @type {any} */ each) => each.stage === setting.stage) ?? replies.find((/** @type {any} */ each) => each.stage === "overall");
    const by = reply?.stage === "overall" ? reply : details.hits.find(fits);
    const searched = setting.stage !== "generation" && by !== undefined ? this.search(details, by) : [];
    const why = [...this.evidence(row), ...searched].join(" → ");
    const text = reply === undefined ? "–" : reply.text === null ? `no answer (${reply.status})` : brief(reply.text) || "no answer";
    const mark = reply === undefined ? null : tick(this.scoreOf(details, reply));
    return [[shown(brief(details.answers.join(" | ")))], [...(mark === null ? [] : [mark]), shown(text)], [shown(why) || "–"]];
  }

  /**
   * The place of an evidence page among the hits of a chunker and a retriever.
   *
   * @param {any} details
   * @param {{chunker: string, retriever: string}} by
   * @returns {string[]}
   */
  search(details, by) {
    const ranking = details.hits.find((/** @type {any} */ each) => each.chunker === by.chunker && each.retriever === by.retriever);
    if (ranking === undefined) return [];
    const place = ranking.hits.findIndex((/** @type {any} */ hit) => hit.gold);
    return [place < 0 ? `its page not among the first ${ranking.hits.length} hits` : `its page found at rank ${place + 1}`];
  }

  /**
   * @param {any} details
   * @param {any} reply
   * @returns {string}
   */
  outcome(details, reply) {
    const wanted = brief(details.answers[0] ?? "");
    if (reply.text === null) return `no answer (${reply.status}) instead of ${wanted}`;
    if (!reply.text.trim()) return `no answer instead of ${wanted}`;
    const right = this.scoreOf(details, reply);
    return right !== null && right >= RIGHT ? `answered ${brief(reply.text)}` : `answered ${brief(reply.text)} instead of ${wanted}`;
  }

  /**
   * The score of a reply; null if there is none.
   *
   * @param {any} details
   * @param {any} reply
   * @returns {number | null}
   */
  scoreOf(details, reply) {
    const same = ["stage", "system", "chunker", "retriever", "reader"];
    const row = this.row(details, (setting) => same.every((key) => key === "stage" || !reply[key] || !setting[key] || setting[key] === reply[key]) && setting.stage === reply.stage);
    return row === null || this.rows.score[row] === NONE ? null : this.rows.score[row] / 1000;
  }

  /**
   * The first row of the case's question and condition whose setting fits; null without one.
   *
   * @param {any} details
   * @param {(setting: any) => boolean} fits
   * @returns {number | null}
   */
  row(details, fits) {
    const { rows } = this;
    for (let row = 0; row < rows.n; row += 1) {
      if (rows.question[row] !== details.question || rows.condition[row] !== details.condition) continue;
      if (fits(rows.meta.settings[rows.setting[row]])) return row;
    }
    return null;
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
      parts.push(el("section", {}, el("h4", {}, name), el("p", {}, link), pageUnder(this.rows, page, details.condition, details.pages[at].boxes, details.evidence)));
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
      const text = el("td", { class: "said", "data-name": "answer" }, reply.text === null ? `(${reply.status})` : shown(reply.text));
      if (reply.quote) text.append(el("blockquote", {}, shown(reply.quote)));
      if (reply.detail) text.append(el("p", { class: "detail" }, shown(reply.detail)));
      if (reply.trace.length) {
        const steps = el("ol", {}, ...reply.trace.map((/** @type {string} */ step) => el("li", {}, shown(step))));
        text.append(el("details", {}, el("summary", {}, `${reply.trace.length} steps`), steps));
      }
      const pages = reply.sources.map((/** @type {[string, number]} */ [doc, page]) => `${doc} page ${page + 1}`);
      const answer = Object.fromEntries(ANSWER_KEY.map((field) => [field, field === "qid" ? qid : reply[field]]));
      const value = this.scoreOf(details, reply);
      const scored = el("td", { class: "number", "data-name": "F1" }, tick(value), value === null ? "" : value.toFixed(3));
      const review = el("td", {}, reply.text === null ? null : this.review.ofAnswer(answer, `${details.condition}-${at}`));
      const accepted = el("td", { "data-name": "accepted" }, shown(details.answers.join(" | ")));
      return el("tr", {}, el("th", { scope: "row" }, shown(by)), accepted, text, scored, el("td", { class: "from", "data-name": "cited" }, shown(pages.join(", "))), review);
    });
    return el("section", {}, el("h4", {}, "Answers"), tableWith("Answers", ["setting", "accepted", "answer", "F1", "cited pages", "review"], lines, "answers"));
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
