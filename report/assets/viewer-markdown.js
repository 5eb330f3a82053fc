"use strict";

/* Markdown as parts of a page. The library only reads it; nothing of it becomes HTML, a link or a picture. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const LONGEST = 20_000; // characters; a longer text is shown as it was written
  const reader = Worktrial.markdownit({ html: false, linkify: false });
  const TAGS = new Set(["p", "ul", "ol", "li", "blockquote", "strong", "em", "s", "table", "thead", "tbody", "tr", "th", "td"]);
  const PLAIN = new Set(["paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak"]);

  /**
   * A text that somebody wrote in Markdown, with a button that shows it as it was written; plain text as it is.
   * @param {string} text
   * @param {string} kind a class
   */
  Worktrial.markdown = (text, kind) => {
    const written = () => Worktrial.longText(text, { class: kind });
    if (text.length > LONGEST) return written();
    const tokens = reader.parse(text, {});
    if (tokens.every((token) => PLAIN.has(token.type) && (token.children || []).every((one) => PLAIN.has(one.type)))) {
      return written();
    }
    const button = el("button", { type: "button", class: "quiet" }, "As written");
    const place = el("div", {}, el("div", { class: `markdown ${kind}`, dir: "auto" }, built(tokens)));
    const rendered = place.firstChild;
    button.addEventListener("click", () => {
      const raw = place.firstChild === rendered;
      place.replaceChildren(raw ? written() : rendered);
      button.textContent = raw ? "As Markdown" : "As written";
    });
    return el("div", { class: "with-source" }, place, button);
  };

  function built(tokens) {
    const top = document.createDocumentFragment();
    const open = [top];
    const add = (node) => open.at(-1).append(node);
    for (const token of tokens) {
      if (token.type === "inline") add(built(token.children));
      else if (token.nesting === 1) {
        const element = opened(token);
        add(element);
        open.push(element);
      } else if (token.nesting === -1) open.pop();
      else add(leaf(token));
    }
    return top;
  }

  function opened(token) {
    // A heading in an answer is no heading of this page.
    if (token.type === "heading_open") return el("p", { class: "said-heading" });
    // Where a link would lead is shown, not gone to.
    if (token.type === "link_open") return el("span", { class: "said-link", title: Worktrial.visible(token.attrGet("href") || "") });
    if (token.tag === "p" && token.hidden) return el("span", {});
    if (token.tag === "ol") return el("ol", { start: /^\d{1,9}$/.test(token.attrGet("start") || "") && token.attrGet("start") });
    return el(TAGS.has(token.tag) ? token.tag : "span", {});
  }

  function leaf(token) {
    if (token.type === "fence" || token.type === "code_block") return el("pre", { class: "json", dir: "ltr" }, token.content);
    if (token.type === "code_inline") return el("code", {}, token.content);
    if (token.type === "softbreak") return document.createTextNode("\n");
    if (token.type === "hardbreak") return el("br");
    if (token.type === "hr") return el("hr");
    if (token.type === "image") return el("span", { class: "said-link" }, `[picture: ${token.content} ${token.attrGet("src")}]`);
    return document.createTextNode(Worktrial.visible(token.content));
  }
})();
