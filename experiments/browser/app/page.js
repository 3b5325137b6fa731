// @ts-check
"use strict";

const PER_CHUNK = 20;

/**
 * The details of a page by its number; null for a page without.
 *
 * @param {number} number
 * @returns {Promise<any>}
 */
async function pageDetails(number) {
  if (!number) return null;
  const chunk = await load(`page-${Math.floor((number - 1) / PER_CHUNK)}`);
  return { ...chunk[(number - 1) % PER_CHUNK], number };
}

/**
 * A page under one condition: its picture, the truth and the reading.
 *
 * @param {Rows} rows
 * @param {any} page
 * @param {number} condition
 * @param {number[][]} [boxes]
 * @returns {HTMLElement}
 */
function pageUnder(rows, page, condition, boxes = []) {
  const reading = page.of.find((/** @type {any} */ one) => one.condition === condition);
  const sides = el("div", { class: "sides" });
  if (reading?.images) sides.append(pictures(page, reading.images, boxes));
  if (reading === undefined) sides.append(el("p", {}, "not read under this condition"));
  else {
    sides.append(
      side("ground truth", reading.truth, page.set, "not in this run", "del"),
      side(`${rows.meta.conditions[condition].name} (${reading.status})`, reading.read, reading.set ?? page.set, reading.detail, "ins"),
    );
  }
  const link = el("a", { href: addressOf("page", { page: String(page.number), a: String(condition) }) }, "under other conditions");
  const again = reading?.python ? madeAgain(reading.python, reading.images?.record) : null;
  return el("section", {}, el("h3", {}, shown(`${page.doc}, page ${page.page + 1}`)), el("p", {}, link), sides, again);
}

/**
 * How the noisy page is made again.
 *
 * @param {string} python
 * @param {string} [record]
 * @returns {HTMLElement}
 */
function madeAgain(python, record) {
  const details = el("details", {}, el("summary", {}, "make this noisy page again"), el("pre", { class: "command", tabindex: 0 }, shown(python)));
  if (record) details.append(el("p", {}, "The record of its distortion, which replay takes too:"), el("pre", { class: "command", tabindex: 0 }, shown(record)));
  return details;
}

/** All pages by how badly they were read, and one page under two conditions. */
class Pages {
  /**
   * @param {Rows} rows
   * @param {HTMLElement} list
   * @param {HTMLElement} one
   */
  constructor(rows, list, one) {
    this.rows = rows;
    this.list = list;
    this.one = one;
  }

  /** @param {Record<string, string>} settings */
  async show(settings) {
    const data = await load("pages");
    const conditions = this.rows.meta.conditions;
    const read = data.distance.map((/** @type {any} */ column) => unpack(column));
    const detail = unpack(data.detail);
    const choices = conditions.map((_, at) => at).filter((at) => read[at].some((/** @type {number} */ d) => d !== NONE));
    const chosen = choices.includes(Number(settings.condition)) && settings.condition ? Number(settings.condition) : choices[choices.length - 1];
    const parts = [el("h2", { tabindex: -1 }, "Pages")];
    if (chosen === undefined) {
      this.list.replaceChildren(...parts, el("p", {}, "No page was read in these runs."));
      return;
    }
    const select = el("select", { name: "condition" });
    for (const at of choices) select.append(el("option", { value: at, selected: at === chosen }, shown(conditions[at].name)));
    select.addEventListener("input", () => go("pages", { condition: /** @type {HTMLSelectElement} */ (select).value }, { replace: true }));
    const order = [...read[chosen].keys()].filter((at) => read[chosen][at] !== NONE);
    order.sort((one, other) => read[chosen][other] - read[chosen][one] || one - other);
    const last = Math.max(0, Math.ceil(order.length / PAGE) - 1);
    const page = Math.max(0, Math.min(Number(settings.sheet) || 0, last));
    const shownPages = order.slice(page * PAGE, (page + 1) * PAGE);
    const cards = el("ul", { class: "cards" });
    for (const at of shownPages) cards.append(await this.card(data, at, detail[at], read[chosen][at], chosen));
    /** @type {(label: string, to: number) => HTMLElement} */
    const turn = (label, to) =>
      button(label, () => go("pages", { condition: String(chosen), sheet: String(to) }, { replace: true }), { disabled: to < 0 || to > last });
    this.list.replaceChildren(
      ...parts,
      el("form", { class: "filters" }, el("label", {}, "read by", select)),
      el("p", { class: "count", role: "status" }, `${order.length.toLocaleString("en")} pages, worst first, by edit distance`),
      cards,
      el("nav", { class: "pager", "aria-label": "Pages of the list of pages" }, turn("‹ previous", page - 1), el("span", {}, `page ${page + 1} of ${last + 1}`), turn("next ›", page + 1)),
    );
  }

  /**
   * @param {any} data
   * @param {number} at
   * @param {number} detail
   * @param {number} distance
   * @param {number} condition
   * @returns {Promise<HTMLElement>}
   */
  async card(data, at, detail, distance, condition) {
    const name = shown(`${data.doc[at]}, page ${data.page[at] + 1}`);
    const item = el("li", {});
    const details = await pageDetails(detail);
    const reading = details?.of.find((/** @type {any} */ one) => one.condition === condition) ?? details?.of[0];
    if (reading?.images) item.append(el("img", { src: `images/${reading.images.read}`, alt: "", loading: "lazy" }));
    const address = addressOf("page", { page: String(detail), a: String(condition) });
    item.append(el("span", { class: "number" }, score(distance / 1000)), detail ? el("a", { href: address }, name) : el("span", {}, name));
    return item;
  }

  /** @param {Record<string, string>} settings */
  async showOne(settings) {
    const page = await pageDetails(Number(settings.page) || 0);
    if (!page?.of) {
      this.one.replaceChildren(el("p", {}, "There is no such page."));
      return;
    }
    const conditions = page.of.map((/** @type {any} */ one) => one.condition);
    const first = conditions.includes(Number(settings.a)) ? Number(settings.a) : conditions[0];
    const other = conditions.includes(Number(settings.b)) && settings.b ? Number(settings.b) : null;
    /** @type {(name: string, title: string, value: number | null, none: boolean) => HTMLElement} */
    const choice = (name, title, value, none) => {
      const select = el("select", { name });
      if (none) select.append(el("option", { value: "" }, "–"));
      for (const at of conditions) select.append(el("option", { value: at, selected: at === value }, shown(this.rows.meta.conditions[at].name)));
      select.addEventListener("input", () => go("page", { ...settings, [name]: /** @type {HTMLSelectElement} */ (select).value }, { replace: true }));
      return el("label", {}, title, select);
    };
    const parts = [
      el("p", { class: "path" }, el("a", { href: "#pages" }, "Pages"), ` › ${page.number}`),
      el("h2", { tabindex: -1 }, shown(`${page.doc}, page ${page.page + 1}`)),
      el("form", { class: "filters" }, choice("a", "under", first, false), choice("b", "beside it", other, true)),
      pageUnder(this.rows, page, first),
    ];
    if (other !== null) parts.push(pageUnder(this.rows, page, other));
    this.one.replaceChildren(...parts);
  }
}

/**
 * Text in pieces, those that differ from the other side marked.
 *
 * @param {[number, string][]} pieces
 * @param {string} tag of what differs: ``del`` or ``ins``
 * @returns {HTMLElement}
 */
function pieces(pieces, tag) {
  const node = el("pre", { class: "text", tabindex: 0 });
  for (const [changed, text] of pieces) node.append(changed ? el(tag, {}, shown(text)) : shown(text));
  return node;
}

/**
 * One side of a page: its text with what differs marked, or the same text set as a page.
 *
 * @param {string} title
 * @param {[number, string][] | null} text
 * @param {any[] | null} set
 * @param {string} missing
 * @param {string} tag
 * @returns {HTMLElement}
 */
function side(title, text, set, missing, tag) {
  const figure = el("figure", {}, el("figcaption", {}, title));
  if (text === null) {
    figure.append(el("p", {}, shown(missing)));
    return figure;
  }
  const plain = pieces(text, tag);
  const page = el("div", { class: "set", tabindex: 0, hidden: true });
  const turn = button("set as a page", () => {
    if (!page.hasChildNodes()) page.append(...blocks(set ?? []));
    page.hidden = !page.hidden;
    plain.hidden = !page.hidden;
    turn.textContent = page.hidden ? "set as a page" : "as text";
  });
  figure.append(turn, plain, page);
  return figure;
}

/**
 * The clean and the distorted page over each other, with a slider, and the evidence boxed.
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
    const slider = el("input", { type: "range", min: 0, max: 100, value: 100, "aria-label": "how much of the distorted page is shown" });
    slider.addEventListener("input", () => {
      over.style.setProperty("clip-path", `inset(0 ${100 - Number(/** @type {HTMLInputElement} */ (slider).value)}% 0 0)`);
    });
    stack.append(over);
    return el("figure", {}, el("figcaption", {}, "page: clean under distorted"), boxed(stack, boxes), slider);
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
