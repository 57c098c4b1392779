//! Finite-state programs, each as a machine and in Promela.

/// The same program twice.
pub struct FiniteState {
    pub name: String,
    pub machine: String,
    pub promela: String,
}

/// The programs that are compared.
pub fn finite_state() -> Vec<FiniteState> {
    vec![toggles(18), feedback(18)]
}

/// `n` bits, each of which can be flipped at any time: 2^n states of n transitions.
fn toggles(n: usize) -> FiniteState {
    let commands = (0..n).map(|i| (format!("x{i}"), format!("!x{i}"))).collect();
    program(format!("toggles({n})"), n, commands)
}

/// `n` bits in a ring; each can become the exclusive or of its neighbours, the first can be flipped.
fn feedback(n: usize) -> FiniteState {
    let mut commands: Vec<(String, String)> =
        (0..n).map(|i| (format!("x{i}"), format!("x{} ^ x{}", (i + n - 1) % n, (i + 1) % n))).collect();
    commands.push(("x0".to_owned(), "!x0".to_owned()));
    program(format!("feedback({n})"), n, commands)
}

/// One state, all bits 0 at the start, and one transition for each command.
fn program(name: String, n: usize, commands: Vec<(String, String)>) -> FiniteState {
    let bits: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let zeros: Vec<String> = bits.iter().map(|bit| format!("{bit} := 0")).collect();
    let steps: String = commands.iter().map(|(x, e)| format!("  e -> e do {x} := {e};\n")).collect();
    let machine = format!(
        "machine Main {{\n  var {};\n  entry e;\n  node never {{ERROR}};\n{steps}  e -> never when x0 & !x0;\n}}\ninit Main.e;\n",
        zeros.join(", ")
    );
    let options: String = commands.iter().map(|(x, e)| format!(" :: {x} = {e}\n")).collect();
    let promela = format!("bit {};\nactive proctype main() {{\n do\n{options} od\n}}\n", bits.join(", "));
    FiniteState { name, machine, promela }
}
