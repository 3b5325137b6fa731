// @ts-check
"use strict";

const VIEWS = ["overview", "cases", "case", "pages", "page", "review"];
const HELP = [
  ["j, k", "next and previous case in the list"],
  ["/", "search the questions"],
  ["?", "show these shortcuts"],
  ["Esc", "back to the list"],
];

/** The whole report; the address decides which view is visible. */
class ReportView {
  /** @param {any} meta @param {any} columns */
  constructor(meta, columns) {
    this.rows = new Rows(meta, columns);
    this.review = new Review(meta.report);
    this.case = new Case(this.rows, this.review);
    this.list = new List(this.rows, this.case, byId("view-cases"));
    this.pages = new Pages(this.rows);
    this.title = document.title;
    /** @type {string | null} */
    this.last = null;
    addEventListener("hashchange", () => void this.show());
    addEventListener("keydown", (event) => this.key(event));
    byId("keys").addEventListener("click", () => this.help());
    void this.show();
  }

  /** Show the view of the address, unless the address changes while its data is loading. */
  async show() {
    const hash = location.hash;
    const { view, settings } = address();
    const name = VIEWS.includes(view) ? view : "overview";
    const root = byId(`view-${name}`);
    /** @type {HTMLElement[] | null} */
    let nodes;
    try {
      nodes = await this.nodes(name, settings);
    } catch (error) {
      nodes = [el("h2", {}, "This view could not be loaded"), el("p", { role: "alert" }, error instanceof Error ? error.message : String(error))];
    }
    if (location.hash !== hash) return;
    keepingFocus(root, () => {
      if (nodes !== null) root.replaceChildren(...nodes);
      for (const part of document.querySelectorAll("main > *")) /** @type {HTMLElement} */ (part).hidden = part !== root;
    });
    this.arrived(name, settings, root);
    document.documentElement.dataset.shown = hash;
  }

  /**
   * The nodes of a view; null for a view that draws itself.
   *
   * @param {string} view
   * @param {Record<string, string>} settings
   * @returns {Promise<HTMLElement[] | null>}
   */
  async nodes(view, settings) {
    if (view === "case") return this.case.nodes(settings);
    if (view === "pages") return this.pages.nodes(settings);
    if (view === "page") return this.pages.one(settings);
    if (view === "review") return this.review.nodes();
    if (view === "cases") this.list.show(settings);
    return null;
  }

  /**
   * Mark the current link and title, and move the focus to the top of a new view.
   *
   * @param {string} view
   * @param {Record<string, string>} settings
   * @param {HTMLElement} root
   */
  arrived(view, settings, root) {
    for (const link of document.querySelectorAll("header nav a")) {
      const to = link.getAttribute("href");
      if (to === `#${view}` || to === `#${view}s`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const heading = root.querySelector("h2");
    document.title = view === "overview" ? this.title : `${heading?.textContent?.slice(0, 80)} – ${this.title}`;
    const place = `${view} ${view === "case" ? settings.case : ""} ${view === "page" ? settings.page : ""}`;
    const moved = this.last !== null && this.last !== place;
    this.last = place;
    if (!moved) return;
    scrollTo(0, 0);
    if (heading !== null && !root.contains(document.activeElement)) {
      heading.tabIndex = -1;
      heading.focus();
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (document.querySelector("dialog[open]") !== null) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = /^(input|select|textarea)$/i.test(target.tagName);
    const { view, settings } = address();
    if (event.key === "Escape") {
      if (typing) {
        event.preventDefault(); // or the browser would clear the search field
        target.blur();
      } else if (view === "case") go("cases", ofList(settings));
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      this.list.toSearch = true;
      if (view === "cases") this.list.search();
      else go("cases", view === "case" ? ofList(settings) : {});
    } else if (event.key === "?") this.help();
    else if (event.key === "j" || event.key === "k") this.step(event.key === "j" ? 1 : -1);
  }

  /** @param {number} by */
  step(by) {
    const { view, settings } = address();
    const listed = view === "cases" || view === "case" ? ofList(settings) : {};
    this.list.choose(listed);
    const cases = this.list.cases();
    const at = view === "case" ? cases.indexOf(Number(settings.case)) : -1;
    const next = at < 0 ? 0 : at + by;
    if (next >= 0 && next < cases.length) go("case", { ...listed, case: String(cases[next]) });
  }

  help() {
    const keys = el("dl", { class: "facts" });
    for (const [key, action] of HELP) keys.append(el("dt", {}, key), el("dd", {}, action));
    const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { "aria-label": "Keyboard shortcuts" }, el("h2", {}, "Keyboard shortcuts"), keys));
    dialog.append(button("close", () => dialog.close()));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}

Promise.all([load("meta"), load("rows")]).then(
  ([meta, columns]) => {
    new ReportView(meta, columns);
    document.documentElement.dataset.ready = "yes";
  },
  (error) => byId("view-overview").prepend(el("p", { role: "alert" }, error.message)),
);
