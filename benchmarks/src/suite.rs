//! Programs of a family by their sizes, as an experiment names them.
//!
//! ```text
//! tn:100             both versions of T(100)
//! tn:100+safe        one of them
//! ln:4..20           every size from 4 to 20
//! tn:100..1000/100   100, 200, … 1000
//! tn:100..1600x2     100, 200, 400, 800, 1600
//! tn:1,2,5..8        lists of all these
//! ```

use crate::FAMILIES;
use crate::families::{Family, FamilyError, Verdict, family};
use std::fmt;

/// The most sizes one specification may name: more is a slip of the pen, not an experiment.
const MOST: usize = 10_000;

/// A program of a family. It is written out only when asked for; large ones have hundreds of
/// megabytes. Its name, `tn:100+safe`, is a specification of just this program.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    family: &'static Family,
    size: u32,
    verdict: Verdict,
}

impl Instance {
    /// The verdict a checker must give.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What it is written in: the ending of its file.
    pub fn language(&self) -> &'static str {
        self.family.language
    }

    /// The family it is of.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// The parameter of its family.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The options of `check` by which its question is asked; none if it is whether an assertion can fail.
    pub fn options(&self) -> Vec<String> {
        self.family.question.map_or(Vec::new(), |question| question.options(self.size, self.verdict))
    }

    /// The program.
    pub fn text(&self) -> Result<String, FamilyError> {
        self.family.generate(self.size, self.verdict)
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = match self.verdict {
            Verdict::Safe => "safe",
            Verdict::Unsafe => "unsafe",
        };
        write!(f, "{}:{}+{version}", self.family.name, self.size)
    }
}

/// A specification that names no programs, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSuite(String);

impl fmt::Display for BadSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSuite {}

/// The programs of a specification such as `tn:10..40x2+safe`, the safe ones first, each by size as
/// written.
///
/// ```
/// let names = |text| epitome_benchmarks::instances(text).unwrap().iter().map(|i| i.to_string()).collect::<Vec<_>>();
/// assert_eq!(names("tn:10..40x2+safe"), ["tn:10+safe", "tn:20+safe", "tn:40+safe"]);
/// assert_eq!(names("ln:3"), ["ln:3+safe", "ln:3+unsafe"]);
/// ```
pub fn instances(text: &str) -> Result<Vec<Instance>, BadSuite> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let unknown = || BadSuite(FamilyError::Unknown { name: name.to_owned() }.to_string());
    let family = family(name).ok_or_else(unknown)?;
    let (list, versions) = versions(rest)?;
    let mut all_sizes = Vec::new();
    for item in list.split(',') {
        all_sizes.extend(sizes(family, item)?);
        if all_sizes.len() > MOST {
            return Err(BadSuite(format!(
                "`{text}` names more than {MOST} sizes; say {name}:A..B/STEP or {name}:A..Bx2"
            )));
        }
    }
    let instance = |verdict| all_sizes.iter().map(move |&size| Instance { family, size, verdict });
    Ok(versions.into_iter().flat_map(instance).collect())
}

/// Whether a text means a family rather than a file.
pub fn names_family(text: &str) -> bool {
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    FAMILIES.iter().any(|family| family.name == name)
}

/// What stands before `+safe` or `+unsafe`, and the versions wanted.
fn versions(text: &str) -> Result<(&str, Vec<Verdict>), BadSuite> {
    match text.split_once('+') {
        None => Ok((text, Verdict::ALL.to_vec())),
        Some((list, "safe")) => Ok((list, vec![Verdict::Safe])),
        Some((list, "unsafe")) => Ok((list, vec![Verdict::Unsafe])),
        Some((_, other)) => Err(BadSuite(format!("no version `+{other}`: say +safe, +unsafe, or nothing for both"))),
    }
}

/// How a range goes on.
#[derive(Clone, Copy)]
enum Step {
    Add(u32),
    Multiply(u32),
}

impl Step {
    fn next(self, size: u32) -> Option<u32> {
        match self {
            Step::Add(step) => size.checked_add(step),
            Step::Multiply(factor) => size.checked_mul(factor),
        }
    }
}

/// The sizes of `100`, `4..20`, `4..20/2` or `4..20x2`, one more than [`MOST`] at most. The family
/// has programs of all of them.
fn sizes(family: &Family, item: &str) -> Result<Vec<u32>, BadSuite> {
    let name = family.name;
    let example =
        format!("say for example {name}:10, {name}:1,2,5, {name}:4..20, {name}:10..50/10 or {name}:10..160x2");
    let advice = || match item {
        "" => BadSuite(format!("a size of family `{name}` is missing; {example}")),
        _ => BadSuite(format!("`{item}` is no size of family `{name}`; {example}")),
    };
    let number = |text: &str| text.parse::<u32>().map_err(|_| advice());
    let (first, last, step) = match item.split_once("..") {
        None => (number(item)?, number(item)?, Step::Add(1)),
        Some((first, rest)) => {
            let (last, step) = match (rest.split_once('x'), rest.split_once('/')) {
                (Some((last, factor)), _) => (last, Step::Multiply(number(factor)?)),
                (_, Some((last, step))) => (last, Step::Add(number(step)?)),
                (None, None) => (rest, Step::Add(1)),
            };
            (number(first)?, number(last)?, step)
        }
    };
    if last < first || matches!(step, Step::Add(0) | Step::Multiply(0 | 1)) {
        return Err(BadSuite(format!("the sizes `{item}` have no end or no beginning; {example}")));
    }
    for n in [first, last] {
        if n < family.smallest || n > family.largest {
            return Err(BadSuite(FamilyError::Size { family: Box::new(*family), n }.to_string()));
        }
    }
    let all = std::iter::successors(Some(first), |&size| step.next(size)).take_while(|&size| size <= last);
    Ok(all.take(MOST + 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected;

    fn names(text: &str) -> Vec<String> {
        instances(text).unwrap().iter().map(Instance::to_string).collect()
    }

    fn complaint(text: &str) -> String {
        instances(text).unwrap_err().to_string()
    }

    #[test]
    fn sizes_as_lists_and_ranges() {
        assert_eq!(names("tn:1,3,7..8+unsafe"), ["tn:1+unsafe", "tn:3+unsafe", "tn:7+unsafe", "tn:8+unsafe"]);
        assert_eq!(names("ln:4..9/2+safe"), ["ln:4+safe", "ln:6+safe", "ln:8+safe"]);
        assert_eq!(names("ln:3..20x3+safe"), ["ln:3+safe", "ln:9+safe"]);
        assert_eq!(instances("tn:1..10000").unwrap().len(), 20_000);
    }

    #[test]
    fn a_name_is_a_specification_of_its_own() {
        for instance in instances("rn:2..3").unwrap() {
            assert_eq!(names(&instance.to_string()), [instance.to_string()]);
            assert_eq!(expected(&instance.text().unwrap()), Ok(Some(instance.verdict())));
        }
    }

    #[test]
    fn bad_specifications_give_advice() {
        assert!(complaint("nt:3").contains("the families are tn, xn"));
        for text in ["tn", "tn:", "tn:x", "tn:1..", "tn:..3", "tn:1..3x", "tn:-1", "tn:1,,2", "tn:4294967296"] {
            assert!(complaint(text).contains("tn:4..20"), "{text}: {}", complaint(text));
        }
        for text in ["tn:5..2", "tn:2..8x1", "tn:2..8x0", "tn:2..8/0"] {
            assert!(complaint(text).contains("no end or no beginning"), "{text}: {}", complaint(text));
        }
        assert!(complaint("tn:0..3").contains("no program of size 0"));
        assert!(complaint("tn:1..1000000000").contains("no program of size 1000000000"));
        assert!(complaint("tn:1..100000").contains("more than 10000 sizes"));
        assert!(complaint("tn:3+both").contains("+unsafe"));
    }
}
