//! Random Boolean programs, by seed and shape.
//!
//! Differential tests need programs that nobody thought of. A [`Shape`] says how large a program may
//! be and which class of Godefroid, section 2.4, it must lie in; the seed says which of them it is.
//! Over many seeds a general shape uses every construct of the language, in its several spellings;
//! about half of the programs of each ready-made shape are unsafe.

mod body;
mod expressions;
mod splitmix;
mod statements;

pub use splitmix::SplitMix64;

use body::Body;

/// Sizes (each an upper bound) and restrictions of a random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Procedures beside `main`.
    pub procedures: u32,
    /// Global variables.
    pub globals: u32,
    /// Local variables of a procedure, parameters not counted.
    pub locals: u32,
    /// Parameters of a procedure.
    pub parameters: u32,
    /// Results of a procedure.
    pub results: u32,
    /// Statements of a procedure, before failures and a final `return` are added.
    pub statements: u32,
    /// How deep `if` and `while` are nested.
    pub nesting: u32,
    /// Places that may fail, in the whole program.
    pub failures: u32,
    /// Procedures may call each other in any way; otherwise only later ones.
    pub recursion: bool,
    /// `while`, and `goto` in both directions; otherwise `goto` goes down the text.
    pub loops: bool,
    /// `*`, `env`, `schoose`, `dead`, `constrain`, `goto` with several labels, variables without a
    /// start value, results without a `return`. Otherwise every run is the only one.
    pub nondeterminism: bool,
    /// At most two globals, one parameter and one result, however many the sizes above allow.
    pub io_bounded: bool,
}

impl Shape {
    /// Everything the language has: an ERSM.
    pub fn general() -> Shape {
        Shape {
            procedures: 4,
            globals: 3,
            locals: 2,
            parameters: 2,
            results: 2,
            statements: 9,
            nesting: 3,
            failures: 3,
            recursion: true,
            loops: true,
            nondeterminism: true,
            io_bounded: false,
        }
    }

    /// No recursion: an EHSM.
    pub fn hierarchical() -> Shape {
        Shape { recursion: false, ..Shape::general() }
    }

    /// Neither recursion nor loops: an acyclic EHSM.
    pub fn acyclic() -> Shape {
        Shape { recursion: false, loops: false, ..Shape::general() }
    }

    /// One run at most: a deterministic ERSM.
    pub fn deterministic() -> Shape {
        Shape { nondeterminism: false, failures: 12, ..Shape::general() }
    }

    /// Little passes between procedures, much happens inside: an I/O bounded ERSM.
    pub fn io_bounded() -> Shape {
        Shape { io_bounded: true, locals: 4, statements: 12, ..Shape::general() }
    }

    /// Many variables in scope, as programs abstracted by many predicates have: symbolic engines only.
    pub fn wide() -> Shape {
        let sizes = Shape { procedures: 6, globals: 60, locals: 20, parameters: 6, results: 4, ..Shape::general() };
        Shape { statements: 40, failures: 4, ..sizes }
    }

    /// Small enough for brute force.
    pub fn tiny() -> Shape {
        Shape { procedures: 2, globals: 2, locals: 1, parameters: 1, statements: 5, nesting: 2, ..Shape::general() }
    }

    fn most_globals(&self) -> u32 {
        if self.io_bounded { self.globals.min(2) } else { self.globals }
    }

    fn most_parameters(&self) -> u32 {
        if self.io_bounded { self.parameters.min(1) } else { self.parameters }
    }

    fn most_results(&self) -> u32 {
        if self.io_bounded { self.results.min(1) } else { self.results }
    }
}

/// The program of this seed and shape.
///
/// ```
/// use epitome_benchmarks::{Shape, random_program};
/// let text = random_program(7, &Shape::tiny());
/// assert_eq!(text, random_program(7, &Shape::tiny()));
/// assert!(text.contains("main("));
/// ```
pub fn random_program(seed: u64, shape: &Shape) -> String {
    let mut writer = Writer::new(seed, shape);
    let declarations = writer.globals_text();
    let count = writer.signatures.len();
    let places = writer.place_failures();
    let mut texts: Vec<String> = (0..count).map(|procedure| writer.procedure(procedure, places[procedure])).collect();
    // `main` need not come first.
    texts.rotate_left(if writer.rng.chance(1, 3) { writer.rng.below(count as u64) as usize } else { 0 });
    format!("// random program, seed {seed}\n{declarations}\n{}", texts.join("\n"))
}

/// The head of a procedure, known to its callers.
struct Signature {
    name: String,
    parameters: Vec<String>,
    results: u32,
}

struct Writer<'s> {
    rng: SplitMix64,
    shape: &'s Shape,
    globals: Vec<String>,
    /// `main` is the first.
    signatures: Vec<Signature>,
}

impl<'s> Writer<'s> {
    fn new(seed: u64, shape: &'s Shape) -> Writer<'s> {
        let mut rng = SplitMix64::new(seed);
        let globals = rng.at_most(shape.most_globals());
        let globals = (0..globals).map(|i| global_name(&mut rng, i)).collect();
        let mut writer = Writer { rng, shape, globals, signatures: Vec::new() };
        for index in 0..=writer.rng.at_most(shape.procedures) {
            let signature = writer.signature(index);
            writer.signatures.push(signature);
        }
        writer
    }

    fn signature(&mut self, index: u32) -> Signature {
        let rng = &mut self.rng;
        if index == 0 {
            // Parameters of `main` are one more way to start with an arbitrary value.
            let some = self.shape.nondeterminism && self.shape.parameters > 0 && rng.chance(1, 12);
            let parameters = if some { vec!["argument".to_owned()] } else { Vec::new() };
            return Signature { name: "main".to_owned(), parameters, results: 0 };
        }
        let parameters = (0..rng.at_most(self.shape.most_parameters())).map(|i| format!("p{i}")).collect();
        Signature { name: format!("proc{index}"), parameters, results: rng.at_most(self.shape.most_results()) }
    }

    fn globals_text(&mut self) -> String {
        let globals = self.globals.clone();
        self.declarations(&globals, "")
    }

    /// `decl a, b := 0;`, several variables a line or one.
    fn declarations(&mut self, names: &[String], indent: &str) -> String {
        let mut text = String::new();
        for (index, name) in names.iter().enumerate() {
            if index > 0 && self.rng.chance(1, 2) {
                text.push_str(", ");
            } else {
                text.push_str(if index > 0 { ";\n" } else { "" });
                text.push_str(&format!("{indent}decl "));
            }
            text.push_str(name);
            text.push_str(self.initial_value());
        }
        text.push_str(if names.is_empty() { "" } else { ";\n" });
        text
    }

    fn initial_value(&mut self) -> &'static str {
        match self.rng.below(8) {
            _ if !self.shape.nondeterminism => self.rng.pick(&[" := 0", " := 1", " := F", " := T"]),
            0..=3 => self.rng.pick(&[" := 0", " := 1", " := false", " := true"]),
            4 => " := *",
            _ => "",
        }
    }

    /// How many places that may fail each procedure gets.
    fn place_failures(&mut self) -> Vec<u32> {
        let mut places = vec![0; self.signatures.len()];
        for _ in 0..self.rng.at_most(self.shape.failures) {
            let procedure = self.rng.below(places.len() as u64) as usize;
            places[procedure] += 1;
        }
        places
    }

    fn procedure(&mut self, index: usize, failures: u32) -> String {
        let head = self.head(index);
        let mut locals: Vec<String> =
            (0..self.rng.at_most(self.shape.locals)).map(|i| format!("l{index}_{i}")).collect();
        if let (Some(local), Some(global)) = (locals.first_mut(), self.globals.first())
            && self.rng.chance(1, 24)
        {
            global.clone_into(local); // hides the global
        }
        let declarations = self.declarations(&locals, "  ");
        let body = Body::write(self, index, &locals, failures);
        format!("{head} begin\n{declarations}{body}end\n")
    }

    fn head(&mut self, index: usize) -> String {
        let Signature { name, parameters, results } = &self.signatures[index];
        let kind = match results {
            0 => (*self.rng.pick(&["void ", ""])).to_owned(),
            1 => (*self.rng.pick(&["bool ", "bool ", "bool<1> "])).to_owned(),
            n => format!("bool<{n}> "),
        };
        format!("{kind}{name}({})", parameters.join(", "))
    }
}

/// Mostly `g0`, sometimes a predicate in braces (Ball, Fig. 2).
fn global_name(rng: &mut SplitMix64, index: u32) -> String {
    if rng.chance(1, 16) { format!("{{x > {index}}}") } else { format!("g{index}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a of the texts of some seeds of every shape.
    fn fingerprint() -> u64 {
        let shapes = [
            Shape::general(),
            Shape::hierarchical(),
            Shape::acyclic(),
            Shape::deterministic(),
            Shape::io_bounded(),
            Shape::tiny(),
        ];
        let texts = shapes.iter().flat_map(|shape| (0..50).map(move |seed| random_program(seed, shape)));
        texts
            .flat_map(String::into_bytes)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// Seeds are quoted in reports, so they must keep their meaning. Where this fails, either undo
    /// the change or accept that every seed quoted so far is void, and write the new number.
    #[test]
    fn seeds_keep_their_meaning() {
        assert_eq!(fingerprint(), 9_261_489_230_545_730_894);
    }

    #[test]
    fn deterministic_programs_have_no_choice() {
        for seed in 0..500 {
            let text = random_program(seed, &Shape::deterministic());
            for word in ["*", "?", "env", "schoose", "dead", "constrain"] {
                assert!(!text.contains(word), "{word} in\n{text}");
            }
            assert!(text.lines().all(|line| !line.contains("goto") || !line.contains(',')), "{text}");
        }
    }

    #[test]
    fn io_is_bounded() {
        let shape = Shape { globals: 9, parameters: 9, results: 9, ..Shape::io_bounded() };
        for seed in 0..200 {
            let text = random_program(seed, &shape);
            assert!(!text.contains("p1") && !text.contains("bool<2>") && !text.contains("g2"), "{text}");
        }
    }
}
