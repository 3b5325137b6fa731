// @ts-check
"use strict";

const PER_CHUNK = 20;
/** Kinds of differences with attributes of their own. */
/** @type {Record<number, Record<string, string>>} */
const KINDS = {
  2: { class: "made-up", title: "invented, or another number than on the page" },
  3: { class: "mark-up", title: "differs in mark-up alone" },
};
/** The first characters of the evidence, by which it is found in a text. */
const BEGINNING = 24;

/**
 * The details of a page by its number; null for a page without.
 *
 * @param {number} number
 * @returns {Promise<any>}
 */
async function pageDetails(number) {
  if (!(number >= 1)) return null;
  const chunk = await load(`page-${Math.floor((number - 1) / PER_CHUNK)}`);
  const page = chunk[(number - 1) % PER_CHUNK];
  return page === undefined ? null : { ...page, number };
}

/**
 * A page under one condition: its image, the ground truth and the OCR output.
 *
 * @param {Rows} rows
 * @param {any} page
 * @param {number} condition
 * @param {number[][]} [boxes]
 * @param {string} [evidence] to which both texts are scrolled
 * @returns {HTMLElement}
 */
function pageUnder(rows, page, condition, boxes = [], evidence = "") {
  const output = page.of.find((/** @type {any} */ each) => each.condition === condition);
  if (output === undefined) return el("p", {}, "There is no OCR output under this condition");
  const status = output.status === "ok" ? "" : ` (${output.status})`;
  const sides = el(
    "div",
    { class: "sides" },
    output.images ? pictures(page, output.images, boxes) : null,
    side("ground truth", output.truth, page.set, "not in this run", "del"),
    side(`OCR output${status}`, output.read, output.set ?? page.set, output.detail, "ins"),
  );
  if (evidence) requestAnimationFrame(() => toEvidence(sides, evidence));
  return el("div", {}, sides, output.python ? reproduction(output.python, output.images?.record) : null);
}

/**
 * Scroll each text to the evidence or, where it was misread, as far down as the other.
 *
 * @param {HTMLElement} sides
 * @param {string} evidence
 */
function toEvidence(sides, evidence) {
  const texts = /** @type {HTMLElement[]} */ ([...sides.querySelectorAll("pre.text")]);
  const start = squeezed(evidence).slice(0, BEGINNING);
  const shares = texts.map((node) => {
    const content = squeezed(node.textContent ?? "");
    const at = content.indexOf(start);
    return at < 0 ? null : at / content.length;
  });
  const known = shares.find((share) => share !== null) ?? null;
  texts.forEach((node, place) => {
    const share = shares[place] ?? known;
    if (share !== null) node.scrollTop = Math.max(0, share * node.scrollHeight - node.clientHeight / 3);
  });
}

/**
 * Text without white space and mark-up, in lower case.
 *
 * @param {string} text
 * @returns {string}
 */
function squeezed(text) {
  return text.replace(/[\s*_#|`$\\{}]/g, "").toLowerCase();
}

/**
 * How to reproduce the noisy page.
 *
 * @param {string} python
 * @param {string} [record]
 * @returns {HTMLElement}
 */
function reproduction(python, record) {
  const details = el("details", {}, el("summary", {}, "reproduce this noisy page"), el("pre", { class: "command", tabindex: 0 }, shown(python)));
  if (record) details.append(el("p", {}, "The record of its distortion, for replay:"), el("pre", { class: "command", tabindex: 0 }, shown(record)));
  return details;
}

/** All pages by edit distance, and one page under two conditions. */
class Pages {
  /** @param {Rows} rows */
  constructor(rows) {
    this.rows = rows;
  }

  /**
   * The view of all pages under a condition.
   *
   * @param {Record<string, string>} settings ``condition`` and ``sheet``
   * @returns {Promise<HTMLElement[]>}
   */
  async nodes(settings) {
    const data = await load("pages");
    const read = data.distance.map((/** @type {any} */ column) => unpack(column));
    const detail = unpack(data.detail);
    const choices = [...this.rows.meta.conditions.keys()].filter((at) => read[at].some((/** @type {number} */ d) => d !== NONE));
    const title = el("h2", {}, "Pages");
    const chosen = settings.condition && choices.includes(Number(settings.condition)) ? Number(settings.condition) : choices[choices.length - 1];
    if (chosen === undefined) return [title, el("p", {}, "These runs have no OCR output.")];
    const order = [...read[chosen].keys()].filter((at) => read[chosen][at] !== NONE);
    order.sort((left, right) => read[chosen][right] - read[chosen][left] || left - right);
    const last = Math.max(0, Math.ceil(order.length / PAGE) - 1);
    const sheet = Math.max(0, Math.min(Number(settings.sheet) || 0, last));
    const cards = order.slice(sheet * PAGE, (sheet + 1) * PAGE).map((at) => this.card(data, at, detail[at], read[chosen][at], chosen));
    /** @type {(label: string, to: number) => HTMLElement} */
    const turn = (label, to) =>
      button(label, () => go("pages", { condition: String(chosen), sheet: String(to) }, { replace: true }), { disabled: to < 0 || to > last, "data-key": label });
    return [
      title,
      el("form", { class: "filters", "aria-label": "Condition" }, this.choice("condition", "condition", choices, chosen, false, (value) => go("pages", { condition: value }, { replace: true }))),
      el("p", { class: "count", role: "status" }, `${order.length.toLocaleString("en")} pages, worst first: characters that must change (edit distance)`),
      el("ul", { class: "cards" }, ...cards),
      el("nav", { class: "pager", "aria-label": "Pages of the list of pages" }, turn("‹ previous", sheet - 1), el("span", {}, `page ${sheet + 1} of ${last + 1}`), turn("next ›", sheet + 1)),
    ];
  }

  /**
   * @param {any} data
   * @param {number} at
   * @param {number} detail
   * @param {number} distance
   * @param {number} condition
   * @returns {HTMLElement}
   */
  card(data, at, detail, distance, condition) {
    const name = shown(`${data.doc[at]}, page ${data.page[at] + 1}`);
    const picture = data.picture[condition]?.[at];
    return el(
      "li",
      {},
      picture ? el("img", { src: `images/${picture}`, alt: "", loading: "lazy" }) : null,
      el("span", {}, `${Math.round(distance / 10)} % of characters wrong`),
      detail ? el("a", { href: addressOf("page", { page: String(detail), a: String(condition) }) }, name) : el("span", {}, name),
    );
  }

  /**
   * A choice of a condition.
   *
   * @param {string} name
   * @param {string} title
   * @param {number[]} conditions
   * @param {number | null} chosen
   * @param {boolean} none whether the choice may be empty
   * @param {(value: string) => void} choose
   * @returns {HTMLElement}
   */
  choice(name, title, conditions, chosen, none, choose) {
    const select = /** @type {HTMLSelectElement} */ (el("select", { name, "data-key": name }));
    if (none) select.append(el("option", { value: "" }, "–"));
    for (const at of conditions) select.append(el("option", { value: at, selected: at === chosen }, shown(this.rows.meta.conditions[at].name)));
    select.addEventListener("input", () => choose(select.value));
    return el("label", {}, title, select);
  }

  /**
   * The view of one page, under one condition or two.
   *
   * @param {Record<string, string>} settings ``page``, and conditions ``a`` and ``b``
   * @returns {Promise<HTMLElement[]>}
   */
  async one(settings) {
    const number = Number(settings.page) || 0;
    const page = unpack((await load("pages")).detail).includes(number) ? await pageDetails(number) : null;
    if (page === null) return [el("h2", {}, "This page does not exist")];
    /** @type {number[]} */
    const conditions = page.of.map((/** @type {any} */ each) => each.condition);
    const first = settings.a && conditions.includes(Number(settings.a)) ? Number(settings.a) : conditions[0];
    const other = settings.b && conditions.includes(Number(settings.b)) ? Number(settings.b) : null;
    /** @type {(name: string) => (value: string) => void} */
    const under = (name) => (value) => go("page", { ...settings, [name]: value }, { replace: true });
    const columns = [first, ...(other === null ? [] : [other])].map((at) =>
      el("section", {}, el("h3", { class: "condition" }, shown(this.rows.meta.conditions[at].name)), pageUnder(this.rows, page, at)),
    );
    return [
      el("p", { class: "path" }, el("a", { href: addressOf("pages", { condition: String(first) }) }, "Pages"), ` › ${page.number}`),
      el("h2", {}, shown(`${page.doc}, page ${page.page + 1}`)),
      el("form", { class: "filters", "aria-label": "Conditions" }, this.choice("a", "condition", conditions, first, false, under("a")), this.choice("b", "compare with", conditions, other, true, under("b"))),
      el("div", { class: columns.length > 1 ? "beside" : null }, ...columns),
    ];
  }
}

/**
 * Text in pieces; those that differ from the other side are marked, and those that are made up.
 *
 * @param {[number, string][]} pieces
 * @param {string} tag of what differs: ``del`` or ``ins``
 * @returns {HTMLElement}
 */
function pieces(pieces, tag) {
  const node = el("pre", { class: "text", tabindex: 0 });
  for (const [changed, text] of pieces) {
    if (!changed) {
      node.append(shown(text));
      continue;
    }
    const words = text.trimEnd();
    node.append(el(tag, KINDS[changed] ?? {}, shown(words)), text.slice(words.length));
  }
  return node;
}

/**
 * One side of a page: its text with the differences marked, or the same text formatted as a page.
 *
 * @param {string} title
 * @param {[number, string][] | null} text
 * @param {any[] | null} set
 * @param {string} missing
 * @param {string} tag
 * @returns {HTMLElement}
 */
function side(title, text, set, missing, tag) {
  const caption = el("figcaption", {}, title);
  const figure = el("figure", {}, caption);
  if (text === null) {
    figure.append(el("p", {}, shown(missing)));
    return figure;
  }
  const plain = pieces(text, tag);
  const page = el("div", { class: "set", tabindex: 0, hidden: true });
  const turn = button("formatted", () => {
    if (!page.hasChildNodes()) page.append(...blocks(set ?? []));
    page.hidden = !page.hidden;
    plain.hidden = !page.hidden;
    turn.textContent = page.hidden ? "formatted" : "as text";
  });
  caption.append(turn);
  figure.append(plain, page);
  if (text.some(([changed]) => changed === 2)) {
    figure.append(el("p", { class: "note" }, "Underlined: invented words, and numbers that are not those of the page."));
  }
  if (text.some(([changed]) => changed === 3)) {
    figure.append(el("p", { class: "note" }, "Grey: differs in mark-up, quotes or dashes alone."));
  }
  return figure;
}

/**
 * The distorted page over the clean one, with a slider and boxes around the evidence.
 *
 * @param {any} page
 * @param {{clean: string, read: string}} images
 * @param {number[][]} boxes
 * @returns {HTMLElement}
 */
function pictures(page, images, boxes) {
  const { clean, read } = images;
  const stack = el("div", { class: "stack" });
  stack.append(el("img", { src: `images/${clean}`, alt: `clean page ${page.page + 1}`, loading: "lazy" }));
  if (read !== clean) {
    const over = el("img", { src: `images/${read}`, alt: `distorted page ${page.page + 1}`, loading: "lazy", class: "over" });
    const slider = el("input", { type: "range", min: 0, max: 100, value: 100, "aria-label": "visible share of the distorted page" });
    slider.addEventListener("input", () => {
      over.style.setProperty("clip-path", `inset(0 ${100 - Number(/** @type {HTMLInputElement} */ (slider).value)}% 0 0)`);
    });
    stack.append(over);
    return el("figure", {}, el("figcaption", {}, "the engine's input; the slider shows the clean page"), boxed(stack, boxes), slider);
  }
  return el("figure", {}, el("figcaption", {}, "page"), boxed(stack, boxes));
}

/**
 * @param {HTMLElement} stack
 * @param {number[][]} boxes left, top, right, bottom in shares of the page
 * @returns {HTMLElement}
 */
function boxed(stack, boxes) {
  for (const [left, top, right, bottom] of boxes) {
    const frame = el("div", { class: "frame" });
    frame.style.setProperty("left", `${100 * left}%`);
    frame.style.setProperty("top", `${100 * top}%`);
    frame.style.setProperty("width", `${100 * (right - left)}%`);
    frame.style.setProperty("height", `${100 * (bottom - top)}%`);
    stack.append(frame);
  }
  return stack;
}
