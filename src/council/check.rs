//! An answer that can be read is checked before it counts: what it quotes has to stand somewhere, what it refers to
//! has to exist. It is sent back once with every fault in it, and counts as it is when no better one comes.

use council_protocol::answer::{Answer, Evidence};
use council_protocol::quoted::quoted_texts;
use council_protocol::{Finding, Millis, RepoPath, RoundNumber, Severity, Task};
use icu_normalizer::ComposingNormalizerBorrowed;

use super::engine::{Council, PROOF_MS};
use super::evidence::is_about_file;
use super::judges::{OpenTurn, QueuedTask, SeatIndex};
use super::lost_answer::LostAnswer;
use super::meant_ids::{is_mended_elsewhere, resolve_ids};
use super::merge::{is_near, is_same, is_same_id};
use super::plain_words::excerpt;
use super::plan::ShownPath;
use super::references::faulty_references;
use super::state::{DebateState, TimerKind};

/// Faults that are named at once. A judge that quotes nothing right is not told more by a longer list.
const MAX_FAULTS: usize = 12;

impl Council {
    /// A usable answer counts, unless something in it is wanting.
    pub(super) fn weigh_answer(
        &mut self,
        seat: SeatIndex,
        turn: OpenTurn,
        mut answer: Answer,
        now: Millis,
    ) {
        resolve_paths(&self.state, seat, &mut answer);
        resolve_ids(&self.state, seat, turn.round, &mut answer);
        if !self.is_checked(seat, &turn, &answer) {
            return self.send_back_or_accept(seat, turn, answer, false, now);
        }
        self.request_proofs(&answer);
        if self.is_proven(&answer) {
            self.send_back_or_accept(seat, turn, answer, true, now);
        } else {
            self.state.judges[seat].checking = Some(Box::new((turn, answer)));
            self.set_timer(TimerKind::Check, now.saturating_add(PROOF_MS));
        }
    }

    /// Whether quotes and ids are checked: once in a turn, and where the judge can be given its answer back. Rules would
    /// quote the same again; an answer whose judge still waits for its explorers is not its last one.
    fn is_checked(&self, seat: SeatIndex, turn: &OpenTurn, answer: &Answer) -> bool {
        let judge = &self.state.judges[seat];
        let options = &self.state.plan.options;
        let explores = turn.round == 1
            && options.explorers > 0
            && !judge.explored
            && !answer.explore.is_empty();
        turn.ask.draft.is_none()
            && !options.transcript
            && !judge.is_deterministic()
            && (judge.can_be_messaged() || (judge.reads_brief() && !options.in_jobs))
            && !explores
    }

    /// Has every quote of an answer searched.
    pub(super) fn request_proofs(&mut self, answer: &Answer) {
        for text in quoted_texts(answer) {
            let search = self.state.claims.request_proof(&text.location, text.quote);
            self.state.out.extend(search);
        }
        // What is said of a file as a whole quotes nothing: it is known again by the file's content.
        for finding in answer.findings.iter().filter(|f| is_about_file(f)) {
            let claims = &mut self.state.claims;
            let search = claims.request_proof(&finding.location, &finding.quote);
            self.state.out.extend(search);
        }
    }

    fn is_proven(&self, answer: &Answer) -> bool {
        let claims = &self.state.claims;
        quoted_texts(answer)
            .iter()
            .all(|text| claims.is_answered(&text.location, text.quote))
    }

    /// A search came back: answers whose quotes were all searched by now go on.
    pub(super) fn on_proved(&mut self, now: Millis) {
        for seat in self.state.judges.seats_where(|j| j.checking.is_some()) {
            let checking = self.state.judges[seat].checking.take();
            match checking.map(|checked| *checked) {
                Some((turn, answer)) if self.is_proven(&answer) => {
                    self.send_back_or_accept(seat, turn, answer, true, now);
                }
                left => self.state.judges[seat].checking = left.map(Box::new),
            }
        }
        self.dispatch_all(now);
    }

    /// The searches take too long: what is being checked counts as it is, and the verdict cannot be green.
    pub(super) fn checks_over(&mut self, now: Millis) {
        let checking = self.state.judges.seats_where(|j| j.checking.is_some());
        if checking.is_empty() {
            return;
        }
        self.state.claims.give_up();
        for seat in checking {
            self.accept_unchecked(seat, now);
        }
        self.dispatch_all(now);
    }

    /// The judge is gone, or its time is over: an answer that is still being checked counts as it is.
    pub(super) fn accept_unchecked(&mut self, seat: SeatIndex, now: Millis) {
        if let Some(checked) = self.state.judges[seat].checking.take() {
            let (turn, answer) = *checked;
            self.accept_answer(seat, turn.round, turn.ask.task.form(), answer, now);
        }
    }

    fn send_back_or_accept(
        &mut self,
        seat: SeatIndex,
        mut turn: OpenTurn,
        answer: Answer,
        checked: bool,
        now: Millis,
    ) {
        let form = turn.ask.task.form();
        let mut faults: Vec<String> = if turn.ask.mended {
            Vec::new()
        } else {
            self.find_objection(seat, &turn.ask.task, &answer)
                .into_iter()
                .collect()
        };
        if checked {
            faults.extend(faulty_references(&self.state, seat, turn.round, &answer));
            faults.extend(lost_quotes(&self.state, &answer));
        }
        if turn.ask.mended || turn.ask.draft.is_some() {
            self.note_unread(seat, std::mem::take(&mut turn.ask.unread));
        } else {
            faults.extend(turn.ask.unread.iter().cloned());
        }
        if faults.is_empty() {
            let answer = match turn.ask.draft.take() {
                Some(draft) => keep_proven(&mut self.state, seat, turn.round, *draft, answer),
                None => answer,
            };
            return self.accept_answer(seat, turn.round, form, answer, now);
        }
        faults.truncate(MAX_FAULTS);
        let error = faults.join("\n");
        let mend = QueuedTask {
            task: Task::Mend { error, form },
            mended: true,
            draft: Some(Box::new(answer)),
            unread: turn.ask.unread,
        };
        self.state.judges[seat].queue.push_front(mend);
    }
}

/// Each quote that was not found, with the nearest line that there is.
fn lost_quotes(state: &DebateState, answer: &Answer) -> Vec<String> {
    let lost = quoted_texts(answer).into_iter().filter_map(|text| {
        let path = text.location.path.display().into_owned();
        if text.quote.trim().is_empty() {
            return Some(format!("{}: empty; quote the line of {path} that you mean", text.field));
        }
        let (proof, _) = state.claims.proof_of(&text.location, text.quote);
        let council_protocol::Proof::Unverified { reason } = proof else {
            return None;
        };
        let quote = excerpt(text.quote);
        let nearest = match state.claims.nearest_to(&text.location, text.quote) {
            Some(near) => format!("the nearest line of {path} is {}: `{}`", near.line, excerpt(&near.text)),
            None => format!("nothing in {path} is like it ({reason})"),
        };
        Some(format!("{}: `{quote}` was not found; {nearest}. Copy the line as it is, or leave the entry out", text.field))
    });
    lost.collect()
}

/// The answer that came back, with what was right in the one before it and is missing now: only the faults were to be
/// mended. A critical finding that was given up on the way is told in the report.
fn keep_proven(
    state: &mut DebateState,
    seat: SeatIndex,
    round: RoundNumber,
    draft: Answer,
    mut answer: Answer,
) -> Answer {
    let milder = answer.verdict < draft.verdict;
    let mut given_up = Vec::new();
    for finding in draft.findings {
        let is_proven = is_proven(state, seat, &finding);
        let mut said = answer.findings.iter_mut();
        match said.find(|f| is_same(f, &finding)) {
            // Nobody asked about its weight.
            Some(same) if is_proven => same.severity = same.severity.max(finding.severity),
            None if is_proven => answer.findings.push(finding),
            _ if finding.severity < Severity::Critical => {}
            _ => {
                let is_held = |f: &Finding| {
                    f.severity == Severity::Critical
                        && (is_same(f, &finding) || is_near(f, &finding))
                };
                if !answer.findings.iter().any(is_held) {
                    given_up.push(finding);
                }
            }
        }
    }
    for raised in draft.independent_findings {
        let found = &raised.finding;
        let later = answer.independent_findings.iter().map(|r| &r.finding);
        let mut said = later.chain(&answer.findings);
        let is_there = said.clone().any(|f| is_same(f, found));
        let is_held = said.any(|f| f.severity == Severity::Critical && is_near(f, found));
        if !is_there && is_proven(state, seat, found) {
            answer.independent_findings.push(raised);
        } else if !is_there && !is_held && found.severity == Severity::Critical {
            given_up.push(raised.finding);
        }
    }
    // Both halves of a contradiction that the judge does not decide stay in it.
    let kept: Vec<String> = answer.responses.iter().map(|r| r.to.clone()).collect();
    for response in draft.responses {
        let is_there = kept.iter().any(|to| is_same_id(to, &response.to));
        if !is_there && !is_mended_elsewhere(state, seat, round, &response, &answer) {
            answer.responses.push(response);
        }
    }
    if answer.reproductions.is_empty() {
        answer.reproductions = draft.reproductions;
    }
    if milder || !given_up.is_empty() {
        let lost = LostAnswer::replaced(round, draft.verdict, !given_up.is_empty());
        state.judges[seat].keep_lost(lost);
    }
    for finding in given_up {
        let (judge, place) = (state.judges[seat].id().clone(), &finding.location);
        let (path, line) = (place.path.display(), place.line);
        let what = excerpt(&finding.description);
        state.add_note(format!(
            "{judge} named a critical problem at {path}:{line} and gave it up when asked for its quote: {what}"
        ));
    }
    answer
}

fn is_proven(state: &DebateState, seat: SeatIndex, finding: &Finding) -> bool {
    if is_about_file(finding) {
        let files = &state.judges[seat].planned.coverage.files;
        return files.iter().any(|f| f.path == finding.location.path);
    }
    state
        .claims
        .proof_of(&finding.location, &finding.quote)
        .0
        .resolves()
}

/// The file that a judge means by a path: first one that it was shown under that very name, then one that has it, then one
/// that it comes close to. None: it is not clear.
pub fn meant_path<'a>(
    path: &RepoPath,
    files: impl Iterator<Item = &'a RepoPath> + Clone,
    shown: &'a [ShownPath],
) -> Option<&'a RepoPath> {
    let named = |name: &str| shown.iter().find(|s| s.shown == name).map(|s| &s.path);
    let text = std::str::from_utf8(path.as_bytes()).ok();
    let names: Vec<RepoPath> = shown
        .iter()
        .map(|s| RepoPath::from(s.shown.as_str()))
        .collect();
    let close = || {
        let name = path.resolve_among(names.iter())?;
        named(std::str::from_utf8(name.as_bytes()).ok()?)
    };
    text.and_then(named)
        .or_else(|| path.resolve_among(files.clone()))
        .or_else(close)
        .or_else(|| looks_like(text?, files))
}

/// The one file whose path looks like a text: composed in another way, as macOS and models write letters, or with a remark
/// behind it (`a.py (added)`).
fn looks_like<'a>(
    text: &str,
    files: impl Iterator<Item = &'a RepoPath> + Clone,
) -> Option<&'a RepoPath> {
    let composed = |text: &str| {
        let composer = ComposingNormalizerBorrowed::new_nfc();
        RepoPath::from(composer.normalize(text).as_ref())
    };
    let named: Vec<(RepoPath, &RepoPath)> = files
        .filter_map(|file| Some((composed(std::str::from_utf8(file.as_bytes()).ok()?), file)))
        .collect();
    let without_remark = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    let readings = [Some(text), without_remark.map(|(path, _)| path)];
    readings.into_iter().flatten().find_map(|text| {
        let said = composed(text);
        let meant = said.resolve_among(named.iter().map(|(name, _)| name))?;
        let mut meant = named.iter().filter(|(name, _)| name == meant);
        // Two files may look the same.
        let (_, file) = meant.next()?;
        meant.next().is_none().then_some(*file)
    })
}

/// The path that is shown as this text, where what cannot be shown is written out in it: `<U+200B>`, `<0xE9>`. Judges are
/// shown files of the whole tree, and copy their names. None: nothing is written out.
pub fn unmarked_path(path: &RepoPath) -> Option<RepoPath> {
    let text = std::str::from_utf8(path.as_bytes()).ok()?;
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('<') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let (written, length) = read_mark(rest).unwrap_or((b"<".to_vec(), 1));
        bytes.extend(written);
        rest = &rest[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes != text.as_bytes()).then(|| RepoPath::new(bytes))
}

/// The bytes of the mark that a text begins with, and its length.
fn read_mark(text: &str) -> Option<(Vec<u8>, usize)> {
    let digits = text.get(3..)?.split_once('>')?.0;
    let code = u32::from_str_radix(digits, 16).ok()?;
    let written = if text.starts_with("<U+") {
        char::from_u32(code)?.to_string().into_bytes()
    } else if text.starts_with("<0x") {
        vec![u8::try_from(code).ok()?]
    } else {
        return None;
    };
    Some((written, digits.len() + 4))
}

/// Paths as git has them, where a judge wrote `./`, `a/` or `b/` before one, the folder that it works in, or the end of it,
/// or the name under which it was shown.
fn resolve_paths(state: &DebateState, seat: SeatIndex, answer: &mut Answer) {
    let files = &state.judges[seat].planned.coverage.files;
    let shown = &state.plan.options.shown_paths;
    let resolve = |path: &mut RepoPath| {
        let files = files.iter().map(|f| &f.path);
        if let Some(known) = meant_path(path, files, shown) {
            *path = known.clone();
        } else if let Some(unmarked) = unmarked_path(path) {
            *path = unmarked;
        }
    };
    let later = answer
        .independent_findings
        .iter_mut()
        .map(|i| &mut i.finding);
    for finding in answer.findings.iter_mut().chain(later) {
        resolve(&mut finding.location.path);
    }
    let responses = answer
        .responses
        .iter_mut()
        .filter_map(|r| r.evidence.as_mut());
    let withdrawals = answer
        .withdrawn
        .iter_mut()
        .filter_map(|w| w.evidence.as_mut());
    let change = answer.change.iter_mut().filter_map(|c| c.evidence.as_mut());
    let evidence = responses.chain(withdrawals).chain(change);
    evidence.for_each(|e: &mut Evidence| resolve(&mut e.path));
}

#[cfg(test)]
mod laws {
    use icu_normalizer::DecomposingNormalizerBorrowed;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// However the letters of a path are composed, and whatever remark stands behind it, it means its file; which of two
        /// that look the same is meant, nobody knows.
        #[test]
        fn a_path_that_looks_like_a_files_means_it(
            name in "(src/)?[äöüéÅñ][a-z]{1,5}[éäa]?[.]py",
            is_composed in any::<bool>(),
            remark in prop::sample::select(vec!["", " (added)", " (new file)"]),
        ) {
            let composed = ComposingNormalizerBorrowed::new_nfc().normalize(&name).into_owned();
            let apart = DecomposingNormalizerBorrowed::new_nfd().normalize(&name).into_owned();
            let (file, said) = if is_composed { (composed, apart) } else { (apart, composed) };
            let other = RepoPath::from("other.py");
            let file = RepoPath::from(file.as_str());
            let said_path = RepoPath::from(format!("{said}{remark}").as_str());
            let files = [other.clone(), file.clone()];
            prop_assert_eq!(meant_path(&said_path, files.iter(), &[]), Some(&file));
            if !remark.is_empty() {
                let twins = [file, RepoPath::from(said.as_str())];
                prop_assert_eq!(meant_path(&said_path, twins.iter(), &[]), None);
            }
        }
    }
}
