// The panes beside the source: steps, call stack, values, graph.

/** Steps that are in the list at a time, around the one that is selected. */
const WINDOW = 600;
let listed = { run: null, from: 0, to: 0 };

function news(run, stop) {
  return run.told[run.stops[stop]].map(([number, value]) => `${variable(number).name}=${value}`).join(" ");
}

/** What a line of the trace says. */
function said(line, isViolation) {
  const inside = line.same_as ? ` (inside as at step ${line.same_as})` : "";
  if (line.kind === "failure") return `✗ ${line.text} fails`;
  return `${isViolation ? "✗ " : ""}${line.text}${inside}`;
}

function stepRow(run, stop) {
  const [row, line] = [element("li"), run.line(stop)];
  const button = element("button", "step");
  button.type = "button";
  button.dataset.stop = stop;
  button.style.setProperty("--depth", line.depth);
  button.classList.toggle("loop", run.isLoop(stop));
  button.classList.toggle("violation", run.isViolation(stop));
  button.append(element("span", "count", line.step), element("span", "what", said(line, run.isViolation(stop))));
  button.append(element("span", "news", [`line ${line.line}`, news(run, stop)].filter(Boolean).join("  ")));
  row.append(button);
  return row;
}

/** Fills the list of steps, if the one that is selected is not in it. */
function listSteps(run, selected) {
  if (listed.run === run && selected >= listed.from && selected < listed.to) return;
  const from = Math.max(0, Math.min(selected - WINDOW / 2, run.stops.length - WINDOW));
  const to = Math.min(run.stops.length, from + WINDOW);
  const rows = [];
  if (from > 0) rows.push(element("li", "note", `… ${from} steps before`));
  for (let stop = from; stop < to; stop += 1) {
    if (stop === run.back) rows.push(element("li", "note", "↻ repeated for ever:"));
    rows.push(stepRow(run, stop));
  }
  if (to < run.stops.length) rows.push(element("li", "note", `… ${run.stops.length - to} steps after`));
  else if (run.ending()) rows.push(element("li", "note", `↻ ${run.ending()}`));
  byId("steps").replaceChildren(...rows);
  listed = { run, from, to };
}

function showStep(run, selected) {
  listSteps(run, selected);
  for (const row of document.querySelectorAll("#steps [aria-current]")) row.removeAttribute("aria-current");
  const row = document.querySelector(`#steps [data-stop="${selected}"]`);
  row.setAttribute("aria-current", "step");
  show(byId("steps"), row);
}

/** The call stack; `go` is told the number of a step that was asked for. */
function showStack(run, selected, go) {
  const frames = run.stack(selected);
  const rows = frames.map((line, index) => {
    const row = element("li");
    const text = `${line.procedure}, line ${line.line}`;
    if (index === frames.length - 1) {
      row.textContent = text;
      row.setAttribute("aria-current", "true");
      return row;
    }
    const button = element("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => go(line.step));
    row.append(button);
    return row;
  });
  byId("stack").replaceChildren(...rows);
}

/** Which values are shown, and what is said where there are none. */
const FILTERS = {
  all: { isShown: () => true, none: "there are no variables here" },
  changed: { isShown: (row) => row.isNew, none: "no variable has changed" },
  property: { isShown: (row) => extra.property.includes(row.number), none: "the property speaks of no variable that is here" },
};

function showValues(run, selected, before, filter) {
  const all = run.changes(selected, before);
  const rows = all.filter(FILTERS[filter].isShown);
  byId("values").replaceChildren(...rows.map(({ name, owner, value, old, isNew }) => {
    const row = element("tr", isNew ? "new" : "");
    const shown = element("td", "name", name);
    if (owner !== null) shown.append(element("span", "of", ` in ${owner}`));
    const change = old === undefined ? `${value} (new)` : `${old} → ${value}`;
    row.append(shown, element("td", "value", isNew ? change : `${value}`));
    row.dataset.name = name;
    row.dataset.value = value;
    return row;
  }));
  byId("no-values").hidden = rows.length > 0;
  byId("no-values").textContent = FILTERS[all.length > 0 ? filter : "all"].none;
}

/** Of each picture, which place in it stands for a line of the trace. */
const PLACES = {
  graph: ({ line, column }) => `${line}:${column}`,
  calls: ({ procedure }) => extra.procedures[procedure],
};

/** Marks in the pictures what the run visits, and where it is. */
function showPictures(run, selected, isNewRun) {
  for (const [id, at] of Object.entries(PLACES)) {
    const visited = isNewRun ? new Set(run.stops.map((_, stop) => at(run.line(stop)))) : null;
    for (const place of document.querySelectorAll(`#${id} [data-at]`)) {
      if (visited) place.classList.toggle("covered", visited.has(place.dataset.at));
      place.classList.toggle("here", place.dataset.at === at(run.line(selected)));
    }
  }
}
