"use strict";

/* The trajectory by keyboard, the search within it, and the page of keys. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const KEYS = [
    ["j, ↓ on a call", "next call"],
    ["k, ↑ on a call", "previous call"],
    ["→, ← on a call", "unfold, fold"],
    ["e", "unfold or fold all calls"],
    ["/", "search in this sample"],
    ["n, N", "next hit, previous hit"],
    ["[, ]", "previous sample, next sample"],
    ["?", "these keys"],
  ];
  let guide = null;

  /** Show the keys, or put them away. */
  function help() {
    if (!guide) {
      const rows = KEYS.map(([keys, does]) => el("tr", {}, el("th", { scope: "row" }, keys), el("td", {}, does)));
      const shut = el("button", { type: "button" }, "Close");
      guide = el("dialog", { class: "keys", "aria-label": "Keys" }, el("table", {}, el("tbody", {}, rows)), shut);
      shut.addEventListener("click", () => guide.close());
      document.body.append(guide);
    }
    if (guide.open) guide.close();
    else guide.showModal();
  }

  /**
   * The bar above a trajectory, and what its keys do.
   * @param {{texts: () => Promise<string[]>, callAt: (item: number) => number | null, calls: number, here: () => number | null,
   *   go: (call: number) => void, goItem: (item: number) => void, fold: (call: number, open: boolean) => void,
   *   foldAll: () => void, neighbour: (rel: string) => void}} work
   */
  Worktrial.workBar = (work) => {
    const box = el("input", { type: "search", autocomplete: "off", spellcheck: "false", "aria-label": "Search in this sample" });
    const told = el("span", { class: "quiet-text", role: "status" });
    let hits = [];
    let at = -1;
    let searched = null;
    let waiting = 0;

    let searching = Promise.resolve();

    function search() {
      const needle = box.value.toLowerCase();
      if (needle === searched) return searching;
      searched = needle;
      searching = find(needle).catch((error) => {
        told.textContent = Worktrial.visible(error.message);
      });
      return searching;
    }

    async function find(needle) {
      hits = [];
      at = -1;
      told.textContent = "";
      highlight(box.value);
      if (!needle) return;
      const texts = await work.texts();
      // Another text was asked for meanwhile.
      if (needle !== searched) return;
      hits = texts.flatMap((text, item) => (text.includes(needle) ? [item] : []));
      told.textContent = `${Worktrial.number(hits.length)} ${hits.length === 1 ? "part" : "parts"}`;
    }

    async function step(by) {
      await search();
      if (!hits.length) return;
      at = (at + by + hits.length) % hits.length;
      told.textContent = `${Worktrial.number(at + 1)} of ${Worktrial.number(hits.length)} parts`;
      work.goItem(hits[at]);
    }

    // Parts come into view one by one, and each is marked as it comes.
    let marking = 0;
    const watcher = new MutationObserver(() => {
      if (!box.value) return;
      cancelAnimationFrame(marking);
      marking = requestAnimationFrame(() => highlight(box.value));
    });
    watcher.observe(document.getElementById("viewer"), { childList: true, subtree: true });

    box.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 150);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        box.value = "";
        search();
        box.blur();
      }
    });
    const move = (by) => {
      const from = work.here();
      const to = from === null ? (by > 0 ? 1 : work.calls) : from + by;
      if (to >= 1 && to <= work.calls) work.go(to);
    };
    const onCall = () => document.activeElement?.closest?.(".call > h4");
    // Each says whether it did anything; else the key is the browser's.
    const acts = {
      j: () => (move(1), true),
      k: () => (move(-1), true),
      ArrowDown: () => Boolean(onCall()) && (move(1), true),
      ArrowUp: () => Boolean(onCall()) && (move(-1), true),
      ArrowRight: () => Boolean(onCall()) && (work.fold(work.here(), true), true),
      ArrowLeft: () => Boolean(onCall()) && (work.fold(work.here(), false), true),
      e: () => (work.foldAll(), true),
      "/": () => (box.focus(), true),
      n: () => (step(1), true),
      N: () => (step(-1), true),
      "[": () => (work.neighbour("prev"), true),
      "]": () => (work.neighbour("next"), true),
      "?": () => (help(), true),
    };
    function pressed(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target.closest("input, select, textarea, dialog")) return;
      if (Object.hasOwn(acts, event.key) && acts[event.key]()) event.preventDefault();
    }
    document.addEventListener("keydown", pressed);
    const button = (label, does) => el("button", { type: "button", class: "quiet", onclick: does }, label);
    const tools = work.calls ? [button("Fold or unfold all", work.foldAll)] : [];
    return {
      element: el("div", { class: "work-bar no-print" }, el("label", {}, "Search ", box), told, tools, button("Keys", help)),
      close() {
        document.removeEventListener("keydown", pressed);
        watcher.disconnect();
        highlight("");
      },
    };
  };

  /** Mark a text wherever it stands in what the page shows now; the page itself stays as it is. */
  function highlight(text) {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.delete("found");
    const needle = text.toLowerCase();
    if (!needle) return;
    const ranges = [];
    const walker = document.createTreeWalker(document.getElementById("viewer"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < 2000) {
      const { currentNode: node } = walker;
      const inside = node.data.toLowerCase();
      // Lower case may be longer than what it is of; then places would be others.
      if (inside.length !== node.data.length) continue;
      for (let at = inside.indexOf(needle); at >= 0 && ranges.length < 2000; at = inside.indexOf(needle, at + needle.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + needle.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }
})();
