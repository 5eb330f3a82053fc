"use strict";

/* The grade of a shift at a desk, and what it cost in points. */
(() => {
  const { el } = Worktrial;

  /** The grade with what the shift was failed for, and the parts of cases that were not earned in full. */
  function points(measures) {
    if (typeof measures?.grade !== "string") return null;
    const failed = (Array.isArray(measures.failed_by) ? measures.failed_by : []).map((why) => el("li", { dir: "auto" }, String(why)));
    const grade = Worktrial.section("grade", `Grade: ${measures.grade}`, failed.length ? el("ul", {}, failed) : el("p", {}, "Every grave matter is right, and no grave harm was done."));
    const cases = Array.isArray(measures.cases) ? measures.cases : [];
    const lost = cases.flatMap((one) => (Array.isArray(one?.parts) ? one.parts : []).filter((part) => part.earned < part.points).map((part) => [one, part]));
    if (!lost.length) return [grade];
    const row = ([one, part]) =>
      el(
        "tr",
        {},
        [one.title, String(part.name).replaceAll("_", " "), `${part.earned} of ${part.points}`, part.lost, part.because].map((value) => el("td", { class: "wrap", dir: "auto" }, value == null ? "" : String(value))),
      );
    return [grade, Worktrial.section("lost", "Lost points", Worktrial.table("Lost points", ["Case", "Part", "Points", "Lost by", "Because"], lost.map(row)))];
  }

  Worktrial.suites.push({ measures: points });
})();
