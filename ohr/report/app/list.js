// @ts-check
"use strict";

const PAGE = 100;

/** The columns of the list: title, and the value that they sort by. */
const COLUMNS = [
  { title: "question", sort: "" },
  { title: "condition", sort: "" },
  { title: "accepted answer", sort: "" },
  { title: "answer", sort: "" },
  { title: "why", sort: "" },
  { title: "score", sort: "score" },
  { title: "clean", sort: "clean" },
  { title: "loss", sort: "loss" },
  { title: "evidence LCS", sort: "evidence" },
];

const FILTERS = [
  ["engine", "engine"],
  ["noise", "noise"],
  ["level", "level"],
  ["stage", "stage"],
  ["system", "system"],
  ["retriever", "retriever"],
  ["reader", "reader"],
  ["source", "evidence source"],
  ["domain", "domain"],
  ["status", "status"],
  ["run", "run"],
];

/** The list of all rows: filters, and a table of a hundred rows per page. */
class List {
  /**
   * @param {Rows} rows
   * @param {Case} view what a row says of its case
   * @param {HTMLElement} root
   */
  constructor(rows, view, root) {
    this.rows = rows;
    this.view = view;
    this.root = root;
    /** @type {Uint32Array} */
    this.selected = new Uint32Array();
    this.toSearch = false;
    /** @type {Record<string, string>} */
    this.settings = {};
    this.page = 0;
    this.sort = "";
    this.chosen = "";
    this.form = this.makeForm();
    this.count = el("p", { class: "count", role: "status" });
    this.table = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cases" });
    this.pager = el("nav", { class: "pager", "aria-label": "Pages of the list" });
    root.append(this.form, this.count, this.table, this.pager);
  }

  /** @returns {HTMLElement} */
  makeForm() {
    const form = el("form", { class: "filters", role: "search", "aria-label": "Filters" });
    for (const [field, title] of FILTERS) {
      const values = this.values(field);
      if (values.length < 2) continue;
      const select = el("select", { name: field });
      select.append(el("option", { value: "" }, "all"));
      for (const value of values) select.append(el("option", { value }, shown(value)));
      form.append(el("label", {}, title, select));
    }
    const change = el("select", { name: "change" });
    for (const [value, title] of [["", "all"], ["loss", "lower"], ["gain", "higher"], ["same", "equal"]]) {
      change.append(el("option", { value }, title));
    }
    form.append(el("label", {}, "compared with clean", change));
    const details = el("select", { name: "details" });
    details.append(el("option", { value: "" }, "all"), el("option", { value: "1" }, "with details"));
    form.append(el("label", {}, "cases", details));
    const text = el("input", { name: "text", type: "search", placeholder: "words in the question", id: "search" });
    form.append(el("label", {}, "text", text));
    form.append(button("clear", () => go("cases", {}), { class: "clear" }));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.filtered());
    return form;
  }

  /**
   * @param {string} field
   * @returns {string[]}
   */
  values(field) {
    const { conditions, settings, questions } = this.rows.meta;
    if (field === "status") return STATUSES;
    /** @type {any[]} */
    const entries = field in questions ? questions[field] : [...conditions, ...settings];
    const values = entries.map((entry) => (typeof entry === "string" ? entry : entry[field]));
    return [...new Set(values.filter(Boolean))];
  }

  filtered() {
    const { settings } = address();
    /** @type {Record<string, string>} */
    const next = { sort: settings.sort ?? "" };
    for (const input of this.form.querySelectorAll("select, input")) {
      const field = /** @type {HTMLInputElement} */ (input);
      next[field.name] = field.value;
    }
    go("cases", next, { replace: true });
  }

  /**
   * Apply filters, sorting and page, without drawing.
   *
   * @param {Record<string, string>} settings
   */
  choose(settings) {
    const { page, ...filters } = settings;
    const key = addressOf("", filters);
    if (key !== this.chosen) this.selected = this.rows.select(settings, settings.sort || "-loss");
    this.chosen = key;
    this.settings = settings;
    this.sort = settings.sort || "-loss";
    this.page = Math.max(0, Math.min(Number(page ?? 0) || 0, this.pages - 1));
  }

  /** @param {Record<string, string>} settings */
  show(settings) {
    this.choose(settings);
    for (const input of this.form.querySelectorAll("select, input")) {
      const field = /** @type {HTMLInputElement} */ (input);
      const value = settings[field.name] ?? "";
      if (field.value !== value) field.value = value;
    }
    keepingFocus(this.root, () => this.draw());
    if (this.toSearch) setTimeout(() => this.search());
  }

  /** Move the focus to the search field. */
  search() {
    this.toSearch = false;
    byId("search").focus();
  }

  get pages() {
    return Math.max(1, Math.ceil(this.selected.length / PAGE));
  }

  draw() {
    const first = this.page * PAGE;
    const rows = this.selected.subarray(first, first + PAGE);
    this.count.textContent = `${this.selected.length.toLocaleString("en")} of ${this.rows.pairs.toLocaleString("en")} questions under a condition, each with the setting that comes first`;
    const body = el("tbody");
    for (const row of rows) body.append(this.line(row));
    const table = el("table", { class: "cases" }, el("thead", {}, this.head()), body);
    this.table.replaceChildren(table);
    this.drawPager();
  }

  /** @returns {HTMLElement} */
  head() {
    const line = el("tr");
    for (const { title, sort } of COLUMNS) {
      if (!sort) {
        line.append(el("th", { scope: "col" }, title));
        continue;
      }
      const by = this.sort === sort ? "ascending" : this.sort === `-${sort}` ? "descending" : "none";
      const next = by === "descending" ? sort : `-${sort}`;
      const mark = by === "none" ? "" : by === "ascending" ? " ▲" : " ▼";
      const sorter = button(title + mark, () => go("cases", { ...this.settings, sort: next, page: "" }, { replace: true }), { "data-key": `sort-${sort}` });
      line.append(el("th", { scope: "col", "aria-sort": by, class: "number" }, sorter));
    }
    return line;
  }

  /**
   * @param {number} row
   * @returns {HTMLElement}
   */
  line(row) {
    const { rows } = this;
    const { conditions, settings, texts } = rows.meta;
    const loss = rows.loss(row);
    const text = shown(texts[rows.question[row]]);
    const name = rows.case[row]
      ? el("a", { href: addressOf("case", { ...this.settings, case: String(rows.case[row]) }) }, text)
      : text;
    /** @type {(value: number) => string} */
    const number = (value) => score(value === NONE ? null : value / 1000);
    const status = STATUSES[rows.status[row]];
    return el(
      "tr",
      { class: rows.case[row] ? "detailed" : null },
      el("td", { class: "question" }, name),
      el("td", { class: "condition" }, shown(conditions[rows.condition[row]].name), el("span", { class: "detail" }, shown(settings[rows.setting[row]].name))),
      ...this.answer(row),
      el("td", { class: "number", "data-name": "score" }, status === "ok" ? number(rows.score[row]) : `${number(rows.score[row])} (${status})`),
      el("td", { class: "number", "data-name": "clean" }, number(rows.clean[row])),
      el("td", { class: `number ${loss === null || loss === 0 ? "" : loss > 0 ? "loss" : "gain"}`, "data-name": "loss" }, score(loss === null ? null : loss / 1000)),
      el("td", { class: "number", "data-name": "evidence LCS" }, number(rows.evidence[row])),
    );
  }

  /**
   * Accepted answer, answer and why, of a case with details: filled once these are loaded.
   *
   * @param {number} row
   * @returns {HTMLElement[]}
   */
  answer(row) {
    const cells = ["accepted", "answer", "why"].map((name) => el("td", { class: `of-${name}`, "data-name": name }));
    const number = this.rows.case[row];
    if (!number) return cells.map((cell) => (cell.append("–"), cell));
    void this.view.brief(number, row).then(
      (parts) => parts.forEach((part, at) => cells[at].append(...part)),
      (error) => cells[2].append(error.message),
    );
    return cells;
  }

  drawPager() {
    const { page } = this;
    /** @type {(label: string, to: number) => HTMLElement} */
    const turn = (label, to) =>
      button(label, () => go("cases", { ...this.settings, page: String(to) }, { replace: true }), {
        disabled: to < 0 || to >= this.pages,
        "data-key": label,
      });
    this.pager.replaceChildren(
      turn("‹ previous", page - 1),
      el("span", {}, `page ${page + 1} of ${this.pages.toLocaleString("en")}`),
      turn("next ›", page + 1),
    );
  }

  /** The cases with details in the order of the list, each once. @returns {number[]} */
  cases() {
    const seen = new Set();
    for (const row of this.selected) if (this.rows.case[row]) seen.add(this.rows.case[row]);
    return [...seen];
  }
}
