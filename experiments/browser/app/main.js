// @ts-check
"use strict";

const HELP = [
  ["j, k", "next and previous case"],
  ["/", "words of the question"],
  ["?", "these keys"],
  ["Esc", "back to the list"],
];

/** The whole report: which part is shown follows the address. */
class ReportView {
  /** @param {any} meta @param {any} columns */
  constructor(meta, columns) {
    this.rows = new Rows(meta, columns);
    this.review = new Review(meta.report);
    this.list = new List(this.rows, byId("view-cases"));
    this.pages = new Pages(this.rows, byId("view-pages"), byId("view-page"));
    this.case = new Case(this.rows, byId("view-case"), this.review);
    addEventListener("hashchange", () => this.show());
    addEventListener("keydown", (event) => this.key(event));
    this.show();
  }

  show() {
    const { view, settings } = address();
    const known = ["overview", "cases", "case", "pages", "page", "review"].includes(view) ? view : "overview";
    for (const part of document.querySelectorAll("main > *")) /** @type {HTMLElement} */ (part).hidden = part.id !== `view-${known}`;
    for (const link of document.querySelectorAll("header nav a")) {
      const to = link.getAttribute("href") ?? "";
      if (to === `#${known}` || to === `#${known}s`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (known === "cases") this.list.show(settings);
    if (known === "case") void this.shown(this.case.show(Number(settings.case) || 0), "view-case");
    if (known === "pages") void this.shown(this.pages.show(settings), "view-pages");
    if (known === "page") void this.shown(this.pages.showOne(settings), "view-page");
    if (known === "review") byId("view-review").replaceChildren(...this.review.page());
  }

  /**
   * @param {Promise<void>} done
   * @param {string} id
   */
  async shown(done, id) {
    try {
      await done;
    } catch (error) {
      byId(id).replaceChildren(el("p", { role: "alert" }, String(error)));
    }
    scrollTo(0, 0);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = /^(input|select|textarea)$/i.test(target.tagName);
    if (event.key === "Escape") {
      const help = document.querySelector("dialog");
      if (help !== null) help.remove();
      else if (typing) target.blur();
      else go("cases", this.list.settings ?? {});
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      if (address().view !== "cases") go("cases", {});
      setTimeout(() => byId("search").focus());
    } else if (event.key === "?") this.help();
    else if (event.key === "j" || event.key === "k") this.step(event.key === "j" ? 1 : -1);
  }

  /** @param {number} by */
  step(by) {
    if (this.list.found.length === 0) this.list.show({});
    const cases = this.list.cases();
    const { view, settings } = address();
    const at = view === "case" ? cases.indexOf(Number(settings.case)) : -1;
    const next = at < 0 ? 0 : at + by;
    if (next >= 0 && next < cases.length) go("case", { case: String(cases[next]) });
  }

  help() {
    const keys = el("dl", { class: "facts" });
    for (const [key, what] of HELP) keys.append(el("dt", {}, key), el("dd", {}, what));
    const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { "aria-label": "Keys" }, el("h2", {}, "Keys"), keys));
    dialog.append(button("close", () => dialog.remove()));
    document.body.append(dialog);
    dialog.showModal();
  }
}

Promise.all([load("meta"), load("rows")]).then(
  ([meta, columns]) => {
    new ReportView(meta, columns);
    document.documentElement.dataset.ready = "yes";
  },
  (error) => byId("view-overview").prepend(el("p", { role: "alert" }, String(error))),
);
