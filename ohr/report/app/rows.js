// @ts-check
"use strict";

const NONE = 65535;
const STATUSES = ["ok", "empty", "error", "timeout"];

/**
 * @typedef {{n: number, question: any, condition: any, setting: any, status: any, score: any,
 *   clean: any, evidence: any, case: any}} Columns
 * @typedef {{run: string, name: string, engine: string, kept: string, noise: string, level: string,
 *   intensity: number | null, clean: number | null}} Condition
 * @typedef {{stage: string, system: string, chunker: string, retriever: string, reader: string,
 *   top_k: string, name: string}} Setting
 * @typedef {{conditions: Condition[], settings: Setting[], questions: Record<string, string[]>,
 *   texts: string[]}} Meta
 */

/** Rows of questions under conditions and settings, which can be filtered and sorted. */
class Rows {
  /**
   * @param {Meta} meta
   * @param {Columns} columns
   */
  constructor(meta, columns) {
    this.meta = meta;
    this.n = columns.n;
    this.question = unpack(columns.question);
    this.condition = unpack(columns.condition);
    this.setting = unpack(columns.setting);
    this.status = unpack(columns.status);
    this.score = unpack(columns.score);
    this.clean = unpack(columns.clean);
    this.evidence = unpack(columns.evidence);
    this.case = unpack(columns.case);
    this.pairs = this.once(Uint32Array.from({ length: this.n }, (_, row) => row)).length;
    this.lowered = meta.texts.map((text) => text.toLowerCase());
  }

  /**
   * What a row has in a field that can be filtered by.
   *
   * @param {number} row
   * @param {string} field
   * @returns {string}
   */
  value(row, field) {
    const { conditions, settings, questions } = this.meta;
    switch (field) {
      case "run":
      case "engine":
      case "noise":
      case "level":
        return conditions[this.condition[row]][field];
      case "condition":
        return conditions[this.condition[row]].name;
      case "stage":
      case "system":
      case "retriever":
      case "reader":
        return settings[this.setting[row]][field];
      case "status":
        return STATUSES[this.status[row]];
      default:
        return questions[field][this.question[row]];
    }
  }

  /**
   * The rows that pass, in order, one for each question and condition.
   *
   * @param {Record<string, string>} filters a value by field; ``text`` and ``change`` are special
   * @param {string} sort a column, with "-" before it for the greatest first
   * @returns {Uint32Array}
   */
  select(filters, sort) {
    return this.once(this.sorted(this.passing(filters), sort));
  }

  /**
   * Of rows of the same question and condition, the first: the others are its further settings.
   *
   * @param {Uint32Array} rows
   * @returns {Uint32Array}
   */
  once(rows) {
    const seen = new Set();
    return rows.filter((row) => {
      const place = this.question[row] * this.meta.conditions.length + this.condition[row];
      if (seen.has(place)) return false;
      seen.add(place);
      return true;
    });
  }

  /**
   * @param {Record<string, string>} filters
   * @returns {Uint32Array}
   */
  passing(filters) {
    const { conditions, settings, questions } = this.meta;
    /** @type {(n: number, test: (index: number) => boolean) => Uint8Array} */
    const mask = (n, test) => Uint8Array.from({ length: n }, (_, at) => (test(at) ? 1 : 0));
    /** @type {(fields: string[], has: (index: number, field: string) => string) => (index: number) => boolean} */
    const agrees = (fields, has) => {
      const asked = fields.filter((field) => filters[field]);
      return (index) => asked.every((field) => has(index, field) === filters[field]);
    };
    const ofCondition = mask(
      conditions.length,
      agrees(["run", "engine", "noise", "level"], (at, field) => /** @type {any} */ (conditions[at])[field]),
    );
    const ofSetting = mask(
      settings.length,
      agrees(["stage", "system", "retriever", "reader"], (at, field) => /** @type {any} */ (settings[at])[field]),
    );
    const words = (filters.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const named = agrees(Object.keys(questions), (at, field) => questions[field][at]);
    const ofQuestion = mask(
      this.lowered.length,
      (at) => named(at) && words.every((word) => this.lowered[at].includes(word)),
    );
    const status = filters.status ? STATUSES.indexOf(filters.status) : null;
    const found = new Uint32Array(this.n);
    let count = 0;
    for (let row = 0; row < this.n; row += 1) {
      if (!ofQuestion[this.question[row]]) continue;
      if (!ofCondition[this.condition[row]] || !ofSetting[this.setting[row]]) continue;
      if (status !== null && this.status[row] !== status) continue;
      if (filters.details && !this.case[row]) continue;
      if (filters.change && !this.changed(row, filters.change)) continue;
      found[count] = row;
      count += 1;
    }
    return found.slice(0, count);
  }

  /**
   * @param {number} row
   * @param {string} change ``loss``, ``gain`` or ``same``
   * @returns {boolean}
   */
  changed(row, change) {
    const loss = this.loss(row);
    if (loss === null) return false;
    if (change === "loss") return loss > 0;
    return change === "gain" ? loss < 0 : loss === 0;
  }

  /**
   * Thousandths that a row lost against the clean pages; null where that is not known.
   *
   * @param {number} row
   * @returns {number | null}
   */
  loss(row) {
    const [before, after] = [this.clean[row], this.score[row]];
    return before === NONE || after === NONE ? null : before - after;
  }

  /**
   * Rows by a number, those without one last.
   *
   * @param {Uint32Array} rows
   * @param {string} sort
   * @returns {Uint32Array}
   */
  sorted(rows, sort) {
    const down = sort.startsWith("-");
    const column = down ? sort.slice(1) : sort;
    /** @type {(row: number) => number | null} */
    const number = (row) => {
      if (column === "loss") return this.loss(row);
      if (column !== "score" && column !== "clean" && column !== "evidence") return null;
      const value = this[column][row];
      return value === NONE ? null : value;
    };
    // A number with the row's place in its digits sorts natively, and equal ones stay in order.
    const keys = Float64Array.from(rows, (row, at) => {
      const value = number(row);
      const rank = value === null ? 4000 : (down ? -value : value) + 2000;
      return rank * 2 ** 32 + at;
    });
    keys.sort();
    return Uint32Array.from(keys, (key) => rows[key % 2 ** 32]);
  }
}
