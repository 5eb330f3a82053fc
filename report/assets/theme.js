"use strict";

/* Runs before the page is drawn, so that a chosen theme does not flash. */
(() => {
  const KEY = "worktrial-theme";
  const root = document.documentElement;

  /** The theme chosen before, if any. From file:// a browser may deny the storage. */
  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  /** @param {string} theme */
  function keep(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice holds for this page only.
    }
  }

  const system = matchMedia("(prefers-color-scheme: dark)");

  /** @returns {"light" | "dark"} what is shown now */
  function shown() {
    return root.dataset.theme || (system.matches ? "dark" : "light");
  }

  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    if (!button) return;
    const label = () => {
      const other = shown() === "dark" ? "light" : "dark";
      button.textContent = other === "dark" ? "Dark" : "Light";
      button.setAttribute("aria-label", `${button.textContent} colours`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = shown() === "dark" ? "light" : "dark";
      keep(root.dataset.theme);
      label();
    });
    system.addEventListener("change", label);
    label();
    button.hidden = false;
  });
})();
