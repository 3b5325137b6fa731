// @ts-check
"use strict";

/** The first number in a text. */
const NUMBER = /[-−]?\d[\d,]*(\.\d+)?/;

/** A table that its headers sort; rows that are equal keep the order of the ranking. */
class SortedTable {
  /** @param {HTMLTableElement} table */
  constructor(table) {
    this.body = table.tBodies[0];
    this.rows = [...this.body.rows];
    this.heads = [...table.tHead?.rows[0].cells ?? []];
    /** @type {HTMLElement[]} */
    this.buttons = this.heads.map((head, column) => {
      const sorter = button(head.textContent ?? "", () => this.sort(column));
      sorter.dataset.title = head.textContent ?? "";
      head.replaceChildren(sorter);
      return sorter;
    });
    this.mark(-1, "none");
    const ranked = this.heads.findIndex((head) => head.classList.contains("number"));
    const values = this.rows.map((row) => numberIn(row.cells[ranked]?.textContent ?? ""));
    const last = (/** @type {number} */ place) => values[Math.max(0, place - 1)] ?? Infinity;
    if (values.every((value, place) => value !== null && last(place) <= value)) this.mark(ranked, "ascending");
  }

  /**
   * Sort by a column; a second time, the other way round.
   *
   * @param {number} column
   */
  sort(column) {
    const order = this.heads[column].getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    const texts = this.rows.map((row) => row.cells[column].textContent ?? "");
    const values = texts.map(numberIn);
    const numeric = this.heads[column].classList.contains("number") && values.some((value) => value !== null);
    const sign = order === "ascending" ? 1 : -1;
    const places = this.rows.map((_, place) => place);
    places.sort((a, b) => {
      if (!numeric) return sign * texts[a].localeCompare(texts[b], "en");
      const [first, second] = [values[a], values[b]];
      if (first === null || second === null) return Number(first === null) - Number(second === null);
      return sign * (first - second);
    });
    this.body.append(...places.map((place) => this.rows[place]));
    this.mark(column, order);
  }

  /**
   * Show by which column the table is sorted.
   *
   * @param {number} column
   * @param {string} order
   */
  mark(column, order) {
    this.heads.forEach((head, place) => {
      head.setAttribute("aria-sort", place === column ? order : "none");
      const sign = place !== column ? "" : order === "ascending" ? " ▲" : " ▼";
      this.buttons[place].textContent = (this.buttons[place].dataset.title ?? "") + sign;
    });
  }
}

/**
 * The first number of a cell; null without one.
 *
 * @param {string} text
 * @returns {number | null}
 */
function numberIn(text) {
  const [found] = text.match(NUMBER) ?? [];
  return found === undefined ? null : Number(found.replace("−", "-").replaceAll(",", ""));
}

for (const node of document.querySelectorAll("section.ranking table")) {
  const table = /** @type {HTMLTableElement} */ (node);
  if (table.tBodies[0].rows.length > 1) new SortedTable(table);
}
document.documentElement.dataset.ready = "yes";
