//! Random C programs of the supported subset, without undefined behaviour and without a choice of evaluation order.
//!
//! Everything is initialised, shifts and indices are masked, divisors are positive, loops count, and an expression has
//! effects only where C says in which order (`&&`, `||`, `?:`, `,` and statements).

use epitome_benchmarks::SplitMix64;
use std::fmt::Write;

const TYPES: [&str; 12] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

/// How many globals are looked at in the end.
pub const GLOBALS: usize = 8;

pub struct Generator {
    random: SplitMix64,
    /// Names of variables that can be read, and of those that can be assigned.
    readable: Vec<String>,
    writable: Vec<String>,
    loops: usize,
    functions: usize,
    /// Functions that can be called here: those before this one.
    callable: usize,
}

/// A program whose globals `g0`, `g1`, … are its results.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        random: SplitMix64::new(seed),
        readable: Vec::new(),
        writable: Vec::new(),
        loops: 0,
        functions: 0,
        callable: 0,
    };
    generator.unit()
}

impl Generator {
    fn below(&mut self, n: u64) -> usize {
        self.random.below(n) as usize
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64)]
    }

    fn unit(&mut self) -> String {
        let mut text = String::from(
            "extern int printf(const char *, ...);\nextern int __VERIFIER_nondet_int(void);\nextern unsigned long long __VERIFIER_nondet_ulonglong(void);\nextern _Bool __VERIFIER_nondet_bool(void);\nenum color { RED, GREEN = 5, BLUE };\nstruct sized { char a; short b; char c; long d; };\nstruct pair { int a; unsigned char b; short c[2]; unsigned f : 5; int s : 6; };\n",
        );
        for global in 0..GLOBALS {
            let ty = if global == 7 { "enum color" } else { self.pick(&TYPES) };
            let value = self.below(300);
            let _ = writeln!(text, "{ty} g{global} = {value};");
            self.readable.push(format!("g{global}"));
            self.writable.push(format!("g{global}"));
        }
        let ty = self.pick(&TYPES);
        let _ = writeln!(text, "{ty} ga[4] = {{1, 2, -3}};\nstruct pair gs = {{7, .c = {{1, 2}}}};");
        for cell in ["gs.a", "gs.b", "gs.c[0]", "gs.c[1]", "gs.f", "gs.s", "ga[0]", "ga[3]"] {
            self.readable.push(cell.to_owned());
            self.writable.push(cell.to_owned());
        }
        let globals = (self.readable.clone(), self.writable.clone());
        for function in 0..3 {
            self.function(&mut text, function);
            (self.readable, self.writable) = globals.clone();
        }
        text.push_str("int main(void) {\n");
        for local in 0..3 {
            self.local(&mut text, local);
        }
        let _ = writeln!(
            text,
            "  struct pair ls = gs;\n  int i0 = __VERIFIER_nondet_int();\n  unsigned long long i1 = __VERIFIER_nondet_ulonglong();\n  _Bool i2 = __VERIFIER_nondet_bool();"
        );
        for name in ["i0", "i1", "i2", "ls.a", "ls.f", "ls.s"] {
            self.readable.push(name.to_owned());
            self.writable.push(name.to_owned());
        }
        for _ in 0..8 {
            self.statement(&mut text, 2, 1);
        }
        text.push_str("  gs = ls;\n  printf(\"");
        (0..GLOBALS).for_each(|_| text.push_str("%llx "));
        text.push('"');
        (0..GLOBALS).for_each(|global| _ = write!(text, ", (unsigned long long) g{global}"));
        text.push_str(");\n  return 0;\n}\n");
        text
    }

    fn function(&mut self, text: &mut String, index: usize) {
        let (result, a, b) = (self.pick(&TYPES), self.pick(&TYPES), self.pick(&TYPES));
        let (kept, step) = (self.pick(&TYPES), self.below(9));
        // Small enough to be written out where it is called, with something that is kept from call to call.
        let _ = writeln!(
            text,
            "{kept} t{index}({a} p, struct pair s) {{ static {kept} kept = {step}; int *alias = &gs.a; kept += p; s.a += kept; *alias ^= s.a; if (s.b & 1) return kept; return s.f; }}"
        );
        let _ = writeln!(text, "{result} f{index}({a} p, {b} q, int *out, int depth) {{");
        self.callable = index;
        for name in ["p", "q"] {
            self.readable.push(name.to_owned());
            self.writable.push(name.to_owned());
        }
        self.readable.push("(*out)".to_owned());
        self.writable.push("(*out)".to_owned());
        self.local(text, 0);
        let _ = writeln!(text, "  static {kept} s0 = {step};\n  int *alias = &gs.a;");
        for name in ["s0", "(*alias)"] {
            self.readable.push(name.to_owned());
            self.writable.push(name.to_owned());
        }
        for _ in 0..3 {
            self.statement(text, 2, 1);
        }
        if self.random.chance(1, 2) {
            let argument = self.expression(2);
            let _ = writeln!(text, "  if (depth > 0) {{ p = f{index}({argument}, q, out, depth - 1); }}");
        }
        let value = self.expression(3);
        let _ = writeln!(text, "  return {value};\n}}");
        self.functions = index + 1;
        self.callable = index + 1;
    }

    fn local(&mut self, text: &mut String, index: usize) {
        let (ty, value) = (self.pick(&TYPES), self.expression(2));
        let _ = writeln!(text, "  {ty} l{index} = {value};");
        self.readable.push(format!("l{index}"));
        self.writable.push(format!("l{index}"));
    }

    /// An expression without effects.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(1, 6) {
            return self.leaf();
        }
        let depth = depth - 1;
        let a = self.expression(depth);
        match self.below(14) {
            0 => format!("({}{a})", self.pick(&["-", "~", "!", "+"])),
            1 => format!("(({}) {a})", self.pick(&TYPES)),
            2 => {
                let (b, c) = (self.expression(depth), self.expression(depth));
                format!("({a} ? {b} : {c})")
            }
            3 => {
                let (b, op) = (self.expression(depth), self.pick(&["<<", ">>"]));
                format!("({a} {op} ({b} & 7))")
            }
            4 => {
                let (b, op) = (self.expression(depth), self.pick(&["/", "%"]));
                format!("({a} {op} (({b} & 15) + 1))")
            }
            5 => format!("ga[{a} & 3]"),
            6 => {
                let (b, op) = (self.expression(depth), self.pick(&["&&", "||"]));
                format!("({a} {op} {b})")
            }
            7..=9 => {
                let (b, op) = (self.expression(depth), self.pick(&["<", "<=", ">", ">=", "==", "!="]));
                format!("({a} {op} {b})")
            }
            _ => {
                let (b, op) = (self.expression(depth), self.pick(&["+", "-", "*", "&", "|", "^"]));
                format!("({a} {op} {b})")
            }
        }
    }

    fn leaf(&mut self) -> String {
        match self.below(8) {
            0 => format!("{}{}", self.below(70_000), self.pick(&["", "u", "L", "ULL"])),
            1 => self
                .pick(&["0x80000000", "2147483647", "0xff", "'a'", "'\\n'", "BLUE", "sizeof(long)", "(-1)"])
                .to_owned(),
            2 => "sizeof(struct sized)".to_owned(),
            _ => self.variable(),
        }
    }

    fn variable(&mut self) -> String {
        let at = self.below(self.readable.len() as u64);
        self.readable[at].clone()
    }

    /// An object that can be assigned a value without effects.
    fn target(&mut self) -> String {
        match self.random.chance(1, 6) {
            true => format!("ga[{} & 3]", self.variable()),
            false => self.plain_target(),
        }
    }

    /// An object whose place does not depend on anything.
    fn plain_target(&mut self) -> String {
        let at = self.below(self.writable.len() as u64);
        self.writable[at].clone()
    }

    /// An expression with effects, each of them in an order that C knows.
    fn effect(&mut self) -> String {
        let (target, value) = (self.target(), self.expression(2));
        match self.below(9) {
            0 => format!("{}{target}", self.pick(&["++", "--"])),
            1 => format!("{target}{}", self.pick(&["++", "--"])),
            2 => format!("{target} {} {value}", self.pick(&["+=", "-=", "*=", "&=", "|=", "^="])),
            3 => format!("{target} {} (({value} & 7) + 1)", self.pick(&["/=", "%=", "<<=", ">>="])),
            4 if self.callable > 0 => {
                let (function, q) = (self.below(self.callable as u64), self.expression(1));
                let in_main = self.readable.iter().any(|name| name == "i0");
                let out = if in_main && self.random.chance(1, 2) { "&i0" } else { "&gs.a" };
                let target = if self.random.chance(1, 4) { out[1..].to_owned() } else { self.plain_target() };
                format!("{target} = f{function}({value}, {q}, {out}, 2)")
            }
            5 | 6 if self.callable > 0 => {
                let (function, target) = (self.below(self.callable as u64), self.plain_target());
                format!("{target} = t{function}({value}, gs)")
            }
            _ => format!("{target} = {value}"),
        }
    }

    fn statement(&mut self, text: &mut String, depth: usize, indent: usize) {
        let margin = "  ".repeat(indent);
        let kind = if depth == 0 { self.below(5) } else { self.below(14) };
        match kind {
            0..=3 => {
                let effect = self.effect();
                let _ = writeln!(text, "{margin}{effect};");
            }
            4 => {
                let (first, second, op) = (self.effect(), self.effect(), self.pick(&["&&", "||", ","]));
                let _ = writeln!(text, "{margin}({first}) {op} ({second});");
            }
            5 | 6 => {
                let condition = self.expression(3);
                let _ = writeln!(text, "{margin}if ({condition}) {{");
                self.statement(text, depth - 1, indent + 1);
                let _ = writeln!(text, "{margin}}} else {{");
                self.statement(text, depth - 1, indent + 1);
                let _ = writeln!(text, "{margin}}}");
            }
            7 | 8 => {
                let name = format!("k{}", self.loops);
                self.loops += 1;
                let (rounds, leave) = (self.below(4) + 1, self.expression(2));
                let exit = self.pick(&["break", "continue"]);
                let _ = writeln!(text, "{margin}for (int {name} = 0; {name} < {rounds}; {name}++) {{");
                self.readable.push(name);
                self.statement(text, depth - 1, indent + 1);
                let _ = writeln!(text, "{margin}  if ({leave}) {exit};");
                self.statement(text, depth - 1, indent + 1);
                self.readable.pop();
                let _ = writeln!(text, "{margin}}}");
            }
            9 | 10 => {
                let value = self.expression(2);
                let _ = writeln!(text, "{margin}switch ({value} & 7) {{");
                let default_first = self.random.chance(1, 3);
                let labels = if default_first {
                    ["default", "case 1", "case BLUE"]
                } else {
                    ["case 0", "case 2 ... 4", "default"]
                };
                for label in labels {
                    let _ = writeln!(text, "{margin}{label}:");
                    self.statement(text, depth - 1, indent + 1);
                    if self.random.chance(2, 3) {
                        let _ = writeln!(text, "{margin}  break;");
                    }
                }
                let _ = writeln!(text, "{margin}}}");
            }
            11 => {
                let (label, condition) = (self.loops, self.expression(2));
                self.loops += 1;
                let _ = writeln!(text, "{margin}if ({condition}) goto L{label};");
                self.statement(text, depth - 1, indent);
                let _ = writeln!(text, "{margin}L{label}: ;");
            }
            12 => {
                let name = format!("k{}", self.loops);
                self.loops += 1;
                let (body, condition) = (self.effect(), self.expression(1));
                let _ = writeln!(
                    text,
                    "{margin}{{ unsigned char {name} = 3; do {{ {body}; }} while ({name}-- && ({condition})); }}"
                );
            }
            _ => {
                let (condition, first, second) = (self.expression(2), self.effect(), self.effect());
                let target = self.plain_target();
                let _ = writeln!(text, "{margin}{target} = ({condition}) ? ({first}) : ({second});");
            }
        }
    }
}
