"use strict";

/* The page of one sample. Which one, and which of its calls, is in the address. */
(() => {
  const { el, section } = Worktrial;
  const viewer = document.getElementById("viewer");
  const heading = document.getElementById("heading");
  const bar = document.getElementById("bar");
  const side = document.getElementById("side");
  const MANY = 60; // calls from which on they are folded at first
  const WHOLE = 150; // parts up to which the whole work is in the page
  let shown = null;
  let drawn = 0;
  /** What of the page belongs to this sample: the list of its parts, its outline and its bar. */
  let here = null;

  /** This sample's part of the page's address, which thousands of links begin with. */
  const address = { of: null, hash: "" };

  /** The address of this sample with a call, a turn or a part of it. */
  Worktrial.hereWith = (more) => {
    if (address.of !== location.hash) {
      const { call, turn, part, ...asked } = Worktrial.asked();
      Object.assign(address, { of: location.hash, hash: Worktrial.hash(asked) });
    }
    return `#${address.hash}&${Worktrial.hash(more)}`;
  };

  async function draw() {
    const turn = (drawn += 1);
    const asked = Worktrial.asked();
    const key = {
      sample: asked.sample,
      repeat: /^\d+$/.test(asked.repeat || "") ? Number(asked.repeat) : 0,
      condition: asked.condition || "E0",
    };
    const name = JSON.stringify([asked.run, key]);
    if (name === shown) return toPlace(asked, true);
    const runs = await Worktrial.runs();
    const run = runs.find((one) => one.slug === asked.run);
    if (!run) return lost(asked.run === undefined ? "The address names no run." : `This report has no run “${asked.run}”.`, runs);
    if (asked.sample === undefined) return lost("The address names no sample.", [run]);
    const head = await Worktrial.head(run.slug);
    const number = await Worktrial.numberOf(head, key);
    if (number === undefined) {
      const which = `sample “${key.sample}”, repeat ${key.repeat}, condition ${key.condition}`;
      return lost(`The run ${run.name} has no ${which}.`, [run]);
    }
    const found = await Worktrial.sample(head, number);
    // Another sample was asked for while this one was being read.
    if (turn !== drawn) return undefined;
    const first = shown === null;
    show(run, head, number, found);
    shown = name;
    // For what a server's page has beside a site's.
    document.dispatchEvent(new CustomEvent("worktrial-sample", { detail: { run, record: found.record } }));
    // Not waited for: a server carries out all calls again for it.
    if (found.line) changesOf(head, number, turn);
    if (["call", "turn", "part"].some((one) => asked[one] !== undefined)) return toPlace(asked, !first);
    if (!first) heading.focus();
    const came = viewer.classList.contains("blind") ? "" : `, ${found.record.outcome}`;
    Worktrial.say(first ? "" : `Sample ${found.record.sample}${came}`);
    return undefined;
  }

  /** Tell with each call what it changed in the workplace, as soon as that is known. */
  async function changesOf(head, number, turn) {
    let changes;
    try {
      changes = await Worktrial.changes(head, number);
    } catch (error) {
      changes = { calls: {}, stopped: error.message };
    }
    if (!changes || turn !== drawn) return;
    Worktrial.takeChanges(changes);
    document.querySelector("#work h2")?.after(...[Worktrial.changesStopped()].filter(Boolean));
    refill();
  }

  function clear() {
    Worktrial.takeChanges(null);
    if (here) for (const part of [here.list, here.bar]) part?.close();
    here = null;
    bar.replaceChildren();
    side.replaceChildren();
  }

  function lost(why, runs) {
    clear();
    shown = "";
    heading.textContent = "No such sample";
    document.title = heading.textContent;
    Worktrial.say("");
    const link = (run) => el("li", {}, el("a", { href: `samples.html#${Worktrial.hash({ run: run.slug })}` }, run.name));
    viewer.replaceChildren(
      el("p", { class: "warning", role: "alert" }, why),
      el("p", {}, "Choose a sample from a list:"),
      el("ul", {}, runs.map(link)),
    );
  }

  function show(run, head, number, { record, line, previous, next }) {
    heading.textContent = Worktrial.visible(`Sample ${record.sample}`);
    document.title = Worktrial.visible(`${record.sample} · ${run.name}`);
    const neighbours = (place) =>
      el(
        "nav",
        { class: "pager", "aria-label": `Samples of the run, ${place}` },
        previous ? el("a", { href: Worktrial.trajectoryHref(run.slug, previous), rel: "prev" }, "Previous sample") : null,
        el("span", {}, `${Worktrial.number(number + 1)} of ${Worktrial.number(head.samples)} in `),
        el("a", { href: `samples.html#${Worktrial.hash({ run: run.slug })}` }, run.name),
        el("a", { href: Worktrial.taskHref(run.suite, record.sample) }, "All attempts at this task"),
        next ? el("a", { href: Worktrial.trajectoryHref(run.slug, next), rel: "next" }, "Next sample") : null,
      );
    clear();
    const ledger = new Map((record.fault_ledger || []).map((row) => [row.call, row]));
    const part = (id, title, make) => guarded(id, title, () => section(id, title, make()));
    here = { ledger, line, items: [], list: null, calls: new Map(), run, previous, next, current: null };
    const parts = [
      neighbours("above"),
      part("verdict", "Verdict", () => Worktrial.verdict(record)),
      part("checks", "Checks", () => Worktrial.checks(record.checks)),
      part("votes", "Votes", () => Worktrial.votes(record.votes)),
      part("faults", "Faults", () => Worktrial.faults(record)),
      guarded("work", "Work", () => workOf(record, line)),
      part("measures", "Measures", () => Worktrial.measures(record)),
      part("spent", "Time, tokens, cost", () => Worktrial.usage(record)),
      part("stored", "As stored", () => [Worktrial.tree("Record", record), line && storedWork(line)]),
      neighbours("below"),
    ];
    viewer.replaceChildren(...parts.flat().filter(Boolean));
    here.list?.open();
    frame();
  }

  function storedWork(line) {
    const tree = () => Worktrial.tree("Trajectory", line);
    return Worktrial.isLeftOut(line) ? Worktrial.details("Trajectory, whole", () => Worktrial.later(Worktrial.whole(line), tree)) : tree();
  }

  /** The outline and the bar around what the page shows. */
  function frame() {
    const entries = [];
    for (const one of viewer.querySelectorAll(":scope > section")) {
      entries.push({ label: one.querySelector("h2").textContent, href: Worktrial.hereWith({ part: one.id }) });
      if (one.id === "work") entries.push(...here.items.flatMap(outlined));
    }
    here.outline = Worktrial.outline(entries);
    // On a phone it would stand before everything else.
    side.replaceChildren(el("details", { open: matchMedia("(min-width: 70rem)").matches }, el("summary", {}, "Outline"), here.outline.element));
    here.outline.open();
    let texts = null;
    here.bar = Worktrial.workBar({
      texts: async () => {
        await Worktrial.whole(here.line);
        return (texts = texts || here.items.map((item) => item.text()));
      },
      calls: here.calls.size ? Math.max(...here.calls.keys()) : 0,
      here: () => {
        const focused = document.activeElement?.closest?.(".call")?.querySelector("h4")?.id;
        return focused ? Number(focused.slice(5)) : here.current;
      },
      go: (call) => {
        location.hash = Worktrial.hereWith({ call });
      },
      goItem: (item) => {
        for (const call of here.items[item].calls) Worktrial.folds.set(Number(call.index) + 1, true);
        here.list.reveal(item);
        refill();
      },
      fold: (call, open) => {
        Worktrial.folds.set(call, open);
        refill();
        document.getElementById(`call-${call}`)?.focus({ preventScroll: true });
      },
      foldAll: () => {
        Worktrial.folds.reset(!Worktrial.folds.open);
        refill();
      },
      neighbour: (rel) => viewer.querySelector(`a[rel="${rel}"]`)?.click(),
    });
    bar.replaceChildren(here.bar.element);
  }

  /** Bring the calls in the page up to what is folded, and which one is wanted. */
  function refill() {
    for (const article of viewer.querySelectorAll(".call")) article.refill?.();
  }

  function outlined({ label, id, calls }) {
    const own = label ? [{ label, href: id ? Worktrial.hereWith({ turn: id }) : Worktrial.hereWith({ call: Number(calls[0]?.index ?? 0) + 1 }) }] : [];
    if (label && !id && calls.length < 1) own.length = 0;
    const entry = (call) => {
      const number = Number(call.index) + 1;
      const fault = here.ledger.has(call.index) || call.observation?.fault;
      const seen = call.observation;
      const failed = Worktrial.isLeftOut(seen) ? seen.failed : Worktrial.isError(seen?.content);
      const mark = fault ? "fault" : failed ? "error" : "";
      // At a desk each answer says what time it is there.
      const clock = /^\d{4}-\d\d-\d\d (\d\d:\d\d)$/.exec(Worktrial.isLeftOut(seen) ? seen.time : seen?.content?.time)?.[1];
      return { label: `${number} ${call.tool ?? "(no tool)"}`, href: Worktrial.hereWith({ call: number }), deep: true, mark, clock, call: number };
    };
    return [...(id ? own : []), ...calls.map(entry)];
  }

  /** What has another shape than any known one can be read as it is stored. */
  function guarded(id, title, make) {
    try {
      return make();
    } catch (error) {
      console.info(error);
      const why = "This has a shape that the page does not know. It is at the end, under “As stored”.";
      return section(id, title, el("p", { class: "warning" }, why));
    }
  }

  function workOf(record, line) {
    if (line === null) {
      const why = `Nothing is stored of this sample's work. It ended with: ${record.reason}`;
      return section("work", "Work", el("p", { class: "warning" }, why));
    }
    const { ledger } = here;
    const count = Array.isArray(line.calls) ? line.calls.length : 0;
    Worktrial.folds.reset(count < MANY);
    Worktrial.folds.wanted = null;
    let items;
    const own = Worktrial.suites.map((suite) => suite.work?.(line, record, ledger)).find(Boolean);
    if (own) items = Worktrial.wholeParts(own);
    else if (Array.isArray(line.calls) || Array.isArray(line.messages)) {
      const audit = new Map((Array.isArray(line.audit) ? line.audit : []).map((row) => [row.call, row]));
      items = Worktrial.turns(line, ledger, audit);
    } else items = Worktrial.wholeParts([Worktrial.tree("Trajectory", line)]);
    here.items = items;
    items.forEach((item, place) => {
      for (const call of item.calls) here.calls.set(Number(call.index) + 1, place);
    });
    const make = (place) => {
      try {
        return items[place].make();
      } catch (error) {
        console.info(error);
        return el("p", { class: "warning" }, "This has a shape that the page does not know. It is at the end, under “As stored”.");
      }
    };
    const of = { count: items.length, estimate: () => 150, make };
    here.list = items.length > WHOLE ? Worktrial.virtual(of) : Worktrial.plain(of);
    const instruction = typeof line.instruction === "string" && line.instruction;
    const answer = typeof line.answer === "string" && line.answer;
    const state = line.final_state;
    const account = Array.isArray(line.own) ? line.own : [];
    const printed = typeof line.printed === "string" && line.printed;
    return [
      section("assignment", "Assignment", instruction ? Worktrial.markdown(instruction, "speech") : null),
      section("work", "Work", here.list.element),
      section("answer", "Answer", answer ? Worktrial.markdown(answer, "speech") : null),
      section("own", "The program's own account", account.length ? Worktrial.details(`Show its ${account.length} messages`, () => accountOf(account)) : null),
      section("printed", "What it printed", printed ? Worktrial.details("Show what it printed", () => el("pre", {}, printed)) : null),
      section("state", "State of the workplace at the end", state ? Worktrial.details("Show the state", () => Worktrial.json(state)) : null),
    ];
  }

  /** What a program tells of its own work: reasoning folded, each call with what it was given, results by their call. */
  function accountOf(own) {
    const names = new Map();
    const given = (text) => {
      try {
        return Worktrial.json(JSON.parse(text));
      } catch {
        return Worktrial.longText(text ?? "");
      }
    };
    return own.map((message) => {
      const text = Worktrial.textOf(message);
      const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
      for (const call of calls) names.set(call.id, call.function?.name);
      const label = message.role === "tool" ? `Result of ${names.get(message.tool_call_id) ?? "a call"}` : message.role;
      const thought = message.reasoning_content;
      return el(
        "div",
        { class: "message" },
        el("p", { class: "label" }, label),
        thought ? Worktrial.details("Reasoning", () => Worktrial.longText(thought)) : null,
        text ? (message.role === "tool" ? Worktrial.longText(text) : Worktrial.markdown(text, "speech")) : null,
        calls.map((call) => Worktrial.labelled(`Call of ${call.function?.name}`, given(call.function?.arguments))),
      );
    });
  }

  /** Bring what the address names into view: a call, a turn, or a part of the page. */
  function toPlace({ call, turn, part }, told) {
    if (call !== undefined) return toCall(call, told);
    const id = turn === undefined ? part : turn;
    if (id === undefined || !here) return undefined;
    const item = here.items.findIndex((one) => turn !== undefined && one.id === turn);
    if (item >= 0) here.list.reveal(item);
    return Worktrial.whenThere(id, (found) => {
      Worktrial.bring(id);
      if (found.tabIndex < 0) found.tabIndex = -1;
      found.focus({ preventScroll: true });
    });
  }

  function toCall(call, told) {
    const number = Number(call);
    const item = here?.calls.get(number);
    if (item === undefined) {
      Worktrial.say(`This sample has no call ${call}.`);
      return;
    }
    Worktrial.folds.wanted = number;
    Worktrial.folds.set(number, true);
    here.current = number;
    here.outline.current(number);
    here.list.reveal(item);
    refill();
    Worktrial.whenThere(`call-${number}`, (found) => {
      Worktrial.bring(found.id);
      found.focus({ preventScroll: true });
      if (told) Worktrial.say(`Call ${number}`);
    });
  }

  const redraw = () =>
    draw().catch((error) => {
      clear();
      shown = "";
      Worktrial.say("");
      viewer.replaceChildren(el("p", { class: "warning", role: "alert" }, error.message));
    });
  addEventListener("hashchange", redraw);
  document.addEventListener("DOMContentLoaded", redraw);
})();
