"use strict";

/* What came back of a call, as a person reads it: lists of records as tables, the rest as names with values. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const COLUMNS = 12;
  const ROWS = 200;

  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const isScalar = (value) => value === null || typeof value !== "object";
  const text = (value) => (value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value));

  function columnsOf(list) {
    if (!list.length || !list.every(isObject)) return null;
    const names = [...new Set(list.flatMap((one) => Object.keys(one)))];
    return names.length && names.length <= COLUMNS ? names : null;
  }

  function cell(value) {
    if (value === undefined) return "";
    if (isScalar(value)) return text(value);
    if (Array.isArray(value) && value.every(isScalar)) return value.map(text).join(", ");
    return Worktrial.json(value);
  }

  function table(name, list, columns) {
    const row = (one) => el("tr", {}, columns.map((column) => el("td", { dir: "auto" }, cell(Object.hasOwn(one, column) ? one[column] : undefined))));
    const made = Worktrial.table(name, columns, list.slice(0, ROWS).map(row));
    if (list.length <= ROWS) return made;
    return [made, Worktrial.details(`All ${Worktrial.number(list.length)} as JSON`, () => Worktrial.json(list))];
  }

  /** Parts that show a value. */
  function parts(name, value, depth) {
    if (typeof value === "string") return [Worktrial.longText(value)];
    if (isScalar(value)) return [el("p", {}, text(value))];
    if (Array.isArray(value)) {
      const columns = columnsOf(value);
      if (columns) return [table(name, value, columns)].flat();
      return [Worktrial.json(value)];
    }
    if (depth > 2 || !Object.keys(value).length) return [Worktrial.json(value)];
    const entries = Object.entries(value);
    const short = ([, one]) => (isScalar(one) && text(one).length <= 400) || (Array.isArray(one) && one.length && one.every(isScalar) && JSON.stringify(one).length <= 400);
    const facts = entries.filter(short);
    const rest = entries.filter((entry) => !short(entry));
    return [
      facts.length ? Worktrial.facts(facts.map(([key, one]) => [key, Array.isArray(one) ? one.map(text).join(", ") : text(one) || "–"])) : null,
      ...rest.flatMap(([key, one]) => {
        const inner = parts(key, one, depth + 1);
        return Array.isArray(one) && columnsOf(one) ? inner : [Worktrial.labelled(key, inner)];
      }),
    ].filter(Boolean);
  }

  /** What came back of a call, with the JSON itself behind a fold. */
  Worktrial.result = (name, value) =>
    el("div", { class: "result" }, parts(name, value, 0), isScalar(value) ? null : Worktrial.details("As JSON", () => Worktrial.json(value)));
})();
