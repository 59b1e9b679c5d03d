//! Our diff alone, for `benches/run.py`: `diff REPOSITORY FROM TO [--names]`.
//!
//! Prints the unified diff of a range, or with `--names` one line for each file: status, old path, path.

use std::io::{BufWriter, Error, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use git_council::inside::git::{ChangeRequest, GitEnvironment, TargetSpec, read_change};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, from, to, rest @ ..] = args.as_slice() else {
        return fail(&"usage: diff REPOSITORY FROM TO [--names]");
    };
    let spec = TargetSpec::Range {
        from: from.clone(),
        to: to.clone(),
        symmetric: false,
    };
    match print(dir.into(), spec, rest.iter().any(|arg| arg == "--names")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    // Nothing is left to be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{error}");
    ExitCode::FAILURE
}

fn print(dir: PathBuf, spec: TargetSpec, names: bool) -> Result<(), Error> {
    let request = ChangeRequest {
        dir,
        spec,
        pathspecs: Vec::new(),
        env: GitEnvironment::default(),
    };
    let mut change = read_change(&request).map_err(Error::other)?;
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    let mut text = String::new();
    for mut file in std::mem::take(&mut change.files) {
        if names {
            let (old, new) = (file.path_before().display(), file.path.display());
            writeln!(out, "{:?}\t{old}\t{new}", file.status)?;
            continue;
        }
        change.fill_hunks(&mut file).map_err(Error::other)?;
        text.clear();
        file.write_unified(&mut text);
        out.write_all(text.as_bytes())?;
    }
    out.flush()
}
