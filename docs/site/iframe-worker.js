// Search from files. A page that is opened as a file may not start a worker; a hidden frame does its work instead, with
// the messages that a worker has.
if (location.protocol === "file:")
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.waiting = [];
      const script = this.inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        const all = this.waiting;
        this.waiting = null;
        for (const data of all) this.postMessage(data);
      };
      this.inside.document.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {}
  };
