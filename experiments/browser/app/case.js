// @ts-check
"use strict";

const PER_CHUNK = 20;

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

/** One case: its pages, what was found and answered, what the truth would change. */
class Case {
  /**
   * @param {Rows} rows
   * @param {HTMLElement} root
   * @param {Review} review
   */
  constructor(rows, root, review) {
    this.rows = rows;
    this.root = root;
    this.review = review;
  }

  /** @param {number} number */
  async show(number) {
    const chunk = await load(`cases-${Math.floor((number - 1) / PER_CHUNK)}`);
    const found = chunk[(number - 1) % PER_CHUNK];
    this.root.replaceChildren(...(found === undefined ? [el("p", {}, "There is no such case.")] : this.parts(number, found)));
    this.root.querySelector("h2")?.focus();
  }

  /**
   * @param {number} number
   * @param {any} one
   * @returns {HTMLElement[]}
   */
  parts(number, one) {
    const { conditions, questions } = this.rows.meta;
    const condition = conditions[one.condition];
    const facts = el("dl", { class: "facts" });
    /** @type {(name: string, value: string) => void} */
    const fact = (name, value) => facts.append(el("dt", {}, name), el("dd", {}, shown(value)));
    fact("condition", condition.name);
    fact("accepted answers", one.answers.join(" | "));
    fact("evidence source", questions.source[one.question]);
    fact("domain", questions.domain[one.question]);
    fact("question", questions.qid[one.question]);
    const parts = [
      el("p", { class: "path" }, el("a", { href: "#cases" }, "Cases"), ` › ${number}`),
      el("h2", { tabindex: -1 }, shown(one.text)),
      facts,
      this.review.form(questions.qid[one.question]),
      ...this.conditions(number, one),
      this.answers(one),
      this.swaps(one),
      ...one.pages.map((/** @type {any} */ page) => this.page(page)),
      ...one.hits.map((/** @type {any} */ hits) => this.hits(hits)),
    ];
    parts.push(el("h3", {}, "Do it again"), el("pre", { class: "command", tabindex: 0 }, shown(one.command)));
    return parts;
  }

  /**
   * The same question under other conditions.
   *
   * @param {number} number
   * @param {any} one
   * @returns {HTMLElement[]}
   */
  conditions(number, one) {
    const { rows } = this;
    /** @type {Map<number, number>} */
    const others = new Map();
    for (let row = 0; row < rows.n; row += 1) {
      if (rows.question[row] === one.question && rows.case[row]) others.set(rows.condition[row], rows.case[row]);
    }
    if (others.size < 2) return [];
    const list = el("ul", { class: "conditions" });
    for (const [condition, other] of others) {
      const name = shown(rows.meta.conditions[condition].name);
      list.append(
        el("li", {}, other === number ? el("strong", {}, name) : el("a", { href: addressOf("case", { case: String(other) }) }, name)),
      );
    }
    return [el("h3", {}, "The same question"), list];
  }

  /**
   * @param {any} one
   * @returns {HTMLElement}
   */
  answers(one) {
    const body = el("tbody");
    for (const reply of one.replies) {
      const by = [reply.stage, reply.system, reply.chunker, reply.retriever, reply.reader].filter((part) => part && part !== "rag").join(", ");
      const said = el("td", {}, reply.text === null ? `(${reply.status})` : shown(reply.text));
      if (reply.quote) said.append(el("blockquote", {}, shown(reply.quote)));
      if (reply.detail) said.append(el("p", { class: "detail" }, shown(reply.detail)));
      if (reply.trace.length) {
        const steps = el("ol");
        for (const step of reply.trace) steps.append(el("li", {}, shown(step)));
        said.append(el("details", {}, el("summary", {}, `${reply.trace.length} steps`), steps));
      }
      const pages = reply.sources.map((/** @type {[string, number]} */ [doc, page]) => `${doc} page ${page + 1}`);
      body.append(el("tr", {}, el("th", { scope: "row" }, shown(by)), said, el("td", {}, shown(pages.join(", ")))));
    }
    const head = el("tr", {}, ...["answered by", "answer", "from"].map((title) => el("th", { scope: "col" }, title)));
    return el("section", {}, el("h3", {}, "Answers"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Answers" }, el("table", {}, el("thead", {}, head), body)));
  }

  /**
   * @param {any} one
   * @returns {HTMLElement}
   */
  swaps(one) {
    const body = el("tbody");
    for (const swap of one.swaps) {
      body.append(
        el(
          "tr",
          {},
          el("th", { scope: "row" }, shown(this.rows.meta.settings[swap.setting].name)),
          ...[swap.score, swap.clean, swap.gold].map((value) => el("td", { class: "number" }, score(value))),
        ),
      );
    }
    const head = el("tr", {}, ...["setting", "score", "with clean pages", "with the gold pages"].map((title) => el("th", { scope: "col" }, title)));
    return el("section", {}, el("h3", {}, "What the truth would change"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What the truth would change" }, el("table", {}, el("thead", {}, head), body)));
  }

  /**
   * @param {any} page
   * @returns {HTMLElement}
   */
  page(page) {
    const sides = el("div", { class: "sides" });
    if (page.images) sides.append(pictures(page));
    sides.append(
      side("ground truth", page.truth, page.truthSet, "not in this run", "del"),
      side(`as read (${page.status})`, page.read, page.readSet, page.detail, "ins"),
    );
    return el("section", {}, el("h3", {}, shown(`${page.doc}, page ${page.page + 1}`)), sides);
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
    return el("section", {}, el("h3", {}, shown(`Found by ${found.chunker}, ${found.retriever}`)), list);
  }
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
 * @returns {HTMLElement}
 */
function pictures(page) {
  const { clean, read, boxes } = page.images;
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
