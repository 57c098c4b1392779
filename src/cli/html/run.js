// What a run says at each of its steps: values, calls, where it goes on. Nothing here shows anything.

const extra = JSON.parse(byId("page").textContent);

/** A variable by its number: a local has the name of its procedure, a global has none. */
function variable(number) {
  const [name, owner, place] = extra.variables[number];
  return { name, owner, place };
}

/** A run: the lines of a trace, with what was worked out about them. Steps are numbered as in the trace; a *stop* is a line that is shown. */
class Run {
  constructor(trace, lasso, claims, from, told) {
    this.lines = trace.filter((line) => line.kind !== "cut");
    this.cut = trace.find((line) => line.kind === "cut") ?? null;
    this.lasso = this.cut ? null : lasso;
    this.claims = claims;
    this.calls = told.calls;
    this.told = told.values;
    this.stops = this.shown();
    this.first = Math.max(0, this.stopOf(from));
    const back = this.lasso && this.lasso.kind !== "stays" ? this.stopOf(this.lasso.from_step) : -1;
    this.back = back < 0 ? null : back;
  }

  /** The lines to stop at: not ends of procedures, which are no steps, unless the run stays there; and not the line where a loop has come back to its beginning. */
  shown() {
    const last = this.lines.length - 1;
    const isStep = (at) => at === 0 || this.lines[at].step !== this.lines[at - 1].step;
    const steps = this.lines.map((_, at) => at).filter((at) => isStep(at) || (at === last && this.lasso?.kind === "stays"));
    return this.lasso?.kind === "loops" && steps.length > 1 ? steps.slice(0, -1) : steps;
  }

  line(stop) {
    return this.lines[this.stops[stop]];
  }

  /** The stop of a step. */
  stopOf(step) {
    return this.stops.findIndex((at) => this.lines[at].step === step);
  }

  isViolation(stop) {
    return !this.lasso && !this.cut && !report.explanation && stop === this.stops.length - 1;
  }

  isLoop(stop) {
    return this.lasso !== null && this.line(stop).step >= this.lasso.from_step;
  }

  /** Values of globals, and of the locals of the call at a stop, as they were last told at another. */
  values(stop, until = stop) {
    const call = this.calls[this.stops[stop]];
    const values = new Map();
    for (let at = 0; at <= this.stops[until]; at += 1) {
      for (const [number, value] of this.told[at]) {
        if (extra.variables[number][1] === null || this.calls[at] === call) values.set(number, value);
      }
    }
    return values;
  }

  /** The values at a stop, with those before (at another stop): globals first, in the order of their declarations. */
  changes(stop, before) {
    const [now, old] = [this.values(stop), before === null ? new Map() : this.values(stop, before)];
    const rows = [...now].map(([number, value]) => ({ ...variable(number), number, value, old: old.get(number), isNew: old.get(number) !== value }));
    const key = (row) => [row.owner === null ? 0 : 1, row.place];
    return rows.sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]);
  }

  /** The calls that are open at a stop, the outermost first: the line in each. */
  stack(stop) {
    const frames = [this.stops[stop]];
    let { depth } = this.line(stop);
    for (let at = this.stops[stop] - 1; at >= 0 && depth > 0; at -= 1) {
      if (this.lines[at].depth < depth) {
        depth = this.lines[at].depth;
        frames.unshift(at);
      }
    }
    return frames.map((at) => this.lines[at]);
  }

  /** The stop after another, going round where the run does. */
  after(stop) {
    if (stop + 1 < this.stops.length) return stop + 1;
    return this.back;
  }

  /** What comes behind the last stop. */
  ending() {
    if (this.cut) return `The trace is cut after ${this.stops.length} steps; the run has ${this.cut.steps ?? "countless"} in all.`;
    if (!this.lasso) return null;
    const { kind, from_step: step, calls_each_round: calls } = this.lasso;
    if (kind === "stays") return "stays here for ever";
    if (kind === "loops") return `back to step ${step}, with the same stack`;
    return `on to step ${step}, ${calls} ${calls === 1 ? "call" : "calls"} deeper each time`;
  }
}

/** The runs of the report: those of an explanation, or the trace. */
function readRuns() {
  const paths = report.explanation ?? [{ trace: report.trace, lasso: report.lasso ?? null, claims: [], from_step: 1 }];
  return extra.runs.map((told, index) => {
    const { trace, lasso, claims, from_step: from } = paths[index];
    return new Run(trace, lasso, claims, from, told);
  });
}
