"use strict";

/* What each call changed in the state of a workplace of code: places with their values before and after. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const MOST = 200; // places of one call in the page

  /** Changes by the calls of the sample that the page shows; null until they are known, and where they are not. */
  let known = null;

  /** Take the changes of another sample, or none. */
  Worktrial.takeChanges = (changes) => {
    known = changes;
  };

  /** The places that the call changed, in a few words, as `show` makes them; null where it changed nothing. */
  Worktrial.changedPlaces = (index, show) => {
    const changes = known?.calls[index] ?? [];
    const places = changes.slice(0, 3).map((one) => one.path).join(", ");
    if (!changes.length) return null;
    return show(changes.length > 3 ? `${places} and ${Worktrial.number(changes.length - 3)} more` : places);
  };

  /** What the call changed, folded; null where it changed nothing, or where that is not known. */
  Worktrial.stateChanges = (index) =>
    Worktrial.changedPlaces(index, (places) =>
      Worktrial.details(`Changed in the state: ${places}`, () => {
        const changes = known.calls[index];
        const rows = changes.slice(0, MOST).map((one) => el("tr", {}, cell(el("code", {}, one.path)), cell(value(one, "before")), cell(value(one, "after"))));
        const table = Worktrial.table(`Changed in the state by call ${Number(index) + 1}`, ["Where", "Before", "After"], rows);
        return changes.length > MOST ? [table, el("p", { class: "quiet-text" }, `The first ${MOST} of ${Worktrial.number(changes.length)} places.`)] : table;
      }),
    );

  /** Why the changes of some calls are not known; null where all are. */
  Worktrial.changesStopped = () =>
    known?.stopped ? el("p", { class: "quiet-text" }, `What calls changed in the state is not known, or not of all: ${known.stopped}.`) : null;

  const cell = (content) => el("td", { class: "wrap" }, content);

  function value(change, side) {
    if (!Object.hasOwn(change, side)) return el("span", { class: "quiet-text" }, "nothing");
    const held = change[side];
    if (typeof held === "string") return Worktrial.longText(held);
    return held !== null && typeof held === "object" ? Worktrial.json(held) : el("code", {}, Worktrial.inline(held));
  }
})();
