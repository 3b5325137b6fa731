// @ts-check
"use strict";

const MATHML = "http://www.w3.org/1998/Math/MathML";

/**
 * Blocks of a page: headings, paragraphs, tables, formulas, code.
 *
 * @param {any[]} list
 * @returns {HTMLElement[]}
 */
function blocks(list) {
  return list.map((block) => {
    if ("h" in block) return el("p", { class: `heading level-${block.h}` }, shown(block.t));
    if ("m" in block) return el("div", { class: "formula" }, math(block.m));
    if ("c" in block) return el("pre", {}, shown(block.c));
    if ("rows" in block) return tableOf(block);
    return el("p", { class: "paragraph" }, ...inline(block.p));
  });
}

/**
 * @param {any[]} parts
 * @returns {(string | Node)[]}
 */
function inline(parts) {
  return parts.map((part) => (typeof part === "string" ? shown(part) : math(part.m)));
}

/**
 * @param {any} block
 * @returns {HTMLElement}
 */
function tableOf(block) {
  const table = el("table", {});
  if (block.caption) table.append(el("caption", {}, shown(block.caption)));
  for (const row of block.rows) {
    const line = el("tr");
    for (const cell of row) {
      line.append(el("td", { rowspan: cell.r ?? null, colspan: cell.c ?? null }, ...inline(cell.p)));
    }
    table.append(line);
  }
  return el("div", { class: "scroll" }, table);
}

/**
 * A formula from its tree, or its LaTeX where it could not be parsed.
 *
 * @param {any} tree
 * @returns {Node}
 */
function math(tree) {
  if (typeof tree === "string") return el("code", {}, shown(tree));
  const [tag, attributes, ...children] = tree;
  const node = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  for (const child of children) node.append(typeof child === "string" ? shown(child) : math(child));
  return node;
}
