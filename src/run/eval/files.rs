//! The files of an evaluation: the labelled changes, and beside them what councils and people said of them.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};

use crate::eval::labelled::LabelledChange;
use crate::eval::trials::{TrialBook, TrialLine};
use crate::run::error::RunError;
use crate::safe_file;

/// The places of an evaluation, by the file of its changes.
pub(crate) struct EvalFiles {
    /// The labelled changes, a JSON object a line.
    pub(crate) changes: PathBuf,
}

impl EvalFiles {
    pub(crate) fn new(changes: PathBuf) -> Self {
        Self { changes }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.changes.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    /// What councils said, a trial a line.
    pub(crate) fn results(&self) -> PathBuf {
        self.beside(".results")
    }

    /// The runs, with every answer that was paid for.
    pub(crate) fn runs(&self) -> PathBuf {
        self.beside(".runs")
    }

    /// What a person said of shown findings.
    pub(crate) fn labels(&self) -> PathBuf {
        self.beside(".labels")
    }

    /// The labelled changes.
    pub(crate) fn read_changes(&self) -> Result<Vec<LabelledChange>, RunError> {
        let file = &self.changes;
        let text = read_named(file).map_err(|error| {
            RunError::usage(format!("cannot read {}: {error}", file.display()))
                .hint("`git council eval collect -o FILE` makes such a file")
        })?;
        read_lines(file, &text)
    }

    /// Writes the labelled changes in the place of what is there.
    pub(crate) fn write_changes(&self, items: &[LabelledChange]) -> Result<(), RunError> {
        let mut text = String::new();
        for item in items {
            text.push_str(&to_line(item)?);
        }
        let name = self.changes.display().to_string();
        safe_file::write_file(&self.changes, text).map_err(|error| RunError::output(&name, &error))
    }

    /// Writes newly labelled changes in the place of what is there, and says how many stay that are not among them: what
    /// councils have reviewed keeps the label under which it was. Where nothing could be labelled, nothing is written over.
    pub(crate) fn renew_changes(&self, items: Vec<LabelledChange>) -> Result<usize, RunError> {
        if !self.changes.exists() {
            return self.write_changes(&items).map(|()| 0);
        }
        let book = self.read_results()?;
        let reviewed = book.reviewed_items();
        // Read in any case: another file of the user's is not written over.
        let old = self.read_changes().map_err(|error| {
            error.hint(
                "it may be a file of another kind, which `git council eval collect -o FILE` does not overwrite",
            )
        })?;
        if items.is_empty() {
            return Ok(old.len());
        }
        let mut kept: Vec<LabelledChange> = old;
        kept.retain(|item| reviewed.contains(item.id.as_str()));
        let names: BTreeSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
        let stay = kept
            .iter()
            .filter(|item| !names.contains(item.id.as_str()))
            .count();
        let known: BTreeSet<String> = kept.iter().map(|item| item.id.clone()).collect();
        kept.extend(items.into_iter().filter(|item| !known.contains(&item.id)));
        self.write_changes(&kept)?;
        Ok(stay)
    }

    /// What is known of trials so far.
    pub(crate) fn read_results(&self) -> Result<TrialBook, RunError> {
        let file = self.results();
        let text = read_or_empty(&file)?;
        TrialBook::parse(&text).map_err(|number| {
            RunError::usage(format!("{}:{number}: this is no result of a trial", file.display()))
                .hint(
                    "remove this line and no other: a trial that began is known by an earlier line, and goes on from its \
                     run; one that no line names any more is paid for again",
                )
        })
    }

    /// Keeps every other run over the same changes out, as long as it is held.
    ///
    /// # Errors
    /// `usage` where one is going on.
    pub(crate) fn lock(&self) -> Result<File, RunError> {
        let name = self.changes.display();
        let cannot =
            |error: std::io::Error| RunError::usage(format!("cannot lock {name}: {error}"));
        let file = safe_file::open_input(&self.changes).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(RunError::usage(format!(
                "another `git council eval run` is going on over {name}"
            ))
            .hint("wait for it, or end it: the same command goes on where it stopped")),
            Err(TryLockError::Error(error)) => Err(cannot(error)),
        }
    }

    /// Adds a line to the results, on disk before anything else happens.
    pub(crate) fn add_result(&self, line: &TrialLine) -> Result<(), RunError> {
        append_line(&self.results(), &to_line(line)?)
    }
}

fn read_named(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    safe_file::open_input(file)?.read_to_string(&mut text)?;
    Ok(text)
}

/// The text of a file; empty where there is none.
pub(super) fn read_or_empty(file: &Path) -> Result<String, RunError> {
    match read_named(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read
            .map_err(|error| RunError::usage(format!("cannot read {}: {error}", file.display()))),
    }
}

/// A JSON object a line.
pub(super) fn read_lines<T: DeserializeOwned>(file: &Path, text: &str) -> Result<Vec<T>, RunError> {
    let read = |(number, line): (usize, &str)| {
        serde_json::from_slice(line.as_bytes())
            .map_err(|error| RunError::usage(format!("{}:{number}: {error}", file.display())))
    };
    (1..).zip(text.lines()).map(read).collect()
}

pub(super) fn to_line(value: &impl serde::Serialize) -> Result<String, RunError> {
    let line = serde_json::to_string(value).map_err(RunError::run)?;
    Ok(line + "\n")
}

/// Appends a line. A last line that a crash cut off is taken away first: nobody can read it, and with more behind it nobody
/// would read the file.
pub(super) fn append_line(file: &Path, line: &str) -> Result<(), RunError> {
    let append = || {
        let known = safe_file::read(file).unwrap_or_default();
        let mut out = safe_file::open_append(file)?;
        let whole = known.iter().rposition(|&byte| byte == b'\n');
        let (kept, last) = known.split_at(whole.map_or(0, |end| end + 1));
        if serde_json::from_slice::<IgnoredAny>(last).is_ok() {
            out.write_all(b"\n")?;
        } else if !last.is_empty() {
            out.set_len(kept.len() as u64)?;
        }
        out.write_all(line.as_bytes())?;
        out.sync_data()
    };
    append().map_err(|error| RunError::output(&file.display().to_string(), &error))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_run_over_the_changes_keeps_the_next_one_out() {
        let folder = tempfile::tempdir().unwrap();
        let files = EvalFiles::new(folder.path().join("f"));
        files.write_changes(&[]).unwrap();
        let held = files.lock().unwrap();
        let refused = files.lock().unwrap_err();
        assert!(refused.message.contains("another"), "{}", refused.message);
        drop(held);
        files.lock().unwrap();
    }

    fn change(id: &str, how: &str) -> LabelledChange {
        serde_json::from_value(serde_json::json!({
            "id": id, "set": "clean", "confidence": "high", "how": how, "commit": "c", "seconds": 1, "files": [],
            "places": [],
        }))
        .unwrap()
    }

    /// Whatever is collected later: what was paid for keeps its change, as it was reviewed.
    #[test]
    fn a_change_that_was_reviewed_stays_in_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let files = EvalFiles::new(folder.path().join("f"));
        let now = || -> Vec<(String, String)> {
            let all = files.read_changes().unwrap().into_iter();
            all.map(|item| (item.id, item.how)).collect()
        };
        let pairs = |all: &[(&str, &str)]| -> Vec<(String, String)> {
            all.iter()
                .map(|(id, how)| ((*id).to_owned(), (*how).to_owned()))
                .collect()
        };
        assert_eq!(
            files
                .renew_changes(vec![change("a", "1"), change("b", "1")])
                .unwrap(),
            0
        );
        assert_eq!(files.renew_changes(vec![]).unwrap(), 2);
        assert_eq!(now(), pairs(&[("a", "1"), ("b", "1")]));
        let key = crate::eval::trials::TrialKey {
            item: "a".to_owned(),
            council: "x".to_owned(),
            digest: "d".to_owned(),
            repeat: 1,
        };
        let run = "r".to_owned();
        files.add_result(&TrialLine::Began { key, run }).unwrap();
        assert_eq!(files.renew_changes(vec![]).unwrap(), 2);
        assert_eq!(files.renew_changes(vec![change("c", "1")]).unwrap(), 1);
        assert_eq!(now(), pairs(&[("a", "1"), ("c", "1")]));
        // Under a name that is numbered another defect may stand by now.
        assert_eq!(
            files
                .renew_changes(vec![change("a", "2"), change("b", "2")])
                .unwrap(),
            0
        );
        assert_eq!(now(), pairs(&[("a", "1"), ("b", "2")]));
    }

    #[test]
    fn a_line_that_was_cut_off_spoils_nothing_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f.results");
        for (known, becomes) in [
            ("", "{}\n"),
            ("{\"a\":1}\n", "{\"a\":1}\n{}\n"),
            ("{\"a\":1}\n{\"b\":", "{\"a\":1}\n{}\n"),
            ("{\"b\":", "{}\n"),
            // Only its end is missing.
            ("{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n{}\n"),
        ] {
            fs::write(&file, known).unwrap();
            append_line(&file, "{}\n").unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), becomes, "{known}");
        }
    }
}
