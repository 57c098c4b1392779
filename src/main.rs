//! The command `epitome`.

fn main() -> std::process::ExitCode {
    epitome::cli::main()
}
