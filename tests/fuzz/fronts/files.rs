//! Files that are not programs: certificates, experiments and their records, formulas of other tools, tasks.

use super::{Front, ensure};
use crate::common::read;
use crate::corpus::files;
use assert_cmd::Command;
use epitome::certify::{self, Certificate, Finding};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::solver::SolverName;
use epitome::syntax::Source;
use epitome::{Checker, Engine};
use epitome_benchmarks::{SuiteFile, expected, instances, names_family, read_records};
use epitome_encodings::{dimacs, qdimacs};
use std::time::Duration;

pub const CERTIFICATES: Front = Front {
    name: "certificates",
    share: 3,
    endings: &["json"],
    corpus: || {
        let program = read("bp", &of_safe());
        let report = Checker::new(&program).check(
            &Query::Failures,
            Engine::Prove(SolverName::Batsat),
            &Limits::none(),
            &mut |_| (),
        );
        let proof = report.expect("is checked").proof.expect("holds");
        vec![write(&of_safe(), &proof)]
    },
    survive: |input| {
        let text = String::from_utf8_lossy(input);
        let mut is_certificate = false;
        let [safe, unsafe_] = [of_safe(), of_safe().replace("a & !a", "a | !a")];
        for (program, is_safe) in [(safe, true), (unsafe_, false)] {
            let parsed = read("bp", &program);
            let checker = Checker::new(&parsed);
            match certify::read(&text, checker.ersm()) {
                Err(error) => ensure(!error.to_string().is_empty(), || "no message".to_owned())?,
                Ok(certificate) => {
                    is_certificate = true;
                    let written = String::from_utf8(write(&program, &certificate.proof)).expect("is text");
                    let again = certify::read(&written, checker.ersm()).map(|again| again.proof);
                    ensure(again.as_ref() == Ok(&certificate.proof), || {
                        format!("is written and read as another: {written}")
                    })?;
                    let limits = Limits::none().with_timeout(Duration::from_secs(1)).with_effort(50_000);
                    let found = checker.certify(&Query::Failures, &certificate.proof, SolverName::Cadical, &limits);
                    ensure(is_safe || found.finding != Finding::Valid, || {
                        "a certificate of what is not so".to_owned()
                    })?;
                }
            }
        }
        Ok(is_certificate)
    },
};

pub const RECORDS: Front = Front {
    name: "records",
    share: 2,
    endings: &["csv", "toml", "cnf", "qdimacs"],
    corpus: || files(&["csv", "toml", "cnf", "qdimacs"], RECORD_TEXTS),
    survive: |input| {
        let text = String::from_utf8_lossy(input);
        let is_suite = text.split_whitespace().take(20).filter(|word| instances(word).is_ok()).count() > 0;
        let files =
            [read_records(&text).is_ok(), SuiteFile::parse(&text).is_ok(), expected(&text).is_ok_and(|e| e.is_some())];
        let formula = qdimacs::read(input).map(|formula| formula.to_qbf());
        names_family(&text);
        Ok(is_suite || files.contains(&true) || formula.is_ok() || dimacs::read(input).is_ok())
    },
};

pub const TASKS: Front = Front {
    name: "tasks",
    share: 1,
    endings: &["yml"],
    corpus: || files(&["yml"], TASK_TEXTS),
    survive: |input| {
        let folder = tempfile::tempdir().expect("a folder");
        let program = "extern void reach_error(void); int main(void) { return 0; }";
        let property = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
        let files = [("lock.c", program.as_bytes()), ("unreach.prp", property.as_bytes()), ("t.yml", input)];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("can write");
        }
        let mut command = Command::cargo_bin("epitome").expect("is built");
        let command = command.current_dir(folder.path()).args(["check", "t.yml", "--timeout", "5s", "--trace", "none"]);
        let output = command.output().expect("runs");
        let ends = [Some(0), Some(2), Some(3), Some(10)].contains(&output.status.code());
        ensure(ends, || format!("status {:?}: {}", output.status, String::from_utf8_lossy(&output.stderr)))?;
        Ok(output.status.code() != Some(2))
    },
};

const RECORD_TEXTS: &[&str] = &[
    "p cnf 3 2\nc x\n1 -2 0\n3 0\n",
    "p cnf 3 2\na 1 0\ne 2 3 0\n1 -2 0\n3 2 -1 0\n",
    "[[group]]\ntasks = [\"tn:1000+safe\", \"rn:14\"]\nengines = [\"expand\", \"bdd\"]\n",
    "tn:1000,4000 rn:14..16+safe adder:6,8+unsafe",
    "// expected: TRUE\n",
    "task,family,n,verdict,engine,options,status,time\ntn:3,tn,3,safe,bdd,,TRUE,0.1\n",
];

const TASK_TEXTS: &[&str] = &[
    "format_version: '2.0'\ninput_files: 'lock.c'\nproperties:\n  - property_file: unreach.prp\n    expected_verdict: true\n",
    "format_version: \"2.0\"\n\ninput_files:\n  - \"lock.c\"\n\nproperties:\n  - property_file: ./unreach.prp\noptions:\n  language: C\n  data_model: LP64\n",
    "format_version: 2.0\ninput_files: lo*.c\nproperties: [{property_file: unreach.prp, expected_verdict: false}]\noptions: {data_model: ILP32}\n",
    "# a task\nformat_version: '1.0'\ninput_files: lock.c\nproperties:\n- property_file: unreach.prp\n  expected_verdict: true\n  subproperty: x\n",
];

fn of_safe() -> String {
    "decl g; void main() begin decl i, j; i := 0; while (*) do i := id(i); od assert(!i); j := id(g); if (j) then bad(*); fi end
    bool id(a) begin return a; end void bad(a) begin assert(!(a & !a)); end"
        .to_owned()
}

fn write(program: &str, proof: &epitome::model::Proof) -> Vec<u8> {
    let parsed = read("bp", program);
    let solver = SolverName::Batsat.name().to_owned();
    let certificate =
        Certificate { file: "p.bp".to_owned(), property: Query::Failures.to_string(), solver, proof: proof.clone() };
    certify::write(&certificate, Checker::new(&parsed).ersm(), &Source::new("p.bp", program)).into_bytes()
}
