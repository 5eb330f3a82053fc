"use strict";

/* Tasks by attempts: a row a task, a column an agent under a condition. */
window.Worktrial = window.Worktrial || {};

(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const NONE = -1;

  /** What people choose from, and which tasks it lets through: by attempts, passes and columns tried. */
  Worktrial.SHOWN = [
    ["", "all tasks", () => true],
    ["differ", "where agents differ", (tries, passes, columns, mixed) => mixed],
    ["none", "that nobody passed", (tries, passes) => tries > 0 && passes === 0],
    ["every", "that everybody passed", (tries, passes) => tries > 0 && passes === tries],
    ["gaps", "that somebody has not tried", (tries, passes, columns, mixed, gaps) => gaps],
  ];

  /** The tasks of one suite, each with its attempts in every run. */
  Worktrial.Matrix = class {
    /** @param {object[]} runs rows of samples (`Worktrial.Rows`), all read, of runs of one suite */
    constructor(runs) {
      this.runs = runs;
      this.columns = [];
      this.samples = [];
      this.places = new Map();
      this.held = new Map();
      runs.forEach((rows, run) => this.add(rows, run));
      this.order = [...this.samples.keys()].sort((a, b) => collator.compare(this.samples[a], this.samples[b]));
    }

    get count() {
      return this.samples.length;
    }

    add(rows, run) {
      const columns = new Map();
      for (let n = 0; n < rows.head.samples; n += 1) {
        const [sample, , condition] = rows.key(n);
        let place = this.places.get(sample);
        if (place === undefined) {
          place = this.samples.push(sample) - 1;
          this.places.set(sample, place);
        }
        let column = columns.get(condition);
        if (!column) {
          column = { run, condition, slug: rows.head.slug, name: rows.head.name, tries: [], passes: [], invalid: [], numbers: [] };
          columns.set(condition, column);
        }
        const outcome = rows.group(n, "outcome");
        column.tries[place] = (column.tries[place] || 0) + 1;
        column.passes[place] = (column.passes[place] || 0) + (outcome === "pass" ? 1 : 0);
        column.invalid[place] = (column.invalid[place] || 0) + (outcome === "invalid" ? 1 : 0);
        if (column.numbers[place] === undefined) column.numbers[place] = n;
      }
      this.columns.push(...[...columns.values()].sort((a, b) => collator.compare(a.condition, b.condition)));
    }

    /** Values of a tag over all runs, in natural order. */
    values(name) {
      const found = new Set(this.runs.flatMap((rows) => (Object.hasOwn(rows.head.values, name) ? rows.head.values[name] : [])));
      return [...found].sort(collator.compare);
    }

    /** Names of everything that attempts can be told apart by. */
    get names() {
      return [...new Set(this.runs.flatMap((rows) => Object.keys(rows.head.values)))].sort(collator.compare);
    }

    /** Tasks of which some attempt has the value; looked for once. */
    holding(name, value) {
      const key = JSON.stringify([name, value]);
      if (!this.held.has(key)) {
        const found = new Uint8Array(this.count);
        this.runs.forEach((rows) => {
          for (let n = 0; n < rows.head.samples; n += 1) if (rows.group(n, name) === value) found[this.places.get(rows.value(n, "sample"))] = 1;
        });
        this.held.set(key, found);
      }
      return this.held.get(key);
    }

    /**
     * Numbers of the tasks that are let through, in natural order.
     * @param {{show?: string, q?: string, tags: Object<string, string>, found?: Set<number> | null}} asked
     *   `found`: tasks that a search in the work has found
     */
    select({ show = "", q = "", tags, found = null }) {
      const test = (Worktrial.SHOWN.find(([id]) => id === show) || Worktrial.SHOWN[0])[2];
      const needle = q.toLowerCase();
      const wanted = Object.entries(tags).map(([name, value]) => this.holding(name, value));
      const { columns, samples } = this;
      return this.order.filter((place) => {
        if (found && !found.has(place)) return false;
        if (needle && !samples[place].toLowerCase().includes(needle)) return false;
        for (const held of wanted) if (!held[place]) return false;
        if (!show) return true;
        let tries = 0;
        let passes = 0;
        let gaps = false;
        for (const column of columns) {
          const own = column.tries[place];
          if (own === undefined) gaps = true;
          else {
            tries += own;
            passes += column.passes[place];
          }
        }
        return test(tries, passes, columns.length, passes > 0 && passes < tries, gaps);
      });
    }

    /** Attempts of one column at a task; null where there are none. */
    cell(column, place) {
      const { tries, passes, invalid, numbers } = this.columns[column];
      if (tries[place] === undefined) return null;
      return { tries: tries[place], passes: passes[place], invalid: invalid[place], number: numbers[place] ?? NONE };
    }
  };

  /**
   * The samples of a run whose stored record or work holds a text, in any case of its letters.
   * @param {object} head the run's
   * @param {string} text
   * @param {(done: number, of: number) => boolean} told whether to go on
   * @returns {Promise<number[]>} their numbers
   */
  Worktrial.searchRun = async (head, text, told) => {
    // As it stands in JSON.
    const needle = JSON.stringify(text).slice(1, -1).toLowerCase();
    const hits = [];
    for (let file = 0; file < head.firsts.length; file += 1) {
      if (!told(file, head.firsts.length)) return hits;
      await Worktrial.stored(head, file, (texts, n) => {
        const number = head.firsts[file] + n;
        if (hits.at(-1) !== number && texts.some((text) => text.toLowerCase().includes(needle))) hits.push(number);
      });
    }
    return hits;
  };
})();
