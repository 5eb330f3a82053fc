"use strict";

/* What the documents suite measured of an answer. */
(() => {
  const { el } = Worktrial;

  /** Answers by both scores, and the pages that were opened. */
  function answers(measures) {
    if (!("setup" in measures)) return null;
    const { published, ours, retrieval } = measures;
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
        ["Published scoring", measures.published_why],
        ["Our scoring", measures.ours_why],
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

  Worktrial.suites.push({ measures: answers });
})();
