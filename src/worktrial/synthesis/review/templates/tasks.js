"use strict";
const all = JSON.parse(document.getElementById("everything").textContent);
const words = document.getElementById("words");
const fate = document.getElementById("fate");
const level = document.getElementById("level");
const clause = document.getElementById("clause");
const table = document.getElementById("rows");
const pages = document.getElementById("pages");
const said = document.getElementById("said");
const first = table.innerHTML;
const MOST = 200;

function cell(row, text, kind) {
  const made = document.createElement(kind || "td");
  made.textContent = text;
  row.appendChild(made);
  return made;
}

function show() {
  const looked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const any = looked.length || fate.value || level.value || clause.value;
  pages.hidden = Boolean(any);
  if (!any) {
    table.innerHTML = first;
    said.textContent = "";
    return;
  }
  const found = all.filter((task) =>
    looked.every((word) => task.words.includes(word)) &&
    (!fate.value || task.fate === fate.value) &&
    (!level.value || String(task.level) === level.value) &&
    (!clause.value || task.clauses.includes(clause.value)));
  table.replaceChildren(...found.slice(0, MOST).map((task) => {
    const row = document.createElement("tr");
    const name = cell(row, "", "th");
    const link = document.createElement("a");
    link.href = "tasks/" + task.id + ".html";
    link.textContent = task.id;
    name.appendChild(link);
    cell(row, task.fate.replace("_", " "));
    cell(row, task.level);
    cell(row, task.clauses.join(", "));
    cell(row, task.text);
    return row;
  }));
  said.textContent = found.length + " of " + all.length + " tasks" +
    (found.length > MOST ? ", the first " + MOST + " shown" : "");
}

for (const field of [words, fate, level, clause]) field.addEventListener("input", show);
show();
