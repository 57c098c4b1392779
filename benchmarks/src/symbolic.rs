//! Families whose sets of states are small as decision diagrams and large as lists: an adder, and
//! pairs of variables that have nothing to do with each other.
//!
//! Variables that belong together are declared side by side, so that a checker that keeps the order
//! of the source has diagrams of linear size; with all `a` before all `b` they are exponential.

use crate::families::Verdict;

/// `0, 1, …`, each as the text that `part` makes of it, separated.
fn list(n: u32, separator: &str, part: impl Fn(u32) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(separator)
}

/// a + b - b = a, bit by bit. Adding has a carry out exactly if subtracting has a borrow out, so
/// the unsafe version claims that there is none.
pub(crate) fn adder(out: &mut String, n: u32, verdict: Verdict) {
    let variables = list(n, ", ", |i| format!("a{i}, b{i}, s{i} := 0"));
    let add = list(n, "\n", |i| format!("  s{i}, c := full(a{i}, b{i}, c);"));
    let subtract = list(n, "\n", |i| format!("  d, c := less(s{i}, b{i}, c);\n  assert(d = a{i});"));
    let overflow = match verdict {
        Verdict::Safe => "",
        Verdict::Unsafe => "  assert(!c);\n",
    };
    out.push_str(&format!(
        "void main() begin
  decl {variables};
  decl c := 0, d := 0;
{add}
  c := 0;
{subtract}
{overflow}end

// Sum and carry.
bool<2> full(x, y, c) begin
  return x ^ y ^ c, (x & y) | (c & (x ^ y));
end

// Difference and borrow.
bool<2> less(x, y, c) begin
  return x ^ y ^ c, (!x & y) | (c & !(x ^ y));
end
"
    ));
}

/// Pairs that start equal and are toggled together, each by a procedure of its own, in any order
/// and as often as the run likes. The unsafe version toggles only half of the last pair.
pub(crate) fn independent(out: &mut String, n: u32, verdict: Verdict) {
    let variables = list(n, ", ", |i| format!("x{i}, y{i} := 0"));
    let copy = list(n, "\n", |i| format!("  y{i} := x{i};"));
    let toggle = list(n, "\n", |i| format!("    if (*) then toggle{i}(); fi"));
    let equal = list(n, " & ", |i| format!("(x{i} = y{i})"));
    out.push_str(&format!(
        "decl {variables};

void main() begin
{copy}
  while (*) do
{toggle}
  od
  assert({equal});
end
"
    ));
    for i in 0..n {
        let both = verdict == Verdict::Safe || i + 1 < n;
        let body = if both { format!("x{i}, y{i} := !x{i}, !y{i};") } else { format!("x{i} := !x{i};") };
        out.push_str(&format!("\nvoid toggle{i}() begin\n  {body}\nend\n"));
    }
}
