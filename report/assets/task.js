"use strict";

/* One task: every attempt at it side by side, and where the first of their calls differ. */
(() => {
  const { el, section } = Worktrial;
  const MOST = 12; // attempts beside each other
  const ROWS = 300; // calls beside each other
  const REPEATS = 1000;
  const viewer = document.getElementById("viewer");
  const heading = document.getElementById("heading");
  let drawn = 0;

  async function draw() {
    const turn = (drawn += 1);
    const { suite, sample, run } = Worktrial.asked();
    heading.textContent = sample === undefined ? "No such task" : Worktrial.visible(`Task ${sample}`);
    document.title = heading.textContent;
    const runs = (await Worktrial.runs()).filter((one) => (suite === undefined || one.suite === suite) && (!run || one.slug === run));
    const attempts = sample === undefined ? [] : await attemptsAt(sample, runs);
    if (turn !== drawn) return;
    if (!attempts.length) {
      Worktrial.say("");
      viewer.replaceChildren(
        el("p", { class: "warning", role: "alert" }, "No run here has this task."),
        el("p", {}, el("a", { href: "tasks.html" }, "All tasks")),
      );
      return;
    }
    const shown = attempts.slice(0, MOST);
    const more = attempts.length > MOST ? ` The first ${MOST} are shown.` : "";
    Worktrial.say(`${Worktrial.number(attempts.length)} ${attempts.length === 1 ? "attempt" : "attempts"}.${more}`);
    const instruction = shown.map((one) => one.line?.instruction).find((text) => typeof text === "string" && text);
    viewer.replaceChildren(
      ...[
        section("assignment", "Assignment", instruction ? Worktrial.markdown(instruction, "speech") : null),
        section("attempts", "Attempts", verdicts(shown)),
        section("calls", "Calls side by side", calls(shown)),
        section("answers", "Answers", answers(shown)),
      ].filter(Boolean),
    );
  }

  async function attemptsAt(sample, runs) {
    const found = [];
    for (const run of runs) {
      const head = await Worktrial.head(run.slug);
      for (const condition of head.values.condition || []) {
        for (let repeat = 0; repeat < (head.repeated ? REPEATS : 1); repeat += 1) {
          const number = await Worktrial.numberOf(head, { sample, repeat, condition });
          if (number === undefined) break;
          found.push({ run, repeat, condition, ...(found.length < MOST ? await Worktrial.sample(head, number) : {}) });
        }
      }
    }
    return found;
  }

  const nameOf = ({ run, condition, repeat }) => `${run.name}, ${condition}${repeat ? `, repeat ${repeat}` : ""}`;
  const hrefOf = ({ run, record }) => Worktrial.trajectoryHref(run.slug, [record.sample, record.repeat, record.condition]);

  function verdicts(attempts) {
    const row = (one) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("a", { href: hrefOf(one) }, nameOf(one))),
        el("td", {}, Worktrial.outcome(one.record.outcome)),
        el("td", { class: "wrap" }, one.record.reason),
        el("td", { class: "number" }, Worktrial.number(one.record.calls)),
        el("td", { class: "number" }, Worktrial.dollars(one.record.cost)),
        el("td", { class: "number" }, Worktrial.seconds(one.record.seconds)),
      );
    const table = Worktrial.table("How each attempt ended", ["Attempt", "Outcome", "Reason", "Calls", "Cost", "Time"], attempts.map(row));
    for (const header of table.querySelectorAll("thead th:nth-child(n + 4)")) header.classList.add("number");
    return table;
  }

  const callsOf = ({ line }) => (line && Array.isArray(line.calls) ? line.calls : []);
  const signature = (call) => (call ? JSON.stringify([call.tool, call.arguments]) : null);

  /** The place of the first call that is not the same in all attempts; -1 where all are. */
  function firstDifference(listed) {
    const longest = Math.max(...listed.map((calls) => calls.length));
    for (let n = 0; n < longest; n += 1) {
      const own = signature(listed[0][n]);
      if (listed.some((calls) => signature(calls[n]) !== own)) return n;
    }
    return -1;
  }

  function calls(attempts) {
    const worked = attempts.filter((one) => callsOf(one).length);
    if (!worked.length) return null;
    const listed = worked.map(callsOf);
    const differs = worked.length > 1 ? firstDifference(listed) : -1;
    const longest = Math.max(...listed.map((own) => own.length));
    const said =
      worked.length < 2 ? "" : differs < 0 ? "All attempts make the same calls." : `The attempts first differ at call ${differs + 1}.`;
    const row = (n) =>
      el(
        "tr",
        { class: n === differs ? "differs" : false },
        el("th", { scope: "row" }, String(n + 1), n === differs ? el("span", { class: "note" }, " first difference") : null),
        worked.map((one, place) => el("td", { class: "wrap" }, callCell(one, listed[place][n], n))),
      );
    const rows = Array.from({ length: Math.min(longest, ROWS) }, (_, n) => row(n));
    return [
      el("p", {}, said),
      Worktrial.table("Each attempt’s calls", ["Call", ...worked.map(nameOf)], rows),
      longest > ROWS ? el("p", { class: "quiet-text" }, `These are the first ${ROWS} of ${Worktrial.number(longest)} calls.`) : null,
    ];
  }

  function callCell(attempt, call, n) {
    if (!call) return "–";
    const seen = call.observation && typeof call.observation === "object" ? call.observation : { content: call.observation };
    return [
      el("a", { href: `${hrefOf(attempt)}&call=${n + 1}` }, call.tool ?? "(no tool)"),
      el("div", { class: "in-cell" }, Worktrial.glimpse(call.arguments, 120)),
      el("div", { class: "in-cell quiet-text" }, `→ ${Worktrial.isLeftOut(seen) ? `${seen.brief}…` : Worktrial.glimpse(seen.content, 120)}`),
      seen.fault ? el("div", { class: "note" }, `fault: ${seen.fault}`) : null,
    ];
  }

  function answers(attempts) {
    const given = attempts.filter((one) => typeof one.line?.answer === "string" && one.line.answer);
    if (!given.length) return null;
    const one = (attempt) =>
      el("article", { class: "attempt" }, el("h3", {}, el("a", { href: hrefOf(attempt) }, nameOf(attempt))), el("p", {}, Worktrial.outcome(attempt.record.outcome)), Worktrial.markdown(attempt.line.answer, "speech"));
    return el("div", { class: "attempts" }, given.map(one));
  }

  const redraw = () =>
    draw().catch((error) => {
      Worktrial.say("");
      viewer.replaceChildren(el("p", { class: "warning", role: "alert" }, error.message));
    });
  addEventListener("hashchange", redraw);
  document.addEventListener("DOMContentLoaded", redraw);
})();
