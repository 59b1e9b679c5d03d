//! The rules' word over every change. Rules cost nothing and need nobody: a key, a token or the markers of a conflict do not
//! pass because models, or rules of another perspective, were seated in their place; nor do models that sit beside them make
//! their word milder. They are heard where they find something critical, a secret that no model is shown, or an attack on
//! those who judge, and take no other part.

use std::collections::BTreeMap;
use std::sync::Arc;

use council_builtin::BuiltinJudge;
use council_protocol::capability::Grant;
use council_protocol::coverage::FileCoverage;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::task::Framing;
use council_protocol::{
    BlobSource, Coverage, CoverageState, Finding, JudgeId, Location, Packet, Proof, RepoPath, Seat,
    Severity, Turn,
};
use council_secrets::Redactor;

use crate::config::Config;
use crate::council::at_once::{ReadyAnswer, ReadyBench, play_at_once};
use crate::council::outcome::{
    FindingLevel, FindingMember, HEARD_RULES, JudgeRecord, JudgedFinding, Outcome, ReviewedBy,
    Verdict, VerdictReason,
};
use crate::council::plan::{
    DebateMode, DebateSubject, ExchangeMode, PlannedSeat, Procedure, ProcedureOptions,
    RoundTimeouts, RunSeed,
};
use crate::council::{Dismissal, Plan};
use crate::run::prepare::PreparedReview;
use crate::run::seats::SeatPlanner;
use crate::session::QuoteProver;

/// What the rules look at, and how they are set.
pub(crate) struct RuleBench {
    /// The built-in judge as the configuration has it.
    pub(crate) agent: AgentSpec,
    pub(crate) packet: Arc<Packet>,
    pub(crate) blobs: Arc<dyn BlobSource>,
    pub(crate) redactor: Redactor,
}

impl RuleBench {
    /// The rules over a prepared change; none: the user's own configuration has none.
    pub(crate) fn of(prepared: &PreparedReview) -> Option<Self> {
        Some(Self {
            agent: configured_rules(&prepared.config)?,
            packet: Arc::clone(prepared.packet_of_rules()),
            blobs: Arc::clone(&prepared.change.blobs),
            redactor: prepared.redactor.clone(),
        })
    }
}

/// The built-in judge as the configuration has it.
pub(crate) fn configured_rules(config: &Config) -> Option<AgentSpec> {
    let planner = SeatPlanner {
        config,
        deep: false,
    };
    planner.agent_in_turn(Some("builtin"), 0).ok()
}

/// Classes of what is taken out of everything that models read: about these the rules alone can speak.
const HIDDEN: [&str; 2] = ["secrets", "secret-files"];

/// Whether a warning is one that models cannot give: of what they are not shown, or of what is meant for them. Whoever obeys
/// an attack says nothing of it.
fn is_beyond_models(finding: &Finding) -> bool {
    let rule = finding.rule.as_deref();
    HIDDEN.contains(&finding.category.as_str()) || rule.is_some_and(council_builtin::guards_review)
}

/// Whether a finding of the rules counts where none of them sat.
fn is_heard(found: &JudgedFinding) -> bool {
    match found.level {
        Some(FindingLevel::Fail) => true,
        Some(FindingLevel::Warn) => is_beyond_models(&found.finding),
        Some(FindingLevel::Note) | None => false,
    }
}

/// Whether a dismissed finding stays in the report: it would count, and nobody else has it. The next reader is to know that it
/// is there, and who said why it does not count.
fn is_told(outcome: &Outcome, found: &JudgedFinding) -> bool {
    let said = &found.finding;
    let would_count = said.severity == Severity::Critical
        || (said.severity == Severity::Significant && is_beyond_models(said));
    let is_known = outcome.findings.iter().any(|known| is_same(known, found));
    would_count && !is_known && outcome.verdict != Verdict::Skipped
}

/// Adds what the built-in rules find to be critical, and what no model could find, where the council did not say it.
pub(crate) fn hear_rules(outcome: &mut Outcome, plan: &Plan, bench: Option<RuleBench>) {
    let is_change = plan.options.subject == DebateSubject::Change;
    if !is_change || have_spoken(plan) {
        return;
    }
    // What no judge looks at, rules look at all the same, also where the user's configuration leaves it out; what built-in globs
    // leave out, and what was judged before, they do not.
    let is_left_out = |file: &FileCoverage| {
        matches!(file.state, CoverageState::Skipped { .. }) && !file.state.is_left_out_by_user()
    };
    let has_files = |bench: &RuleBench| !bench.packet.coverage.files.iter().all(is_left_out);
    let bench = bench.filter(|bench| outcome.verdict != Verdict::Skipped || has_files(bench));
    let Some(rules) = bench.and_then(|bench| rules_alone(plan, bench)) else {
        return;
    };
    let is_news = |found: &JudgedFinding| match found.dismissed {
        Some(_) => is_told(outcome, found),
        None => is_heard(found) && !is_said(outcome, plan, found),
    };
    let found = rules.findings.into_iter().filter(is_news).collect();
    take_over(outcome, rules.judges, found);
}

fn is_rule(planned: &PlannedSeat) -> bool {
    matches!(planned.seat.agent.kind, AgentKind::Builtin { .. })
}

/// Whether every rule sat, and nobody else: there is nothing to add.
fn have_spoken(plan: &Plan) -> bool {
    let by = |id: &str| {
        let mut seats = plan.seats.iter();
        seats.any(|p| council_builtin::applies_rule(&p.seat.perspective.name, id))
    };
    plan.seats.iter().all(is_rule) && council_builtin::rules().all(|rule| by(rule.id))
}

/// Whether the council says already what a rule found, and no more mildly. In a duel the side of the rules says it in its
/// own turns, where the other side may answer it.
fn is_said(outcome: &Outcome, plan: &Plan, found: &JudgedFinding) -> bool {
    if outcome.procedure == Some(Procedure::Duel) && plan.seats.iter().any(is_rule) {
        return true;
    }
    let mut known = outcome.findings.iter();
    known.any(|known| is_same(known, found) && known.level >= found.level)
}

/// Whether two findings are one: the same fingerprint, or the same rule at the same place, whoever else joined it; or a
/// model calls what it found there as the rule is called.
fn is_same(known: &JudgedFinding, rule: &JudgedFinding) -> bool {
    let names_it = |finding: &Finding| {
        let named = finding.rule.as_ref().unwrap_or(&finding.category);
        let rule_id = rule.finding.rule.as_ref();
        rule_id.is_some_and(|id| id.eq_ignore_ascii_case(named))
            && finding.location.path == rule.finding.location.path
            && finding.location.line == rule.finding.location.line
    };
    known.fingerprint == rule.fingerprint || known.members.iter().any(|m| names_it(&m.finding))
}

/// Whether the rules, which cost nothing, find something in today's files that a verdict of the past does not know: they look
/// at more than the changed lines, and those are all by which a change is known again.
pub(crate) fn find_news(
    known: &Outcome,
    prepared: &PreparedReview,
    dismissals: &[Dismissal],
) -> bool {
    let plan = plan_of_nobody(prepared, dismissals);
    let Some(rules) = RuleBench::of(prepared).and_then(|bench| rules_alone(&plan, bench)) else {
        return false;
    };
    let is_rule = |j: &JudgeRecord| matches!(j.seat.agent.kind, AgentKind::Builtin { .. });
    let sat: Vec<&str> = known
        .judges
        .iter()
        .filter(|j| is_rule(j) && j.seat.judge.as_str() != HEARD_RULES)
        .map(|j| j.seat.perspective.name.as_str())
        .collect();
    let is_seated = |found: &JudgedFinding| {
        let rule = found.finding.rule.as_deref();
        rule.is_some_and(|id| {
            sat.iter()
                .any(|name| council_builtin::applies_rule(name, id))
        })
    };
    let counts = |outcome: &Outcome, wanted: &dyn Fn(&JudgedFinding) -> bool| {
        let mut counts: BTreeMap<(Option<String>, RepoPath), usize> = BTreeMap::new();
        for found in outcome.findings.iter().filter(|found| wanted(found)) {
            let place = (
                found.finding.rule.clone(),
                found.finding.location.path.clone(),
            );
            *counts.entry(place).or_default() += 1;
        }
        counts
    };
    let is_wanted = |found: &JudgedFinding| {
        is_heard(found)
            || (!sat.is_empty() && found.level >= Some(FindingLevel::Warn))
            || (found.level.is_some() && is_seated(found))
    };
    // What only rules said then, and none says now, is gone with what it was compared with.
    let by_rules_alone = |found: &JudgedFinding| {
        let is_judge = |m: &FindingMember| {
            let mut judges = known.judges.iter();
            judges.any(|j| j.seat.judge == m.judge && is_rule(j))
        };
        found.level.is_some() && found.finding.rule.is_some() && found.members.iter().all(is_judge)
    };
    let more = |now: BTreeMap<_, usize>, before: BTreeMap<_, usize>| {
        let mut now = now.into_iter();
        now.any(|(place, count)| before.get(&place).is_none_or(|known| *known < count))
    };
    let all = |_: &JudgedFinding| true;
    more(counts(&rules, &is_wanted), counts(known, &all))
        || more(counts(known, &by_rules_alone), counts(&rules, &all))
}

/// The plan of a council in which nobody sits.
fn plan_of_nobody(prepared: &PreparedReview, dismissals: &[Dismissal]) -> Plan {
    let settings = &prepared.config.settings;
    Plan {
        procedure: Procedure::Quick,
        debate: DebateMode::Off,
        consensus: settings.review.consensus,
        quorum: 1,
        policy: settings.policy(),
        seats: Vec::new(),
        exchange: ExchangeMode::Reference,
        timeouts: RoundTimeouts::default(),
        seed: RunSeed(String::new()),
        framing: Framing::default(),
        notes: Vec::new(),
        options: ProcedureOptions {
            dismissed: dismissals.to_vec(),
            ..ProcedureOptions::default()
        },
    }
}

/// Adds what the rules find where nobody is asked, since configuration leaves out every changed file.
pub(crate) fn hear_rules_of_skipped(
    outcome: &mut Outcome,
    prepared: &PreparedReview,
    dismissals: &[Dismissal],
) {
    let plan = plan_of_nobody(prepared, dismissals);
    hear_rules(outcome, &plan, RuleBench::of(prepared));
}

/// The same from the report of the run, for a replay: the journal holds the council alone.
pub(crate) fn recall_rules(outcome: &mut Outcome, before: &Outcome) {
    let judges = before.judges.iter().filter(|j| is_unseated(j, outcome));
    let judges: Vec<JudgeRecord> = judges.cloned().collect();
    let is_theirs = |found: &&JudgedFinding| {
        let mut members = found.members.iter();
        members.any(|m| judges.iter().any(|j| j.seat.judge == m.judge))
    };
    let found = before.findings.iter().filter(is_theirs).cloned().collect();
    take_over(outcome, judges, found);
}

fn is_unseated(judge: &JudgeRecord, outcome: &Outcome) -> bool {
    let mut seated = outcome.judges.iter();
    judge.seat.judge.as_str() == HEARD_RULES && !seated.any(|j| j.seat.judge == judge.seat.judge)
}

fn take_over(outcome: &mut Outcome, judges: Vec<JudgeRecord>, found: Vec<JudgedFinding>) {
    if found.is_empty() {
        return;
    }
    for rule in found {
        let mut known = outcome.findings.iter_mut();
        match known.find(|known| is_same(known, &rule)) {
            Some(known) => {
                (known.level, known.disposition) = (known.level.max(rule.level), rule.disposition);
                // What a rule finds keeps its own weight and words, whatever models call it.
                if rule.finding.severity >= known.finding.severity {
                    known.finding = rule.finding;
                }
                for member in rule.members {
                    if !known.members.contains(&member) {
                        known.members.push(member);
                    }
                }
            }
            None => {
                let id = format!("F{}", outcome.findings.len() + 1);
                outcome.findings.push(JudgedFinding { id, ..rule });
            }
        }
    }
    name_by_weight(outcome);
    let heard = u32::try_from(judges.len()).unwrap_or(u32::MAX);
    // They make up for no reviewer: whoever had to count still has to.
    outcome.counted += heard;
    outcome.quorum += heard;
    outcome.judges.extend(judges);
    outcome.reviewed_by = ReviewedBy::of_records(&outcome.judges);
    if outcome.reason.is_cut_short() {
        return;
    }
    let worst = outcome.findings.iter().filter_map(|f| f.level).max();
    match (worst, outcome.verdict) {
        (Some(FindingLevel::Fail), _) => {
            (outcome.verdict, outcome.reason) = (Verdict::Fail, VerdictReason::CriticalConfirmed);
        }
        (Some(FindingLevel::Warn), Verdict::Pass | Verdict::Skipped) => {
            (outcome.verdict, outcome.reason) =
                (Verdict::Warn, VerdictReason::SignificantConfirmed);
        }
        _ => {}
    }
}

/// The worst is `F1`, also where a rule was heard last.
fn name_by_weight(outcome: &mut Outcome) {
    let weight = |f: &JudgedFinding| std::cmp::Reverse((f.level, f.finding.severity));
    outcome.findings.sort_by_key(weight);
    let mut names = BTreeMap::new();
    for (index, finding) in outcome.findings.iter_mut().enumerate() {
        let name = format!("F{}", index + 1);
        names.insert(std::mem::replace(&mut finding.id, name.clone()), name);
    }
    let named = outcome.disagreements.iter_mut().map(|d| &mut d.finding);
    let tested = outcome
        .ledger
        .reproductions
        .iter_mut()
        .map(|r| &mut r.finding);
    for name in named.chain(tested).flatten() {
        if let Some(now) = names.get(name) {
            name.clone_from(now);
        }
    }
}

/// What the rules read: also what the user keeps from everybody else. A council that has nothing to read asks nobody.
fn read_by_rules(coverage: &Coverage) -> Coverage {
    let mut coverage = coverage.clone();
    for file in &mut coverage.files {
        if file.state.is_left_out_by_user() {
            file.state = CoverageState::Reviewed;
        }
    }
    coverage
}

/// A council of nobody but the rules, under the same policy and dismissals.
fn rules_alone(plan: &Plan, bench: RuleBench) -> Option<Outcome> {
    let seat = Seat {
        judge: JudgeId::from(HEARD_RULES),
        perspective: Perspective::default(),
        agent: bench.agent,
    };
    let (packet, blobs) = (bench.packet, bench.blobs);
    let judge = BuiltinJudge::new(&seat, Arc::clone(&packet), Arc::clone(&blobs)).ok()?;
    let coverage = Arc::new(read_by_rules(&packet.coverage));
    let prover = QuoteProver::new(packet, blobs, bench.redactor);
    let plan = Plan {
        procedure: Procedure::Quick,
        debate: DebateMode::Off,
        quorum: 1,
        seats: vec![PlannedSeat {
            seat,
            grant: Grant::default(),
            coverage,
        }],
        notes: Vec::new(),
        // What an earlier review left open, the council itself counts.
        options: ProcedureOptions {
            carried: Vec::new(),
            ..plan.options.clone()
        },
        ..plan.clone()
    };
    let (outcome, _) = play_at_once(plan, &mut RulesAlone { judge, prover })?;
    Some(outcome)
}

/// One judge and one round.
struct RulesAlone {
    judge: BuiltinJudge,
    prover: QuoteProver,
}

impl ReadyBench for RulesAlone {
    fn answer(&mut self, _: &JudgeId, turn: Turn) -> ReadyAnswer {
        Ok((self.judge.take_turn(&turn).into(), None))
    }

    fn prove(&mut self, location: &Location, quote: &str) -> (Proof, String) {
        self.prover.prove_quote(location, quote)
    }
}
