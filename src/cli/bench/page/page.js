"use strict";
// What is seen of the plots is chosen; the table of all runs is sorted and filtered.
const byId = (id) => document.getElementById(id);

function choose(select, attribute) {
  if (!select) return;
  const show = () => {
    for (const figure of document.querySelectorAll(`figure[data-${attribute}]`)) {
      figure.hidden = figure.dataset[attribute] !== select.value;
    }
  };
  select.addEventListener("change", show);
  show();
}
choose(byId("measure"), "measure");
choose(byId("pair"), "pair");

const table = byId("all");
const body = table.tBodies[0];
const rows = Array.from(body.rows);

function filter() {
  const [text, engine, end] = ["search", "engine", "end"].map((id) => byId(id).value);
  let found = 0;
  for (const row of rows) {
    const fits = row.cells[0].textContent.toLowerCase().includes(text.toLowerCase())
      && (!engine || row.cells[1].textContent === engine)
      && (!end || row.dataset.end === end);
    row.hidden = !fits;
    found += fits ? 1 : 0;
  }
  byId("found").textContent = `${found} of ${rows.length} runs`;
}
for (const id of ["search", "engine", "end"]) byId(id).addEventListener("input", filter);
filter();

// Empty cells come last, however the others are sorted.
function sort(column, header) {
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const isNumber = header.classList.contains("number");
  const value = (row) => {
    const cell = row.cells[column];
    if (!isNumber) return cell.textContent;
    return cell.dataset.value === undefined ? undefined : Number(cell.dataset.value);
  };
  const collator = new Intl.Collator("en", { numeric: true });
  rows.sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    const order = isNumber ? a - b : collator.compare(a, b);
    return ascending ? order : -order;
  });
  body.append(...rows);
}
Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
  header.querySelector("button").addEventListener("click", () => sort(column, header));
});
