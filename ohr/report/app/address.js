// @ts-check
"use strict";

/**
 * The page and its settings, as the address has them after "#": ``#cases?engine=tesseract&case=3``.
 *
 * @typedef {{view: string, settings: Record<string, string>}} Address
 */

/** @returns {Address} */
function address() {
  const [view, query] = location.hash.replace(/^#/, "").split("?", 2);
  /** @type {Record<string, string>} */
  const settings = {};
  for (const [name, value] of new URLSearchParams(query ?? "")) settings[name] = value;
  return { view: view || "overview", settings };
}

/**
 * The address of a page with settings; empty ones are left out.
 *
 * @param {string} view
 * @param {Record<string, string>} settings
 * @returns {string}
 */
function addressOf(view, settings) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) if (value) query.set(name, value);
  const text = query.toString();
  return text ? `#${view}?${text}` : `#${view}`;
}

/**
 * The settings of the list: filters, sorting and page, without those of a case.
 *
 * @param {Record<string, string>} settings
 * @returns {Record<string, string>}
 */
function ofList(settings) {
  const { case: _case, beside: _beside, ...kept } = settings;
  return kept;
}

/**
 * Go to a page; the browser's "back" returns.
 *
 * @param {string} view
 * @param {Record<string, string>} settings
 * @param {{replace?: boolean}} [how] replace the current page in the history
 */
function go(view, settings, how = {}) {
  const target = addressOf(view, settings);
  if (how.replace) {
    history.replaceState(null, "", target);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = target;
  }
}
