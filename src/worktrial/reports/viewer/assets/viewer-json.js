"use strict";

/* JSON for people: indented lines, with what a fault has touched marked on both sides. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const LONG = 2000; // characters of one value in a line
  const DEEP = 40;
  const WIDE = { alone: 128, beside: 64 }; // characters of a small object or list in one line
  const MARKED = 200; // lines shown at most for the sake of a mark in them

  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const step = (key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

  /**
   * The lines of a value.
   * @param {unknown} value
   * @param {{touched?: Set<string>, other?: unknown, side?: "clean" | "degraded"}} options
   *   `touched`: JSON pointers to mark; `other`: the same value on the other side, to say what is missing
   * @returns {HTMLElement[]}
   */
  function lines(value, { touched = new Set(), other, side } = {}) {
    const made = [];
    const room = side ? WIDE.beside : WIDE.alone;
    const push = (depth, text, mark, note) => {
      const line = el("span", { class: mark ? `line touched ${side || ""}`.trim() : "line" });
      const content = mark ? el("mark", {}) : line;
      content.append(Worktrial.visible(text));
      if (mark) {
        line.append("  ".repeat(depth), content);
        if (note) line.append(el("span", { class: "note" }, ` ${note}`));
      } else {
        line.prepend("  ".repeat(depth));
      }
      line.append("\n");
      made.push(line);
    };
    const walk = (depth, name, inner, counterpart, pointer, marked, comma) => {
      const here = marked || (touched.has(pointer) && !bothLists(inner, counterpart));
      const tail = comma ? "," : "";
      const filled = (isObject(inner) || Array.isArray(inner)) && Object.keys(inner).length > 0;
      if (!filled || depth >= DEEP) return push(depth, `${name}${scalar(inner)}${tail}`, here);
      const list = Array.isArray(inner);
      const quiet = here || ![...touched].some((one) => one === pointer || one.startsWith(`${pointer}/`));
      const small = quiet ? brief(inner, room - 2 * depth - name.length) : null;
      if (small !== null) return push(depth, `${name}${small}${tail}`, here);
      push(depth, `${name}${list ? "[" : "{"}`, here);
      const keys = union(list ? [...inner.keys()] : Object.keys(inner), counterpart, list, side);
      keys.forEach((key, n) => {
        const label = list ? "" : `${JSON.stringify(key)}: `;
        const place = `${pointer}${step(key)}`;
        const last = n === keys.length - 1;
        if (!Object.hasOwn(inner, key)) return push(depth + 1, `${label}—`, true, "missing");
        const gone = list && counterpart !== undefined && bothLists(inner, counterpart) && key >= counterpart.length;
        const beside = counterpart !== null && typeof counterpart === "object" && Object.hasOwn(counterpart, key);
        return walk(depth + 1, label, inner[key], beside ? counterpart[key] : undefined, place, here || gone, !last);
      });
      if (list && side === "degraded" && bothLists(inner, counterpart) && counterpart.length > inner.length) {
        push(depth + 1, `— ${counterpart.length - inner.length} more`, true, "missing");
      }
      return push(depth, `${list ? "]" : "}"}${tail}`, here);
    };
    walk(0, "", value, other, "", false, false);
    return made;
  }

  /** A value in one line of at most `room` characters; null where that is too little. */
  function brief(value, room) {
    if (value === null || typeof value !== "object") {
      const text = typeof value === "string" && value.length > room ? null : scalar(value);
      return text !== null && text.length <= room ? text : null;
    }
    const list = Array.isArray(value);
    const parts = [];
    let left = room - 2;
    for (const [key, inner] of Object.entries(value)) {
      const label = list ? "" : `${JSON.stringify(key)}: `;
      const text = brief(inner, left - label.length);
      if (text === null) return null;
      parts.push(label + text);
      left -= label.length + text.length + 2;
    }
    const content = parts.join(", ");
    return list ? `[${content}]` : `{${content}}`;
  }

  function bothLists(one, other) {
    return Array.isArray(one) && Array.isArray(other);
  }

  /** The keys to show: those of a degraded object with the ones that it lacks, where they would have been. */
  function union(keys, counterpart, list, side) {
    if (list || side !== "degraded" || !isObject(counterpart)) return keys;
    const all = Object.keys(counterpart);
    return [...all, ...keys.filter((key) => !Object.hasOwn(counterpart, key))];
  }

  function scalar(value) {
    const text = JSON.stringify(value);
    if (text === undefined) return "null";
    return text.length > LONG ? `${text.slice(0, LONG)} … (${(text.length - LONG).toLocaleString("en")} more characters)` : text;
  }

  /** A value as indented JSON, its first lines only where it is long. */
  Worktrial.json = (value, options = {}) => {
    const pre = el("pre", { class: "json", dir: "ltr" });
    const made = lines(value, options);
    const marked = made.findLastIndex((line) => line.classList.contains("touched"));
    const whole = Worktrial.longLines(pre, made, Math.min(marked + 2, MARKED));
    const long = longest(value);
    if (!long) return whole;
    // A line shows the beginning of a long text; here it is in full, with its line breaks.
    return el("div", {}, whole, long.map(([name, text]) => Worktrial.details(`${name} in full`, () => Worktrial.longText(text))));
  };

  function longest(value, pointer = "", found = []) {
    if (typeof value === "string" && value.length > LONG) found.push([pointer || "Text", value]);
    else if (value !== null && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) if (found.length < 5) longest(inner, `${pointer}${step(key)}`, found);
    }
    return found.length ? found : null;
  }

  /** A short value in one line. */
  Worktrial.inline = (value) => (typeof value === "string" ? value : scalar(value));

  /**
   * A value as a tree that unfolds level by level, for what has no display of its own.
   * @param {string} name
   * @param {unknown} value
   */
  Worktrial.tree = (name, value) => {
    if (value === null || typeof value !== "object") {
      const text = typeof value === "string" && value.length > 200 ? Worktrial.longText(value) : el("code", {}, scalar(value));
      return el("div", { class: "leaf" }, `${name}: `, text);
    }
    const entries = Object.entries(value);
    const size = Array.isArray(value) ? `${entries.length} items` : `${entries.length} fields`;
    if (!entries.length) return el("div", { class: "leaf" }, `${name}: ${Array.isArray(value) ? "[]" : "{}"}`);
    return Worktrial.details(`${name} (${size})`, () => {
      const holder = el("div", { class: "branch" });
      const grow = (from) => {
        holder.append(...entries.slice(from, from + 200).map(([key, inner]) => Worktrial.tree(key, inner)));
        if (entries.length <= from + 200) return;
        const more = el("button", { type: "button", class: "quiet" }, `Show more (${entries.length - from - 200})`);
        more.addEventListener("click", () => {
          more.remove();
          grow(from + 200);
        });
        holder.append(more);
      };
      grow(0);
      return holder;
    });
  };
})();
