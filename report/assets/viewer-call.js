"use strict";

/* One tool call: what was asked, what came back, and what would have without a fault. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;

  const FAULTS = {
    http_500: "the call failed with an internal server error",
    timeout: "the call timed out",
    connection_refused: "the connection was refused",
    unavailable: "the service was unavailable",
    fields_dropped: "fields were left out",
    list_cut: "lists were cut short",
    values_emptied: "values were emptied",
    stale: "older values were given",
    wrong_value: "a wrong value was given",
    lost_acknowledgement: "the call was carried out, and a time-out came back",
    duplicate_delivery: "the call was carried out twice",
    partial_write: "the call was carried out in part",
  };

  /** What a kind of fault does, in words. */
  Worktrial.faultWords = (kind) => (Object.hasOwn(FAULTS, kind) ? `${FAULTS[kind]} (${kind})` : String(kind));

  /** Which calls are unfolded: all or none, but for some; and which one the address names. */
  Worktrial.folds = {
    open: true,
    others: new Set(),
    wanted: null,
    isOpen: (number) => Worktrial.folds.open !== Worktrial.folds.others.has(number),
    set(number, open) {
      if (open === Worktrial.folds.open) Worktrial.folds.others.delete(number);
      else Worktrial.folds.others.add(number);
    },
    reset(open) {
      Worktrial.folds.open = open;
      Worktrial.folds.others.clear();
    },
  };

  /** Whether an observation says that the call failed. */
  Worktrial.isError = (content) =>
    content !== null && typeof content === "object" && !Array.isArray(content) && content.error !== undefined && content.error !== null;

  /**
   * A call of a tool loop.
   * @param {object} call a row of `calls`
   * @param {Map<number, object>} ledger fault rows by call
   * @param {Node[]} more what else there is to say about it
   */
  Worktrial.call = (call, ledger, ...more) => {
    const number = Number(call.index) + 1;
    let seen = null;
    const look = () => {
      seen = call.observation && typeof call.observation === "object" ? call.observation : { content: call.observation };
    };
    look();
    const row = ledger.get(call.index);
    const kind = seen.fault || (row && row.kind);
    const anchor = `call-${number}`;
    const link = el("a", { class: "anchor", href: Worktrial.hereWith({ call: number }), "aria-label": `Link to call ${number}` }, "#");
    const fold = el("button", { type: "button", class: "fold", "aria-label": `Call ${number} in full` });
    const heading = el("h4", { id: anchor, tabindex: "-1" }, fold, `Call ${number}: `, el("code", {}, call.tool ?? "(no tool)"), " ", link);
    const about = [seen.origin && `answered by ${seen.origin}`, typeof call.seconds === "number" && Worktrial.seconds(call.seconds)];
    if (call.agent) about.unshift(`by ${call.agent}`);
    const article = el("article", { class: kind ? "call faulty" : "call", "aria-labelledby": anchor }, heading);
    const body = () => [
      el("p", { class: "quiet-text" }, about.filter(Boolean).join(" · ")),
      labelled("Arguments", Worktrial.json(call.arguments)),
      kind ? el("p", { class: "warning" }, `Fault: ${Worktrial.faultWords(kind)}.${undone(row)}`) : null,
      kind ? faulty(seen, row) : labelled("Observation", observation(seen.content)),
      patched(seen.exchange),
      Worktrial.stateChanges(call.index),
      Worktrial.pictures?.(call.index),
      exchange(seen.exchange),
      more,
      copying(call),
    ];
    const brief = () => [
      el("p", { class: "in-brief" }, `${Worktrial.glimpse(call.arguments, 100)} → ${Worktrial.isLeftOut(seen) ? `${seen.brief}…` : Worktrial.glimpse(seen.content, 160)}`),
      Worktrial.changedPlaces(call.index, (places) => el("p", { class: "in-brief" }, `changed ${places}`)),
    ];
    const fill = () => {
      const open = Worktrial.folds.isOpen(number);
      look();
      fold.textContent = open ? "▾" : "▸";
      fold.setAttribute("aria-expanded", String(open));
      article.classList.toggle("folded-call", !open);
      article.classList.toggle("wanted", Worktrial.folds.wanted === number);
      const waits = open && Worktrial.isLeftOut(seen);
      const shown = waits ? Worktrial.later(Worktrial.whole(seen), () => (look(), body().flat(Infinity).filter(Boolean))) : open ? body() : brief();
      article.replaceChildren(heading, ...[shown].flat(Infinity).filter(Boolean));
    };
    fold.addEventListener("click", () => {
      Worktrial.folds.set(number, !Worktrial.folds.isOpen(number));
      fill();
    });
    article.refill = fill;
    fill();
    return article;
  };

  /** What a simulator that keeps a ledger changed in the state by this call. */
  function patched(messages) {
    const last = Array.isArray(messages) ? messages.findLast((message) => message.role === "assistant") : null;
    const patch = last ? patchOf(Worktrial.textOf(last)) : null;
    if (!patch || !patch.length) return null;
    const cells = (one) => [one.op, one.path, one.op === "remove" ? "" : Worktrial.inline(one.value ?? one.from ?? null)];
    const row = (one) => el("tr", {}, cells(one).map((cell) => el("td", { class: "wrap" }, cell ?? "")));
    return Worktrial.table("Changed in the state", ["What", "Where", "Value"], patch.map(row));
  }

  function patchOf(text) {
    try {
      const { patch } = JSON.parse(text);
      return Array.isArray(patch) && patch.every((one) => one && typeof one === "object") ? patch : null;
    } catch {
      // Not a reply with a ledger; it is there in full all the same.
      return null;
    }
  }

  function copying(call) {
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(JSON.stringify(call, null, 2));
        Worktrial.say(`Call ${Number(call.index) + 1} is copied.`);
      } catch (error) {
        Worktrial.say(`The browser does not let this page copy: ${error.message}`);
      }
    };
    return el("button", { type: "button", class: "quiet no-print", onclick: copy }, "Copy as JSON");
  }

  /** What of a write did not happen. */
  function undone(row) {
    return row && Array.isArray(row.lost) && row.lost.length ? ` Not written: ${row.lost.join(", ")}.` : "";
  }

  function labelled(label, content) {
    return el("div", { class: "part" }, el("p", { class: "label" }, label), content);
  }
  Worktrial.labelled = labelled;

  function observation(content) {
    return typeof content === "string" ? Worktrial.longText(content) : Worktrial.json(content);
  }

  function faulty(seen, row) {
    // Without a clean observation the workplace was not asked at all.
    if (seen.clean === null || seen.clean === undefined) return labelled("What the agent saw", observation(seen.content));
    const touched = new Set(row && Array.isArray(row.fields) ? row.fields : []);
    return el(
      "div",
      { class: "sides" },
      labelled("What the agent saw", Worktrial.json(seen.content, { touched, other: seen.clean, side: "degraded" })),
      labelled("What really was the answer", Worktrial.json(seen.clean, { touched, other: seen.content, side: "clean" })),
    );
  }

  function exchange(messages) {
    if (!Array.isArray(messages) || !messages.length) return null;
    return Worktrial.details("What the simulator was asked and said", () => messages.map((m) => Worktrial.message(m)));
  }

  /** The text of a message, or "". */
  Worktrial.textOf = (message) => {
    if (message.readAs) return message.readAs.text;
    const { content } = message;
    if (typeof content === "string") return content;
    if (!Array.isArray(content)) return "";
    return content.map((part) => (part && typeof part.text === "string" ? part.text : "")).join("");
  };

  /** Any message, as it is. */
  Worktrial.message = (message) => {
    if (Worktrial.isLeftOut(message)) return Worktrial.later(Worktrial.whole(message), () => Worktrial.message(message));
    const text = Worktrial.textOf(message);
    const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !["role", "content"].includes(name)));
    if (!text && message.content != null && message.content !== "") rest.content = message.content;
    return el(
      "div",
      { class: "message" },
      el("p", { class: "label" }, message.role || "message"),
      text ? Worktrial.longText(text) : null,
      Object.keys(rest).length ? Worktrial.json(rest) : null,
    );
  };

  /** What an assistant message says: its reasoning, folded, and its text but where that is the answer. */
  Worktrial.said = (message, { isAnswer = false } = {}) => {
    const parts = [];
    const read = message.readAs;
    if (read && read.thinking) parts.push(Worktrial.details("Reasoning", () => Worktrial.longText(read.thinking)));
    if (read && read.refusal) parts.push(el("p", { class: "warning" }, `Refused: ${Worktrial.inline(read.refusal)}`));
    const text = isAnswer ? "" : Worktrial.textOf(message);
    if (text.trim()) parts.push(Worktrial.markdown(text, "speech"));
    else if (!read && Array.isArray(message.content) && message.content.length) parts.push(Worktrial.json(message.content));
    if (message.trouble) parts.unshift(el("p", { class: "warning" }, `No answer: ${Worktrial.inline(message.trouble)}`));
    return parts;
  };
})();
