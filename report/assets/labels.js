"use strict";

/* A reader's own verdict on the sample that the page shows; served by `worktrial view` alone. */
(() => {
  const { el } = Worktrial;
  const viewer = document.getElementById("viewer");
  const READER = "worktrial-reader";
  const BLIND = "worktrial-blind";
  const SAID = { pass: "Pass", fail: "Fail", unclear: "Unclear" };
  let shown = 0;

  /** What the browser keeps for this address, which a reader may have forbidden. */
  function stored(key) {
    try {
      return localStorage.getItem(key) || "";
    } catch {
      return "";
    }
  }

  function keep(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // It is asked for again on the next page.
    }
  }

  const field = (label, input) => el("label", { class: "field" }, el("span", {}, label), input);
  const is = (record) => (label) =>
    label.sample === record.sample && label.repeat === record.repeat && label.condition === record.condition;

  /** Everything that the verdict was made of and has a name. */
  function linesOf(record) {
    const statements = (record.votes || []).filter((vote) => typeof vote.probability === "number" && vote.feedback);
    return [...new Set([...(record.checks || []).map((check) => check.check), ...statements.map((vote) => vote.feedback)])];
  }

  async function asked(run, options = {}) {
    const answer = await fetch(`labels?run=${encodeURIComponent(run.slug)}`, options);
    return Worktrial.answerIn(answer);
  }

  async function show({ run, record }) {
    const turn = (shown += 1);
    document.getElementById("label")?.remove();
    // Until it is known who has said what, nothing shows that a blind reader should not see.
    viewer.classList.toggle("blind", stored(BLIND) !== "" && record.outcome !== "invalid");
    if (record.outcome === "invalid") return;
    let labels;
    try {
      labels = (await asked(run)).labels.filter(is(record));
    } catch (error) {
      labels = error;
    }
    if (turn === shown) draw(run, record, labels);
  }

  function draw(run, record, labels) {
    const failed = labels instanceof Error;
    const mine = failed ? undefined : labels.find((label) => label.reader === stored(READER));
    const blind = stored(BLIND) !== "" && !mine;
    viewer.classList.toggle("blind", blind);
    document.getElementById("label")?.remove();
    const made = Worktrial.section(
      "label",
      "Your verdict",
      failed ? el("p", { class: "warning" }, `Labels cannot be read: ${labels.message}`) : null,
      form(run, record, mine, blind),
      failed || blind ? null : said(labels),
    );
    const last = viewer.querySelector(":scope > .pager:last-child");
    viewer.insertBefore(made, last);
  }

  /** What all readers said of this sample. */
  function said(labels) {
    if (!labels.length) return null;
    const one = (label) =>
      el(
        "li",
        {},
        el("strong", {}, label.reader),
        ": ",
        SAID[label.verdict],
        label.blind ? ", blind" : "",
        label.call === null ? "" : [", ", el("a", { href: Worktrial.hereWith({ call: label.call + 1 }) }, `call ${label.call + 1}`)],
        label.line ? ` · ${label.line}` : "",
        label.reason ? Worktrial.longText(label.reason) : "",
      );
    return [el("h3", {}, "Readers so far"), el("ul", { class: "labels" }, labels.map(one))];
  }

  function form(run, record, mine, blind) {
    const known = stored(READER);
    const reader = el("input", { type: "text", maxlength: 80, required: true, autocomplete: "name", value: known });
    const who = known
      ? Worktrial.details(`You are ${known}`, () => field("Another name", reader))
      : field("Your name, for this and all labels to come", reader);
    const radio = (verdict) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name: "verdict", value: verdict, required: true, checked: mine?.verdict === verdict }),
        ` ${SAID[verdict]}`,
      );
    const reason = el("textarea", { maxlength: 20000 });
    reason.value = mine?.reason || "";
    const call = el("input", { type: "number", min: 1, max: record.calls, value: mine?.call == null ? "" : mine.call + 1 });
    const lines = linesOf(record);
    const line = el(
      "select",
      {},
      el("option", { value: "" }, "none in particular"),
      lines.map((text, n) => el("option", { value: n, selected: mine?.line === text }, text.length > 160 ? `${text.slice(0, 160)}…` : text)),
    );
    const hidden = el("input", { type: "checkbox", checked: stored(BLIND) !== "" });
    hidden.addEventListener("change", () => {
      keep(BLIND, hidden.checked ? "yes" : "");
      show({ run, record });
    });
    const trouble = el("p", { class: "warning", role: "alert", hidden: true });
    const made = el(
      "form",
      { class: "label-form" },
      who,
      el("fieldset", {}, el("legend", {}, "The work"), Object.keys(SAID).map(radio)),
      field("Reason", reason),
      record.calls ? field(`Call that it hangs on (1 to ${record.calls}), if on one`, call) : null,
      lines.length ? field("Check or line of the rubric that it hangs on", line) : null,
      el("label", {}, hidden, " Hide the verdict and its grounds until I have given mine"),
      trouble,
      el("p", {}, el("button", { type: "submit" }, mine ? "Change my verdict" : "Give my verdict")),
    );
    made.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = {
        sample: record.sample,
        repeat: record.repeat,
        condition: record.condition,
        reader: reader.value,
        verdict: made.elements.verdict.value,
        reason: reason.value,
        call: call.value === "" ? null : Number(call.value) - 1,
        line: line.value === "" ? "" : lines[Number(line.value)],
        // A first verdict that was given unseen stays one; a change of mind comes after a look.
        blind,
      };
      const headers = { "Content-Type": "application/json" };
      try {
        const label = await asked(run, { method: "POST", headers, body: JSON.stringify(given) });
        keep(READER, label.reader);
        await show({ run, record });
        Worktrial.say(`Your verdict is stored: ${SAID[label.verdict]}.`);
        document.getElementById("label-title").tabIndex = -1;
        document.getElementById("label-title").focus();
      } catch (error) {
        trouble.textContent = Worktrial.visible(`Not stored: ${error.message}`);
        trouble.hidden = false;
      }
    });
    return made;
  }

  document.addEventListener("worktrial-sample", (event) => show(event.detail));
})();
