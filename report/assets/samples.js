"use strict";

/* The list of a run's samples. Everything that it shows is in the address, so it can be linked and gone back to. */
(() => {
  const { el } = Worktrial;
  const PAGE = 100;
  const OFFERED = ["outcome", "condition", "category", "difficulty", "language"];
  const OWN = ["run", "q", "sort", "page"];
  const NAMES = { category: "Industry", stop_reason: "Ended by" };
  const COLUMNS = [
    { id: "sample", name: "Sample" },
    { id: "repeat", name: "Repeat", figure: true },
    { id: "condition", name: "Condition", group: true },
    { id: "outcome", name: "Outcome", group: true, always: true },
    { id: "category", name: "Industry", group: true, wide: true },
    { id: "difficulty", name: "Difficulty", group: true },
    { id: "language", name: "Language", group: true },
    { id: "calls", name: "Calls", figure: true },
    { id: "tokens", name: "Tokens", figure: true },
    { id: "cost", name: "Cost", figure: true },
    { id: "seconds", name: "Time", figure: true },
    { id: "reason", name: "Reason" },
  ];
  const viewer = document.getElementById("viewer");
  const heading = document.getElementById("heading");
  const loaded = new Map();
  let drawn = 0;
  let shownRun = null;
  let resultPlace = null;
  let typing = 0;

  const nameOf = (group) => NAMES[group] || group.charAt(0).toUpperCase() + group.slice(1).replaceAll("_", " ");

  /** Go to another view. Typing replaces the address, so that going back does not undo single letters. */
  function go(state, replace = false) {
    const address = `#${Worktrial.hash(state)}`;
    if (address === location.hash) return;
    if (replace) location.replace(address);
    else location.hash = address;
  }

  async function rowsOf(slug) {
    if (!loaded.has(slug)) loaded.set(slug, new Worktrial.Rows(await Worktrial.head(slug)));
    return loaded.get(slug);
  }

  async function draw() {
    const turn = (drawn += 1);
    const asked = Worktrial.asked();
    const runs = await Worktrial.runs();
    const run = asked.run === undefined ? runs[0] : runs.find((one) => one.slug === asked.run);
    if (!run) return noSuchRun(asked.run, runs);
    const rows = await rowsOf(run.slug);
    const filters = Object.fromEntries(Object.entries(asked).filter(([name]) => !OWN.includes(name)));
    const unknown = Object.keys(filters).filter((name) => !Object.hasOwn(rows.head.values, name));
    for (const name of unknown) delete filters[name];
    const state = { ...asked, run: run.slug };
    for (const name of unknown) delete state[name];
    heading.textContent = Worktrial.visible(`Samples of ${run.name}`);
    document.title = heading.textContent;
    if (shownRun !== run.slug || !resultPlace) {
      shownRun = run.slug;
      resultPlace = el("div", { id: "results" });
      viewer.replaceChildren(controls(runs, rows, state), resultPlace);
    }
    syncControls(state);
    const sort = columnsOf(rows).some((c) => c.id === (asked.sort || "").replace("-", "")) ? asked.sort : "";
    const words = asked.q || "";
    const plain = !sort && !words && !Object.keys(filters).length;
    const total = rows.head.samples;
    let found = null;
    const reading = (done) => {
      if (done < total) Worktrial.say(`Reading samples: ${Worktrial.number(done)} of ${Worktrial.number(total)}`);
    };
    if (!plain) {
      await rows.read(0, total, reading);
      found = rows.select(filters, words, sort);
    }
    const count = plain ? total : found.length;
    const pages = Math.max(1, Math.ceil(count / PAGE));
    const page = Math.min(pages, Math.max(1, Number.parseInt(asked.page, 10) || 1));
    const first = (page - 1) * PAGE;
    const end = Math.min(first + PAGE, count);
    if (plain) await rows.read(first, end);
    // Another view was asked for while this one was being read.
    if (turn !== drawn) return undefined;
    const shown = plain ? Array.from({ length: end - first }, (_, n) => first + n) : found.slice(first, end);
    results({ rows, state, filters, unknown, sort, count, page, pages, first, end, shown });
    return undefined;
  }

  function noSuchRun(slug, runs) {
    Worktrial.say("");
    shownRun = null;
    viewer.replaceChildren(
      el("p", { class: "warning" }, `This report has no run “${slug}”. It has these:`),
      el("ul", {}, runs.map((run) => el("li", {}, el("a", { href: `#${Worktrial.hash({ run: run.slug })}` }, run.name)))),
    );
  }

  function controls(runs, rows, state) {
    const form = el("form", { class: "filters", role: "search", "aria-label": "Filter the samples" });
    form.addEventListener("submit", (event) => event.preventDefault());
    const change = (name, value) => go({ ...Worktrial.asked(), run: state.run, page: "", [name]: value });
    const choice = (label, name, options, chosen) => {
      const select = el("select", { name }, options.map(([value, text]) => el("option", { value }, text)));
      select.addEventListener("change", () => chosen(select.value));
      return el("label", {}, label, select);
    };
    if (runs.length > 1) {
      const others = runs.map((run) => [run.slug, run.name]);
      // Another run may have other groups: start with all of its samples.
      form.append(choice("Run", "run", others, (slug) => go({ run: slug })));
    }
    for (const name of OFFERED) {
      const values = rows.head.values[name];
      if (!values || (values.length < 2 && name !== "outcome")) continue;
      const order = rows.order(name);
      const listed = [...values.keys()].sort((a, b) => order[a] - order[b]).map((n) => [values[n], values[n]]);
      form.append(choice(nameOf(name), name, [["", "all"], ...listed], (value) => change(name, value)));
    }
    const text = el("input", { type: "search", name: "q", autocomplete: "off", spellcheck: "false" });
    text.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => go({ ...Worktrial.asked(), run: state.run, page: "", q: text.value }, true), 200);
    });
    form.append(el("label", {}, "Sample or reason contains", text));
    form.append(el("button", { type: "button", onclick: () => go({ run: state.run }) }, "Clear"));
    return form;
  }

  function syncControls(state) {
    for (const field of viewer.querySelectorAll("form [name]")) {
      // Not under the fingers of somebody who types.
      if (field !== document.activeElement || field.tagName === "SELECT") field.value = state[field.name] || "";
    }
  }

  function columnsOf(rows) {
    const { values } = rows.head;
    return COLUMNS.filter((column) => {
      if (column.id === "repeat") return rows.head.repeated;
      return !column.group || column.always || (values[column.id] && values[column.id].length > 1);
    });
  }

  function results(view) {
    const { rows, state, count, page, pages, first, end, shown } = view;
    const { samples, missing } = rows.head;
    const range = count > PAGE ? `, ${Worktrial.number(first + 1)} to ${Worktrial.number(end)} shown` : "";
    const among = count === samples ? "" : ` of ${Worktrial.number(samples)}`;
    const unfinished = missing ? ` ${Worktrial.number(missing)} have not finished.` : "";
    Worktrial.say(`${Worktrial.number(count)}${among} samples${range}.${unfinished}`);
    const parts = [];
    for (const name of view.unknown) {
      parts.push(el("p", { class: "warning" }, `This run's samples cannot be filtered by “${name}”.`));
    }
    const others = Object.entries(view.filters).filter(([name]) => !viewer.querySelector(`form [name=${CSS.escape(name)}]`));
    if (others.length) {
      const chip = ([name, value]) =>
        el(
          "li",
          {},
          `${nameOf(name)}: ${value} `,
          el("button", { type: "button", class: "quiet", onclick: () => go({ ...state, page: "", [name]: "" }) }, "Remove"),
        );
      parts.push(el("ul", { class: "chips", "aria-label": "Further filters" }, others.map(chip)));
    }
    if (shown.length) parts.push(table(view));
    else parts.push(el("p", { class: "empty" }, "No sample is like this. Change or clear the filters."));
    if (pages > 1) parts.push(pager(state, page, pages));
    resultPlace.replaceChildren(...parts);
  }

  function table({ rows, state, sort, shown }) {
    const columns = columnsOf(rows);
    const header = (column) => {
      const now = sort === column.id ? "ascending" : sort === `-${column.id}` ? "descending" : null;
      // Of figures the greatest is what people look for first.
      const next = now === null ? (column.figure ? "-" : "") : now === "descending" ? "" : "-";
      const sorts = () => go({ ...state, page: "", sort: `${next}${column.id}` });
      const button = el("button", { type: "button", class: "sort", "data-column": column.id, onclick: sorts }, column.name);
      const kind = column.figure ? "number" : false;
      return el("th", { scope: "col", class: kind, "aria-sort": now || false }, button);
    };
    const focused = document.activeElement && document.activeElement.dataset.column;
    const body = shown.map((row) => el("tr", {}, columns.map((column) => cell(rows, row, column))));
    const made = el(
      "table",
      {},
      el("caption", { class: "visually-hidden" }, "Samples"),
      el("thead", {}, el("tr", {}, columns.map(header))),
      el("tbody", {}, body),
    );
    if (focused) {
      // The button that was pressed has been replaced by its successor.
      setTimeout(() => made.querySelector(`[data-column=${CSS.escape(focused)}]`)?.focus({ preventScroll: true }));
    }
    return el("div", { class: "scroll", role: "region", "aria-label": "Samples", tabindex: "0" }, made);
  }

  function cell(rows, row, column) {
    if (column.id === "sample") {
      const href = Worktrial.trajectoryHref(rows.head.slug, rows.key(row));
      return el("th", { scope: "row" }, el("a", { href, dir: "auto" }, rows.value(row, "sample") || "(no id)"));
    }
    if (column.id === "outcome") return el("td", {}, Worktrial.outcome(rows.group(row, "outcome")));
    if (column.id === "reason") return el("td", { class: "reason", dir: "auto" }, rows.reason(row));
    if (column.group) return el("td", { class: column.wide ? "group wide" : "group", dir: "auto" }, rows.group(row, column.id) ?? "–");
    const value = rows.value(row, column.id);
    const shown = { cost: Worktrial.dollars, seconds: Worktrial.seconds }[column.id] || Worktrial.number;
    return el("td", { class: "number" }, shown(value));
  }

  function pager(state, page, pages) {
    const to = (label, number, rel) => {
      if (number < 1 || number > pages) return el("span", { class: "quiet-text" }, label);
      return el("a", { href: `#${Worktrial.hash({ ...state, page: number === 1 ? "" : number })}`, rel }, label);
    };
    return el(
      "nav",
      { class: "pager", "aria-label": "Pages of the list" },
      to("First", page === 1 ? 0 : 1),
      to("Previous", page - 1, "prev"),
      el("span", {}, `Page ${Worktrial.number(page)} of ${Worktrial.number(pages)}`),
      to("Next", page + 1, "next"),
      to("Last", page === pages ? 0 : pages),
    );
  }

  const redraw = () =>
    draw().catch((error) => {
      Worktrial.say("");
      viewer.replaceChildren(el("p", { class: "warning", role: "alert" }, error.message));
      resultPlace = null;
    });
  addEventListener("hashchange", redraw);
  document.addEventListener("DOMContentLoaded", redraw);
})();
