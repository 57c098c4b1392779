//! Families of deep hierarchies: T(N) of Ball, Fig. 4, its relatives X(N) and E(N), and a shared
//! hierarchy with arguments.
//!
//! Why T, X and E keep their property: every call of a level changes `g` exactly once more than its
//! inner calls do, and the inner calls come in pairs. By induction from the last level, each call
//! flips `g`, whichever branch is taken; so the two calls in `main` give `g` back. As `g` starts
//! arbitrary, `!g` can hold at the end.

use crate::families::Verdict;

/// `main` of T, X and E, with the global they share.
fn flip_twice(out: &mut String, verdict: Verdict) {
    out.push_str("decl g;\n\nvoid main() begin\n");
    if verdict == Verdict::Safe {
        out.push_str("  decl h;\n  h := g;\n");
    }
    out.push_str("  level1();\n  level1();\n");
    out.push_str(match verdict {
        Verdict::Safe => "  if (g != h) then\n    ERROR: skip;\n  fi\nend\n",
        Verdict::Unsafe => "  if (!g) then\n    reach: ERROR: skip;\n  else\n    skip;\n  fi\nend\n",
    });
}

/// The statement of a level that goes one level down; in the last level there is nothing below.
fn descend(level: u32, levels: u32) -> String {
    if level < levels { format!("level{}();", level + 1) } else { "skip;".to_owned() }
}

/// A level of T and X; `decider` chooses between counting and calling.
fn counting_level(out: &mut String, level: u32, levels: u32, decider: &str) {
    let down = descend(level, levels);
    out.push_str(&format!(
        "
void level{level}() begin
  decl a, b, c;
  if ({decider}) then
    a, b, c := 0, 0, 0;
    while (!a | !b | !c) do
      if (!a) then
        a := 1;
      elsif (!b) then
        a, b := 0, 1;
      elsif (!c) then
        a, b, c := 0, 0, 1;
      else
        skip;
      fi
    od
  else
    {down}
    {down}
  fi
  g := !g;
end
"
    ));
}

/// T(N): `g` decides.
pub(crate) fn tn(out: &mut String, n: u32, verdict: Verdict) {
    flip_twice(out, verdict);
    (1..=n).for_each(|level| counting_level(out, level, n, "g"));
}

/// X(N): every call decides for itself.
pub(crate) fn xn(out: &mut String, n: u32, verdict: Verdict) {
    flip_twice(out, verdict);
    (1..=n).for_each(|level| counting_level(out, level, n, "*"));
}

/// E(N): no decision, every level calls.
pub(crate) fn en(out: &mut String, n: u32, verdict: Verdict) {
    flip_twice(out, verdict);
    for level in 1..=n {
        let down = if level < n { format!("  level{0}();\n  level{0}();\n", level + 1) } else { String::new() };
        out.push_str(&format!("\nvoid level{level}() begin\n{down}  g := !g;\nend\n"));
    }
}

/// Level `i` computes `a ^ b` as the sum of level `i + 1` on `(a, 0)` and on `(0, b)`.
pub(crate) fn depth(out: &mut String, n: u32, verdict: Verdict) {
    let claim = match verdict {
        Verdict::Safe => "r = (x != y)",
        Verdict::Unsafe => "r = (x | y)",
    };
    out.push_str(&format!("void main() begin\n  decl x, y, r;\n  r := level1(x, y);\n  assert({claim});\nend\n"));
    for level in 1..n {
        let below = level + 1;
        out.push_str(&format!(
            "
bool level{level}(a, b) begin
  decl r, s;
  r := level{below}(a, 0);
  s := level{below}(0, b);
  return r ^ s;
end
"
        ));
    }
    out.push_str(&format!("\nbool level{n}(a, b) begin\n  return a != b;\nend\n"));
}
