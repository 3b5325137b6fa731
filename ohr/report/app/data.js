// @ts-check
"use strict";

/** @type {Map<string, any>} */
const chunks = new Map();
/** @type {Map<string, ((value: any) => void)[]>} */
const awaited = new Map();

/**
 * Called by every data file: a page from disk can load other files only as scripts.
 *
 * @param {string} name
 * @param {any} value
 */
function ohrData(name, value) {
  chunks.set(name, value);
  for (const arrived of awaited.get(name) ?? []) arrived(value);
  awaited.delete(name);
}

/**
 * A chunk of data, loaded on first use.
 *
 * @param {string} name
 * @returns {Promise<any>}
 */
function load(name) {
  if (chunks.has(name)) return Promise.resolve(chunks.get(name));
  return new Promise((resolve, reject) => {
    const waiting = awaited.get(name);
    if (waiting !== undefined) {
      waiting.push(resolve);
      return;
    }
    awaited.set(name, [resolve]);
    const script = document.createElement("script");
    script.src = `data/${name}.js`;
    script.addEventListener("error", () => {
      awaited.delete(name);
      reject(new Error(`data/${name}.js is missing or damaged`));
    });
    document.head.append(script);
  });
}

/**
 * Numbers that were packed as base64 of little-endian bytes.
 *
 * @param {Record<string, string>} packed
 * @returns {Uint8Array | Uint16Array | Uint32Array | Int16Array | Int32Array}
 */
function unpack(packed) {
  const [[kind, text]] = Object.entries(packed);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  switch (kind) {
    case "u8":
      return bytes;
    case "u16":
      return new Uint16Array(bytes.buffer);
    case "u32":
      return new Uint32Array(bytes.buffer);
    case "i16":
      return new Int16Array(bytes.buffer);
    default:
      return new Int32Array(bytes.buffer);
  }
}
