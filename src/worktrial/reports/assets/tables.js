"use strict";

/* Tables that sort by a click on a header: `<table data-sortable>`. */
(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /**
   * What a cell is sorted by: a number, a text, or null where it has no figure.
   * @param {HTMLTableCellElement} cell
   * @returns {number | string | null}
   */
  function keyOf(cell) {
    const given = cell.dataset.sort;
    const text = given === undefined ? cell.textContent.trim() : given;
    if (text === "") return null;
    const number = Number(text);
    return given !== undefined && !Number.isNaN(number) ? number : text;
  }

  /** Order of two keys; numbers come before texts. */
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return collator.compare(a, b);
  }

  /**
   * Sort the rows of a table's body. Rows without a figure come last in both directions, equals keep their order.
   * @param {HTMLTableElement} table
   * @param {number} column
   * @param {"ascending" | "descending"} direction
   */
  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const sign = direction === "descending" ? -1 : 1;
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[column]) }));
    rows.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null ? 1 : 0) - (b.key === null ? 1 : 0);
      return sign * compare(a.key, b.key);
    });
    body.append(...rows.map(({ row }) => row));
    for (const header of headers(table)) header.removeAttribute("aria-sort");
    headers(table)[column].setAttribute("aria-sort", direction);
  }

  function headers(table) {
    return [...table.tHead.rows[0].cells];
  }

  /** The direction that a first click sorts in: the greatest number first, texts from A. */
  function first(table, column) {
    const keys = [...table.tBodies[0].rows].map((row) => keyOf(row.cells[column]));
    return keys.some((key) => typeof key === "number") ? "descending" : "ascending";
  }

  /** Make the headers of a table buttons. */
  function enhance(table, status) {
    headers(table).forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const now = header.getAttribute("aria-sort");
        const other = now === "ascending" ? "descending" : "ascending";
        const direction = now ? other : first(table, column);
        sort(table, column, direction);
        const caption = table.caption ? table.caption.textContent : "Table";
        status.textContent = `${caption}: sorted by ${button.textContent}, ${direction}.`;
      });
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    const tables = document.querySelectorAll("table[data-sortable]");
    if (!tables.length) return;
    const status = document.createElement("p");
    status.className = "visually-hidden";
    status.setAttribute("role", "status");
    document.querySelector("main").append(status);
    for (const table of tables) enhance(table, status);
  });
})();
