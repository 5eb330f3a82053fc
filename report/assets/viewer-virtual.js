"use strict";

/* Long lists: only what is in view, and a little around it, is in the page. TanStack Virtual does the sums. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const { Virtualizer, ...kit } = Worktrial.Virtual;
  const FRAMES = 90; // frames to wait at most until a part that was asked for is in the page

  /**
   * A list of which only the parts in view exist.
   * @param {{count: number, estimate: (n: number) => number, make: (n: number) => Element, scroller?: Element}} of
   *   `make`: the part's content, made anew whenever it comes into view; `scroller`: what scrolls, the window by default
   * @returns {{element: Element, reveal: (n: number, align?: string) => void, remake: (n: number) => void,
   *   open: () => void, close: () => void}}
   */
  Worktrial.virtual = ({ count, estimate, make, scroller = null }) => {
    const element = el("div", { class: "virtual" });
    const shown = new Map();
    const margin = () => (scroller ? 0 : element.getBoundingClientRect().top + scrollY);
    let began = null;
    const list = new Virtualizer({
      count,
      estimateSize: estimate,
      overscan: 6,
      getScrollElement: () => scroller || window,
      observeElementRect: scroller ? kit.observeElementRect : kit.observeWindowRect,
      observeElementOffset: scroller ? kit.observeElementOffset : kit.observeWindowOffset,
      // At once, whatever the style sheet says: a long list would take seconds to pass by.
      scrollToFn: (offset, { adjustments = 0 }) => (scroller || window).scrollTo({ top: offset + adjustments, behavior: "instant" }),
      onChange: () => draw(),
    });

    function draw() {
      if (!element.isConnected) return;
      const wanted = list.getVirtualItems();
      const places = new Set(wanted.map((item) => item.index));
      for (const [place, row] of shown) {
        // What has the keyboard stays, wherever it is scrolled to.
        if (places.has(place) || row.contains(document.activeElement)) continue;
        row.remove();
        shown.delete(place);
      }
      element.style.height = `${list.getTotalSize()}px`;
      for (const item of wanted) {
        let row = shown.get(item.index);
        if (!row) {
          row = el("div", { class: "row", "data-index": item.index }, make(item.index));
          const after = [...shown.keys()].filter((place) => place > item.index);
          element.insertBefore(row, after.length ? shown.get(Math.min(...after)) : null);
          shown.set(item.index, row);
        }
        row.style.transform = `translateY(${item.start - list.options.scrollMargin}px)`;
        if (!item.measured) list.measureElement(row);
      }
    }

    function settle() {
      const now = margin();
      if (Math.abs(now - list.options.scrollMargin) < 1) return;
      list.setOptions({ ...list.options, scrollMargin: now });
      list.measure();
    }
    const watcher = new ResizeObserver(() => settle());

    /** To be called when the element is in the page. */
    function open() {
      list.setOptions({ ...list.options, scrollMargin: margin() });
      began = list._didMount();
      list._willUpdate();
      if (!scroller) watcher.observe(document.body);
      draw();
    }

    return {
      element,
      open,
      reveal: (place, align = "start") => list.scrollToIndex(place, { align }),
      remake(place) {
        const row = shown.get(place);
        if (!row) return;
        row.replaceChildren(make(place));
        list.measureElement(row);
      },
      close() {
        watcher.disconnect();
        if (began) began();
      },
    };
  };

  /** The same for lists that are short enough to be in the page as a whole. */
  Worktrial.plain = ({ count, make }) => {
    const rows = Array.from({ length: count }, (_, place) => el("div", { class: "row" }, make(place)));
    return {
      element: el("div", {}, rows),
      open() {},
      reveal: (place) => rows[place].scrollIntoView({ block: "start", behavior: "instant" }),
      remake: (place) => rows[place].replaceChildren(make(place)),
      close() {},
    };
  };

  /** Call `then` with the element of that id as soon as it is in the page; `never` where it does not come. */
  Worktrial.whenThere = (id, then, never = () => {}) => {
    let left = FRAMES;
    const look = () => {
      const found = document.getElementById(id);
      if (found) then(found);
      else if ((left -= 1) > 0) requestAnimationFrame(look);
      else never();
    };
    look();
  };

  /**
   * Bring the element of that id to the top, and hold it in view while what is above it takes its true size: until the
   * reader does something, or for so many frames.
   */
  Worktrial.bring = (id) => {
    const held = new AbortController();
    const { signal } = held;
    for (const kind of ["wheel", "touchstart", "pointerdown", "keydown", "hashchange"]) {
      addEventListener(kind, () => held.abort(), { capture: true, passive: true, signal });
    }
    let left = FRAMES;
    const look = (first) => {
      if (signal.aborted) return;
      const found = document.getElementById(id);
      const top = found ? found.getBoundingClientRect().top : 0;
      // Not smoothly: a long list would take seconds to pass by.
      if (found && (first === true || top < 0 || top > innerHeight / 2)) found.scrollIntoView({ block: "start", behavior: "instant" });
      if ((left -= 1) > 0) requestAnimationFrame(look);
      else held.abort();
    };
    look(true);
  };
})();
