"use strict";

/* The page of tasks by agents. What is chosen is in the address. */
(() => {
  const { el } = Worktrial;
  const TAGS = ["category", "difficulty", "language"];
  const NAMES = { category: "Industry", outcome: "Outcome of an attempt", stop_reason: "An attempt ended by", condition: "Tried under" };
  const nameOf = (tag) => (Object.hasOwn(NAMES, tag) ? NAMES[tag] : tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll("_", " "));
  /** What the address uses for itself. */
  const OWN = new Set(["suite", "show", "q", "text"]);
  const MOST = 500; // values that a list offers
  const LINE = 34; // pixels
  const viewer = document.getElementById("viewer");
  const heading = document.getElementById("heading");
  const matrices = new Map();
  const searches = new Map();
  let drawn = 0;
  let shownSuite = null;
  let place = null;
  let list = null;
  let typing = 0;

  function go(state, replace = false) {
    const address = `#${Worktrial.hash(state)}`;
    if (address === location.hash) return;
    if (replace) location.replace(address);
    else location.hash = address;
  }

  async function matrixOf(suite, runs) {
    if (!matrices.has(suite)) {
      const own = [];
      for (const run of runs.filter((one) => one.suite === suite)) {
        const rows = new Worktrial.Rows(await Worktrial.head(run.slug));
        await rows.read(0, rows.head.samples, (done) => Worktrial.say(`Reading ${run.name}: ${Worktrial.number(done)} samples`));
        own.push(rows);
      }
      matrices.set(suite, new Worktrial.Matrix(own));
    }
    return matrices.get(suite);
  }

  async function draw() {
    const turn = (drawn += 1);
    const asked = Worktrial.asked();
    const runs = await Worktrial.runs();
    const suites = [...new Set(runs.map((run) => run.suite))];
    const suite = suites.includes(asked.suite) ? asked.suite : suites[0];
    if (suite === undefined) return Worktrial.say("There is no run here.");
    const matrix = await matrixOf(suite, runs);
    if (turn !== drawn) return undefined;
    heading.textContent = "Tasks by agents";
    if (shownSuite !== suite || !place) {
      shownSuite = suite;
      place = el("div", { id: "matrix" });
      viewer.replaceChildren(controls(suites, suite, matrix), place);
    }
    const state = { ...asked, suite: suites.length > 1 ? suite : "" };
    for (const field of viewer.querySelectorAll("form [name]")) {
      if (field !== document.activeElement || field.tagName === "SELECT") field.value = { ...state, suite }[field.name] || "";
    }
    const found = asked.text ? await search(suite, matrix, asked.text, () => turn === drawn) : null;
    if (turn !== drawn) return undefined;
    const tags = Object.fromEntries(matrix.names.filter((name) => asked[name] && !OWN.has(name)).map((name) => [name, asked[name]]));
    const rows = matrix.select({ show: asked.show, q: asked.q, tags, found });
    const among = rows.length === matrix.count ? "" : ` of ${Worktrial.number(matrix.count)}`;
    const agents = matrix.columns.length === 1 ? "1 column" : `${Worktrial.number(matrix.columns.length)} columns`;
    Worktrial.say(`${Worktrial.number(rows.length)}${among} tasks, ${agents}.`);
    show(suite, matrix, rows);
    return undefined;
  }

  /** The tasks whose stored work holds a text anywhere; read once for each text. */
  async function search(suite, matrix, text, wanted) {
    const key = `${suite}\n${text}`;
    if (searches.has(key)) return searches.get(key);
    const found = new Set();
    for (const rows of matrix.runs) {
      const told = (done, of) => {
        Worktrial.say(`Searching ${rows.head.name}: ${Worktrial.number(done)} of ${Worktrial.number(of)} files, ${found.size} tasks so far`);
        return wanted();
      };
      for (const n of await Worktrial.searchRun(rows.head, text, told)) found.add(matrix.places.get(rows.key(n)[0]));
    }
    if (wanted()) searches.set(key, found);
    return found;
  }

  function controls(suites, suite, matrix) {
    const form = el("form", { class: "filters", role: "search", "aria-label": "Filter the tasks" });
    const change = (name, value, replace) => go({ ...Worktrial.asked(), [name]: value }, replace);
    const choice = (label, name, options, into = form) => {
      const select = el("select", { name }, options.map(([value, text]) => el("option", { value }, text)));
      select.addEventListener("change", () => (name === "suite" ? go({ suite: select.value }) : change(name, select.value)));
      into.append(el("label", {}, label, select));
    };
    if (suites.length > 1) choice("Suite", "suite", suites.map((one) => [one, one]));
    choice("Show", "show", Worktrial.SHOWN.map(([id, words]) => [id, words]));
    const among = (name, into) => {
      const values = matrix.values(name);
      if (values.length > 1 && values.length <= MOST) choice(nameOf(name), name, [["", "all"], ...values.map((one) => [one, one])], into);
    };
    for (const name of TAGS) among(name, form);
    const more = el("div", { class: "filters" });
    for (const name of matrix.names) if (!TAGS.includes(name) && !OWN.has(name)) among(name, more);
    const chosen = [...more.querySelectorAll("select")].some((one) => Worktrial.asked()[one.name]);
    const id = el("input", { type: "search", name: "q", autocomplete: "off", spellcheck: "false" });
    id.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => change("q", id.value, true), 150);
    });
    form.append(el("label", {}, "Task contains", id));
    const text = el("input", { type: "search", name: "text", autocomplete: "off", spellcheck: "false" });
    form.append(el("label", {}, "Anywhere in the work", text), el("button", {}, "Search"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      change("text", text.value);
    });
    form.append(el("button", { type: "button", onclick: () => go({ suite: suites.length > 1 ? suite : "" }) }, "Clear"));
    if (more.childElementCount) form.append(el("details", { class: "more-filters", open: chosen }, el("summary", {}, "More filters"), more));
    return form;
  }

  function show(suite, matrix, rows) {
    list?.close();
    if (!rows.length) {
      place.replaceChildren(el("p", { class: "empty" }, "No task is like this. Change or clear the filters."));
      return;
    }
    const scroller = el("div", { class: "matrix", role: "table", "aria-label": "Tasks by agents", "aria-rowcount": rows.length + 1, tabindex: "0" });
    const head = matrix.columns.map((column) =>
      el("div", { role: "columnheader", class: "cell" }, el("span", { class: "agent" }, column.name), el("small", {}, ` ${column.condition}`)),
    );
    const make = (n) => {
      const task = rows[n];
      const sample = matrix.samples[task];
      const href = Worktrial.taskHref(suite, sample);
      const cells = matrix.columns.map((column, c) => el("div", { role: "cell", class: "cell" }, cell(matrix, c, task, href)));
      return el(
        "div",
        { role: "row", class: "matrix-row", "aria-rowindex": n + 2 },
        el("div", { role: "rowheader", class: "cell name" }, el("a", { href, dir: "auto" }, sample || "(no id)")),
        cells,
      );
    };
    list = Worktrial.virtual({ count: rows.length, estimate: () => LINE, make, scroller });
    list.element.setAttribute("role", "rowgroup");
    scroller.append(
      el("div", { role: "rowgroup", class: "matrix-head" }, el("div", { role: "row", class: "matrix-row", "aria-rowindex": 1 }, el("div", { role: "columnheader", class: "cell name" }, "Task"), head)),
      list.element,
    );
    place.replaceChildren(scroller);
    list.open();
  }

  function cell(matrix, column, task, href) {
    const found = matrix.cell(column, task);
    const { slug, run, name, condition } = matrix.columns[column];
    if (!found) return el("span", { class: "quiet-text" }, "–");
    if (found.tries > 1) return el("a", { href, class: "plain" }, `${found.passes} of ${found.tries}`);
    const outcome = found.passes ? "pass" : found.invalid ? "invalid" : "fail";
    const to = Worktrial.trajectoryHref(slug, matrix.runs[run].key(found.number));
    return el("a", { href: to, class: "plain", "aria-label": `${name}, ${condition}: ${outcome}` }, Worktrial.outcome(outcome));
  }

  const redraw = () =>
    draw().catch((error) => {
      Worktrial.say("");
      place = null;
      viewer.replaceChildren(el("p", { class: "warning", role: "alert" }, error.message));
    });
  addEventListener("hashchange", redraw);
  document.addEventListener("DOMContentLoaded", redraw);
})();
