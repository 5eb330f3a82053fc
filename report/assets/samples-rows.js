"use strict";

/* The samples of a run as rows: read in chunks, filtered, sorted. */
window.Worktrial = window.Worktrial || {};

(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const FIGURES = ["cost", "seconds", "calls", "tokens", "repeat"];

  /** The rows of one run; a row's number is its sample's number in the run. */
  Worktrial.Rows = class {
    /** @param {object} head the run's */
    constructor(head) {
      this.head = head;
      this.chunks = [];
    }

    /** How many chunks there are. */
    get count() {
      return Math.ceil(this.head.samples / this.head.rows);
    }

    /** Read the chunks that rows `first` to before `end` are in. */
    async read(first, end, told = () => {}) {
      const last = Math.min(this.count, Math.ceil(end / this.head.rows));
      const wanted = [];
      for (let n = Math.floor(first / this.head.rows); n < last; n += 1) if (!this.chunks[n]) wanted.push(n);
      let done = this.chunks.filter(Boolean).length;
      const readOne = async (n) => {
        this.chunks[n] = await Worktrial.columns(this.head.slug, n);
        done += 1;
        told(Math.min(done * this.head.rows, this.head.samples));
      };
      await Promise.all(wanted.map(readOne));
    }

    /** A figure, or the sample's id, of a row that has been read. */
    value(row, column) {
      const chunk = this.chunks[Math.floor(row / this.head.rows)];
      return chunk[column][row % this.head.rows];
    }

    /** What a row is grouped under by outcome, condition or a tag; null where it has none. */
    group(row, name) {
      const chunk = this.chunks[Math.floor(row / this.head.rows)];
      const places = Object.hasOwn(chunk.groups, name) ? chunk.groups[name] : null;
      const place = places ? places[row % this.head.rows] : -1;
      return place < 0 ? null : this.head.values[name][place];
    }

    reason(row) {
      const chunk = this.chunks[Math.floor(row / this.head.rows)];
      return chunk.reasons[chunk.reason[row % this.head.rows]];
    }

    key(row) {
      return [this.value(row, "sample"), this.value(row, "repeat"), this.group(row, "condition")];
    }

    /**
     * The numbers of the rows that a filter lets through, in order. All chunks have to be read where anything is
     * filtered or sorted.
     * @param {Object<string, string>} filters group to value
     * @param {string} words a text that the sample's id or its reason contains
     * @param {string} sort a column, with `-` before it the other way round
     */
    select(filters, words, sort) {
      const wanted = Object.entries(filters).map(([name, value]) => {
        const place = this.head.values[name].indexOf(value);
        return (chunk, n) => chunk.groups[name][n] === place;
      });
      const needle = words.toLowerCase();
      const found = [];
      for (let c = 0; c < this.count; c += 1) {
        const chunk = this.chunks[c];
        const matches = needle && chunk.reasons.map((reason) => reason.toLowerCase().includes(needle));
        for (let n = 0; n < chunk.sample.length; n += 1) {
          if (!wanted.every((test) => test(chunk, n))) continue;
          if (needle && !matches[chunk.reason[n]] && !chunk.sample[n].toLowerCase().includes(needle)) continue;
          found.push(c * this.head.rows + n);
        }
      }
      return sort ? this.sorted(found, sort) : found;
    }

    sorted(rows, sort) {
      const descending = sort.startsWith("-");
      const column = descending ? sort.slice(1) : sort;
      const keys = new Map(rows.map((row) => [row, this.sortKey(row, column)]));
      const sign = descending ? -1 : 1;
      return rows.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        // What has no figure comes last either way; equals stay in the run's order.
        if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0) || a - b;
        return sign * (typeof x === "number" ? x - y : collator.compare(x, y)) || a - b;
      });
    }

    sortKey(row, column) {
      if (FIGURES.includes(column)) return this.value(row, column);
      if (column === "sample") return this.value(row, "sample");
      if (column === "reason") return this.reason(row);
      // Groups by the order of their values, which makes each a number.
      const chunk = this.chunks[Math.floor(row / this.head.rows)];
      const place = chunk.groups[column][row % this.head.rows];
      return place < 0 ? null : this.order(column)[place];
    }

    /** For each value of a group its place among them in natural order: 2 before 10. */
    order(name) {
      this.orders = this.orders || new Map();
      if (!this.orders.has(name)) {
        const values = this.head.values[name];
        const order = new Array(values.length);
        [...values.keys()].sort((a, b) => collator.compare(values[a], values[b])).forEach((n, place) => {
          order[n] = place;
        });
        this.orders.set(name, order);
      }
      return this.orders.get(name);
    }
  };
})();
