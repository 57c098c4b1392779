//! Programs as the abstraction of a driver gives them: the spin lock of Ball and Rajamani,
//! Automatically Validating Temporal Safety Properties of Interfaces (SPIN 2001).
//!
//! The driver releases a spin lock inside its loop exactly when it will go round again, and once
//! after the loop. The one predicate that proves it is `{nPackets == nPacketsOld}`: each request
//! keeps it in a local variable. The unsafe version does not update it in its last request, so that
//! the lock can be released twice.

use crate::families::Verdict;

/// The lock's two procedures and `main`, then the requests.
pub(crate) fn lock(out: &mut String, n: u32, verdict: Verdict) {
    out.push_str(
        "decl locked := 0;

void acquire() begin
  if (locked) then
    ERROR: skip;
  fi
  locked := 1;
end

void release() begin
  if (!locked) then
    ERROR: skip;
  fi
  locked := 0;
end

void main() begin
",
    );
    (1..=n).for_each(|i| out.push_str(&format!("  request{i}();\n")));
    out.push_str("end\n");
    for i in 1..=n {
        request(out, i, verdict == Verdict::Safe || i < n);
    }
}

/// One request; `kept` says whether the predicate is updated with the packet count.
fn request(out: &mut String, i: u32, kept: bool) {
    let update = if kept { "      {nPackets == nPacketsOld} := 0;\n" } else { "" };
    out.push_str(&format!(
        "
void request{i}() begin
  decl {{nPackets == nPacketsOld}} := 0;
  while (!{{nPackets == nPacketsOld}}) do
    acquire();
    {{nPackets == nPacketsOld}} := 1;
    if (*) then
      release();
{update}    fi
  od
  release();
end
"
    ));
}
