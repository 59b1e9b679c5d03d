//! What a push is told, over all its refs, in at most five lines: it is read among the lines of other programs.

use council_secrets::Redactor;

use crate::council::outcome::Verdict;
use crate::report::{self, DisplayOptions, GatePolicy, MemoryPlace, Report};
use crate::run::hook::passing_secrets::PassingSecrets;
use crate::run::hook::secret_words::{describe_secrets, describe_unsearched};
use crate::text::Untrusted;

/// The most lines of a push's report.
const MAX_LINES: usize = 5;

/// Beside the verdict of an earlier review to which lines of another change led: nobody has looked at this one.
const OBJECTED: &str = " (an objection of an earlier review; mended? git council review --fresh)";

const WORST_FIRST: [Verdict; 5] = [
    Verdict::Fail,
    Verdict::Inconclusive,
    Verdict::Warn,
    Verdict::Pass,
    Verdict::Skipped,
];

/// The last line of a push's report. Ordered: the last one is what is said where several hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PushEnding {
    /// The hook is no gate, and something is wrong.
    Advice,
    /// Nobody came to a verdict in time.
    Late,
    /// The push is stopped.
    Blocked,
    /// The push of a coding agent is stopped: it is not told how to get round its user's gate.
    BlockedForAgent,
}

impl PushEnding {
    fn words(self) -> &'static str {
        match self {
            Self::Advice => "advice only (to block: git config council.hook.mode gate)",
            Self::Late => "the time is up (hook.timeout); hook.on-timeout lets it pass",
            Self::Blocked => "the push is blocked (to push anyway: git push --no-verify)",
            Self::BlockedForAgent => "the push is blocked: mend what is found, or ask the user",
        }
    }
}

/// The verdict over the refs that stand for one range.
struct RangeVerdict {
    verdict: Verdict,
    line: String,
}

/// What is known of a push, before it is laid out.
#[derive(Default)]
pub(crate) struct PushNews {
    /// Takes secrets out of what others named: branches, tags, remotes and files.
    redactor: Redactor,
    notes: Vec<String>,
    verdicts: Vec<RangeVerdict>,
    secrets: Vec<(String, PassingSecrets)>,
    /// Of the reports that have something to show the worst.
    worst: Option<Report>,
    ending: Option<PushEnding>,
}

/// The most notes without a line that are named, and characters of each.
const MAX_NAMED_NOTES: usize = 3;
const MAX_NOTE_CHARS: usize = 80;

/// Notes for which there is no line, each by its first words.
fn name_notes(notes: &[String]) -> String {
    let named = notes.iter().take(MAX_NAMED_NOTES).map(|note| {
        let end = note.find(": ").unwrap_or(note.len());
        crate::text::clip_chars(&note[..end], MAX_NOTE_CHARS).into_owned()
    });
    let mut words: Vec<String> = named.collect();
    let more = notes.len().saturating_sub(MAX_NAMED_NOTES);
    words.extend((more > 0).then(|| format!("{more} more notes")));
    words.join(" · ")
}

impl PushNews {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            ..Self::default()
        }
    }

    /// From here on it knows the secrets of this change, too: a branch may be called by one.
    pub(super) fn know_secrets(&mut self, redactor: &Redactor) {
        self.redactor = redactor.clone();
    }

    /// Adds what is said beside a verdict.
    pub(super) fn add_note(&mut self, words: &str) {
        let words = self.redactor.redact_words(words).text;
        self.notes.push(Untrusted::new(&words).line());
    }

    /// Adds the verdict over a range.
    pub(super) fn add_verdict(&mut self, refs: &[String], report: &Report, note: Option<&str>) {
        let shown = |name: &String| Untrusted::new(&self.shown_name(name)).name();
        let refs: Vec<String> = refs.iter().map(shown).collect();
        let line = report.bottom_line(GatePolicy::default()).headline;
        let known = match &report.receipt.run.recognised {
            Some(known) if known.place == MemoryPlace::Objection => OBJECTED,
            Some(_) => " (reused)",
            None => "",
        };
        let note = note.map_or(String::new(), |note| {
            format!(" ({})", self.redactor.redact_words(note).text)
        });
        self.verdicts.push(RangeVerdict {
            verdict: report.outcome.verdict,
            line: format!("{}: {line}{known}{note}", refs.join(", ")),
        });
    }

    /// Keeps the worst report that has something to show: findings, or why there is no verdict.
    pub(super) fn keep_worst(&mut self, report: Report) {
        if report.outcome.findings.is_empty() && is_well(report.outcome.verdict) {
            return;
        }
        let rank = severity_of(report.outcome.verdict);
        let worst = self.worst.as_ref();
        if worst.is_none_or(|worst| severity_of(worst.outcome.verdict) < rank) {
            self.worst = Some(report);
        }
    }

    /// Adds what was found beside the sum of a range.
    pub(super) fn add_secrets(&mut self, name: &str, mut passing: PassingSecrets) {
        let name = self.shown_name(name);
        for (_, secret) in &mut passing.found {
            secret.path = self.shown_name(&secret.path);
        }
        if let Some(count) = passing.looked_at {
            let sum = if passing.is_sum_reviewed {
                "; the sum was reviewed"
            } else {
                ""
            };
            self.add_note(&format!(
                "{name}: only the latest {count} commits were searched for secrets one by one{sum}"
            ));
        }
        if let Some(words) = describe_unsearched(&passing) {
            let words = self.redactor.redact_words(&words).text;
            self.verdicts.push(RangeVerdict {
                verdict: Verdict::Inconclusive,
                line: Untrusted::new(&format!("{name}: {words}")).line(),
            });
            self.end_with(PushEnding::Advice);
        }
        self.secrets.push((name, passing));
    }

    fn shown_name(&self, name: &str) -> String {
        self.redactor.redact_words(name).text
    }

    /// Whether something beside the sum of a range holds a secret, or nobody could look.
    pub(super) fn stops_gate(&self) -> bool {
        self.secrets.iter().any(|(_, passing)| passing.stops_gate())
    }

    pub(super) fn end_with(&mut self, ending: PushEnding) {
        self.ending = self.ending.max(Some(ending));
    }

    /// The report whose findings are shown: what `git council show` leads to.
    pub(super) fn worst_report(&self) -> Option<&Report> {
        self.worst.as_ref()
    }

    /// The lines, the worst range first, its findings under it.
    pub(crate) fn render(mut self, look: DisplayOptions) -> String {
        // What is worst stays on top; equally bad ones stay in their order.
        self.verdicts
            .sort_by_key(|range| std::cmp::Reverse(severity_of(range.verdict)));
        let shown = self.worst.filter(|worst| !is_well(worst.outcome.verdict));
        let secrets = describe_secrets(&self.secrets);
        let ending = self.ending.map(PushEnding::words);
        let taken = [secrets.is_some(), ending.is_some(), shown.is_some()];
        let mut room = MAX_LINES - taken.iter().filter(|taken| **taken).count();
        // The worst finding goes before the verdicts of branches that are better: it says what failed.
        let kept = usize::from(!self.notes.is_empty()) + usize::from(shown.is_some());
        let verdicts = fit_verdicts(&self.verdicts, room.saturating_sub(kept));
        room = room.saturating_sub(verdicts.len());
        let notes = fit_lines(
            self.notes,
            room.saturating_sub(usize::from(shown.is_some())),
            name_notes,
        );
        room = room.saturating_sub(notes.len());
        let is_latest =
            |report: &Report| self.verdicts.len() < 2 && report.receipt.run.recognised.is_none();
        let findings = shown.map(|report| {
            let name = report.receipt.run.name.as_str();
            let name = Some(name).filter(|_| !is_latest(&report));
            report::terminal::render_hook(&report, look, room, name)
        });
        let line = |words: &str| format!("git-council: {words}\n");
        let (worst, others) = verdicts.split_at(verdicts.len().min(1));
        let mut out: String = notes.iter().chain(worst).map(|words| line(words)).collect();
        out.push_str(&findings.unwrap_or_default());
        out.extend(others.iter().map(|words| line(words)));
        out.extend(secrets.as_deref().into_iter().chain(ending).map(line));
        out
    }
}

/// As many verdicts as have room; of the others their number and what they are.
fn fit_verdicts(verdicts: &[RangeVerdict], room: usize) -> Vec<String> {
    let lines = verdicts.iter().map(|range| range.line.clone()).collect();
    let count = |wanted: Verdict, left: usize| {
        let left = &verdicts[verdicts.len() - left..];
        left.iter().filter(|range| range.verdict == wanted).count()
    };
    fit_lines(lines, room, |left| {
        let words = WORST_FIRST.map(|verdict| (count(verdict, left.len()), verdict.as_str()));
        let words = words.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = words
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        format!("{} more: {}", left.len(), words.join(", "))
    })
}

/// The first lines; the last of them says of the others what `more` says.
fn fit_lines(
    mut lines: Vec<String>,
    room: usize,
    more: impl Fn(&[String]) -> String,
) -> Vec<String> {
    let left = lines.split_off(lines.len().min(room.max(1)));
    if let (Some(last), false) = (lines.last_mut(), left.is_empty()) {
        last.push_str(&format!(" · {}", more(&left)));
    }
    lines
}

/// Whether there is nothing to tell of findings.
pub(super) fn is_well(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::Skipped)
}

/// From good to bad, as a gate sees it.
pub(super) fn severity_of(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Skipped => 0,
        Verdict::Pass => 1,
        Verdict::Warn => 2,
        Verdict::Inconclusive => 3,
        Verdict::Fail => 4,
    }
}

#[cfg(test)]
mod tests {
    use council_builtin::AddedSecret;

    use super::*;
    use crate::run::hook::passing_secrets::{SecretCarrier, Unsearched};

    fn report(verdict: Verdict) -> Report {
        let report = report::json::parse(include_str!("../../../docs/examples/report.json"));
        let mut report = report.unwrap();
        report.outcome.verdict = verdict;
        report
    }

    fn secrets(count: usize) -> PassingSecrets {
        let secret = |line: usize| AddedSecret {
            rule: "provider-token",
            description: "A token.".to_owned(),
            path: "k.py".to_owned(),
            line: u32::try_from(line).unwrap(),
            text: String::new(),
        };
        let carrier = |at: usize| match at % 2 {
            0 => SecretCarrier::Commit("0123456789abcdef".to_owned()),
            _ => SecretCarrier::Tag,
        };
        PassingSecrets {
            found: (0..count).map(|at| (carrier(at), secret(at))).collect(),
            ..PassingSecrets::default()
        }
    }

    /// A push of so many ranges, from good to bad, with so many notes and secrets.
    fn push(ranges: usize, notes: usize, found: usize, ending: Option<PushEnding>) -> String {
        let mut news = PushNews::default();
        for at in 0..notes {
            news.add_note(&format!("note {at}"));
        }
        for at in 0..ranges {
            let verdict = WORST_FIRST[..4][3 - at % 4];
            let report = report(verdict);
            news.add_verdict(&[format!("topic-{at}")], &report, None);
            news.keep_worst(report);
            news.add_secrets(&format!("topic-{at}"), secrets(found));
        }
        if let Some(ending) = ending {
            news.end_with(ending);
        }
        news.render(DisplayOptions::default())
    }

    #[test]
    fn a_branch_that_is_called_by_a_secret_of_the_change_is_shown_without_it() {
        let value = ["Zq77kV9x7", "Lm2Tw8Rp"].concat();
        let line = format!("url = \"https://bob:{value}@db.internal.net/r\"");
        let mut news = PushNews::default();
        let name = format!("rotate-{value}");
        assert_eq!(news.shown_name(&name), name);
        news.know_secrets(&Redactor::default().knowing([(None, [line.as_str()])]));
        assert!(!news.shown_name(&name).contains(&value));
    }

    #[test]
    fn a_push_is_told_in_five_lines_whatever_it_holds() {
        let endings = [
            None,
            Some(PushEnding::Advice),
            Some(PushEnding::Blocked),
            Some(PushEnding::BlockedForAgent),
        ];
        for (ranges, notes) in (0..9).flat_map(|ranges| [0, 1, 2, 7].map(|notes| (ranges, notes))) {
            for (found, ending) in [0, 1, 7].into_iter().flat_map(|f| endings.map(|e| (f, e))) {
                let text = push(ranges, notes, found, ending);
                assert!(text.lines().count() <= MAX_LINES, "{text}");
                let named = |what: &str| text.contains(&format!("git-council: {what}"));
                let is_other = ending.is_some_and(|ending| !named(ending.words()));
                assert!(!is_other, "{text}");
                assert_eq!(notes > 0, named("note 0"), "{text}");
                assert_eq!(
                    found > 0 && ranges > 0,
                    text.contains("critical: "),
                    "{text}"
                );
                assert_eq!(ranges > 1, text.contains("git council show"), "{text}");
                let shown = text.matches("git-council: topic-").count();
                let shown = shown - usize::from(found > 0 && ranges > 0);
                let worst = (0..ranges).max_by_key(|at| (at % 4, usize::MAX - at));
                let worst = worst.map_or(String::new(), |at| format!("topic-{at}"));
                assert!(ranges == 0 || named(&worst), "{worst} comes first: {text}");
                let weighs = ranges > 1;
                let others = [found > 0 && ranges > 0, ending.is_some(), notes > 0];
                let others = others.into_iter().filter(|is_there| *is_there).count();
                // Its verdict and the way to the rest have a line each.
                if weighs && others + 2 < MAX_LINES {
                    assert!(text.lines().any(|line| line.starts_with("F1 ")), "{text}");
                }
                let left = ranges - shown;
                assert_eq!(
                    left > 0,
                    text.contains(&format!(" · {left} more: ")),
                    "{text}"
                );
            }
        }
    }

    /// Whoever is stopped without a finding is told why, and where the rest stands.
    #[test]
    fn a_push_without_a_verdict_is_told_why() {
        let mut stopped = report(Verdict::Inconclusive);
        stopped.outcome.findings.clear();
        stopped.outcome.notes = vec!["the judges were out of reach".to_owned()];
        let mut news = PushNews::default();
        news.add_verdict(&["topic".to_owned()], &stopped, None);
        news.keep_worst(stopped);
        news.end_with(PushEnding::Blocked);
        let text = news.render(DisplayOptions::default());
        assert!(text.lines().count() <= MAX_LINES, "{text}");
        for part in [
            "the judges were out of reach",
            "git council show",
            "blocked",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// Other programs' lines stand around them, and a terminal breaks what is wider within a word.
    #[test]
    fn how_a_push_ends_stands_on_one_row() {
        for ending in [
            PushEnding::Advice,
            PushEnding::Late,
            PushEnding::Blocked,
            PushEnding::BlockedForAgent,
        ] {
            let row = format!("git-council: {}", ending.words());
            assert!(row.len() < 80, "{row}");
        }
    }

    /// Who was not looked at is told, in any mode, with the number, the first names and the way out.
    #[test]
    fn what_was_not_searched_for_secrets_is_named() {
        let file = |at: usize| (format!("data/{at}.txt"), "0123456789".to_owned());
        let passing = PassingSecrets {
            unsearched: Unsearched {
                commits: 2,
                files: (0..5).map(file).collect(),
            },
            ..PassingSecrets::default()
        };
        let mut news = PushNews::default();
        news.add_secrets("topic", passing);
        assert!(news.stops_gate());
        let text = news.render(DisplayOptions::default());
        for part in [
            "topic: INCONCLUSIVE: not searched for secrets: ",
            "5 files (data/0.txt, data/1.txt, data/2.txt, …), 2 commits",
            "council.hook.timeout",
            "advice only",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("the sum was reviewed"), "{text}");
    }

    #[test]
    fn secrets_have_one_line_with_their_number_the_first_places_and_the_way_out() {
        let text = push(1, 0, 7, Some(PushEnding::Blocked));
        let line = text
            .lines()
            .find(|line| line.contains("7 secrets"))
            .unwrap();
        for part in [
            "topic-0: critical",
            "k.py:2 of commit 0123456789 (provider-token), 4 more",
            "git rebase",
            "git tag",
        ] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
}
