"use strict";

/* Two plans as one graph: what both have once, what only one has marked, in lines and in words. */
(() => {
  const { el } = Worktrial;
  const [WIDE, HIGH, ACROSS, DOWN, ROUND] = [188, 56, 44, 14, 2]; // pixels
  const MOST = 300; // nodes of a plan that somebody else stored
  const LETTERS = 23; // of a node's line
  const NODES = new Set(["kept", "changed", "missing", "extra"]);
  const EDGES = new Set(["kept", "missing", "extra"]);

  /**
   * The graph, and the edits as a list; nothing where what is stored is no such graph.
   * @param {{nodes: {kind: string, fate: string, gold: ?string[], written: ?string[]}[],
   *   edges: [number, number, string][], least: boolean}} edits
   */
  Worktrial.planEdits = (edits) => {
    const graph = read(edits);
    if (!graph) return null;
    const { nodes, edges } = graph;
    const said = [
      ...nodes.filter((node) => node.fate !== "kept").map((node) => `${cap(node.fate)}: ${node.kind} ${told(node)}`),
      ...edges.filter((edge) => edge.fate !== "kept").map((edge) => between(nodes, edge)),
    ];
    const count = `${said.length} ${said.length === 1 ? "edit" : "edits"}`;
    const how = edits.least ? "no shorter way leads from one to the other" : "a shorter way may lead from one to the other";
    return el(
      "figure",
      { class: "plan-edits" },
      el("figcaption", { class: "label" }, `The plan beside the gold one: ${count}; ${how}.`),
      el("div", { class: "scroll", role: "region", "aria-label": "Graph of both plans", tabindex: "0" }, drawing(nodes, edges, count)),
      el("ul", { class: "edits" }, said.map((one) => el("li", {}, one))),
    );
  };

  const cap = (word) => word.charAt(0).toUpperCase() + word.slice(1);
  const whole = (side) => side.filter(Boolean).join(", ");
  const told = (node) => (node.fate === "changed" ? `${whole(node.gold)} → ${whole(node.written)}` : whole(node.gold || node.written));

  /** An edge in the names of the plan that has it. */
  function between(nodes, { from, to, fate }) {
    const name = ({ gold, written }) => ((fate === "missing" ? gold : written) || gold || written)[0];
    return `${cap(fate)}: ${name(nodes[from])} before ${name(nodes[to])}`;
  }

  /** What a node has beside what was written. */
  function apart({ fate, gold, written }) {
    if (fate === "changed") return `gold: ${whole(gold.filter((word, n) => word !== written[n]))}`;
    if (fate !== "kept") return fate;
    return gold && written && gold[0] !== written[0] ? `gold: ${gold[0]}` : "";
  }

  function read(edits) {
    if (!edits || !Array.isArray(edits.nodes) || !Array.isArray(edits.edges)) return null;
    const side = (value) => (Array.isArray(value) && value.every((word) => typeof word === "string") ? value : null);
    const nodes = edits.nodes.map((node) => ({ kind: String(node?.kind), fate: node?.fate, gold: side(node?.gold), written: side(node?.written) }));
    const edges = edits.edges.map((edge) => ({ from: edge?.[0], to: edge?.[1], fate: edge?.[2] }));
    const drawn = (node) => NODES.has(node.fate) && (node.fate === "changed" ? node.gold && node.written : node.gold || node.written);
    const known = (place) => Number.isInteger(place) && place >= 0 && place < nodes.length;
    const fits = nodes.length > 0 && nodes.length <= MOST && edges.length <= MOST * 10;
    return fits && nodes.every(drawn) && edges.every((edge) => known(edge.from) && known(edge.to) && EDGES.has(edge.fate)) ? { nodes, edges } : null;
  }

  /** Columns by the longest way to a node, leaving out what closes a circle; rows as they are free. */
  function places(nodes, edges) {
    const before = nodes.map((_, n) => edges.filter((edge) => edge.to === n && edge.from !== n).map((edge) => edge.from));
    const depths = new Map();
    const onWay = new Set();
    const depth = (n) => {
      if (depths.has(n)) return depths.get(n);
      onWay.add(n);
      const found = Math.max(0, ...before[n].filter((one) => !onWay.has(one)).map((one) => depth(one) + 1));
      onWay.delete(n);
      depths.set(n, found);
      return found;
    };
    nodes.forEach((_, n) => depth(n));
    const taken = new Set();
    const rows = new Map();
    const order = nodes.map((_, n) => n).sort((a, b) => depths.get(a) - depths.get(b) || a - b);
    for (const n of order) {
      const beside = before[n].find((one) => depths.get(one) === depths.get(n) - 1);
      let row = beside === undefined ? 0 : rows.get(beside);
      if (taken.has(`${depths.get(n)} ${row}`)) row = 0;
      while (taken.has(`${depths.get(n)} ${row}`)) row += 1;
      taken.add(`${depths.get(n)} ${row}`);
      rows.set(n, row);
    }
    return nodes.map((_, n) => ({ x: ROUND + depths.get(n) * (WIDE + ACROSS), y: ROUND + rows.get(n) * (HIGH + DOWN) }));
  }

  function drawing(nodes, edges, count) {
    const at = places(nodes, edges);
    const width = Math.max(...at.map((place) => place.x)) + WIDE + ROUND;
    const height = Math.max(...at.map((place) => place.y)) + HIGH + ROUND;
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Both plans as one graph: ${count}, listed below` });
    for (const { from, to, fate } of edges) picture.append(svg("path", { class: `edge ${fate}`, d: line(at[from], at[to]) }));
    nodes.forEach((node, n) => picture.append(box(node, at[n])));
    return picture;
  }

  function line(from, to) {
    const [x, y, u, v] = [from.x + WIDE, from.y + HIGH / 2, to.x, to.y + HIGH / 2];
    const bend = Math.max(ACROSS / 2, Math.abs(u - x) / 3);
    // An arrow's head, which ends at the box.
    return `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}m-7 -4l7 4l-7 4`;
  }

  function box(node, { x, y }) {
    const [name, about] = node.written || node.gold;
    const lines = [name, about, apart(node)].map((text, n) => {
      const line = svg("text", { x: x + 10, y: y + 17 + n * 15, class: n === 0 ? "name" : n === 1 ? "" : "fate" });
      line.textContent = cut(text || "");
      return line;
    });
    const all = svg("title", {});
    all.textContent = Worktrial.visible(`${node.kind} ${told(node)}${node.fate === "kept" ? "" : ` (${node.fate})`}`);
    return svg("g", { class: `node ${node.fate}${node.kind === "workflow" ? " head" : ""}` }, all, svg("rect", { x, y, width: WIDE, height: HIGH, rx: 6 }), ...lines);
  }

  function cut(text) {
    const letters = [...Worktrial.visible(text)];
    return letters.length > LETTERS ? `${letters.slice(0, LETTERS - 1).join("")}…` : letters.join("");
  }

  function svg(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
  }
})();
