// Browsers start no worker for a page that was opened from the disk, and read no JSON beside it. The
// search's worker then runs in a hidden frame of the page; its index is a script there, too
// (made_from_code.py). Pages that come from a server do not use this.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) =>
        this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, location);
      this.ready = new Promise((resolve) => script.addEventListener("load", resolve));
      frame.contentDocument.body.append(script);
    }

    async postMessage(data) {
      await this.ready;
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
