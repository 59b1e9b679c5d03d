//! Arguments in, exit code out.

fn main() -> std::process::ExitCode {
    git_council::cli::main()
}
