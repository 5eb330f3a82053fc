"use strict";

/* The desk of a person who takes a trial: one sample after the other, by keyboard or not. */
(() => {
  const { el } = Worktrial;
  const viewer = document.getElementById("viewer");
  const heading = document.getElementById("heading");
  const KEYS = [
    ["t", "to the tools"],
    ["a", "to the answer"],
    ["n", "to the notes"],
    ["p", "pause, or go on"],
    ["Esc", "out of a field, so that keys act again"],
    ["?", "these keys"],
  ];
  let desk = null;
  let at = null; // parts of the sample that is drawn
  let since = 0; // moment at which `desk` was told
  let busy = false;
  let waiting = 0;
  let draft = { name: "", text: "" }; // an answer that is being written outlives a pause

  async function ask(what, body) {
    const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    let answer;
    try {
      answer = await fetch(`desk/${what}`, options);
    } catch {
      throw new Error("The desk does not answer. Is its command still running?");
    }
    return Worktrial.answerIn(answer);
  }

  /** Do something at the desk, and show the desk as it then is. */
  async function act(what, body, said = "") {
    if (busy) return false;
    busy = true;
    viewer.setAttribute("aria-busy", "true");
    try {
      desk = await ask(what, body);
      show();
      Worktrial.say(said);
      return true;
    } catch (error) {
      const why = error.message;
      try {
        desk = await ask("state");
        show();
      } catch {
        // What was wrong first says more.
      }
      Worktrial.say(why);
      return false;
    } finally {
      busy = false;
      viewer.removeAttribute("aria-busy");
    }
  }

  function show() {
    since = performance.now();
    clearTimeout(waiting);
    if (desk.state === "judging") {
      at = null;
      heading.textContent = "The work is being judged";
      viewer.replaceChildren(el("p", {}, "A moment, please."));
      waiting = setTimeout(() => act("state"), 1000);
      return;
    }
    if (!desk.sample) return between();
    if (desk.state === "paused") return paused();
    const name = JSON.stringify([desk.sample.sample, desk.sample.repeat, desk.sample.condition]);
    if (at?.name !== name) begin(name);
    log();
    return undefined;
  }

  const clock = (seconds) => {
    const whole = Math.floor(seconds);
    const two = (value) => String(value).padStart(2, "0");
    return `${two(Math.floor(whole / 60))}:${two(whole % 60)}`;
  };

  function tick() {
    if (!at || !desk?.sample || desk.state !== "working") return;
    at.timer.textContent = clock(desk.sample.seconds + (performance.now() - since) / 1000);
  }
  setInterval(tick, 500);

  const progress = () => `${Worktrial.number(desk.finished)} of ${Worktrial.number(desk.samples)} samples of ${desk.suite} are done.`;
  const button = (label, does, more = {}) => el("button", { type: "button", onclick: does, ...more }, label);

  /** Between two samples: the last verdict, and the way to the next. */
  function between() {
    at = null;
    const { last } = desk;
    const done = desk.state === "done";
    heading.textContent = last ? Worktrial.visible(`Sample ${last.sample} is handed in`) : "Your desk";
    const next = done
      ? button("Leave the desk", leave)
      : button(last ? "Next sample" : "Begin", () => act("open", {}));
    viewer.replaceChildren(
      ...[
        last ? verdict(last) : el("p", {}, "You get one sample after the other: an assignment, and the tools to do it with. Time runs from the moment you begin."),
        el("p", {}, progress()),
        el("p", { class: "desk-bar" }, next, done ? null : button("Leave for now", leave, { class: "quiet" })),
      ].flat().filter(Boolean),
    );
    next.focus();
  }

  function verdict(last) {
    const took = el("p", {}, `Time at work: ${clock(last.seconds)} minutes.`);
    if (!last.result) return [el("p", {}, "Your work is stored."), took];
    const { result } = last;
    const more = { run: desk.run, sample: last.sample, repeat: last.repeat || "", condition: last.condition === "E0" ? "" : last.condition };
    return [
      el("p", { class: "lead" }, Worktrial.outcome(result.outcome), ` · ${result.reason}`),
      took,
      Worktrial.measured(result.measures),
      Worktrial.section("checks", "Checks", Worktrial.checks(result.checks)),
      Worktrial.section("votes", "Votes", Worktrial.votes(result.votes)),
      result.measures && Object.keys(result.measures).length ? Worktrial.tree("All measures", result.measures) : null,
      el("p", {}, el("a", { href: `trajectory.html#${Worktrial.hash(more)}` }, "All of it, call by call")),
    ];
  }

  async function leave() {
    if (!(await act("leave", {}))) return;
    at = null;
    heading.textContent = "You have left the desk";
    viewer.replaceChildren(el("p", {}, desk.state === "done" ? "Everything is stored. You can close this page." : "Everything so far is stored; the same command goes on. You can close this page."));
    heading.focus();
  }

  function paused() {
    at = null;
    heading.textContent = "A pause";
    const on = button("Go on", resume);
    viewer.replaceChildren(
      el("p", {}, `The time stands at ${clock(desk.sample.seconds)} minutes. The assignment is hidden meanwhile.`),
      el("p", { class: "desk-bar" }, on, button("Leave for now", leave, { class: "quiet" })),
    );
    on.focus();
  }

  const pause = () => act("pause", {});
  const resume = () => act("resume", {});

  /** Draw the sample that is new on the desk. */
  function begin(name) {
    const { sample } = desk;
    heading.textContent = Worktrial.visible(`Sample ${sample.sample}`);
    const timer = el("span", { class: "timer", role: "timer", "aria-label": "Minutes and seconds at work" });
    const notes = el("textarea", { "aria-label": "Notes", maxlength: 100000 });
    notes.value = sample.notes;
    notes.addEventListener("change", () => ask("notes", { text: notes.value }).catch((error) => Worktrial.say(`Notes not stored: ${error.message}`)));
    const answer = el("textarea", { "aria-label": "Answer" });
    answer.value = draft.name === name ? draft.text : "";
    answer.addEventListener("input", () => (draft = { name, text: answer.value }));
    const names = sample.tools.map((tool) => tool.function.name);
    const tool = el("select", { id: "tool" }, el("option", { value: "" }, "choose a tool"), names.map((one, n) => el("option", { value: n }, one)));
    const place = el("div", {});
    tool.addEventListener("change", () => choose(tool, place));
    const hand = el(
      "form",
      { class: "label-form" },
      answer,
      el("p", {}, el("button", { type: "submit" }, "Hand in the answer")),
    );
    hand.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!answer.value.trim() && hand.dataset.sure !== "yes") {
        hand.dataset.sure = "yes";
        Worktrial.say("The answer is empty. Hand it in again to say nothing.");
        return;
      }
      await act("finish", { answer: answer.value });
    });
    at = { name, timer, tool, answer, notes, calls: el("div", { class: "calls" }), shown: 0 };
    viewer.replaceChildren(
      el(
        "div",
        { class: "desk-bar" },
        timer,
        sample.may_pause ? button("Pause", pause) : null,
        button("Keys", help, { class: "quiet" }),
        button("Give this sample up", () => act("give-up", {}), { class: "quiet" }),
      ),
      sample.told ? el("p", { class: "warning" }, sample.told) : "",
      el(
        "div",
        { class: "desk" },
        el(
          "div",
          { class: "task" },
          Worktrial.section("assignment", "Assignment", Worktrial.facts([["Clock at the workplace", sample.clock], ["Condition", sample.condition === "E0" ? "" : sample.condition]]), Worktrial.markdown(sample.instruction, "speech")),
          Worktrial.section("notes", "Notes", notes),
          Worktrial.section("answer", "Answer", hand),
        ),
        el(
          "div",
          {},
          Worktrial.section("tools", "Tools", el("div", { class: "desk-tool" }, el("label", { class: "field" }, el("span", {}, "Tool"), tool), place)),
          Worktrial.section("calls", "Calls", el("p", { class: "empty" }, "None yet."), at.calls),
        ),
      ),
    );
    tick();
    heading.focus();
  }

  /** The form of the chosen tool. */
  function choose(select, place) {
    const tool = select.value === "" ? null : desk.sample.tools[Number(select.value)].function;
    if (!tool) return place.replaceChildren();
    const fields = Worktrial.argumentsForm(tool.parameters);
    const trouble = el("p", { class: "warning", role: "alert", hidden: true });
    const form = el(
      "form",
      {},
      tool.description ? Worktrial.longText(tool.description) : null,
      fields.element,
      trouble,
      el("p", {}, el("button", { type: "submit" }, "Call ", tool.name)),
    );
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      let given;
      try {
        given = fields.value();
      } catch (error) {
        trouble.textContent = Worktrial.visible(error.message);
        trouble.hidden = false;
        return;
      }
      trouble.hidden = true;
      if (await act("calls", { tool: tool.name, arguments: given })) at?.calls.querySelector("h3")?.focus();
    });
    return place.replaceChildren(form);
  }

  /** Add the calls that are not shown yet, the newest first. */
  function log() {
    const { calls } = desk.sample;
    for (const call of calls.slice(at.shown)) {
      const number = (at.shown += 1);
      const title = el("h3", { tabindex: "-1" }, `Call ${number}: ${call.tool}${call.is_error ? " (an error)" : ""}`);
      const asked = Object.keys(call.arguments ?? {}).length ? el("p", { class: "in-brief" }, Worktrial.glimpse(call.arguments, 300)) : null;
      at.calls.prepend(el("article", { class: call.is_error ? "error" : "" }, title, asked, Worktrial.result(`Result of call ${number}`, call.observation)));
    }
    const none = at.calls.parentElement.querySelector(".empty");
    if (at.shown && none) none.remove();
  }

  let guide = null;
  function help() {
    if (!guide) {
      const rows = KEYS.map(([keys, does]) => el("tr", {}, el("th", { scope: "row" }, keys), el("td", {}, does)));
      guide = el("dialog", { class: "keys", "aria-label": "Keys" }, el("table", {}, el("tbody", {}, rows)), button("Close", () => guide.close()));
      document.body.append(guide);
    }
    if (guide.open) guide.close();
    else guide.showModal();
  }

  const acts = {
    t: () => at?.tool.focus(),
    a: () => at?.answer.focus(),
    n: () => at?.notes.focus(),
    p: () => (desk?.state === "paused" ? resume() : at && desk.sample.may_pause && pause()),
    "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const within = event.target.closest("input, select, textarea");
    if (within && event.key === "Escape") return heading.focus();
    if (within || event.target.closest("dialog") || !Object.hasOwn(acts, event.key)) return undefined;
    event.preventDefault();
    acts[event.key]();
    return undefined;
  });
  document.addEventListener("DOMContentLoaded", () => act("state"));
})();
