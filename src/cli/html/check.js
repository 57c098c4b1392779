// The page of `check`: one step of one run is selected, and every pane follows it.

const runs = readRuns();
let run = null;
let selected = 0;
let before = null;
let timer = null;

/** Selects a stop; `from` is the one to compare values with. */
function select(stop, from = stop > 0 ? stop - 1 : null, isNewRun = false) {
  [selected, before] = [stop, from];
  const line = run.line(stop);
  showStep(run, stop);
  markCurrent(line.line);
  showStack(run, stop, goTo);
  showChosenValues();
  showPictures(run, stop, isNewRun);
  showPosition(line);
  byId("slider").value = stop;
  byId("start").disabled = byId("prev").disabled = stop === 0;
  byId("end").disabled = stop === run.stops.length - 1;
  byId("next").disabled = run.after(stop) === null;
  byId("next").textContent = stop === run.stops.length - 1 && run.back !== null ? "Repeat ↻" : "Next ▶";
}

function showChosenValues() {
  showValues(run, selected, before, document.querySelector("[name=filter]:checked").value);
}

/** Says in words where the run is, with a way to the step that tells what is not told again. */
function showPosition(line) {
  const last = run.line(run.stops.length - 1).step;
  const where = `Step ${line.step} of ${last}: line ${line.line} in ${line.procedure}`;
  const notes = [where];
  if (run.isLoop(selected)) notes.push("repeated for ever");
  if (run.isViolation(selected)) notes.push(report.verdict === "FALSE" ? "violation" : "what happens next is not defined");
  if (selected === run.stops.length - 1 && run.ending()) notes.push(run.ending());
  byId("position").replaceChildren(notes.join("; "));
  if (line.same_as) {
    const link = element("button", "", `inside as at step ${line.same_as}`);
    link.type = "button";
    link.id = "same-as";
    link.addEventListener("click", () => goTo(line.same_as));
    byId("position").append(" ", link);
  }
}

function goTo(step) {
  const stop = run.stopOf(step);
  if (stop >= 0) select(stop);
}

function next() {
  const stop = run.after(selected);
  if (stop === null) stopPlaying();
  else select(stop, selected);
}

function stopPlaying() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "▷ Play";
  byId("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (timer !== null) return stopPlaying();
  timer = setInterval(next, 700);
  byId("play").textContent = "■ Stop";
  byId("play").setAttribute("aria-pressed", "true");
}

/** Says what is claimed about the states of the run, and leads to the runs that show it. */
function showClaims() {
  byId("claims").replaceChildren(...run.claims.map(({ step, after, claim, path }) => {
    const row = element("li", "", `${after ? "after" : "at"} step ${step}: ${claim} `);
    if (path !== null) {
      const button = element("button", "", `shown by run ${path + 1}`);
      button.type = "button";
      button.addEventListener("click", () => choose(path));
      row.append(button);
    }
    return row;
  }));
}

function choose(index) {
  stopPlaying();
  run = runs[index];
  byId("run").value = index;
  byId("slider").max = run.stops.length - 1;
  byId("cut").hidden = run.cut === null;
  byId("cut").textContent = run.ending() ?? "";
  showClaims();
  markRun(run);
  select(run.first, undefined, true);
}

/** The name of a run: what it shows. */
function nameOf(index) {
  const shows = runs.flatMap((other) => other.claims).find(({ path }) => path === index);
  return `${index + 1}: ${shows ? shows.claim : "the start of the program"}`;
}

/** Selects the stop on a line (or at a place of the graph) that comes next, going round; false if there is none. */
function selectWhere(isThere) {
  const found = (run?.stops ?? []).map((_, stop) => stop).filter((stop) => isThere(run.line(stop)));
  if (found.length > 0) select(found.find((stop) => stop > selected) ?? found[0]);
  return found.length > 0;
}

leadFrom(byId("graph"), (place) => {
  if (!selectWhere((step) => `${step.line}:${step.column}` === place.dataset.at)) showLine(lineOf(place));
});

const KEYS = {
  ArrowRight: next,
  ArrowLeft: () => selected > 0 && select(selected - 1),
  Home: () => select(0),
  End: () => select(run.stops.length - 1),
  p: play,
};

function onKey(event) {
  const isOwn = event.target.closest("select, input[type=range], input[type=radio], textarea");
  if (isOwn || event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

function listen() {
  document.addEventListener("keydown", onKey);
  byId("start").addEventListener("click", KEYS.Home);
  byId("prev").addEventListener("click", KEYS.ArrowLeft);
  byId("next").addEventListener("click", next);
  byId("end").addEventListener("click", KEYS.End);
  byId("play").addEventListener("click", play);
  byId("slider").addEventListener("input", (event) => select(Number(event.target.value)));
  byId("run").addEventListener("change", (event) => choose(Number(event.target.value)));
  byId("steps").addEventListener("click", (event) => {
    const row = event.target.closest("[data-stop]");
    if (row) select(Number(row.dataset.stop));
  });
  byId("source").addEventListener("click", (event) => {
    const line = event.target.closest(".line");
    if (line) selectWhere((step) => `L${step.line}` === line.id);
  });
  for (const filter of document.querySelectorAll("[name=filter]")) filter.addEventListener("change", showChosenValues);
}

if (runs.length > 0 && runs[0].stops.length > 0) {
  byId("of-property").hidden = extra.property.length === 0;
  byId("choice").hidden = runs.length === 1 && runs[0].claims.length === 0;
  byId("run").replaceChildren(...runs.map((_, index) => new Option(nameOf(index), index)));
  listen();
  // Of several runs the first that is shown for something tells most.
  choose(runs[0].claims.find(({ path }) => path !== null)?.path ?? 0);
}
