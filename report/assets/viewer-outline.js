"use strict";

/* The outline at the left: parts of the page, turns and calls, in a list of its own that scrolls. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const FEW = 300;
  const LINE = 26; // pixels

  /**
   * @typedef {{label: string, href: string, deep?: boolean, mark?: string, clock?: string, call?: number}} Entry
   * @param {Entry[]} entries
   * @returns {{element: Element, open: () => void, current: (call: number) => void}}
   */
  Worktrial.outline = (entries) => {
    const scroller = el("div", { class: "outline-list" });
    const make = (place) => {
      const { label, href, deep, mark, clock, call } = entries[place];
      const link = el("a", { href, class: deep ? "deep" : "", "data-call": call }, label);
      if (clock) link.append(el("time", { class: "clock" }, ` ${clock}`));
      if (mark) link.append(el("span", { class: "note" }, ` ${mark}`));
      if (call !== undefined && call === now) link.setAttribute("aria-current", "true");
      return link;
    };
    let now = null;
    const of = { count: entries.length, estimate: () => LINE, make, scroller };
    const list = entries.length > FEW ? Worktrial.virtual(of) : Worktrial.plain(of);
    scroller.append(list.element);
    const places = new Map(entries.flatMap((entry, place) => (entry.call === undefined ? [] : [[entry.call, place]])));
    return {
      element: el("nav", { class: "outline", "aria-label": "Outline" }, scroller),
      open: list.open,
      current(call) {
        const [before, place] = [places.get(now), places.get(call)];
        now = call;
        if (before !== undefined) list.remake(before);
        if (place === undefined) return;
        list.remake(place);
        if (entries.length > FEW) list.reveal(place, "auto");
        else {
          const link = scroller.querySelector(`[data-call="${call}"]`);
          // Not scrollIntoView, which would move the page as well.
          const top = link.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
          if (top < 0 || top > scroller.clientHeight - LINE) scroller.scrollTop += top - scroller.clientHeight / 2;
        }
      },
    };
  };
})();
