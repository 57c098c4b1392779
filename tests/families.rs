//! What the list of families says of their classes is what `classify` measures of large members.

use epitome::Checker;
use epitome::syntax::{Language, Program, Source};
use epitome_benchmarks::{FAMILIES, Verdict, generate};

/// Large enough that little between procedures is not taken for bounded.
const LARGE: u32 = 40;

#[test]
fn families_are_of_the_class_they_name() {
    let mut families = 0;
    // Questions of branching time and of open systems have bounds of their own.
    for family in FAMILIES.iter().filter(|family| family.question.is_none()) {
        let text = generate(family.name, LARGE.min(family.largest), Verdict::Safe).unwrap();
        let file = format!("program.{}", family.language);
        let source = Source::new(&file, &text);
        let (program, _) = Program::parse(&source, Language::of_file(&file).unwrap()).unwrap();
        let checker = Checker::new(&program);
        let row = &checker.class().row;
        let (class, bound) = family.theorem.split_once(": ").unwrap();
        let measured = row.name.to_string();
        let is_same = measured == class || measured.strip_prefix("deterministic ") == Some(class);
        assert!(is_same, "{}: {class}, but measured is {measured}", family.name);
        let theorem = match row.theorem.parse::<u32>() {
            Ok(number) => format!("Godefroid, Theorem {number}"),
            Err(_) => row.theorem.replace(' ', ", Theorem "),
        };
        assert!(bound.contains(&theorem), "{}: {bound}, but measured is {theorem}", family.name);
        families += 1;
    }
    assert!(families >= 20, "only {families} families were measured");
}
