// @ts-check
"use strict";

/**
 * An element with attributes and children. Texts become text nodes: nothing here parses mark-up.
 *
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null>} [attributes] null and false leave one out
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (name.startsWith("on")) throw new Error("listeners are added, not written");
    node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null) node.append(child);
  return node;
}

/**
 * The element with an id, which the page is known to have.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`no element #${id}`);
  return node;
}

/**
 * A button that does something.
 *
 * @param {string} label
 * @param {() => void} action
 * @param {Record<string, string | number | boolean | null>} [attributes]
 * @returns {HTMLElement}
 */
function button(label, action, attributes = {}) {
  const node = el("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", action);
  return node;
}

/**
 * Draw a part of the page anew; the focus stays on what has the same ``data-key`` as before.
 *
 * @param {HTMLElement} root
 * @param {() => void} draw
 */
function keepingFocus(root, draw) {
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const key = active !== null && root.contains(active) ? active.dataset.key : undefined;
  draw();
  if (key === undefined) return;
  for (const node of root.querySelectorAll("[data-key]")) {
    const same = /** @type {HTMLElement} */ (node);
    if (same.dataset.key === key) same.focus();
  }
}

/**
 * A table in a box that scrolls where it is too wide; the first cell of each row names it.
 *
 * @param {string} title
 * @param {string[]} columns
 * @param {HTMLElement[]} rows
 * @param {string} [kind] ``fit`` for one no wider than it must be
 * @returns {HTMLElement}
 */
function tableWith(title, columns, rows, kind = "") {
  const head = el("tr", {}, ...columns.map((column) => el("th", { scope: "col" }, column)));
  const table = el("table", { class: kind || null }, el("thead", {}, head), el("tbody", {}, ...rows));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table);
}

/**
 * Text as it may be shown: invisible controls and overrides of direction are replaced.
 *
 * @param {string} text
 * @returns {string}
 */
function shown(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/**
 * A score with three decimals, or a dash.
 *
 * @param {number | null} value
 * @returns {string}
 */
function score(value) {
  return value === null ? "–" : value.toFixed(3);
}
