//! The binary: see [`epitome::cli`].

/// Models are many small lists; this allocator takes a tenth off a whole run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    epitome::cli::main()
}
