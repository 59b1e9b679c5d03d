//! What this user said of findings, beside the notes: a line each, sealed and appended, so that it holds without a note.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use council_protocol::task::Framing;

use crate::config::{NoteSettings, Settings};
use crate::council::outcome::{Disagreement, Outcome, Verdict, VerdictReason};
use crate::council::plan::{ConsensusRule, VerdictPolicy};
use crate::council::{Dismissal, Plan, ReconsideredVerdict};
use crate::git::{self, NoteSignature, RepositoryPaths, UserGit};
use crate::memory::line::{self, DismissalLine, NoteLine, ParsedLine};
use crate::memory::{ChangeAuthors, MacKey, MacPurpose};
use crate::report::Report;

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::safe_file::{self, FileWriter};

/// The most commits of a change whose authors are known (as many as a packet tells).
const MAX_COMMITS: usize = 100;

/// What a line's signature is called where it is this user's seal. It is of no format that git knows, so that it counts for
/// nothing in a note.
const SEALED: &str = "seal";

/// What is said of a log that is not whole.
pub(crate) const CUT_LOG: &str = "lines are missing from your log of dismissals";

/// What the seal over the end of the log begins with, so that no line's seal passes for it.
const HEAD: &str = "head ";

/// The user's own lines. Each one's seal covers the seal before it, and a file beside them seals the last one: a line
/// that is taken out, put in again or cut off is noticed. Not noticed is who puts back both files as they once were.
pub(crate) struct DismissalJournal {
    file: PathBuf,
    head: PathBuf,
    seal: Option<MacKey>,
}

/// What lies in the log.
#[derive(Default)]
pub(crate) struct DismissalLog {
    /// This user's lines, one after another; none where some are missing.
    pub own: Vec<ParsedLine>,
    /// Lines that somebody else left here, or that do not follow what stands before them.
    pub others: Vec<ParsedLine>,
    /// Whether lines of this user are missing.
    pub is_cut: bool,
    /// The seal of the user's last line.
    last: String,
}

impl DismissalJournal {
    pub(crate) fn new(memory_dir: &Path, seal: Option<MacKey>) -> Self {
        Self {
            file: memory_dir.join("dismissals.jsonl"),
            head: memory_dir.join("dismissals.head"),
            seal,
        }
    }

    /// The log so far; a line that was cut off by a crash is in none of it.
    pub(crate) fn read_log(&self) -> DismissalLog {
        let bytes = safe_file::read(&self.file).unwrap_or_default();
        self.sort_lines(&String::from_utf8_lossy(&bytes))
    }

    fn sort_lines(&self, text: &str) -> DismissalLog {
        let head = safe_file::read_text(&self.head).ok();
        let mut log = DismissalLog::default();
        let mut is_whole = self.is_sealed_end(head.as_deref(), "");
        for line in text.lines().filter_map(line::parse_line) {
            match self.follows(&log.last, &line) {
                Some(seal) => {
                    log.last = seal;
                    // A crash may have kept the file beside it from the last line.
                    is_whole |= self.is_sealed_end(head.as_deref(), &log.last);
                    log.own.push(line);
                }
                None => log.others.push(line),
            }
        }
        // Where none is left nothing is dismissed, and the log begins anew.
        log.is_cut = !is_whole && !log.own.is_empty();
        if log.is_cut {
            log.others.append(&mut log.own);
        }
        log
    }

    /// The seal of a line of the user's own behind the line with the seal `last`.
    fn follows(&self, last: &str, line: &ParsedLine) -> Option<String> {
        let (seal, signature) = (self.seal.as_ref()?, line.signature.as_ref()?);
        let text = chained(last, &line.body);
        let is_own = signature.format == SEALED
            && seal.verify_mac(MacPurpose::Dismissal, text.as_bytes(), &signature.value);
        is_own.then(|| signature.value.clone())
    }

    fn is_sealed_end(&self, head: Option<&str>, last: &str) -> bool {
        let (Some(seal), Some(head)) = (&self.seal, head) else {
            return false;
        };
        let text = format!("{HEAD}{last}");
        seal.verify_mac(MacPurpose::Dismissal, text.as_bytes(), head.trim())
    }

    /// Adds a line under the user's seal, behind a newline where an earlier one was cut off.
    pub(crate) fn append_line(&self, body: &str) -> io::Result<()> {
        let seal = self.seal.as_ref();
        let seal = seal.ok_or_else(|| io::Error::other("there is no key to seal it with"))?;
        if let Some(dir) = self.file.parent() {
            safe_file::make_folder(dir)?;
        }
        let mut file = safe_file::open_append(&self.file)?;
        file.lock()?;
        let bytes = safe_file::read(&self.file)?;
        let log = self.sort_lines(&String::from_utf8_lossy(&bytes));
        if log.is_cut {
            return Err(self.cut_error());
        }
        if log.own.is_empty() {
            self.seal_end(seal, "")?;
        }
        let signature = NoteSignature {
            format: SEALED.to_owned(),
            value: seal.mac_hex(MacPurpose::Dismissal, chained(&log.last, body).as_bytes()),
        };
        let line = line::append_signature(body, &signature);
        let torn = bytes.last().is_some_and(|&last| last != b'\n');
        let text = format!("{}{line}\n", if torn { "\n" } else { "" });
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        self.seal_end(seal, &signature.value)
    }

    fn seal_end(&self, seal: &MacKey, last: &str) -> io::Result<()> {
        let text = format!("{HEAD}{last}");
        let text = seal.mac_hex(MacPurpose::Dismissal, text.as_bytes());
        FileWriter::new(&self.head).synced().write(text.as_bytes())
    }

    fn cut_error(&self) -> io::Error {
        let file = self.file.display();
        io::Error::other(format!("{CUT_LOG} ({file}); remove the file to begin anew"))
    }
}

/// What a line's seal covers.
fn chained(last: &str, body: &str) -> String {
    format!("{last}\n{body}")
}

/// All that this user said, in the order in which it was said.
pub(crate) fn own_lines(start: &RunContext) -> Result<Vec<DismissalLine>, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let Some(dir) = place.memory_dir() else {
        return Ok(Vec::new());
    };
    let own = DismissalJournal::new(&dir, start.signing_key())
        .read_log()
        .own;
    let lines = own.into_iter().filter_map(|read| match read.line {
        NoteLine::Dismissal(line) => Some(line),
        NoteLine::Verdict(_) => None,
    });
    Ok(lines.collect())
}

/// What this user last said of each finding, by its fingerprint: a dismissal, or none where one was taken back.
pub(crate) fn own_decisions(
    start: &RunContext,
) -> Result<BTreeMap<String, Option<Dismissal>>, RunError> {
    let lines = own_lines(start)?;
    let named = lines.iter().map(|line| &line.dismissal.fingerprint);
    let mut said: BTreeMap<_, _> = named.map(|name| (name.clone(), None)).collect();
    for dismissal in line::latest_dismissals(lines) {
        said.insert(dismissal.fingerprint.clone(), Some(dismissal));
    }
    Ok(said)
}

/// By what a verdict is decided.
pub(crate) struct VerdictTerms {
    pub(crate) consensus: ConsensusRule,
    pub(crate) policy: VerdictPolicy,
    pub(crate) quorum: u32,
}

impl VerdictTerms {
    /// Those of a plan.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        Self {
            consensus: plan.consensus,
            policy: plan.policy,
            quorum: plan.quorum,
        }
    }

    /// Those of an old report, under today's settings.
    pub(crate) fn of_report(report: &Report, settings: &Settings) -> Self {
        let own = report.outcome.consensus;
        Self {
            consensus: own.unwrap_or(settings.review.consensus),
            policy: settings.policy(),
            quorum: report.receipt.participation.quorum,
        }
    }
}

/// Decides an outcome again under these dismissals. One without result stays one.
pub(crate) fn decide_under(outcome: &mut Outcome, terms: &VerdictTerms, dismissals: &[Dismissal]) {
    let reconsidered = ReconsideredVerdict {
        consensus: terms.consensus,
        policy: terms.policy,
        quorum: terms.quorum,
        judges: &outcome.judges,
        benches: &outcome.benches,
        coverage: &outcome.coverage,
    };
    let decided = reconsidered.decide_again(&mut outcome.findings, dismissals);
    use VerdictReason as R;
    let stays = match outcome.reason {
        // Whatever was found until then: it came to no end, or to one that is no verdict.
        R::Interrupted | R::Deadline | R::BackendLost => true,
        R::DuelBrokenOff | R::DuelTimeout | R::DuelViolation => true,
        // What was said beside the findings stays said.
        R::DuelLimit | R::DuelRemark | R::CommitFailed => decided.0 == Verdict::Pass,
        _ => false,
    };
    if !stays {
        (outcome.verdict, outcome.reason) = decided;
    }
    let gone = |id: &String| {
        let mut findings = outcome.findings.iter();
        findings.any(|found| found.id == *id && found.dismissed.is_some())
    };
    let is_open = |d: &Disagreement| !d.finding.as_ref().is_some_and(gone);
    outcome.disagreements = std::mem::take(&mut outcome.disagreements)
        .into_iter()
        .filter(is_open)
        .collect();
}

/// Decides a report that is told again under these dismissals, if they are others than it was made with; says whether.
pub(crate) fn decide_again(
    report: &mut Report,
    terms: &VerdictTerms,
    dismissals: &[Dismissal],
) -> bool {
    let mut again = report.outcome.clone();
    decide_under(&mut again, terms, dismissals);
    let dismissed = |outcome: &Outcome| -> Vec<bool> {
        let findings = outcome.findings.iter();
        findings.map(|found| found.dismissed.is_some()).collect()
    };
    let is_changed = dismissed(&again) != dismissed(&report.outcome);
    if is_changed {
        let told = report.fate_notes();
        let before = std::mem::replace(&mut report.outcome, again);
        report.retell_fates(&told);
        report.tell_taken_back(&before.findings);
    }
    is_changed
}

/// A line for the notes, signed where the user wants that.
pub(crate) fn note_line(
    line: &NoteLine,
    git: &UserGit,
    notes: &NoteSettings,
) -> Result<String, RunError> {
    sign_line(line.body(), git, notes)
}

/// The same of a line that is JSON already.
pub(crate) fn sign_line(
    body: String,
    git: &UserGit,
    notes: &NoteSettings,
) -> Result<String, RunError> {
    if !notes.sign {
        return Ok(body);
    }
    let signature = git::sign_text(git, &body).map_err(|error| {
        RunError::run(error)
            .hint("notes.sign is on; `git config council.notes.sign false` switches it off")
    })?;
    Ok(line::append_signature(&body, &signature))
}

/// Who had a part in a change that a job of a CI service reviews.
pub(crate) fn change_authors(framing: &Framing, start: &RunContext) -> ChangeAuthors {
    let mail = |author: &str| {
        let (_, rest) = author.rsplit_once('<')?;
        Some(rest.trim_end_matches('>').to_owned())
    };
    let logins = [
        "GITHUB_ACTOR",
        "GITHUB_TRIGGERING_ACTOR",
        "GITLAB_USER_LOGIN",
    ];
    let mut logins: Vec<String> = logins
        .iter()
        .filter_map(|name| Some(start.environment.get(name)?.to_string_lossy().into_owned()))
        .collect();
    let event = start.environment.get("GITHUB_EVENT_PATH");
    let event = event
        .and_then(|path| safe_file::read(path).ok())
        .unwrap_or_default();
    let event: serde_json::Value = serde_json::from_slice(&event).unwrap_or_default();
    let people = [
        "/pull_request/user/login",
        "/sender/login",
        "/issue/user/login",
    ];
    logins.extend(
        people
            .iter()
            .filter_map(|at| Some(event.pointer(at)?.as_str()?.to_owned())),
    );
    ChangeAuthors {
        mails: framing
            .commits
            .iter()
            .filter_map(|commit| mail(&commit.author))
            .collect(),
        logins,
        complete: !framing.commits.is_empty() && framing.commits.len() < MAX_COMMITS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log with so many lines, in a folder of its own.
    fn written(count: usize) -> (tempfile::TempDir, DismissalJournal) {
        let dir = tempfile::tempdir().unwrap();
        let journal = DismissalJournal::new(dir.path(), Some(MacKey::new([7; 32])));
        for number in 0..count {
            journal.append_line(&body(number)).unwrap();
        }
        (dir, journal)
    }

    fn body(number: usize) -> String {
        let said =
            r#""ground":"fixed","because":"","by":"B","at":"2026-01-01T00:00:00Z","finding":"""#;
        format!(r#"{{"type":"dismissal","v":1,"fingerprint":"{number:016x}",{said}}}"#)
    }

    fn lines(journal: &DismissalJournal) -> Vec<String> {
        let text = safe_file::read_text(&journal.file).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn rewrite(journal: &DismissalJournal, lines: &[String]) -> DismissalLog {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&journal.file, text).unwrap();
        journal.read_log()
    }

    #[test]
    fn a_log_that_nobody_touched_is_whole() {
        for count in 0..4 {
            let (_dir, journal) = written(count);
            let log = journal.read_log();
            assert_eq!(
                (log.own.len(), log.others.len(), log.is_cut),
                (count, 0, false)
            );
        }
    }

    /// Whichever line is cut off, taken out or moved: none of the log counts, and nothing is added to what is left.
    #[test]
    fn no_line_of_the_log_can_be_taken_out_or_put_in_again() {
        let (_dir, journal) = written(3);
        let all = lines(&journal);
        let pick = |numbers: &[usize]| numbers.iter().map(|&n| all[n].clone()).collect::<Vec<_>>();
        for numbers in [&[0, 1][..], &[0], &[0, 2], &[2, 1, 0], &[1, 0, 2]] {
            let log = rewrite(&journal, &pick(numbers));
            assert_eq!((log.own.len(), log.is_cut), (0, true), "{numbers:?}");
            let error = journal.append_line(&body(9)).unwrap_err().to_string();
            assert!(error.contains(CUT_LOG), "{error}");
        }
        for numbers in [&[1, 2][..], &[2], &[]] {
            assert!(
                rewrite(&journal, &pick(numbers)).own.is_empty(),
                "{numbers:?}"
            );
        }
        // A line that is there twice counts once: the second one is of somebody else.
        for numbers in [&[0, 1, 2, 0][..], &[0, 0, 1, 2], &[0, 1, 2, 2]] {
            let log = rewrite(&journal, &pick(numbers));
            assert_eq!((log.own.len(), log.others.len(), log.is_cut), (3, 1, false));
        }
        std::fs::remove_file(&journal.head).unwrap();
        assert!(rewrite(&journal, &pick(&[0, 1, 2])).is_cut);
    }

    /// Without any line nothing is dismissed: then it begins anew.
    #[test]
    fn a_log_that_was_removed_begins_anew() {
        let (_dir, journal) = written(3);
        let old = lines(&journal);
        std::fs::remove_file(&journal.file).unwrap();
        assert!(journal.read_log().own.is_empty());
        journal.append_line(&body(4)).unwrap();
        assert_eq!(journal.read_log().own.len(), 1);
        let new = lines(&journal);
        assert!(rewrite(&journal, &[old[0].clone(), new[0].clone()]).is_cut);
    }

    /// A crash between a line and the seal of the end, or inside of a line.
    #[test]
    fn a_crash_while_a_line_is_added_loses_that_line_at_most() {
        let (_dir, journal) = written(1);
        let head = safe_file::read_text(&journal.head).unwrap();
        journal.append_line(&body(1)).unwrap();
        std::fs::write(&journal.head, head).unwrap();
        assert_eq!(journal.read_log().own.len(), 2);
        let text = safe_file::read_text(&journal.file).unwrap();
        std::fs::write(&journal.file, format!("{text}{}", &text[..40])).unwrap();
        journal.append_line(&body(2)).unwrap();
        let log = journal.read_log();
        assert_eq!((log.own.len(), log.is_cut), (3, false));
    }
}
