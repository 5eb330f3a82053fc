"use strict";

/* The filters of the leaderboard: cells are shown as the page was made with them for each choice, which is kept in
   the address. */
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const TAGS = ["category", "difficulty", "language"];
  const NAMES = ["suite", ...TAGS, "condition"];
  const NONE = "–";

  /**
   * A figure in a cell, as the page was made with it.
   * @typedef {[text: string, sort: number | null, note: string, href: string | null,
   *   bar: [number, [number, number] | null] | null]} Shown
   */

  /**
   * The figures of the samples that have the chosen tags; undefined where there are none.
   * @returns {Shown[] | undefined}
   */
  function within(run, condition, chosen) {
    return run.figures[[...TAGS.map((tag) => chosen[tag] || ""), condition].join("\n")];
  }

  function only(values, names) {
    return Object.fromEntries(names.filter((name) => values[name]).map((name) => [name, values[name]]));
  }

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  /** The small bar beside a rate, as the page was made with it. */
  function drawn(share, interval) {
    const at = (value) => `${(value * 100).toFixed(2)}%`;
    const svg = element("svg", { class: "row", width: "100%", height: 20, "aria-hidden": "true", focusable: "false" });
    for (const tick of [0, 0.5, 1]) svg.append(element("line", { class: "grid", x1: at(tick), x2: at(tick), y1: 0, y2: 20 }));
    svg.append(element("rect", { class: "bar", x: "0%", y: 4, width: at(share), height: 12 }));
    if (interval) {
      const [low, high] = interval.map(at);
      svg.append(element("line", { class: "whisker", x1: low, x2: high, y1: 10, y2: 10 }));
      for (const end of [low, high]) svg.append(element("line", { class: "whisker", x1: end, x2: end, y1: 6, y2: 14 }));
    }
    const mini = document.createElement("span");
    mini.className = "mini";
    mini.setAttribute("aria-hidden", "true");
    mini.append(svg);
    return mini;
  }

  /**
   * @param {HTMLTableCellElement} cell
   * @param {Shown} shown
   */
  function fill(cell, [text, sort, note, href, bar]) {
    cell.dataset.sort = sort === null ? "" : String(sort);
    const figure = document.createElement(href ? "a" : "span");
    if (href) figure.href = href;
    figure.textContent = text;
    const parts = [figure];
    if (note) {
      const small = document.createElement("small");
      small.textContent = note;
      parts.push(small);
    }
    if (!bar) {
      cell.replaceChildren(...parts);
      return;
    }
    const words = document.createElement("div");
    words.append(...parts);
    const measure = document.createElement("div");
    measure.className = "measure";
    measure.append(drawn(...bar), words);
    cell.replaceChildren(measure);
  }

  const nothing = () => Array.from({ length: 8 }, () => [NONE, null, "", null, null]);

  /** Show the boards for a choice of filters. */
  function show(boards, chosen) {
    const byTag = TAGS.some((tag) => chosen[tag]);
    boards.forEach((board, n) => {
      const condition = chosen.condition || board.condition;
      const hidden =
        (chosen.suite && board.suite !== chosen.suite) ||
        !board.runs.some((run) => within(run, condition, chosen));
      document.querySelector(`[data-board-of="${n}"]`).hidden = Boolean(hidden);
      const table = document.querySelector(`table[data-board="${n}"]`);
      for (const run of board.runs) {
        const shown = within(run, condition, chosen) || nothing();
        const row = table.querySelector(`tr[data-run="${run.slug}"]`);
        shown.forEach((figure, place) => fill(row.cells[place + 1], figure));
      }
      Worktrial.resort(table);
      const note = document.querySelector(`[data-board-note="${n}"]`);
      note.textContent =
        "Robustness is only given for all samples.";
      note.hidden = !byTag;
    });
  }

  /** The filters that the address names; null where it names something else, such as a section. */
  function fromAddress() {
    const hash = location.hash.slice(1);
    if (hash && !hash.includes("=")) return null;
    return only(Object.fromEntries(new URLSearchParams(hash)), NAMES);
  }

  const COLUMNS = "worktrial-columns";
  // Places of the columns that are given up first where there is no room for all.
  const GIVEN_UP = [1, 5, 3, 7, 6];

  /** The places of the columns that the reader chose before; null without a choice. */
  function storedColumns() {
    try {
      const places = JSON.parse(localStorage.getItem(COLUMNS));
      return Array.isArray(places) ? places.map(Number) : null;
    } catch {
      return null;
    }
  }

  /** Let the reader choose columns; until then as many are shown as there is room for. */
  function offerColumns(choice) {
    const tables = [...document.querySelectorAll("table[data-board]")];
    const empty = tables.map((table) => [...table.tHead.rows[0].cells].map((header) => header.hidden));
    const boxes = [...choice.querySelectorAll("input")];
    const summary = choice.querySelector("summary");
    let chosen = storedColumns();

    function show(places) {
      tables.forEach((table, n) => {
        for (const row of [table.tHead.rows[0], ...table.tBodies[0].rows]) {
          [...row.cells].forEach((cell, at) => {
            if (at) cell.hidden = empty[n][at] || !places.includes(at - 1);
          });
        }
      });
      for (const box of boxes) box.checked = places.includes(Number(box.value));
      const unseen = boxes.filter((box) => !box.checked).length;
      summary.textContent = unseen ? `Columns (${unseen} not shown)` : "Columns";
    }

    function fit() {
      if (chosen) {
        show(chosen);
        return;
      }
      let places = boxes.map((box) => Number(box.value));
      show(places);
      // A phone has no room for a table anyhow; there it scrolls by itself.
      if (matchMedia("(max-width: 44rem)").matches) return;
      for (const place of GIVEN_UP) {
        if (tables.every(({ parentElement: region }) => region.scrollWidth <= region.clientWidth)) break;
        places = places.filter((one) => one !== place);
        show(places);
      }
    }

    choice.addEventListener("change", () => {
      chosen = boxes.filter((box) => box.checked).map((box) => Number(box.value));
      try {
        localStorage.setItem(COLUMNS, JSON.stringify(chosen));
      } catch {
        // The choice holds for this page only.
      }
      show(chosen);
    });
    choice.hidden = false;
    addEventListener("resize", fit);
    fit();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const choice = document.getElementById("leaderboard-columns");
    if (choice) offerColumns(choice);
    const data = document.getElementById("leaderboard-data");
    const form = document.getElementById("leaderboard-filters");
    if (!data || !form) return;
    const { boards } = JSON.parse(data.textContent);
    const selects = [...form.querySelectorAll("select")];
    const status = document.getElementById("leaderboard-status");

    const chosen = () => only(Object.fromEntries(selects.map((select) => [select.name, select.value])), NAMES);

    function tell() {
      const words = selects
        .filter((select) => select.value)
        .map((select) => `${select.parentElement.firstChild.textContent.toLowerCase()} ${select.value}`);
      const boards = [...document.querySelectorAll("[data-board-of]")];
      const left = boards.filter((board) => board.hidden).length;
      const without = left ? ` ${left} of ${boards.length} leaderboards have no such samples.` : "";
      status.textContent = words.length ? `Shown: ${words.join(", ")}.${without}` : "";
    }

    function update() {
      show(boards, chosen());
      tell();
    }

    form.addEventListener("change", () => {
      const hash = new URLSearchParams(chosen()).toString();
      // Replaced, not added: "back" leaves the page instead of undoing one choice after the other.
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
      update();
    });
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      for (const select of selects) select.value = "";
      form.dispatchEvent(new Event("change"));
    });

    function follow() {
      const wanted = fromAddress();
      if (wanted === null) return;
      for (const select of selects) {
        const value = wanted[select.name] || "";
        select.value = [...select.options].some((option) => option.value === value) ? value : "";
      }
      update();
      if (Object.keys(wanted).length) document.getElementById("leaderboard").scrollIntoView();
    }

    form.hidden = false;
    addEventListener("hashchange", follow);
    if (location.hash.includes("=")) follow();
  });
})();
