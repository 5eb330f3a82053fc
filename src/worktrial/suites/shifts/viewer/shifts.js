"use strict";

/* What a shift at a desk cost in points. */
(() => {
  const { el } = Worktrial;

  /** What cost points: the parts of cases that were not earned in full. */
  function points(measures) {
    const cases = Array.isArray(measures?.cases) ? measures.cases : [];
    const lost = cases.flatMap((one) => (Array.isArray(one?.parts) ? one.parts : []).filter((part) => part.earned < part.points).map((part) => [one, part]));
    if (!lost.length) return null;
    const row = ([one, part]) =>
      el(
        "tr",
        {},
        [one.title, String(part.name).replaceAll("_", " "), `${part.earned} of ${part.points}`, part.lost, part.because].map((value) => el("td", { class: "wrap", dir: "auto" }, value == null ? "" : String(value))),
      );
    return [Worktrial.section("lost", "Lost points", Worktrial.table("Lost points", ["Case", "Part", "Points", "Lost by", "Because"], lost.map(row)))];
  }

  Worktrial.suites.push({ measures: points });
})();
