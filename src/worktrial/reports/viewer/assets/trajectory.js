"use strict";

/* The page of one sample. Which one, and which of its calls, is in the address. */
(() => {
  const { el, section } = Worktrial;
  const viewer = document.getElementById("viewer");
  const heading = document.getElementById("heading");
  let shown = null;
  let drawn = 0;

  /** The address of this sample with something more. */
  Worktrial.hereWith = (more) => {
    const { call, ...asked } = Worktrial.asked();
    return `#${Worktrial.hash({ ...asked, ...more })}`;
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
    if (name === shown) return toCall(asked.call, true);
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
    if (asked.call !== undefined) return toCall(asked.call, !first);
    if (!first) heading.focus();
    Worktrial.say(first ? "" : `Sample ${found.record.sample}, ${found.record.outcome}`);
    return undefined;
  }

  function lost(why, runs) {
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
        next ? el("a", { href: Worktrial.trajectoryHref(run.slug, next), rel: "next" }, "Next sample") : null,
      );
    const ledger = new Map((record.fault_ledger || []).map((row) => [row.call, row]));
    const part = (id, title, make) => guarded(id, title, () => section(id, title, make()));
    const parts = [
      neighbours("above"),
      part("verdict", "Verdict", () => Worktrial.verdict(record)),
      part("checks", "Checks", () => Worktrial.checks(record.checks)),
      part("votes", "Votes", () => Worktrial.votes(record.votes)),
      part("faults", "Faults", () => Worktrial.faults(record)),
      guarded("work", "Work", () => workOf(record, line, ledger)),
      part("measures", "Measures", () => Worktrial.measures(record)),
      part("spent", "Time, tokens, cost", () => Worktrial.usage(record)),
      part("stored", "As stored", () => [Worktrial.tree("Record", record), line && Worktrial.tree("Trajectory", line)]),
      neighbours("below"),
    ];
    viewer.replaceChildren(...parts.flat().filter(Boolean));
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

  function workOf(record, line, ledger) {
    if (line === null) {
      const why = `Nothing is stored of this sample's work. It ended with: ${record.reason}`;
      return section("work", "Work", el("p", { class: "warning" }, why));
    }
    let work;
    if (Worktrial.isStepwise(line)) work = Worktrial.steps(line, record);
    else if (Worktrial.isFree(line)) work = Worktrial.freeTurns(line, ledger);
    else if (Array.isArray(line.calls) || Array.isArray(line.messages)) {
      const audit = new Map((Array.isArray(line.audit) ? line.audit : []).map((row) => [row.call, row]));
      work = Worktrial.turns(line, ledger, audit);
    } else work = [Worktrial.tree("Trajectory", line)];
    const instruction = typeof line.instruction === "string" && line.instruction;
    const answer = typeof line.answer === "string" && line.answer;
    const state = line.final_state;
    return [
      section("assignment", "Assignment", instruction ? Worktrial.longText(instruction, { class: "speech" }) : null),
      section("work", "Work", Worktrial.callList(line.calls, ledger), work),
      section("answer", "Answer", answer ? Worktrial.longText(answer, { class: "speech" }) : null),
      section("state", "State of the workplace at the end", state ? Worktrial.details("Show the state", () => Worktrial.json(state)) : null),
    ];
  }

  /** Bring a call into view. */
  function toCall(number, told) {
    if (number === undefined) return;
    const call = document.getElementById(`call-${number}`);
    if (!call) {
      Worktrial.say(`This sample has no call ${number}.`);
      return;
    }
    for (const other of viewer.querySelectorAll(".call.wanted")) other.classList.remove("wanted");
    call.closest(".call").classList.add("wanted");
    // Not smoothly: a long trajectory would take seconds to pass by.
    call.scrollIntoView({ block: "start", behavior: "instant" });
    call.focus({ preventScroll: true });
    if (told) Worktrial.say(`Call ${number}`);
  }

  const redraw = () =>
    draw().catch((error) => {
      shown = "";
      Worktrial.say("");
      viewer.replaceChildren(el("p", { class: "warning", role: "alert" }, error.message));
    });
  addEventListener("hashchange", redraw);
  document.addEventListener("DOMContentLoaded", redraw);
})();
