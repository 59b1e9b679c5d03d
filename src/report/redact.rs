//! Secrets stay out of reports: judges that read the original quote what they found, and every surface may be public.
//! Text without a secret is not touched.

use std::collections::BTreeSet;

use council_protocol::answer::{Answer, Ballot, Evidence};
use council_protocol::coverage::Coverage;
use council_protocol::message::Usage;
use council_protocol::seat::AgentKind;
use council_protocol::{CoverageState, Finding, RepoPath, Seat};
use council_secrets::Redactor;

use crate::council::ledger::DebateLedger;
use crate::council::outcome::{JudgeRecord, JudgedFinding, Outcome};
use crate::council::reproduction::{MendedRuns, ReproductionResult, SuggestionCheck, TestRun};
use crate::report::earlier::EarlierReview;

/// What takes the secrets out of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportRedactor<'a>(pub(super) &'a Redactor);

impl ReportRedactor<'_> {
    /// Every text of an outcome that a judge wrote.
    pub(super) fn redact_outcome(&self, outcome: &mut Outcome) {
        outcome
            .findings
            .iter_mut()
            .for_each(|found| self.redact_judged(found));
        outcome
            .judges
            .iter_mut()
            .for_each(|judge| self.redact_record(judge));
        outcome
            .disagreements
            .iter_mut()
            .flat_map(|d| &mut d.positions)
            .for_each(|text| self.redact_text(text));
        for challenge in &mut outcome.challenges {
            self.redact_text(&mut challenge.claim);
            self.redact_text(&mut challenge.question);
            challenge
                .answer
                .iter_mut()
                .for_each(|text| self.redact_text(text));
        }
        self.redact_ledger(&mut outcome.ledger);
        self.redact_coverage(&mut outcome.coverage);
        outcome
            .notes
            .iter_mut()
            .for_each(|text| self.redact_text(text));
    }

    /// The names of the files of a change, and what is said of them.
    pub(super) fn redact_coverage(&self, coverage: &mut Coverage) {
        for file in &mut coverage.files {
            self.redact_path(&mut file.path);
            self.redact_state(&mut file.state);
        }
    }

    /// Why a file was not read may name it, or the glob that leaves it out.
    fn redact_state(&self, state: &mut CoverageState) {
        match state {
            CoverageState::Skipped { reason } | CoverageState::Unreadable { reason } => {
                self.redact_text(reason);
            }
            CoverageState::Opaque { what, .. } => self.redact_text(what),
            CoverageState::Reviewed
            | CoverageState::Truncated { .. }
            | CoverageState::OverBudget
            | CoverageState::NotAsked => {}
        }
    }

    /// Every text that passed between judges.
    fn redact_ledger(&self, ledger: &mut DebateLedger) {
        for round in &mut ledger.rounds {
            for stand in &mut round.stands {
                self.redact_text(&mut stand.position);
                self.redact_text(&mut stand.note);
                stand
                    .evidence
                    .iter_mut()
                    .for_each(|evidence| self.redact_evidence(evidence));
                stand
                    .arguments
                    .iter_mut()
                    .for_each(|text| self.redact_text(text));
            }
            round
                .consensus
                .iter_mut()
                .for_each(|text| self.redact_text(text));
            round
                .disputed
                .iter_mut()
                .for_each(|text| self.redact_text(text));
        }
        ledger
            .messages
            .iter_mut()
            .for_each(|m| self.redact_text(&mut m.text));
        ledger
            .interventions
            .iter_mut()
            .for_each(|i| self.redact_text(&mut i.about));
        ledger
            .unchallenged
            .iter_mut()
            .for_each(|u| self.redact_text(&mut u.reason));
        ledger
            .ballots
            .iter_mut()
            .for_each(|b| self.redact_ballot(&mut b.ballot));
        for brought in &mut ledger.reproductions {
            self.redact_text(&mut brought.command);
            for file in &mut brought.files {
                self.redact_code(&file.path, &mut file.content);
            }
            match &mut brought.result {
                ReproductionResult::Ran {
                    base,
                    head,
                    output,
                    mended,
                    without,
                } => {
                    self.redact_text(output);
                    let mended = mended.iter_mut().flat_map(|mended| match mended {
                        MendedRuns::Ran { runs } => runs.as_mut_slice(),
                        MendedRuns::NotRun { .. } => &mut [],
                    });
                    for run in base.iter_mut().chain(head).chain(mended).chain(without) {
                        if let TestRun::Broken { why } = run {
                            self.redact_text(why);
                        }
                    }
                }
                ReproductionResult::NotRun { why, .. } => self.redact_text(why),
            }
        }
        if let Some(synthesis) = &mut ledger.synthesis {
            self.redact_text(&mut synthesis.document);
        }
    }

    fn redact_ballot(&self, ballot: &mut Ballot) {
        self.redact_text(&mut ballot.strongest_point);
        self.redact_text(&mut ballot.concession);
        self.redact_text(&mut ballot.remaining_concern);
        ballot
            .conditions
            .iter_mut()
            .for_each(|text| self.redact_text(text));
    }

    /// What a seat is told may hold a secret. How its agent is started stays with its user.
    fn redact_seat(&self, seat: &mut Seat) {
        // What stands in the program itself holds nobody's secret; and for its words ("secrets", "keys") patterns would
        // be compiled, which took a third of a small review.
        if !is_built_in_focus(&seat.perspective.focus) {
            self.redact_text(&mut seat.perspective.focus);
        }
        let kind = std::mem::replace(&mut seat.agent.kind, AgentKind::Backend {});
        seat.agent.kind = kind.without_reach();
    }

    /// What a judge's turns cost holds words of models and programs, and the names of files.
    fn redact_usage(&self, usage: &mut Usage) {
        let words = [
            &mut usage.model,
            &mut usage.without_tools,
            &mut usage.killed,
        ];
        let words = words.into_iter().flatten();
        let lists = usage.passed_over.iter_mut().chain(&mut usage.unread);
        words.chain(lists).for_each(|text| self.redact_text(text));
        for call in &mut usage.tool_calls {
            self.redact_text(&mut call.tool);
            self.redact_text(&mut call.asked);
            let paths = call.seen.iter_mut().map(|seen| &mut seen.path);
            paths.for_each(|path| self.redact_path(path));
        }
        usage.looked_up = self.redacted_paths(&usage.looked_up);
        let parts = std::mem::take(&mut usage.looked_up_in_part);
        usage.looked_up_in_part = parts
            .into_iter()
            .map(|(mut path, part)| {
                self.redact_path(&mut path);
                (path, part)
            })
            .collect();
        usage
            .earlier
            .iter_mut()
            .for_each(|call| self.redact_usage(call));
    }

    fn redacted_paths(&self, paths: &BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
        let redacted = |path: &RepoPath| {
            let mut path = path.clone();
            self.redact_path(&mut path);
            path
        };
        paths.iter().map(redacted).collect()
    }

    /// The place of a file and the branch that it is of: either may be called by a secret.
    pub(super) fn redact_place(&self, path: &mut RepoPath, origin: &mut String) {
        self.redact_path(path);
        self.redact_text(origin);
    }

    /// What is told of an earlier review: its findings come from where it was published.
    pub(super) fn redact_earlier(&self, earlier: &mut EarlierReview) {
        for found in &mut earlier.findings {
            self.redact_place(&mut found.location.path, &mut found.description);
            if let Some(lapsed) = &mut found.lapsed {
                self.redact_text(&mut lapsed.by);
            }
        }
    }

    /// Every text of an answer.
    pub(super) fn redact_answer(&self, answer: &mut Answer) {
        let later = answer
            .independent_findings
            .iter_mut()
            .map(|f| &mut f.finding);
        answer
            .findings
            .iter_mut()
            .chain(later)
            .for_each(|one| self.redact_finding(one));
        let evidence = answer.responses.iter_mut().flat_map(|r| &mut r.evidence);
        let evidence = evidence.chain(answer.withdrawn.iter_mut().flat_map(|w| &mut w.evidence));
        evidence
            .chain(answer.change.iter_mut().flat_map(|c| &mut c.evidence))
            .for_each(|evidence| self.redact_evidence(evidence));
        for response in &mut answer.responses {
            self.redact_text(&mut response.reasoning);
        }
        for file in answer.reproductions.iter_mut().flat_map(|r| &mut r.files) {
            self.redact_code(&file.path, &mut file.content);
        }
        for challenge in &mut answer.challenges {
            self.redact_text(&mut challenge.claim);
            self.redact_text(&mut challenge.question);
        }
        for reply in &mut answer.answers {
            self.redact_text(&mut reply.response);
        }
        for message in &mut answer.messages {
            self.redact_text(&mut message.text);
        }
        let optional = [
            &mut answer.restatement,
            &mut answer.steel_man,
            &mut answer.position,
            &mut answer.no_challenge,
            &mut answer.document,
        ];
        optional
            .into_iter()
            .flatten()
            .for_each(|text| self.redact_text(text));
        answer
            .arguments
            .iter_mut()
            .for_each(|text| self.redact_text(text));
        answer
            .explore
            .iter_mut()
            .for_each(|text| self.redact_text(text));
        answer
            .question
            .iter_mut()
            .for_each(|q| self.redact_text(&mut q.text));
        answer
            .ballot
            .iter_mut()
            .for_each(|one| self.redact_ballot(one));
        self.redact_together([
            &mut answer.analysis,
            &mut answer.key_insight,
            &mut answer.recommendation,
        ]);
    }

    fn redact_judged(&self, found: &mut JudgedFinding) {
        self.redact_finding(&mut found.finding);
        if let Some(SuggestionCheck::Untried { why } | SuggestionCheck::Breaks { why }) =
            &mut found.suggestion_check
        {
            self.redact_text(why);
        }
        if found.finding.suggestion.is_none() {
            found.suggestion_check = None;
        }
        if let Some(dismissed) = &mut found.dismissed {
            self.redact_text(&mut dismissed.because);
            self.redact_text(&mut dismissed.by);
        }
        for member in &mut found.members {
            self.redact_finding(&mut member.finding);
        }
        for opinion in &mut found.opinions {
            self.redact_text(&mut opinion.reasoning);
            opinion
                .evidence
                .iter_mut()
                .for_each(|evidence| self.redact_evidence(evidence));
        }
    }

    fn redact_record(&self, judge: &mut JudgeRecord) {
        self.redact_seat(&mut judge.seat);
        self.redact_together([
            &mut judge.first_insight,
            &mut judge.key_insight,
            &mut judge.recommendation,
        ]);
        judge
            .restatement
            .iter_mut()
            .for_each(|text| self.redact_text(text));
        judge
            .steel_man
            .iter_mut()
            .for_each(|text| self.redact_text(text));
        if let Some(change) = &mut judge.change {
            change
                .evidence
                .iter_mut()
                .for_each(|evidence| self.redact_evidence(evidence));
            self.redact_text(&mut change.note);
        }
        for failure in &mut judge.failures {
            self.redact_text(&mut failure.failure.detail);
            let usage = failure.failure.usage.iter_mut();
            usage.for_each(|usage| self.redact_usage(usage));
        }
        let usages = judge
            .usage
            .iter_mut()
            .chain(judge.usage_by_round.values_mut());
        usages.for_each(|usage| self.redact_usage(usage));
    }

    /// The name of a file with a secret in it.
    fn redact_path(&self, path: &mut RepoPath) {
        let redacted = self.0.redact_name(&path.display());
        if redacted.secrets > 0 {
            *path = RepoPath::from(redacted.text.as_str());
        }
    }

    /// A suggestion with a secret in it is none that anybody should take.
    fn redact_finding(&self, finding: &mut Finding) {
        let path = finding.location.path.clone();
        self.redact_path(&mut finding.location.path);
        self.redact_code(&path, &mut finding.quote);
        if let Some(mut suggestion) = finding.suggestion.take() {
            let as_written = suggestion.clone();
            self.redact_code(&path, &mut suggestion);
            finding.suggestion = (suggestion == as_written).then_some(suggestion);
        }
        finding
            .reference
            .iter_mut()
            .for_each(|text| self.redact_text(text));
        self.redact_text(&mut finding.category);
        // A tool may name a hit by what it has found. The names of our own rules speak of secrets, and hold none.
        let own_rule = |rule: &&mut String| council_builtin::explain_rule(rule).is_none();
        let named = finding.rule.iter_mut().filter(own_rule);
        named.for_each(|rule| self.redact_text(rule));
        self.redact_together([&mut finding.description, &mut finding.why, &mut finding.fix]);
    }

    fn redact_evidence(&self, evidence: &mut Evidence) {
        let path = evidence.path.clone();
        self.redact_path(&mut evidence.path);
        self.redact_code(&path, &mut evidence.quote);
    }

    fn redact_text(&self, text: &mut String) {
        let redacted = self.0.redact_words(text);
        if redacted.secrets > 0 {
            *text = redacted.text;
        }
    }

    /// Texts that stand one below the other wherever they are shown: one may begin what the next one goes on with. They
    /// are read as a whole first: what is left of one, when its half of a secret is gone, tells the next one nothing.
    fn redact_together<const N: usize>(&self, mut texts: [&mut String; N]) {
        let whole = texts.each_ref().map(|text| text.as_str()).join("\n");
        let redacted = self.0.redact_words(&whole);
        if redacted.secrets > 0 {
            // Lines stay lines.
            let mut lines = redacted.text.split('\n');
            for text in &mut texts {
                let count = text.matches('\n').count() + 1;
                **text = lines.by_ref().take(count).collect::<Vec<_>>().join("\n");
            }
        }
        texts.into_iter().for_each(|text| self.redact_text(text));
    }

    /// Lines of a file, whose name may say that all of it is secret.
    fn redact_code(&self, path: &RepoPath, lines: &mut String) {
        let redacted = self.0.redact_quote(&path.display(), lines);
        if redacted.secrets > 0 {
            *lines = redacted.text;
        }
    }
}

/// Whether a perspective's focus is one of the program's own texts.
fn is_built_in_focus(focus: &str) -> bool {
    let mut known = council_builtin::perspectives().iter();
    known.any(|perspective| perspective.focus == focus)
}
