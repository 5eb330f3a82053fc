"use strict";

/* Data files: each is a script that hands its data over by one call of `Worktrial.receive`. */
window.Worktrial = window.Worktrial || {};

(() => {
  /** @type {Map<string, {promise: Promise<object>, resolve: (fields: object) => void, arrived?: boolean}>} */
  const asked = new Map();

  /**
   * Called by a data file.
   * @param {string} name its place within the data
   * @param {object} fields texts that hold JSON, by name
   */
  Worktrial.receive = (name, fields) => {
    const waiting = asked.get(name);
    if (!waiting) return;
    waiting.arrived = true;
    waiting.resolve(fields);
  };

  /**
   * What the viewer's server answered.
   * @param {Response} answer
   * @returns {Promise<object>} fails with the server's words where it refused
   */
  Worktrial.answerIn = async (answer) => {
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    let why = text.trim();
    try {
      why = JSON.parse(text).error;
    } catch {
      // Some refusals are plain words.
    }
    throw new Error(why);
  };

  /**
   * A data file's fields. A page from a disk may not fetch, so the file is run as a script; once for a page.
   * @param {string} name
   * @returns {Promise<object>}
   */
  function load(name) {
    const before = asked.get(name);
    if (before) return before.promise;
    const entry = {};
    entry.promise = new Promise((resolve, reject) => {
      entry.resolve = resolve;
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      const ended = () => {
        script.remove();
        if (entry.arrived) return;
        asked.delete(name);
        reject(new Error(`The file data/${name}.js of this report is missing or damaged.`));
      };
      script.addEventListener("error", ended);
      // Also when the file was run and has handed nothing over.
      script.addEventListener("load", ended);
      document.head.append(script);
    });
    asked.set(name, entry);
    return entry.promise;
  }

  /** The report's runs: `slug`, `name`, `suite`. */
  Worktrial.runs = async () => JSON.parse((await load("runs")).runs);

  /** What is known of a run before its samples. */
  Worktrial.head = async (slug) => JSON.parse((await load(`${slug}/run`)).head);

  /** The columns of a chunk of a run's samples. */
  Worktrial.columns = async (slug, chunk) => JSON.parse((await load(`${slug}/s${chunk}`)).columns);

  /**
   * The number of a sample within its run.
   * @returns {Promise<number | undefined>}
   */
  Worktrial.numberOf = async (head, { sample, repeat, condition }) => {
    const text = `${repeat}\n${condition}\n${sample}`;
    const file = crc32(new TextEncoder().encode(text)) % head.keys;
    const numbers = JSON.parse((await load(`${head.slug}/k${file}`)).numbers);
    return Object.hasOwn(numbers, text) ? numbers[text] : undefined;
  };

  /** The number of the file that holds a sample's work. */
  function fileOf(head, number) {
    let file = 0;
    while (file + 1 < head.firsts.length && head.firsts[file + 1] <= number) file += 1;
    return file;
  }

  /**
   * What the calls of a sample changed in the workplace's state; null where that is not known.
   * @returns {Promise<{calls: Object<string, {path: string, before?: unknown, after?: unknown}[]>, stopped: string} | null>}
   */
  Worktrial.changes = async (head, number) => {
    if (!head.changes) return null;
    const file = fileOf(head, number);
    const { changes } = await load(`${head.slug}/c${file}`);
    return JSON.parse(changes[number - head.firsts[file]]);
  };

  /**
   * A sample, its record and what it did (null: nothing stored), and the keys of its neighbours in the run.
   * @param {object} head the run's
   * @param {number} number
   */
  Worktrial.sample = async (head, number) => {
    const file = fileOf(head, number);
    const { first, neighbours, samples } = await load(`${head.slug}/t${file}`);
    const [before, after] = JSON.parse(neighbours);
    const keyAt = (place, other) => {
      if (place < 0 || place >= samples.length) return other;
      const { sample, repeat, condition } = JSON.parse(samples[place][0]);
      return [sample, repeat, condition];
    };
    const place = number - first;
    const [record, line, readings, places] = samples[place];
    const work = line === null ? null : withReadings(JSON.parse(line), JSON.parse(readings));
    if (places) leaveOut(work, JSON.parse(places), `${head.slug}/p${number}`);
    return {
      record: JSON.parse(record),
      line: work,
      previous: keyAt(place - 1, before),
      next: keyAt(place + 1, after),
    };
  };

  /** What stands in the place of a value that was left out of long work, to what brings its slice back. */
  const leftOut = new WeakMap();

  /** Note where values were left out of a sample's work. Each slice brings all of its values back at once. */
  function leaveOut(line, places, name) {
    const loads = places.map((own, slice) => {
      let loading = null;
      return () => (loading = loading || bringBack(line, own, `${name}-${slice}`));
    });
    places.forEach((own, slice) => own.forEach(([list, n]) => leftOut.set(list === "calls" ? line.calls[n].observation : line.messages[n], loads[slice])));
    leftOut.set(line, () => loads.reduce((before, next) => before.then(next), Promise.resolve()));
  }

  async function bringBack(line, places, name) {
    const values = JSON.parse(await loadOnce(name));
    places.forEach(([list, n], place) => {
      if (list === "calls") line.calls[n].observation = values[place];
      else {
        const message = line.messages[n];
        leftOut.delete(message);
        for (const key of Object.keys(values[place])) Object.defineProperty(message, key, { value: values[place][key], enumerable: true, writable: true, configurable: true });
      }
    });
  }

  /** A slice's text, which is not kept: whoever asked holds what is in it. */
  async function loadOnce(name) {
    const { values } = await load(name);
    asked.delete(name);
    return values;
  }

  /** Whether a value was left out of long work and is not there yet. */
  Worktrial.isLeftOut = (value) => value !== null && typeof value === "object" && leftOut.has(value);

  /** Bring back what was left out: of an observation or a message, or of the work on a whole line. */
  Worktrial.whole = async (value) => {
    if (Worktrial.isLeftOut(value)) await leftOut.get(value)();
  };

  /**
   * A file of samples as it is stored: for each sample the JSON of its record, of what it did (null: nothing), and of
   * what was left out of that. It is not kept, as whoever searches reads all of them.
   * @param {{slug: string, firsts: number[]}} head the run's
   * @param {number} file
   * @param {(texts: string[], n: number) => void} take called with the texts of one sample after the other
   */
  Worktrial.stored = async (head, file, take) => {
    const name = `${head.slug}/t${file}`;
    const had = asked.has(name);
    const { samples } = await load(name);
    if (!had) asked.delete(name);
    for (const [n, [record, line, readings, places]] of samples.entries()) {
      take([record, line, readings].filter(Boolean), n);
      const slices = places ? JSON.parse(places).length : 0;
      for (let slice = 0; slice < slices; slice += 1) take([await loadOnce(`${head.slug}/p${head.firsts[file] + n}-${slice}`)], n);
    }
  };

  /** Let each reply that is not just words say how it is read; what is stored, and shown as such, stays the same. */
  function withReadings(line, readings) {
    for (const [place, reading] of readings || []) {
      const message = place.reduce((at, key) => at?.[key], line);
      if (message) Object.defineProperty(message, "readAs", { value: reading });
    }
    return line;
  }

  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    return c >>> 0;
  });

  /** CRC-32 as zlib computes it. */
  function crc32(bytes) {
    let c = 0xffffffff;
    for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  }

  /** What the page's address asks for; of a name that comes twice, the last. */
  Worktrial.asked = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

  /** The part of an address after `#`; without what is empty. */
  Worktrial.hash = (state) =>
    new URLSearchParams(Object.entries(state).filter(([, value]) => value !== "" && value != null)).toString();

  /** The address of a task's page: all attempts at it. */
  Worktrial.taskHref = (suite, sample) => `task.html#${Worktrial.hash({ suite, sample })}`;

  /** The address of a sample's page. */
  Worktrial.trajectoryHref = (slug, [sample, repeat, condition]) =>
    `trajectory.html#${Worktrial.hash({
      run: slug,
      sample,
      repeat: repeat || "",
      condition: condition === "E0" ? "" : condition,
    })}`;
})();
