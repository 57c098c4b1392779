//! temp
use epitome::model::*;
use epitome::reduce::*;
use epitome::syntax::*;
fn main() {
    let text = std::fs::read_to_string("/tmp/a1-t.bp").unwrap();
    let (program, _) = Program::parse(&Source::new("a.bp", text), Language::Bp).unwrap();
    let (ersm, _) = build(&program);
    let mut targets = NodeSet::new(&ersm);
    ersm.failures.iter().for_each(|failure| _ = targets.insert(failure.procedure, failure.node));
    let goal = Goal { targets, calls: vec![], all: false };
    for _ in 0..3 {
        let t = std::time::Instant::now();
        let clone = ersm.clone();
        println!("clone {:?}", t.elapsed());
        let t = std::time::Instant::now();
        drop(clone);
        println!("drop {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let r = reduce(&ersm, &goal, Reductions::all());
        println!("all {:?}", t.elapsed());
        for x in &r.removed {
            println!("  {} {:?}", x.reduction.name(), x.time);
        }
    }
}
