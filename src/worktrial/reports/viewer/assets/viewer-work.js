"use strict";

/* The work of one agent with tools: its turns, each with its calls. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;

  const TOGETHER = 20; // calls of one turn in one part of the list

  /**
   * @typedef {{label: string, id?: string, calls: object[], text: () => string, make: () => Element}} Part
   *   `id`: of its heading, where it has one; `text`: what it is searched by
   */

  /**
   * The work on a sample as it is stored, part by part: turns, messages, calls without a turn.
   * @param {object} line
   * @param {Map<number, object>} ledger fault rows by call
   * @param {Map<number, object>} audit rows of a simulator's audit by call
   * @returns {Part[]}
   */
  Worktrial.turns = (line, ledger, audit) => {
    const calls = Array.isArray(line.calls) ? line.calls : [];
    const messages = Array.isArray(line.messages) ? line.messages : [];
    const shown = (call) => Worktrial.call(call, ledger, ...compared(audit.get(call.index)));
    const lone = (call) => part(call.tool ?? "(no tool)", [call], [call], () => shown(call));
    // Somebody's own agent holds no messages, and an audit has none.
    if (!messages.some((message) => message.role === "assistant")) {
      const system = messages.filter((m) => m.role === "system").map((m) => part("Told beforehand", [m], [], () => folded(m)));
      const [first, ...others] = calls.map(lone);
      if (!first) return system;
      return [...system, { ...first, make: () => el("div", {}, el("h3", {}, "Calls"), first.make()) }, ...others];
    }
    const byTurn = new Map();
    for (const call of calls) {
      if (!byTurn.has(call.turn)) byTurn.set(call.turn, []);
      byTurn.get(call.turn).push(call);
    }
    const parts = [];
    let turn = -1;
    const last = messages.filter((message) => message.role === "assistant").length - 1;
    let told = false;
    let notices = 0;
    let current = null;
    for (const message of messages) {
      if (message.role === "assistant") {
        turn += 1;
        const made = byTurn.get(turn) || [];
        byTurn.delete(turn);
        current = { number: turn + 1, message, made, left: made.length, answers: [], rest: [], isLast: turn === last };
        parts.push(...turnParts(current, line, shown));
      } else if (message.role === "tool") {
        // Already shown as the observation of its call; what no call answers for is shown as it is.
        if (current && current.left > 0) {
          current.left -= 1;
          current.answers.push(message);
        } else if (current) current.rest.push(message);
      } else if (message.role === "user" && !told && Worktrial.textOf(message) === line.instruction) {
        told = true;
      } else {
        parts.push(message.role === "system" ? part("Told beforehand", [message], [], () => folded(message)) : notice(message, (notices += 1)));
      }
    }
    // Calls of a turn that left no message: the work was broken off there.
    for (const made of byTurn.values()) parts.push(...made.map(lone));
    return parts;
  };

  function part(label, stored, calls, make) {
    return { label, calls, make, text: () => JSON.stringify(stored).toLowerCase() };
  }

  /** What the agent was told in between, such as that little of its context is left. */
  function notice(message, number) {
    const [id, title] = [`notice-${number}`, `Notice ${number}`];
    const made = () => el("div", { class: "turn" }, el("h3", { id, tabindex: "-1" }, title), Worktrial.message(message));
    return { ...part(title, [message], [], made), id };
  }

  /** A turn: what was said with the calls, or the first of them where they are many, then the others. */
  function turnParts(turn, line, shown) {
    const { number, message, made } = turn;
    const id = `turn-${number}`;
    const first = part(`Turn ${number}`, [{ ...message, tool_calls: undefined }, made.slice(0, TOGETHER)], made.slice(0, TOGETHER), () => {
      const isAnswer = turn.isLast && line.answer && Worktrial.textOf(message) === line.answer;
      // The answer has a place of its own.
      const said = Worktrial.said(message, { isAnswer });
      if (isAnswer) said.push(el("p", {}, "Gives the answer."));
      const asSent = () => [message, ...turn.answers].map((one) => Worktrial.json(one));
      const raw = Worktrial.details("As sent and received", () =>
        turn.answers.some(Worktrial.isLeftOut) ? Worktrial.later(Promise.all(turn.answers.map(Worktrial.whole)), asSent) : asSent(),
      );
      const calls = made.slice(0, TOGETHER).map(shown);
      const rest = [...unmade(message, made.length), ...turn.rest.map((one) => Worktrial.message(one))];
      return el("div", { class: "turn" }, el("h3", { id, tabindex: "-1" }, `Turn ${number}`), said, calls, rest, raw);
    });
    first.id = id;
    const parts = [first];
    for (let from = TOGETHER; from < made.length; from += TOGETHER) {
      const some = made.slice(from, from + TOGETHER);
      parts.push(part(null, some, some, () => el("div", { class: "turn" }, some.map(shown))));
    }
    return parts;
  }

  /** Parts of work that has another shape: each is there as a whole. */
  Worktrial.wholeParts = (elements) =>
    elements.filter(Boolean).map((element) => {
      const heading = element.querySelector?.("h3[id]");
      if (heading) heading.tabIndex = -1;
      const found = [...element.querySelectorAll(".call > h4[id]")].map((one) => ({ index: Number(one.id.slice(5)) - 1 }));
      return {
        label: heading ? heading.textContent : null,
        id: heading?.id,
        calls: found.map(({ index }) => ({ index, tool: element.querySelector(`#call-${index + 1} code`)?.textContent })),
        text: () => element.textContent.toLowerCase(),
        make: () => element,
      };
    });

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
