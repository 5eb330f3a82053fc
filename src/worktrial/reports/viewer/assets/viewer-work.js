"use strict";

/* The work of one agent with tools: its turns, each with its calls. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;

  /**
   * The turns of a line of `trajectories.jsonl`.
   * @param {object} line
   * @param {Map<number, object>} ledger fault rows by call
   * @param {Map<number, object>} audit rows of a simulator's audit by call
   * @returns {Node[]}
   */
  Worktrial.turns = (line, ledger, audit) => {
    const calls = Array.isArray(line.calls) ? line.calls : [];
    const messages = Array.isArray(line.messages) ? line.messages : [];
    const shown = (call) => Worktrial.call(call, ledger, ...compared(audit.get(call.index)));
    // Somebody's own agent holds no messages, and an audit has none.
    if (!messages.some((message) => message.role === "assistant")) {
      const system = messages.filter((m) => m.role === "system").map(folded);
      return [...system, calls.length ? el("h3", {}, "Calls") : null, ...calls.map(shown)];
    }
    const byTurn = new Map();
    for (const call of calls) byTurn.set(call.turn, [...(byTurn.get(call.turn) || []), call]);
    const parts = [];
    let turn = -1;
    const last = messages.filter((message) => message.role === "assistant").length - 1;
    let told = false;
    let current = null;
    const answered = new Map();
    for (const message of messages) {
      if (message.role === "assistant") {
        turn += 1;
        const made = byTurn.get(turn) || [];
        answered.set(turn, made.length);
        byTurn.delete(turn);
        const id = `turn-${turn + 1}`;
        const heading = el("h3", { id }, `Turn ${turn + 1}`);
        const isAnswer = turn === last && line.answer && Worktrial.textOf(message) === line.answer;
        // The answer has a place of its own.
        const said = Worktrial.said(isAnswer ? { ...message, content: null } : message);
        if (isAnswer) said.push(el("p", {}, "Gives the answer."));
        current = el("div", { class: "turn" }, heading, said, made.map(shown));
        current.append(...unmade(message, made.length));
        parts.push(current);
      } else if (message.role === "tool") {
        // Already shown as the observation of its call; what no call answers for is shown as it is.
        const left = answered.get(turn) || 0;
        if (left > 0) answered.set(turn, left - 1);
        else if (current) current.append(Worktrial.message(message));
      } else if (message.role === "user" && !told && Worktrial.textOf(message) === line.instruction) {
        told = true;
      } else {
        parts.push(message.role === "system" ? folded(message) : Worktrial.message(message));
      }
    }
    // Calls of a turn that left no message: the work was broken off there.
    for (const made of byTurn.values()) parts.push(...made.map(shown));
    return parts;
  };

  /** Links to all calls, in a list that can be looked over. */
  Worktrial.callList = (calls, ledger) => {
    if (!Array.isArray(calls) || calls.length < 3) return null;
    const item = (call) => {
      const faulty = ledger.has(call.index) || (call.observation && call.observation.fault);
      const link = el("a", { href: Worktrial.hereWith({ call: Number(call.index) + 1 }) }, call.tool ?? "(no tool)");
      return el("li", { value: String(Number(call.index) + 1) }, link, faulty ? el("span", { class: "note" }, " fault") : null);
    };
    return el("nav", { class: "calls", "aria-label": "Calls" }, el("ol", {}, calls.map(item)));
  };

  function folded(message) {
    return Worktrial.details("What the agent was told beforehand (system prompt)", () =>
      Worktrial.longText(Worktrial.textOf(message)),
    );
  }

  /** Calls that the message asks for beyond those that were made. */
  function unmade(message, made) {
    const asked = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    return asked.slice(made).map((call) => Worktrial.labelled("Asked for, and not made", Worktrial.json(call)));
  }

  /** How an audited answer compares with the true one. */
  function compared(row) {
    if (!row) return [];
    const counts = ["equal", "wrong", "missing", "extra", "free"].map((name) => `${row[name] ?? 0} ${name}`).join(" · ");
    const parts = [el("p", {}, `Beside the truth: ${counts}.`)];
    const differences = Array.isArray(row.differences) ? row.differences : [];
    if (differences.length) {
      const cells = (one) => ["at", "status", "truth", "simulated"].map((name) => el("td", {}, Worktrial.inline(one[name])));
      parts.push(
        Worktrial.table(
          "Differences from the true answer",
          ["At", "What", "Truth", "Simulated"],
          differences.map((one) => el("tr", {}, cells(one))),
        ),
      );
    }
    for (const name of ["failures", "conformance_failures"]) {
      if (Array.isArray(row[name]) && row[name].length) parts.push(el("p", {}, `${name.replaceAll("_", " ")}: ${row[name].join(", ")}`));
    }
    return [el("div", { class: "part" }, parts)];
  }

  /** A table within a region that scrolls by itself. */
  Worktrial.table = (caption, headers, rows) =>
    el(
      "div",
      { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
      el(
        "table",
        {},
        el("caption", {}, caption),
        el("thead", {}, el("tr", {}, headers.map((header) => el("th", { scope: "col" }, header)))),
        el("tbody", {}, rows),
      ),
    );
})();
