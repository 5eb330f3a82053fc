"use strict";

/* What a sample came to, on which grounds, under which faults, and what it took. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;

  /** The verdict with its reason, and what the sample is. */
  Worktrial.verdict = (record) =>
    el(
      "div",
      { class: "verdict" },
      el("p", { class: "lead" }, Worktrial.outcome(record.outcome), ` · ${record.reason}`),
      Worktrial.facts([
        ["Suite", record.suite],
        ["Repeat", record.repeat ? String(record.repeat) : ""],
        ["Condition", record.condition],
        ...Object.entries(record.tags || {}).map(([name, value]) => [nameOf(name), tagText(value)]),
        ["Work ended by", (record.stop_reason || "").replaceAll("_", " ")],
        ["Clock at the workplace", record.clock],
        ["Finished", record.finished],
      ]),
    );

  const NAMES = { category: "Industry or category" };
  const nameOf = (name) => NAMES[name] || name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
  const tagText = (value) => (Array.isArray(value) ? value.map(Worktrial.inline).join(", ") : value === null ? "" : Worktrial.inline(value));

  /** The judge's votes in the order cast. */
  Worktrial.votes = (votes) =>
    (votes || []).map((vote, number) => {
      const says = vote.is_correct === true ? "pass" : vote.is_correct === false ? "fail" : null;
      const grounds = vote.feedback || vote.problem || vote.reason || "";
      return el(
        "div",
        { class: "vote" },
        el("h3", {}, `Vote ${number + 1}: `, says ? Worktrial.outcome(says) : "no vote"),
        grounds ? Worktrial.longText(grounds) : null,
        vote.feedback && vote.problem ? el("p", { class: "quiet-text" }, vote.problem) : null,
        typeof vote.probability === "number" ? el("p", {}, `Probability of yes: ${vote.probability.toFixed(3)}`) : null,
        vote.attempts > 1 ? el("p", { class: "quiet-text" }, `after ${vote.attempts} attempts`) : null,
        Array.isArray(vote.raw) && vote.raw.length
          ? Worktrial.details("The judge's own words", () => vote.raw.map((text) => Worktrial.longText(Worktrial.inline(text))))
          : null,
      );
    });

  /** The checks of the state and the answer. */
  Worktrial.checks = (checks) => {
    if (!checks || !checks.length) return null;
    const row = (check) =>
      el(
        "tr",
        {},
        el("td", {}, Worktrial.outcome(check.passed ? "pass" : "fail")),
        el("td", { class: "wrap", dir: "auto" }, check.check ?? ""),
        el("td", { class: "wrap", dir: "auto" }, check.why ?? ""),
      );
    // What failed is what people look for.
    const ordered = [...checks].sort((one, other) => Boolean(one.passed) - Boolean(other.passed));
    return Worktrial.table("Checks of the state and the answer", ["Result", "Check", "Why"], ordered.map(row));
  };

  /** The planned faults, each with what became of it. */
  Worktrial.faults = (record) => {
    const plan = record.fault_plan || [];
    const [ledger, misses] = [record.fault_ledger || [], record.fault_misses || []];
    if (!plan.length && !ledger.length) return null;
    const row = (event) => {
      const met = ledger.filter((one) => one.event === event.event);
      const missed = misses.filter((one) => one.event === event.event);
      const links = met.flatMap((one, n) => [n ? ", " : "Degraded: ", callLink(one.call)]);
      const rest = missed.map((one) => (one.call === undefined ? one.why : `call ${one.call + 1}: ${one.why}`).replaceAll("_", " "));
      const fate = [...links, rest.length ? `${met.length ? "; " : ""}left as it was: ${rest.join(", ")}` : ""];
      const first = `${event.unit || "call"} ${Number(event.first) + 1}, ${event.length} long`;
      return el(
        "tr",
        {},
        el("td", {}, `${event.mode === "E1" ? "open" : "silent"} (${event.mode})`),
        el("td", { class: "wrap" }, Worktrial.faultWords(event.kind)),
        el("td", {}, first),
        el("td", { class: "wrap" }, fate),
      );
    };
    return Worktrial.table("Planned faults", ["Kind", "What", "When", "What became of it"], plan.map(row));
  };

  function callLink(index) {
    return el("a", { href: Worktrial.hereWith({ call: index + 1 }) }, `call ${index + 1}`);
  }

  /** Time, tokens and cost by role. */
  Worktrial.usage = (record) => {
    const row = ([role, used]) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, role),
        ["requests", "input_tokens", "output_tokens", "cached_tokens"].map((name) =>
          el("td", { class: "number" }, Worktrial.number(used[name])),
        ),
        el("td", { class: "number" }, Worktrial.dollars(used.cost)),
      );
    const rows = Object.entries(record.usage || {}).map(row);
    const headers = ["Role", "Requests", "Tokens in", "Tokens out", "Cached", "Cost"];
    const table = rows.length ? Worktrial.table("Tokens and cost by role", headers, rows) : null;
    table?.querySelectorAll("thead th:not(:first-child)").forEach((header) => header.classList.add("number"));
    return [
      Worktrial.facts([
        ["Time", Worktrial.seconds(record.seconds)],
        ["Cost", record.cost === null ? "unknown: a model's price is not known" : Worktrial.dollars(record.cost)],
        ["Tool calls", String(record.calls)],
        ["Turns", String(record.turns)],
        ["From the request cache", record.replayed ? `${record.replayed} requests` : ""],
      ]),
      table,
    ];
  };

  /** What a suite's own script says of the measures; [] where none knows their form. */
  Worktrial.measured = (measures) => (measures && Worktrial.suites.map((suite) => suite.measures?.(measures)).find(Boolean)) || [];

  /** The measures of a sample, in words where a suite has some. */
  Worktrial.measures = ({ measures }) =>
    measures && Object.keys(measures).length ? [...Worktrial.measured(measures), Worktrial.tree("All measures as stored", measures)] : null;
})();
