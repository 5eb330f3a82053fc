"use strict";

/* The work of a team: a planner and its domain agents, on a recorded history or running free. */
(() => {
  const { el } = Worktrial;

  /** Parts of a team's work, whichever way it worked; null for anything else. */
  function work(line, record, ledger) {
    if (Array.isArray(line.main_agent_history) && Array.isArray(line.sub_agent_history)) return steps(line, record);
    return Array.isArray(line.turns) && Array.isArray(line.calls) ? freeTurns(line, record, ledger) : null;
  }

  /** What was answered at each step, beside its score. */
  function steps(line, record) {
    const rows = record.measures?.ours?.rows?.steps;
    const scores = new Map((Array.isArray(rows) ? rows : []).map((row) => [Number(row.step), row]));
    const queries = line.queries && typeof line.queries === "object" ? line.queries : {};
    return [...line.main_agent_history, ...line.sub_agent_history]
      .sort((a, b) => Number(a.step_id) - Number(b.step_id))
      .map((message) => {
        const step = Number(message.step_id);
        const id = `turn-${step}`;
        const query = Object.hasOwn(queries, step) ? queries[step] : null;
        const score = scores.get(step);
        return el(
          "div",
          { class: "turn" },
          el("h3", { id }, `Step ${message.step_id}: ${message.agent_id || "planner"}`),
          el("p", { class: score && score.right ? "good" : "quiet-text" }, scored(score)),
          query ? Worktrial.labelled("Query", Worktrial.longText(query)) : null,
          el("div", { class: message.agent_id ? "" : "plan" }, answer(message)),
          score?.edits ? Worktrial.planEdits(score.edits) : null,
          score ? Worktrial.details("How it was scored", () => Worktrial.json(score)) : null,
        );
      });
  }

  function scored(row) {
    if (!row) return "Not scored.";
    if (row.right) return "Right.";
    if (row.kind === "plan") return `The plan scores ${share(row.score)}.`;
    if (row.predicted !== row.gold) return `Decided for ${row.predicted}, where ${row.gold} is right.`;
    return `The calls score ${share(row.score)}.`;
  }

  const share = (value) => (typeof value === "number" ? value.toFixed(2) : "–");

  function answer(message) {
    const parts = Worktrial.said(message);
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    for (const call of calls) {
      const wanted = (call && call.function) || {};
      parts.push(
        el("div", { class: "call" }, el("p", { class: "label" }, "Calls ", el("code", {}, wanted.name ?? "(no tool)")), given(wanted.arguments)),
      );
    }
    return parts.length ? parts : [el("p", { class: "quiet-text" }, "(nothing)")];
  }

  function given(text) {
    try {
      return Worktrial.json(typeof text === "string" ? JSON.parse(text) : text);
    } catch {
      return Worktrial.longText(text);
    }
  }

  /** The whole work, a turn of the user after the other. */
  function freeTurns(line, record, ledger) {
    const plans = record.measures?.free?.plans;
    const wrong = (Array.isArray(plans) ? plans : []).filter((plan) => plan?.edits);
    const said = (Array.isArray(line.messages) ? line.messages : []).filter((m) => m.role === "assistant");
    const calls = new Map(line.calls.map((call) => [call.index, call]));
    let next = 0;
    const parts = line.turns.map((turn, number) => {
      const id = `turn-${number + 1}`;
      const section = el("div", { class: "turn" }, el("h3", { id }, `Turn ${number + 1} of the user`));
      section.append(Worktrial.labelled("User", Worktrial.longText(turn.user ?? "", { class: "speech" })));
      (turn.planner || []).forEach((planner, round) => {
        section.append(el("div", { class: planner.plan ? "part plan" : "part" }, el("p", { class: "label" }, "Planner"), answer(said[next] || {})));
        next += 1;
        for (const work of turn.work || []) if (work.round === round) section.append(run(work, calls, ledger));
        for (const [workflow, why] of Object.entries(planner.stuck || {})) {
          section.append(el("p", { class: "warning" }, `Cannot start ${workflow}: ${Worktrial.inline(why)}`));
        }
        if (planner.unread) section.append(el("p", { class: "warning" }, "This plan could not be read."));
      });
      // The first plan of a turn is the one that is scored.
      for (const plan of wrong) if (plan.turn === number) section.append(Worktrial.planEdits(plan.edits) || "");
      if (turn.reply) section.append(Worktrial.labelled("Reply to the user", Worktrial.longText(turn.reply, { class: "speech" })));
      return section;
    });
    if (Array.isArray(line.planner_prompt) && line.planner_prompt.length) {
      parts.unshift(Worktrial.details("What the planner was told", () => line.planner_prompt.map((m) => Worktrial.message(m))));
    }
    return parts;
  }

  function run(work, calls, ledger) {
    const made = (work.calls || []).map((index) => calls.get(index)).filter(Boolean);
    const last = (work.messages || []).filter((m) => m.role === "assistant").at(-1);
    return el(
      "div",
      { class: "delegated" },
      el("p", { class: "label" }, `${work.workflow} · ${work.agent}`),
      Worktrial.longText(work.query ?? ""),
      made.map((call) => Worktrial.call(call, ledger)),
      last ? Worktrial.said(last) : null,
      work.end && work.end !== "done" ? el("p", { class: "warning" }, `Ended: ${work.end}`) : null,
    );
  }

  /** Work of a team that an agent directs. */
  function team(measures) {
    if (!("as_free" in measures || "mode" in measures)) return null;
    const goals = measures.goals || measures.free?.goals || measures.as_free?.goals;
    const row = (goal) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, goal.workflow),
        el("td", {}, Worktrial.outcome(goal.reached ? "pass" : "fail")),
        el("td", { class: "number" }, `${goal.right ?? "–"} of ${goal.steps ?? "–"}`),
        el("td", { class: "number" }, `${goal.made ?? "–"} of ${goal.calls ?? "–"}`),
      );
    return [
      Worktrial.facts([
        ["Language", measures.language],
        ["Mode", measures.mode === "turns" ? "turn by turn, on the recorded history" : measures.mode],
        ["First failure", measures.first_failure && Worktrial.inline(measures.first_failure)],
      ]),
      Array.isArray(goals) && goals.length
        ? Worktrial.table("Goals", ["Workflow", "Reached", "Steps right", "Calls made"], goals.map(row))
        : null,
    ].filter(Boolean);
  }

  Worktrial.suites.push({ work, measures: team });
})();
