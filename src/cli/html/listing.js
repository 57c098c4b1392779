// The source pane: lines carry marks of the run, and a sign for each of them. A line without any has the sign of what is known of it.

const SIGNS = { current: "▶", violation: "✗", loop: "↻", covered: "•" };
const WORDS = { current: "here", violation: "violation", loop: "repeated for ever", covered: "on the way" };
const KNOWN = [["yes", "✓", "reachable"], ["no", "∅", "unreachable"]];

function lineElement(number) {
  return byId(`L${number}`);
}

/** Gives a line a mark, or takes it away. */
function mark(number, name, isMarked) {
  const line = lineElement(number);
  if (!line) return;
  line.classList.toggle(name, isMarked);
  const marks = Object.keys(SIGNS).filter((known) => line.classList.contains(known));
  // What is covered need not be said where more is said.
  const told = marks.filter((known) => known !== "covered" || marks.length === 1);
  const [, sign, word] = KNOWN.find(([known]) => line.classList.contains(known)) ?? [null, "", ""];
  line.firstElementChild.textContent = told.map((known) => SIGNS[known]).join("") || sign;
  line.title = told.map((known) => WORDS[known]).join(", ") || word;
}

function clearMarks() {
  for (const line of document.querySelectorAll("#source .stop, #source .current")) {
    const number = Number(line.id.slice(1));
    line.classList.remove("stop");
    Object.keys(SIGNS).forEach((name) => mark(number, name, false));
  }
}

/** Marks the lines of a run. */
function markRun(run) {
  clearMarks();
  run.stops.forEach((_, stop) => {
    const { line } = run.line(stop);
    lineElement(line)?.classList.add("stop");
    mark(line, "covered", true);
    if (run.isLoop(stop)) mark(line, "loop", true);
    if (run.isViolation(stop)) mark(line, "violation", true);
  });
}

/** Scrolls a pane, not the page, so that something inside is seen. */
function show(pane, inside) {
  const [outer, inner] = [pane.getBoundingClientRect(), inside.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  pane.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

function markCurrent(number) {
  for (const line of document.querySelectorAll("#source .current")) mark(Number(line.id.slice(1)), "current", false);
  mark(number, "current", true);
  const line = lineElement(number);
  if (line) show(byId("source"), line);
}
