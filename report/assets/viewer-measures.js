"use strict";

/* What a suite measured beside the outcome. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;

  /** The measures of a sample, in words where their form is known. */
  Worktrial.measures = (record) => {
    const { measures } = record;
    if (!measures || !Object.keys(measures).length) return null;
    const words = "setup" in measures ? answers(measures) : "as_free" in measures || "mode" in measures ? team(measures) : [];
    return [...words, Worktrial.tree("All measures as stored", measures)];
  };

  /** Answers from documents, by both scores; runs of version 0.1.0 call these official and strict. */
  function answers(measures) {
    const published = measures.published ?? measures.official;
    const ours = measures.ours ?? measures.strict;
    const { retrieval } = measures;
    const tolerances = [...new Set([...Object.keys(published || {}), ...Object.keys(ours || {})])].sort((a, b) => a - b);
    const scored = (scores, at) => (scores && typeof scores[at] === "number" ? scores[at].toString() : "–");
    const row = (at) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, `${Number((at * 100).toPrecision(6))} %`),
        el("td", {}, scored(published, at)),
        el("td", {}, scored(ours, at)),
      );
    const share = (value) => (typeof value === "number" ? `${(value * 100).toFixed(0)} %` : null);
    const found = retrieval || {};
    return [
      Worktrial.facts([
        ["Gold answer", measures.gold],
        ["Unit", measures.unit],
        ["Set-up", measures.setup],
        ["Published scoring", measures.published_why ?? measures.official_why],
        ["Our scoring", measures.ours_why ?? measures.strict_why],
        ["Wrong because of", measures.failure && Worktrial.inline(measures.failure)],
        ["Gold pages", list(found.gold_pages)],
        ["Pages opened", list(found.opened)],
        ["Gold pages opened", share(found.page_recall)],
        ["First gold page at call", typeof found.first_open === "number" ? String(found.first_open + 1) : null],
        ["Searches", typeof found.searches === "number" ? String(found.searches) : null],
      ]),
      measures.diagnosis ? Worktrial.labelled("Diagnosis", Worktrial.json(measures.diagnosis)) : null,
      tolerances.length ? Worktrial.table("Score by allowed error", ["Error", "Published", "Ours"], tolerances.map(row)) : null,
    ].filter(Boolean);
  }

  const list = (value) => (Array.isArray(value) ? value.join(", ") : null);

  /** Work of a team that an agent directs. */
  function team(measures) {
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
})();
