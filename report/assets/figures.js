"use strict";

/* Figures of counts, computed and written exactly as the pages were made: no page, no state. */
window.Worktrial = window.Worktrial || {};

(() => {
  const NONE = "–";

  /**
   * A number with so many decimals. A number exactly between two goes to the even one, as in Python; `toFixed`
   * alone would go up.
   * @param {number} value
   * @param {number} digits
   */
  function fixed(value, digits) {
    const sign = value < 0 ? "-" : "";
    const exact = Math.abs(value).toFixed(digits + 50);
    const dropped = exact.slice(exact.indexOf(".") + 1 + digits);
    let text = Math.abs(value).toFixed(digits);
    if (/^50*$/.test(dropped)) {
      const kept = exact.slice(0, exact.length - dropped.length).replace(/\.$/, "");
      if (Number(kept.slice(-1)) % 2 === 0) text = kept;
    }
    return Number(text) === 0 ? text : sign + text;
  }

  /** @param {number | null} share */
  function percent(share, digits = 1) {
    return share === null ? NONE : `${fixed(share * 100, digits)}%`;
  }

  /** @param {[number, number] | null} interval */
  function percentInterval(interval) {
    return interval === null ? "" : `${fixed(interval[0] * 100, 1)}–${percent(interval[1])}`;
  }

  /** @param {string} text a number without separators */
  function grouped(text) {
    return text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  }

  /** @param {number | null} cost */
  function dollars(cost) {
    if (cost === null) return NONE;
    const size = Math.abs(cost);
    const digits = size === 0 || size >= 1 ? 2 : size >= 0.001 ? 4 : 6;
    return `${cost < 0 ? "-" : ""}$${grouped(fixed(size, digits))}`;
  }

  /** @param {number | null} value */
  function seconds(value) {
    if (value === null) return NONE;
    if (value < 0.9995) return `${fixed(value * 1000, 0)}\u00a0ms`;
    if (Number(fixed(value, 1)) < 60) return `${fixed(value, 1)}\u00a0s`;
    const whole = Number(fixed(value, 0));
    return `${Math.floor(whole / 60)}\u00a0min ${whole % 60}\u00a0s`;
  }

  /** @param {number} value a whole number */
  function whole(value) {
    return grouped(String(value));
  }

  Worktrial.figures = { NONE, fixed, percent, percentInterval, dollars, seconds, whole };
})();
