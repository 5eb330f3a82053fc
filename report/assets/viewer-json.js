"use strict";

/* JSON for people: indented lines, with what a fault has touched marked on both sides. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const LONG = 2000; // characters of one value in a line
  const DEEP = 40;
  const TALL = 60; // lines from which on a value is offered as a tree, too
  const WIDE = { alone: 128, beside: 64 }; // characters of a small object or list in one line
  const MARKED = 200; // lines shown at most for the sake of a mark in them
  const MOST = 3000; // lines made of a value at most; all of it is in its tree

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
      if (made.length > MOST) return undefined;
      const here = marked || (touched.has(pointer) && !bothLists(inner, counterpart));
      const tail = comma ? "," : "";
      const filled = Array.isArray(inner) ? inner.length > 0 : isObject(inner) && Object.keys(inner).length > 0;
      if (!filled || depth >= DEEP) return push(depth, `${name}${scalar(inner)}${tail}`, here);
      const list = Array.isArray(inner);
      const quiet = here || ![...touched].some((one) => one === pointer || one.startsWith(`${pointer}/`));
      const small = quiet ? brief(inner, room - 2 * depth - name.length) : null;
      if (small !== null) return push(depth, `${name}${small}${tail}`, here);
      push(depth, `${name}${list ? "[" : "{"}`, here);
      const keys = union(list ? [...inner.keys()] : Object.keys(inner), counterpart, list, side);
      keys.every((key, n) => {
        if (made.length > MOST) return false;
        const label = list ? "" : `${JSON.stringify(key)}: `;
        const place = `${pointer}${step(key)}`;
        const last = n === keys.length - 1;
        if (!Object.hasOwn(inner, key)) {
          push(depth + 1, `${label}—`, true, "missing");
          return true;
        }
        const gone = list && counterpart !== undefined && bothLists(inner, counterpart) && key >= counterpart.length;
        const beside = counterpart !== null && typeof counterpart === "object" && Object.hasOwn(counterpart, key);
        walk(depth + 1, label, inner[key], beside ? counterpart[key] : undefined, place, here || gone, !last);
        return true;
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
    if (list && value.length > room) return null;
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
    const large = made.length > MOST;
    if (large) long.push(null);
    if (!long.length && made.length <= TALL) return whole;
    // A line shows the beginning of a long text; here it is in full, with its line breaks.
    const full = long.filter(Boolean).map(([name, text]) => Worktrial.details(`${name} in full`, () => Worktrial.longText(text)));
    const cut = large ? el("p", { class: "quiet-text" }, `These are its first ${Worktrial.number(MOST)} lines.`) : null;
    return el("div", {}, whole, cut, full, Worktrial.tree("As a tree, with paths", value));
  };

  /** The first long texts in a value, with their paths; looked for among so many of its parts. */
  function longest(value) {
    const found = [];
    let left = MOST * 10;
    const walk = (inner, pointer) => {
      left -= 1;
      if (left < 0 || found.length >= 5) return;
      if (typeof inner === "string" && inner.length > LONG) found.push([pointer || "Text", inner]);
      else if (Array.isArray(inner)) inner.slice(0, left).forEach((one, n) => walk(one, `${pointer}/${n}`));
      else if (inner !== null && typeof inner === "object") for (const key in inner) walk(inner[key], `${pointer}${step(key)}`);
    };
    walk(value, "");
    return found;
  }

  /** A short value in one line. */
  Worktrial.inline = (value) => (typeof value === "string" ? value : scalar(value));

  /** The beginning of a value in one line, however large it is. */
  Worktrial.glimpse = (value, room) => {
    let left = room;
    const put = (text) => {
      const part = text.slice(0, Math.max(0, left));
      left -= text.length;
      return part;
    };
    const walk = (inner) => {
      if (left <= 0) return "";
      if (typeof inner === "string") return put(JSON.stringify(inner.slice(0, room)));
      if (inner === null || typeof inner !== "object") return put(scalar(inner));
      const list = Array.isArray(inner);
      let text = put(list ? "[" : "{");
      let first = true;
      for (const key of list ? inner.slice(0, room).keys() : Object.keys(inner)) {
        if (left <= 0) break;
        text += put(first ? "" : ", ") + (list ? "" : put(`${key}: `)) + walk(inner[key]);
        first = false;
      }
      return text + put(list ? "]" : "}");
    };
    const text = walk(value);
    return left < 0 ? `${text}…` : text;
  };

  /**
   * A value as a tree that unfolds level by level, each with its path (a JSON pointer) as its title.
   * @param {string} name
   * @param {unknown} value
   * @param {string} pointer
   */
  Worktrial.tree = (name, value, pointer = "") => {
    if (value === null || typeof value !== "object") {
      const text = typeof value === "string" && value.length > 200 ? Worktrial.longText(value) : el("code", {}, scalar(value));
      return el("div", { class: "leaf", title: Worktrial.visible(pointer) }, `${name}: `, text);
    }
    const entries = Object.entries(value);
    const size = Array.isArray(value) ? `${entries.length} items` : `${entries.length} fields`;
    if (!entries.length) return el("div", { class: "leaf", title: Worktrial.visible(pointer) }, `${name}: ${Array.isArray(value) ? "[]" : "{}"}`);
    return Worktrial.details(`${name} (${size})`, () => {
      const holder = el("div", { class: "branch" });
      if (pointer) holder.append(el("p", { class: "label" }, pointer));
      const grow = (from) => {
        const some = entries.slice(from, from + 200);
        holder.append(...some.map(([key, inner]) => Worktrial.tree(key, inner, `${pointer}${step(key)}`)));
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
