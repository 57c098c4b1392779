//! Families that count: R(n), L(n), up and down, the recursive counter, and a^n b^n of Godefroid, Fig. 1.
//!
//! A counter is n variables, the lowest bit first. To add one is one parallel assignment in which a
//! bit flips where all lower bits are set; to subtract one, where all lower bits are clear.

use crate::families::Verdict;

/// The names of the bits: `x0`, `x1`, ….
fn bits(name: char, n: u32) -> Vec<String> {
    (0..n).map(|i| format!("{name}{i}")).collect()
}

/// The values after adding one: `!x0`, `x1 ^ x0`, `x2 ^ (x0 & x1)`, …. (Conditions grow at
/// the end, so that they share their beginnings as circuits.)
fn increment(bits: &[String]) -> Vec<String> {
    flip_where(bits, bits)
}

/// The values after subtracting one: `!x0`, `x1 ^ !x0`, `x2 ^ (!x0 & !x1)`, ….
fn decrement(bits: &[String]) -> Vec<String> {
    let clear: Vec<String> = bits.iter().map(|bit| format!("!{bit}")).collect();
    flip_where(bits, &clear)
}

/// Each bit, flipped where the conditions of all lower bits hold.
fn flip_where(bits: &[String], conditions: &[String]) -> Vec<String> {
    let mut lower = String::new();
    let mut values = Vec::with_capacity(bits.len());
    for (i, (bit, condition)) in bits.iter().zip(conditions).enumerate() {
        values.push(match i {
            0 => format!("!{bit}"),
            1 => format!("{bit} ^ {lower}"),
            _ => format!("{bit} ^ ({lower})"),
        });
        lower = if i == 0 { condition.clone() } else { format!("{lower} & {condition}") };
    }
    values
}

/// `x0, x1 := e0, e1;`
fn assign(bits: &[String], values: &[String]) -> String {
    format!("{} := {};", bits.join(", "), values.join(", "))
}

/// `decl x0 := 0, x1 := 0;`
fn declare_zero(bits: &[String]) -> String {
    let zeros: Vec<String> = bits.iter().map(|bit| format!("{bit} := 0")).collect();
    format!("decl {};", zeros.join(", "))
}

/// The claim in the safe version, its negation in the unsafe one.
fn assert(claim: &str, verdict: Verdict) -> String {
    match verdict {
        Verdict::Safe => format!("assert({claim});"),
        Verdict::Unsafe => format!("assert(!({claim}));"),
    }
}

/// R(n): up, call, down; the stack alone remembers how far.
pub(crate) fn rn(out: &mut String, n: u32, verdict: Verdict) {
    let x = bits('x', n);
    let zero = format!("!({})", x.join(" | "));
    out.push_str(&format!(
        "{}

void rec() begin
  if (*) then
    {}
    rec();
    {}
  fi
end

void main() begin
  rec();
  {}
end
",
        declare_zero(&x),
        assign(&x, &increment(&x)),
        assign(&x, &decrement(&x)),
        assert(&zero, verdict),
    ));
}

/// L(n): the loop ends when the counter overflows, after exactly 2^n rounds.
pub(crate) fn ln(out: &mut String, n: u32, verdict: Verdict) {
    let x = bits('x', n);
    let all = x.join(" & ");
    let zero = format!("!({})", x.join(" | "));
    let (targets, values) = (x.join(", "), increment(&x).join(", "));
    out.push_str(&format!(
        "void main() begin
  {}
  decl done := 0;
  while (!done) do
    done, {targets} := {all}, {values};
  od
  {}
end
",
        declare_zero(&x),
        assert(&zero, verdict),
    ));
}

/// Up as far as the run likes, down to zero, with a flag that every step flips: the flag is the
/// lowest bit of the counter, overflow or not, as 2^n is even. In the unsafe version the step that
/// overflows does not flip it, so that the shortest run that fails has 2^n rounds.
pub(crate) fn updown(out: &mut String, n: u32, verdict: Verdict) {
    let x = bits('x', n);
    let (all, some, targets) = (x.join(" & "), x.join(" | "), x.join(", "));
    let (up, down) = (increment(&x).join(", "), decrement(&x).join(", "));
    let flip = match verdict {
        Verdict::Safe => "!odd".to_owned(),
        Verdict::Unsafe => format!("odd = ({all})"),
    };
    out.push_str(&format!(
        "void main() begin
  {}
  decl odd := 0;
  while (*) do
    odd, {targets} := {flip}, {up};
  od
  while ({some}) do
    odd, {targets} := !odd, {down};
  od
  assert(!odd);
end
",
        declare_zero(&x),
    ));
}

/// A call for each value from 0 to 2^n - 1, each inside the one before it.
pub(crate) fn counter(out: &mut String, n: u32, verdict: Verdict) {
    let (y, r) = (bits('y', n), bits('r', n));
    let (parameters, all_set, results) = (y.join(", "), y.join(" & "), r.join(", "));
    let next = increment(&y).join(", ");
    let zeros = vec!["0"; n as usize].join(", ");
    let claim = assert(&r.join(" & "), verdict);
    out.push_str(&format!(
        "bool<{n}> count({parameters}) begin
  decl {results};
  if ({all_set}) then
    return {parameters};
  fi
  {results} := count({next});
  return {results};
end

void main() begin
  decl {results};
  {results} := count({zeros});
  {claim}
end
"
    ));
}

/// `foo` of Godefroid, Fig. 1, with a flag that remembers whether a `b` was printed.
pub(crate) fn anbn(out: &mut String, n: u32, verdict: Verdict) {
    let x = bits('x', n);
    let down = assign(&x, &decrement(&x));
    let (all, some) = (x.join(", "), x.join(" | "));
    let again = match verdict {
        Verdict::Safe => "",
        Verdict::Unsafe => "  foo();\n",
    };
    out.push_str(&format!(
        "decl {all};
decl b_printed := 0;

void foo() begin
  a: assert(!b_printed);
  if ({some}) then
    {down}
    foo();
  fi
  b: b_printed := 1;
end

void main() begin
  foo();
{again}  assert(b_printed & !({some}));
end
"
    ));
}
