"use strict";

/* Making parts of a page. Text from runs gets in by text nodes alone. */
window.Worktrial = window.Worktrial || {};

/**
 * What suites' own scripts know to show: each may have `work(line, record, ledger)`, which gives the parts of a
 * sample's work, and `measures(measures)`, which says in words what was measured. Both give null where they do not know the form.
 */
Worktrial.suites = [];

(() => {
  const FOLD = 1600; // characters shown of a long text
  const LINES = 24;
  const PART = 200_000; // characters of a very long text that come at once

  // Characters that draw nothing, or that rearrange what is around them: shown by their numbers.
  // eslint-disable-next-line no-control-regex
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

  /** `text` with characters that draw nothing, or steer the drawing, as `⟨U+202E⟩`. */
  Worktrial.visible = (text) =>
    String(text)
      .replace(/\r\n/g, "\n")
      .replace(HIDDEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

  /**
   * An element.
   * @param {string} tag
   * @param {Object<string, string | boolean | Function>} attributes `class`, `href`, …; `onclick` and the like
   *   are listeners
   * @param {...(Node | string | number | null | undefined | false)} children strings become text
   * @returns {HTMLElement}
   */
  function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === false || value == null) continue;
      if (typeof value === "function") element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(Worktrial.visible(child)));
    }
    return element;
  }
  Worktrial.el = el;

  /**
   * A text as it was written, its beginning only where it is long, with a button for the rest; of a very long one for
   * its next part.
   * @param {string} text
   * @param {{class?: string}} options
   */
  Worktrial.longText = (text, options = {}) => {
    const whole = String(text);
    const pre = el("pre", { class: `text ${options.class || ""}`.trim(), dir: "auto" });
    if (whole.length <= FOLD * 1.25) {
      pre.textContent = Worktrial.visible(whole);
      return pre;
    }
    let shown = FOLD;
    pre.textContent = `${Worktrial.visible(whole.slice(0, shown))} …`;
    const rest = (count) => `${(whole.length - count).toLocaleString("en")} more characters`;
    const label = () => (whole.length - shown > PART ? `Show the next ${PART.toLocaleString("en")} (${rest(shown)})` : `Show all (${rest(shown)})`);
    const more = (button) => {
      pre.lastChild.data = pre.lastChild.data.slice(0, -2);
      const part = whole.slice(shown, whole.length - shown > PART ? shown + PART : whole.length);
      shown += part.length;
      pre.append(document.createTextNode(Worktrial.visible(part) + (shown < whole.length ? " …" : "")));
      button.textContent = label();
      return shown < whole.length;
    };
    return unfolding(pre, label(), more);
  };

  /**
   * Lines of which the first are shown, with a button for the rest.
   * @param {Element} holder
   * @param {Element[]} lines
   * @param {number} least how many to show in any case
   */
  Worktrial.longLines = (holder, lines, least = 0) => {
    const shown = Math.max(LINES, least);
    if (lines.length <= shown * 1.25) {
      holder.append(...lines);
      return holder;
    }
    holder.append(...lines.slice(0, shown));
    const rest = lines.length - shown;
    return unfolding(holder, `Show all (${rest.toLocaleString("en")} more lines)`, () => {
      holder.append(...lines.slice(shown));
      return false;
    });
  };

  function unfolding(content, label, unfold) {
    const button = el("button", { type: "button", class: "quiet unfold" }, label);
    button.addEventListener("click", () => {
      if (unfold(button)) return;
      // The button goes; whoever used the keyboard goes on with what it brought.
      content.tabIndex = -1;
      content.focus({ preventScroll: true });
      button.remove();
    });
    return el("div", { class: "folded" }, content, button);
  }

  /**
   * Something folded, made when it is first opened.
   * @param {string} summary
   * @param {() => Node | Node[]} make
   * @param {boolean} open
   */
  Worktrial.details = (summary, make, open = false) => {
    const details = el("details", {}, el("summary", {}, summary));
    const fill = () => {
      if (details.childElementCount === 1) details.append(...[make()].flat());
    };
    details.addEventListener("toggle", () => details.open && fill());
    if (open) {
      fill();
      details.open = true;
    }
    return details;
  };

  /**
   * Something that is made as soon as what it takes is there.
   * @param {Promise<unknown>} wait
   * @param {() => Node | Node[]} make
   */
  Worktrial.later = (wait, make) => {
    const holder = el("div", {}, el("p", { class: "quiet-text" }, "Being read …"));
    wait.then(
      () => holder.replaceChildren(...[make()].flat()),
      (error) => holder.replaceChildren(el("p", { class: "warning", role: "alert" }, error.message)),
    );
    return holder;
  };

  /** Names with values, those without a value left out. */
  Worktrial.facts = (rows) =>
    el(
      "dl",
      { class: "facts" },
      rows
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
    );

  /** A part of the page with its heading; nothing without content. */
  Worktrial.section = (id, title, ...content) => {
    const parts = content.flat().filter(Boolean);
    if (!parts.length) return null;
    return el("section", { "aria-labelledby": `${id}-title`, id }, el("h2", { id: `${id}-title` }, title), parts);
  };

  /** Replace what the page says to those who listen. */
  Worktrial.say = (text) => {
    document.getElementById("status").textContent = Worktrial.visible(text);
  };

  const count = new Intl.NumberFormat("en");
  Worktrial.number = (value) => (value == null ? "–" : count.format(value));
  Worktrial.dollars = (value) => {
    if (value == null) return "–";
    const digits = value === 0 || Math.abs(value) >= 1 ? 2 : Math.abs(value) >= 0.001 ? 4 : 6;
    return `$${value.toFixed(digits)}`;
  };
  Worktrial.seconds = (value) => {
    if (value == null) return "–";
    if (value < 0.9995) return `${Math.round(value * 1000)}\u00a0ms`;
    if (Math.round(value * 10) / 10 < 60) return `${value.toFixed(1)}\u00a0s`;
    const whole = Math.round(value);
    return `${Math.floor(whole / 60)}\u00a0min ${whole % 60}\u00a0s`;
  };

  const OUTCOMES = { pass: "passed", fail: "failed", invalid: "invalid" };

  /** An outcome as a word with a mark, so that colour is not all that tells it. */
  Worktrial.outcome = (outcome) => {
    const known = Object.hasOwn(OUTCOMES, outcome);
    const mark = { pass: "✓", fail: "✗", invalid: "?" }[known ? outcome : "invalid"];
    const sign = el("span", { "aria-hidden": "true" }, `${mark} `);
    return el("span", { class: `outcome ${known ? outcome : "invalid"}` }, sign, known ? OUTCOMES[outcome] : outcome);
  };
})();
