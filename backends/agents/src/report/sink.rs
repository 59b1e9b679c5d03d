//! What a tool reports, kept as far as it is about the change.

use std::collections::{HashMap, HashSet};

use council_protocol::seat::ToolRules;
use council_protocol::{
    Answer, Confidence, Failure, FailureKind, FileChange, Finding, RepoPath, Severity, Side, Turn,
    Vote,
};

use super::reviewed_file::ReviewedFile;
use super::unplaced::{Unplaced, UnreadFiles};
use super::unread_words::{named_paths, says_file_unread, says_unread};
use super::{ReportSubject, ToolHit, is_absolute, is_one_of, slashed};

/// The most findings of one report; more would bury every other judge.
pub(super) const MAX_FINDINGS: usize = 200;

/// The most hits that are kept while a report is read.
pub(super) const MAX_KEPT: usize = 20_000;

/// Takes what a tool reports while it reports it, and keeps what is wanted.
pub(crate) struct HitSink<'a> {
    subject: &'a ReportSubject<'a>,
    side: Side,
    /// Files that were asked for, as far as they are under review.
    files: HashMap<String, Option<ReviewedFile<'a>>>,
    /// The names of changed files, without their folders.
    names: HashSet<&'a [u8]>,
    pub(super) kept: Vec<ToolHit>,
    /// What stands elsewhere, where the base may tell whether it is new; none: it is only counted.
    aside: Option<Vec<ToolHit>>,
    /// Why the tool could not look at everything, unless one of its errors is about the change.
    broken: Option<&'static str>,
    /// Hits that were offered, wanted or not.
    offered: usize,
    unplaced: Unplaced,
    /// What the tool says of files that it did not read.
    unread: UnreadFiles,
    /// Paths of no changed file, each with whether there is no such file at all.
    nowhere: HashMap<String, bool>,
    /// How many results with such a path were let in.
    told_nowhere: usize,
    /// What is wrong with the tool's configuration, as it says.
    misled: Option<String>,
}

impl<'a> HitSink<'a> {
    /// A sink for a tool that looks at the reviewed side, and keeps what stands on changed lines; or at the base, and
    /// keeps all that stands in files that changed.
    pub(crate) fn new(subject: &'a ReportSubject<'a>, side: Side) -> Self {
        let name_of = |file: &'a FileChange| {
            let path = match side {
                Side::New => &file.path,
                Side::Old => file.path_before(),
            };
            path.as_bytes().rsplit(|&byte| byte == b'/').next()
        };
        Self {
            subject,
            side,
            files: HashMap::new(),
            names: subject.packet.files.iter().filter_map(name_of).collect(),
            kept: Vec::new(),
            aside: None,
            broken: None,
            offered: 0,
            unplaced: Unplaced::default(),
            unread: UnreadFiles::default(),
            nowhere: HashMap::new(),
            told_nowhere: 0,
            misled: None,
        }
    }

    /// The same, which also keeps what stands elsewhere, to hold it against the base.
    pub(crate) fn with_elsewhere(mut self) -> Self {
        self.aside = Some(Vec::new());
        self
    }

    /// The side that the tool looks at.
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// Notes that the tool could not look at everything.
    pub(super) fn tell_broken(&mut self, why: &'static str) {
        self.broken = Some(why);
    }

    /// Tells of a file that a list on standard input cannot hold; whoever is asked by one may not have looked at it.
    pub(crate) fn tell_unlisted(&mut self, path: &RepoPath) {
        if self.side == Side::New && path.as_bytes().contains(&b'\n') {
            self.unplaced.count_hit(&ToolHit {
                severity: Severity::Significant,
                rule: None,
                message: "its name holds a line break: the tool may not have looked at it"
                    .to_owned(),
                path: path.display().into_owned(),
                line: 0,
                end_line: None,
                suggestion: None,
                page: None,
            });
        }
    }

    /// What is wrong with the tool's configuration, as it says; none: nothing.
    pub(crate) fn misled(&self) -> Option<&str> {
        self.misled.as_deref()
    }

    /// Counts a hit, whether it is wanted or not.
    pub(super) fn count_hit(&mut self) {
        self.offered += 1;
    }

    /// Whether a path may be one of a changed file: its name is that of one.
    pub(super) fn may_name(&self, path: &str) -> bool {
        let name = path
            .trim_end_matches(['/', '\\'])
            .rsplit(['/', '\\'])
            .next();
        name.is_some_and(|name| self.names.contains(name.as_bytes()))
    }

    /// Whether a hit in that place is kept, as long as there is room.
    pub(super) fn wants(&mut self, path: &str, line: u32, end_line: u32) -> bool {
        let side = self.side;
        let Some(file) = self.find_file(path) else {
            return false;
        };
        side == Side::Old || file.touches(line, end_line)
    }

    /// Whether a place is known to lie in a changed file and on no changed line, so that nobody asks for what stands there.
    pub(super) fn is_old_place(&mut self, path: &str, line: u32, end_line: u32) -> bool {
        let is_asked_for = self.side == Side::Old || self.aside.is_some() || line == 0;
        let is_config = || is_one_of(self.subject.config, &self.subject.repo_path(path));
        if is_asked_for || is_config() {
            return false;
        }
        let file = self.find_file(path);
        file.is_some_and(|file| !file.is_behind(line) && !file.touches(line, end_line))
    }

    /// Tells of results that may be about the change, and for which there was no room.
    pub(super) fn tell_overflow(&mut self, severity: Severity) {
        self.unplaced.count_hit(&ToolHit {
            severity,
            rule: None,
            message: format!(
                "it reports more than {MAX_KEPT} results in changed files, and the others were not read; narrow what \
                 the tool looks at."
            ),
            path: String::new(),
            line: 0,
            end_line: None,
            suggestion: None,
            page: None,
        });
    }

    /// Counts a hit, and keeps it if it is wanted.
    pub(super) fn offer(&mut self, hit: ToolHit) {
        self.count_hit();
        self.offer_counted(hit);
    }

    /// Keeps a hit that was counted, if it is wanted.
    pub(super) fn offer_counted(&mut self, hit: ToolHit) {
        self.offer_places(vec![hit]);
    }

    /// Keeps one result, at the first of its places that is wanted. One that has no place where its tool says is told.
    pub(super) fn offer_places(&mut self, hits: Vec<ToolHit>) {
        if let Some(hit) = hits.iter().find(|hit| self.is_of_config(hit)) {
            let path = self.subject.repo_path(&hit.path);
            let words = || format!("{}: {}", path.display(), hit.message);
            self.misled.get_or_insert_with(words);
        }
        let lost = hits.iter().position(|hit| self.is_lost(hit));
        let elsewhere = self.aside.as_ref().and_then(|_| hits.first().cloned());
        let mut hits = hits.into_iter().enumerate();
        let mut first_lost = None;
        let wanted = hits.find_map(|(index, hit)| {
            if Some(index) == lost {
                first_lost = Some(hit);
                return None;
            }
            let end = hit.end_line.unwrap_or(hit.line);
            (!hit.path.is_empty() && self.wants(&hit.path, hit.line, end)).then_some(hit)
        });
        match (wanted, first_lost, elsewhere) {
            (Some(hit), _, _) if self.kept.len() >= MAX_KEPT => self.tell_overflow(hit.severity),
            (Some(hit), _, _) => self.kept.push(hit),
            (None, Some(hit), _) => self.unplaced.count_hit(&hit),
            (None, None, Some(hit)) => self.keep_aside(hit),
            (None, None, None) => {}
        }
    }

    /// Keeps what stands elsewhere. More than there is room for cannot be held against each other.
    pub(super) fn keep_aside(&mut self, hit: ToolHit) {
        match &mut self.aside {
            Some(aside) if aside.len() < MAX_KEPT => aside.push(hit),
            aside => *aside = None,
        }
    }

    /// Takes what a tool says went wrong on its way: where it is about a changed file, it did not read it as a whole. A tool
    /// votes WARN then at the least, however mild it calls it.
    pub(super) fn offer_trouble(&mut self, mut hit: ToolHit) {
        if self.is_trouble_of_change(&mut hit) {
            hit.severity = hit.severity.max(Severity::Significant);
            let file = self.find_file(&hit.path).map(|file| file.path);
            self.unread
                .count_trouble(&hit, file, &self.subject.packet.files);
        }
    }

    /// Whether what went wrong is about the change. Some tools name the file in their words alone, which then becomes the
    /// hit's; of an unnamed file nobody knows that it is another one.
    fn is_trouble_of_change(&mut self, hit: &mut ToolHit) -> bool {
        let is_warning = hit.severity >= Severity::Significant;
        if !hit.path.is_empty() {
            let is_told = hit.severity == Severity::Critical || says_unread(&hit.message);
            return match self.find_file(&hit.path) {
                Some(_) => is_warning || is_told,
                None => is_told && self.is_lost(hit),
            };
        }
        let mut named = named_paths(&hit.message).peekable();
        let is_unnamed = named.peek().is_none();
        let mut named = named.map(str::to_owned).collect::<Vec<_>>().into_iter();
        match named.find(|path| self.find_file(path).is_some()) {
            Some(path) => {
                hit.path = path;
                is_warning || says_unread(&hit.message)
            }
            None => is_unnamed && is_warning && says_file_unread(&hit.message),
        }
    }

    /// Whether a hit is an error in what configures the tool.
    fn is_of_config(&self, hit: &ToolHit) -> bool {
        let configs = self.subject.config;
        hit.severity == Severity::Critical
            && !configs.is_empty()
            && is_one_of(configs, &self.subject.repo_path(&hit.path))
    }

    /// Whether a hit names no place that there is: no file, a path that the tree does not have, a line behind the end of a
    /// changed file, or a file of a changed one's name in a folder of another machine.
    fn is_lost(&mut self, hit: &ToolHit) -> bool {
        if hit.path.is_empty() {
            return true;
        }
        let plain = self.subject.repo_path(&slashed(&hit.path));
        let leads_out = is_absolute(&hit.path) || plain.as_bytes().starts_with(b"../");
        let elsewhere = leads_out && self.may_name(&hit.path);
        match self.find_file(&hit.path) {
            Some(file) if file.is_behind(hit.line) => {
                // Parsers name the line behind the last one where the file ends too early, wherever the cause stands.
                let is_far = hit.line as usize > file.lines.len().saturating_add(1);
                is_far || !file.touches(hit.line, hit.line) && self.aside.is_none()
            }
            Some(_) => false,
            None => elsewhere && self.is_foreign(&hit.path) || self.is_nowhere(&hit.path),
        }
    }

    /// Whether a result that has to be told may stand there. A few are enough to tell of: others must leave room for results
    /// on changed lines.
    pub(super) fn may_be_nowhere(&mut self, path: &str) -> bool {
        let is_told = self.told_nowhere < MAX_FINDINGS && self.is_nowhere(path);
        self.told_nowhere += usize::from(is_told);
        is_told
    }

    /// Whether a path from the root names no file of the reviewed tree, and none that the tool has made beside it: the tool
    /// counts from another folder, and what it says may well be about the change.
    fn is_nowhere(&mut self, path: &str) -> bool {
        if self.side == Side::Old || !self.subject.blobs.has_blobs() {
            return false;
        }
        if let Some(known) = self.nowhere.get(path) {
            return *known;
        }
        let is_there = [path.to_owned(), slashed(path)].iter().any(|path| {
            let path = self.subject.repo_path(path);
            let outside = [&b"/"[..], b"../"]
                .iter()
                .any(|out| path.as_bytes().starts_with(out));
            // The root alone is the tree itself, as some tools call it.
            (outside && path.as_bytes() != b"/")
                || path.as_bytes().contains(&b':')
                || self.subject.has_file(&path)
        });
        if self.nowhere.len() < MAX_KEPT {
            self.nowhere.insert(path.to_owned(), !is_there);
        }
        !is_there
    }

    /// Whether an absolute path lies outside of the folder in which the tool worked.
    fn is_foreign(&self, path: &str) -> bool {
        let inside = self.subject.repo_path(&slashed(path));
        let outside = [&b"/"[..], b"../"];
        outside.iter().any(|out| inside.as_bytes().starts_with(out)) || path.contains(':')
    }

    /// How many hits were offered, wanted or not.
    pub(crate) fn offered(&self) -> usize {
        self.offered
    }

    /// Whether the base has to be asked what of this is new.
    pub(crate) fn asks_base(&mut self) -> bool {
        let aside = self.aside.take();
        let has_worse = aside.iter().flatten().any(|hit| self.is_worth_telling(hit));
        self.aside = aside;
        !self.kept.is_empty() || has_worse
    }

    /// Whether a result elsewhere is told where it is new: a change may break what it does not touch. Warnings only in
    /// files that it touches.
    pub(super) fn is_worth_telling(&mut self, hit: &ToolHit) -> bool {
        match hit.severity {
            Severity::Critical => true,
            Severity::Significant => self.find_file(&hit.path).is_some(),
            Severity::Minor => false,
        }
    }

    /// Gives up what stands elsewhere: the base did not tell whether it is new.
    pub(crate) fn forget_elsewhere(&mut self) {
        self.aside = None;
    }

    /// Whether the tool has looked at what it was to look at, or one of its errors is about the change.
    ///
    /// # Errors
    /// `provider` where it could not.
    pub(crate) fn check_whole(&self) -> Result<(), Failure> {
        let told = self.kept.iter().chain(self.aside.iter().flatten());
        let has_error = told
            .into_iter()
            .any(|hit| hit.severity == Severity::Critical);
        match self.broken {
            Some(why) if !has_error => Err(Failure::new(FailureKind::Provider, why)),
            _ => Ok(()),
        }
    }

    pub(super) fn find_file(&mut self, path: &str) -> Option<&ReviewedFile<'a>> {
        // A report may name more files than there is memory for.
        if self.files.len() >= MAX_KEPT && !self.files.contains_key(path) {
            self.files.clear();
        }
        let (subject, side) = (self.subject, self.side);
        let find = || subject.find_reviewed(path, side);
        self.files
            .entry(path.to_owned())
            .or_insert_with(find)
            .as_ref()
    }

    /// What a hit is, wherever its line has moved to. A file that did not change has its lines where they were.
    fn identity_of(&mut self, hit: &ToolHit) -> HitIdentity {
        let unchanged = self.subject.repo_path(&hit.path);
        let (path, text) = match self.find_file(&hit.path) {
            Some(file) => (file.path.clone(), file.line_text(hit.line).to_owned()),
            None => (unchanged, hit.line.to_string()),
        };
        HitIdentity {
            path,
            rule: hit.rule.clone(),
            message: without_numbers(&hit.message),
            text,
        }
    }

    /// Takes away what `base` reports, too: it is not new. What stands elsewhere first, as it is the likelier to be what
    /// was there before its like came with the change.
    pub(crate) fn drop_known(&mut self, mut base: HitSink<'_>) {
        let mut known: HashMap<HitIdentity, usize> = HashMap::new();
        let of_base = std::mem::take(&mut base.kept);
        let (has_all, others) = (base.aside.is_some(), base.aside.take());
        for hit in of_base.into_iter().chain(others.into_iter().flatten()) {
            *known.entry(base.identity_of(&hit)).or_default() += 1;
        }
        let aside = self.aside.take().filter(|_| has_all);
        self.aside = aside.map(|hits| self.new_ones(hits, &mut known));
        let hits = std::mem::take(&mut self.kept);
        self.kept = self.new_ones(hits, &mut known);
    }

    /// The hits that are not known, each known one taken once.
    fn new_ones(
        &mut self,
        hits: Vec<ToolHit>,
        known: &mut HashMap<HitIdentity, usize>,
    ) -> Vec<ToolHit> {
        let mut is_new = |hit: &ToolHit| match known.get_mut(&self.identity_of(hit)) {
            Some(left @ 1..) => {
                *left -= 1;
                false
            }
            _ => true,
        };
        hits.into_iter().filter(|hit| is_new(hit)).collect()
    }

    /// What the base does not have although it stands elsewhere: in a changed file it is a finding, in another one it has
    /// no place in the change.
    fn tell_elsewhere(&mut self) {
        for hit in self.aside.take().into_iter().flatten() {
            match self.find_file(&hit.path).is_some() {
                _ if !self.is_worth_telling(&hit) => {}
                true => self.kept.push(hit),
                false => self.unplaced.count_hit(&hit),
            }
        }
    }

    /// The answer that the hits come to; `note` is told beside them.
    pub(crate) fn into_answer(mut self, rules: &ToolRules, turn: &Turn, note: &str) -> Answer {
        self.tell_elsewhere();
        let hits = std::mem::take(&mut self.kept);
        let mut findings: Vec<Finding> = Vec::new();
        for hit in &hits {
            let severity = hit.severity.min(rules.max_severity_of(hit.rule.as_deref()));
            let file = self.find_file(&hit.path);
            findings.extend(file.map(|file| file.finding_of(hit, severity)));
        }
        findings.sort_by(|a, b| (b.severity, &a.location).cmp(&(a.severity, &b.location)));
        findings.dedup();
        let elsewhere = self.offered - findings.len().min(self.offered);
        let dropped = findings.len().saturating_sub(MAX_FINDINGS);
        council_builtin::list_first(&mut findings, MAX_FINDINGS);
        let untold = self.unplaced.vote().max(self.unread.told.vote());
        let vote = vote_of(&findings).max(untold);
        let mut answer = Answer::new(turn.round, turn.key.clone(), vote);
        answer.confidence = Confidence::High;
        answer.key_insight = self.unread.describe()
            + &self.unplaced.describe()
            + &describe_hits(findings.len(), elsewhere, dropped)
            + note;
        answer.findings = findings;
        answer.files_unread = self.unread.files.into_iter().collect();
        answer.unplaced = Some(untold).filter(|vote| *vote > Vote::Pass);
        answer
    }
}

/// A message as it stays where lines move: many name one.
fn without_numbers(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for c in message.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('0') => {}
            true => text.push('0'),
            false => text.push(c),
        }
    }
    text
}

/// What makes two hits the same one.
#[derive(PartialEq, Eq, Hash)]
struct HitIdentity {
    path: RepoPath,
    rule: Option<String>,
    message: String,
    text: String,
}

/// The worst finding decides.
fn vote_of(findings: &[Finding]) -> Vote {
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Critical) => Vote::Fail,
        Some(Severity::Significant) => Vote::Warn,
        Some(Severity::Minor) | None => Vote::Pass,
    }
}

fn describe_hits(findings: usize, elsewhere: usize, dropped: usize) -> String {
    let mut text = match findings {
        0 => "Nothing is reported on the changed lines".to_owned(),
        1 => "One finding on the changed lines".to_owned(),
        n => format!("{n} findings on the changed lines"),
    };
    if elsewhere > 0 {
        text += &format!("; {elsewhere} elsewhere or twice, left out");
    }
    if dropped > 0 {
        text += &format!("; {dropped} more, the least severe, left out");
    }
    text + "."
}
