//! What a run will send, to whom, and what that may cost: told before anybody is asked.

use std::collections::BTreeMap;

use council_agents::tools::{declared_bytes, max_turn_bytes};
use council_protocol::price::{EXPECTED_OUTPUT, ModelPrice, estimate_tokens};
use council_protocol::seat::{AgentKind, Api};
use council_protocol::tokens::weighed_bytes;
use council_protocol::{Coverage, Seat};

use crate::config::{AgentSettings, PriceSettings, Settings};
use crate::council::Outcome;
use crate::council::plan::{DebateMode, MAX_SUB_TURNS, Procedure, RoundLimits};
use crate::duel::DuelRole;
use crate::duel::protocol::turns::most_turns;
use crate::report::BriefFacts;
use crate::run::call_extras::CallExtras;
use crate::run::cost_words::{count_noun, format_cost, format_number, format_size};
use crate::run::recipient::describe_recipient;
use crate::session::BudgetLimits;

/// Bytes that the task of a turn adds to the brief, or so.
const TASK_BYTES: u64 = 4 << 10;

/// What each question carries beside the brief, in bytes.
fn beside_brief(extras: CallExtras) -> u64 {
    TASK_BYTES + extras.schema + extras.tools()
}

/// How often a judge is asked in a run, at least and at most, where each of its answers can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JudgeTurns {
    least: u64,
    most: u64,
}

impl JudgeTurns {
    /// The turns of a procedure as it is configured, with these judges.
    pub(crate) fn of<'s>(settings: &Settings, seats: impl IntoIterator<Item = &'s Seat>) -> Self {
        let (least, most) = match settings.review.procedure {
            Procedure::Quick => (1, 1),
            Procedure::Staged => {
                let profile = settings.review.intensity.profile();
                (profile.min_rounds.into(), profile.max_rounds.into())
            }
            // An opening and a ballot, in each round an examination with what interrupts it, and the last round's challenges.
            Procedure::CrossExamination => {
                let rounds = u64::from(settings.cross_examination.rounds);
                let interruptions = 2 * u64::from(MAX_SUB_TURNS);
                (2 + rounds, 3 + rounds * (1 + interruptions))
            }
            // Nobody is there to debate with.
            _ if !can_debate(seats) => (1, 1),
            _ => match settings.review.debate {
                DebateMode::Off => (1, 1),
                DebateMode::Force => (2, 2),
                DebateMode::Auto => (1, 2),
            },
        };
        Self { least, most }
    }

    /// The turns of a council that comes to a document: its synthesizer is one of those who are asked.
    pub(crate) fn of_document(rounds: RoundLimits) -> Self {
        Self {
            least: rounds.min.into(),
            most: rounds.max.into(),
        }
    }

    /// The turns of the sides of a duel: A's review may be all of it, and B answers once at least.
    pub(crate) fn of_duel(roles: &[DuelRole]) -> Self {
        let most = roles.iter().map(|role| most_turns(*role)).max();
        Self {
            least: if roles == [DuelRole::B] { 2 } else { 1 },
            most: most.unwrap_or(1).into(),
        }
    }

    /// A change that is reviewed in parts has one round.
    pub(crate) const ONCE: Self = Self { least: 1, most: 1 };
}

/// Whether there are others, and somebody who can answer them: a rule says the same again.
fn can_debate<'s>(seats: impl IntoIterator<Item = &'s Seat>) -> bool {
    let rules: Vec<bool> = seats
        .into_iter()
        .map(|seat| seat.agent.deterministic)
        .collect();
    rules.len() > 1 && rules.contains(&false)
}

/// What goes to one recipient.
#[derive(Debug, Clone, PartialEq)]
struct BriefRecipient {
    /// Whether it is, or speaks with, somebody elsewhere.
    elsewhere: bool,
    /// Whether it says itself what each answer has cost.
    tells_cost: bool,
    judges: Vec<String>,
    /// Tokens of one round of all its judges, if no cache helps.
    input: u64,
    output: u64,
    /// US dollars from (the caches help, one round) to (they do not, all rounds); none: unknown.
    usd: Option<(f64, f64)>,
}

impl BriefRecipient {
    fn new(seat: &Seat) -> Self {
        Self {
            elsewhere: is_elsewhere(&seat.agent.kind),
            tells_cost: matches!(seat.agent.kind, AgentKind::Claude(_)),
            judges: Vec::new(),
            input: 0,
            output: 0,
            usd: Some((0.0, 0.0)),
        }
    }

    fn add(&mut self, who: String, input: u64, usd: Option<(f64, f64)>) {
        self.judges.push(who);
        self.input += input;
        self.output += EXPECTED_OUTPUT;
        let sum = self.usd.zip(usd);
        self.usd = sum.map(|(all, one)| (all.0 + one.0, all.1 + one.1));
    }
}

/// The seat of the helpers that a judge may ask, with their model; none: it may ask nobody.
fn helper_of(seat: &Seat, settings: &Settings) -> Option<Seat> {
    (settings.review.explorers > 0).then(|| {
        let mut helper = seat.clone();
        let model = settings.review.explorer_model.clone();
        helper.agent.model = model.or(helper.agent.model);
        helper
    })
}

/// What a run will send, to whom, and what that may cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunEstimate {
    to: BTreeMap<String, BriefRecipient>,
    largest: BriefSize,
    /// Where the bytes of a brief go; none: nobody reads one.
    brief: Option<BriefFacts>,
    extras: CallExtras,
    redactions: usize,
    left_out: Vec<String>,
    turns: JudgeTurns,
    /// What the run may cost in US dollars; none: nobody says.
    bound: Option<f64>,
}

/// What a run may cost, and what its models do, as the configuration has it.
pub(crate) fn cost_settings(settings: &Settings) -> BudgetLimits {
    let price = |(model, price): (&String, &PriceSettings)| {
        let input = price.input.unwrap_or(0);
        // Anthropic charges a tenth for what is read from its cache, and a quarter more for what is written to it.
        let (read, written) = match is_of_anthropic(model, settings) {
            true => (input / 10, input.saturating_mul(5) / 4),
            false => (input, input),
        };
        let price = ModelPrice {
            input,
            cached: price.cached.unwrap_or(read),
            output: price.output.unwrap_or(0),
            written: Some(price.written.unwrap_or(written)),
        };
        (model.clone(), price)
    };
    BudgetLimits {
        prices: settings.prices.iter().map(price).collect(),
        most_usd: settings
            .limits
            .cost
            .map(|millionths| millionths as f64 / 1e6),
    }
}

/// Whether a model is paid for as Anthropic has it: an agent asks it over that API, or its name says so.
fn is_of_anthropic(model: &str, settings: &Settings) -> bool {
    let asks = |agent: &AgentSettings| {
        let models = agent.model.iter().chain(&agent.fallback);
        agent.api == Some(Api::Anthropic) && models.into_iter().any(|name| name == model)
    };
    model.starts_with("claude") || settings.agents.values().any(asks)
}

/// What the report says of a run that cost more than it was to cost: a server or a program took more than it was told to.
pub(crate) fn overrun_note(outcome: &Outcome, settings: &Settings) -> Option<String> {
    let bound = settings.limits.cost? as f64 / 1e6;
    let costs = outcome
        .judges
        .iter()
        .filter_map(|judge| judge.usage.as_ref()?.cost_usd);
    let spent: f64 = costs.sum();
    (spent > bound).then(|| {
        format!(
            "the run cost ${spent:.2}, more than the ${bound:.2} that it was to cost: a model took more than it was told to"
        )
    })
}

/// Whether what an agent is sent leaves the machine. A program that is no client of models is the user's own affair.
fn is_elsewhere(kind: &AgentKind) -> bool {
    !matches!(
        kind,
        AgentKind::Command { .. }
            | AgentKind::Backend {}
            | AgentKind::Builtin { .. }
            | AgentKind::Recorded { .. }
    )
}

/// How large a brief is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BriefSize {
    bytes: u64,
    /// The bytes that its tokens stand for.
    weight: u64,
}

impl BriefSize {
    pub(crate) fn of_text(brief: &str) -> Self {
        Self {
            bytes: brief.len() as u64,
            weight: weighed_bytes(brief),
        }
    }

    /// As if it were prose.
    #[cfg(test)]
    pub(crate) fn of_bytes(bytes: u64) -> Self {
        Self {
            bytes,
            weight: bytes,
        }
    }
}

/// The tokens of the parts of what is sent, one behind the other. They add up to those of all of it: the parts of a brief
/// have as many tokens for a byte as the whole brief has, and what rounding leaves goes to the next part.
struct TokenParts {
    brief: BriefSize,
    /// Bytes of the parts so far.
    bytes: u64,
}

impl TokenParts {
    fn of(brief: BriefSize) -> Self {
        Self { brief, bytes: 0 }
    }

    fn take(&mut self, bytes: u64) -> u64 {
        let before = self.tokens_so_far();
        self.bytes += bytes;
        self.tokens_so_far() - before
    }

    fn tokens_so_far(&self) -> u64 {
        let of_brief = self.bytes.min(self.brief.bytes);
        let weight = u128::from(of_brief) * u128::from(self.brief.weight);
        let weight = weight / u128::from(self.brief.bytes.max(1));
        let weight = u64::try_from(weight).unwrap_or(u64::MAX);
        estimate_tokens(weight + (self.bytes - of_brief))
    }
}

impl RunEstimate {
    /// The forecast of a review for these seats, each with the size of its brief; `has_tree`: judges can look into files.
    pub(crate) fn for_seats(
        seats: &[(&Seat, BriefSize)],
        redactions: usize,
        coverage: &Coverage,
        settings: &Settings,
        has_tree: bool,
    ) -> Self {
        let turns = JudgeTurns::of(settings, seats.iter().map(|(seat, _)| *seat));
        Self::for_turns(turns, seats, redactions, coverage, settings, has_tree)
    }

    /// The same where each judge is asked so often.
    pub(crate) fn for_turns(
        turns: JudgeTurns,
        seats: &[(&Seat, BriefSize)],
        redactions: usize,
        coverage: &Coverage,
        settings: &Settings,
        has_tree: bool,
    ) -> Self {
        let money = cost_settings(settings);
        let mut to: BTreeMap<String, BriefRecipient> = BTreeMap::new();
        let paid = || seats.iter().filter(|(seat, _)| seat.agent.kind.is_paid());
        for (seat, brief) in paid() {
            let extras = CallExtras::of_seat(seat, settings, has_tree);
            let beside = beside_brief(extras);
            let input = estimate_tokens(brief.weight + beside);
            let price = seat
                .agent
                .model
                .as_ref()
                .and_then(|model| money.prices.get(model));
            let usd = price.map(|price| {
                let cached = price.cost_usd(
                    estimate_tokens(beside),
                    estimate_tokens(brief.weight),
                    EXPECTED_OUTPUT,
                );
                // Each turn carries those before it, and may find no cache.
                let answer = extras.most_output;
                let carried = answer + estimate_tokens(TASK_BYTES);
                let uncached = |turn: u64| {
                    let first = input + turn * carried;
                    extras.look_ups_usd(price, first)
                        + price.max_usd(extras.last_input(first), answer)
                };
                // Whoever asks helpers is asked again with what they say.
                let helped = u64::from(settings.review.explorers > 0);
                let most: f64 = (0..turns.most + helped).map(uncached).sum();
                (cached * turns.least as f64, most)
            });
            let entry = to
                .entry(describe_recipient(seat))
                .or_insert_with(|| BriefRecipient::new(seat));
            entry.add(seat.judge.to_string(), input, usd);
            if let Some(helper) = helper_of(seat, settings) {
                let each = settings.review.explorers;
                let price = helper
                    .agent
                    .model
                    .as_ref()
                    .and_then(|model| money.prices.get(model));
                let usd = price.map(|price| {
                    let one = price.max_usd(input, extras.most_output);
                    (0.0, one * f64::from(each))
                });
                let entry = to
                    .entry(describe_recipient(&helper))
                    .or_insert_with(|| BriefRecipient::new(&helper));
                let who = format!(
                    "up to {} of {}",
                    count_noun(each.into(), "helper"),
                    seat.judge
                );
                entry.add(who, input * u64::from(each), usd);
            }
        }
        Self {
            to,
            largest: seats
                .iter()
                .map(|(_, brief)| *brief)
                .max()
                .unwrap_or_default(),
            brief: None,
            extras: CallExtras::of_seats(paid().map(|(seat, _)| *seat), settings, has_tree),
            redactions,
            left_out: coverage
                .gaps()
                .map(|file| file.path.display().into_owned())
                .collect(),
            turns,
            bound: money.most_usd,
        }
    }

    /// The same for a change that is reviewed in parts: it has one round.
    pub(crate) fn in_one_round(self) -> Self {
        Self {
            turns: JudgeTurns::ONCE,
            ..self
        }
    }

    /// The same, with where the bytes of a brief go.
    pub(crate) fn with_brief(self, brief: Option<BriefFacts>) -> Self {
        Self { brief, ..self }
    }

    /// Where the bytes of a brief and of a turn go.
    fn brief_lines(&self) -> Vec<String> {
        let Some(brief) = &self.brief else {
            return Vec::new();
        };
        let mut parts = TokenParts::of(self.largest);
        let mut line = |what: &str, bytes: u64, more: &str| {
            let tokens = format_number(parts.take(bytes));
            format!(
                "  {what}: {} (about {tokens} tokens){more}",
                format_size(bytes)
            )
        };
        let mut lines = vec![line("the change", brief.change, "")];
        for one in &brief.context {
            let left = match one.left_out {
                0 => String::new(),
                left => format!(", {left} more did not fit (`limits.context`)"),
            };
            lines.push(line(
                &one.kind,
                one.bytes,
                &format!(", {} shown{left}", one.shown),
            ));
        }
        lines.push(line(
            "list of files, instructions, explanations",
            self.largest.bytes.saturating_sub(brief.shown_bytes()),
            "",
        ));
        lines.extend(brief.gaps.iter().map(|gap| format!("  {gap}")));
        lines.push(line(
            "the task, added to each question",
            TASK_BYTES,
            " or so",
        ));
        if self.extras.schema > 0 {
            lines.push(line(
                "the schema of the answer, in each call of an API",
                self.extras.schema,
                "",
            ));
        }
        if self.extras.look_ups > 0 {
            let most = format!(
                " in each call; a judge may look things up {} times before it answers (`limits.tool-calls`), which adds at most {}",
                self.extras.look_ups,
                format_size(max_turn_bytes())
            );
            lines.push(line(
                "tools that look into the repository",
                declared_bytes(),
                &most,
            ));
        }
        lines
    }

    /// Whether anything leaves this program.
    pub(crate) fn sends_anything(&self) -> bool {
        !self.to.is_empty()
    }

    /// Who is sent something and is not of this machine, one name a line: what was told once need not be told again.
    pub(crate) fn list_recipients(&self) -> String {
        let elsewhere = self.to.iter().filter(|(_, recipient)| recipient.elsewhere);
        elsewhere.map(|(name, _)| format!("{name}\n")).collect()
    }

    /// Of whom nobody will ever know what an answer costs: neither has it a price, nor does it say so itself. No bound holds
    /// these, not even between two reviews.
    pub(crate) fn uncountable(&self) -> Vec<&str> {
        let unknown = |to: &BriefRecipient| to.elsewhere && to.usd.is_none() && !to.tells_cost;
        let unknown = self.to.iter().filter(|(_, to)| unknown(to));
        unknown.map(|(name, _)| name.as_str()).collect()
    }

    /// Why a bound of the cost, in millionths of a dollar, does not hold; none: every call has a price.
    pub(crate) fn unbounded_warning(&self, bound: Option<u64>) -> Option<String> {
        let unpriced = self
            .to
            .iter()
            .filter(|(_, to)| to.elsewhere && to.usd.is_none());
        let names: Vec<&str> = unpriced.map(|(name, _)| name.as_str()).collect();
        (bound.is_some() && !names.is_empty()).then(|| {
            format!(
                "the bound of the cost does not hold for {}: no price is known (set `prices.MODEL.input` and `.output`)",
                names.join(" and ")
            )
        })
    }

    /// The forecast in lines; paths in it are untrusted.
    pub(crate) fn render_lines(&self) -> Vec<String> {
        if !self.sends_anything() {
            return vec!["nothing leaves this machine: only built-in judges take part".to_owned()];
        }
        let beside = beside_brief(self.extras);
        let mut lines = vec![format!(
            "about {} tokens ({}, {} replaced) will be sent:",
            format_number(estimate_tokens(self.largest.weight + beside)),
            format_size(self.largest.bytes + beside),
            count_noun(self.redactions, "secret"),
        )];
        lines.extend(self.brief_lines());
        for (name, recipient) in &self.to {
            lines.push(format!("to {name}"));
            lines.push(format!("  for {}", recipient.judges.join(", ")));
            lines.push(format!(
                "  about {} tokens in and {} out each time; {}",
                format_number(recipient.input),
                format_number(recipient.output),
                format_cost(self.bounded(recipient.usd))
            ));
        }
        if self.to.len() > 1 {
            lines.push(format!("total: {}", self.total_cost()));
        }
        lines.extend(self.bound_line());
        lines.extend(self.turns_line());
        lines.extend(self.output_line());
        lines.extend(self.omitted_lines());
        lines
    }

    /// How long an answer is at each of the two costs; none: no price is known.
    fn output_line(&self) -> Option<String> {
        let is_priced = self.to.values().any(|to| to.usd.is_some());
        let most = match self.extras.most_output {
            EXPECTED_OUTPUT => String::new(),
            most => format!(
                "; at the higher as {}, which is all that a call may write (`max-tokens`, with `thinking`)",
                format_number(most)
            ),
        };
        is_priced.then(|| {
            let expected = format_number(EXPECTED_OUTPUT);
            format!("at the lower cost an answer counts as {expected} tokens{most}")
        })
    }

    /// How often the judges are asked, and what of it the two costs are; none: once, whatever they answer.
    fn turns_line(&self) -> Option<String> {
        let JudgeTurns { least, most } = self.turns;
        let asked = match (least, most) {
            (1, 1) if self.extras.look_ups == 0 => return None,
            (1, 1) => "each judge is asked once".to_owned(),
            (1, 2) => "a second round may follow".to_owned(),
            (least, most) if least == most => format!("each judge is asked {most} times"),
            (least, most) => format!("each judge is asked {least} to {most} times"),
        };
        let is_priced = self.to.values().any(|to| to.usd.is_some());
        let costs = match least {
            _ if !is_priced => return Some(asked),
            1 => "one answer of each".to_owned(),
            least => format!("{least} answers of each"),
        };
        let look_ups = match self.extras.look_ups {
            0 => "",
            _ => " and every look-up is used",
        };
        Some(format!(
            "{asked}; the lower cost is for {costs} where the provider remembers the text (its prompt cache), the higher \
             for {most} where it does not{look_ups}"
        ))
    }

    /// Tokens and cost of everything, in one line.
    pub(crate) fn describe_total(&self) -> String {
        let input: u64 = self.to.values().map(|recipient| recipient.input).sum();
        format!(
            "about {} tokens in a round, {}",
            format_number(input),
            self.total_cost()
        )
    }

    /// What all recipients cost together; one whose price is unknown makes it a lower bound, and is named.
    fn total_cost(&self) -> String {
        let known = self.to.values().filter_map(|recipient| recipient.usd);
        let sum = known.reduce(|a, b| (a.0 + b.0, a.1 + b.1));
        let unknown = self
            .to
            .iter()
            .filter(|(_, recipient)| recipient.usd.is_none());
        let unknown: Vec<&str> = unknown.map(|(name, _)| name.as_str()).collect();
        match (sum, unknown.is_empty()) {
            (Some((least, _)), false) => format!(
                "at least ${least:.3}; no price is known of {} (set `prices.MODEL.input` and `.output`)",
                unknown.join(" and of ")
            ),
            (sum, _) => format_cost(self.bounded(sum)),
        }
    }

    /// What all recipients cost together, from and to; none: a price is unknown.
    fn sum(&self) -> Option<(f64, f64)> {
        let mut all = self.to.values().map(|recipient| recipient.usd);
        all.try_fold((0.0, 0.0), |sum, one| {
            one.map(|usd| (sum.0 + usd.0, sum.1 + usd.1))
        })
    }

    /// A cost under the bound of the run: a call that could exceed it is not made. Where the least that the run takes is more,
    /// it says nothing of what is sent.
    fn bounded(&self, usd: Option<(f64, f64)>) -> Option<(f64, f64)> {
        let allows = |bound: &f64| self.sum().is_some_and(|sum| sum.0 <= *bound);
        match self.bound.filter(allows) {
            Some(bound) => usd.map(|(least, most)| (least, most.min(bound))),
            None => usd,
        }
    }

    /// What the bound of the run does to it; none: there is none, or it is not reached.
    fn bound_line(&self) -> Option<String> {
        let (bound, sum) = (self.bound?, self.sum()?);
        if sum.0 > bound {
            return Some(format!(
                "`limits.cost` allows ${bound:.2}, less than the lower cost: judges will be turned away (raise --max-cost)"
            ));
        }
        (sum.1 > bound).then(|| {
            format!("no more than ${bound:.2} is spent (`limits.cost`): a call that could exceed it is not made")
        })
    }

    fn omitted_lines(&self) -> Vec<String> {
        const MAX_LISTED: usize = 20;
        let mut lines = Vec::new();
        if !self.left_out.is_empty() {
            lines.push(format!(
                "not shown in full to any judge: {} (`review.large = \"shard\"` shows everything)",
                count_noun(self.left_out.len(), "file")
            ));
        }
        lines.extend(
            self.left_out
                .iter()
                .take(MAX_LISTED)
                .map(|path| format!("  {path}")),
        );
        if let more @ 1.. = self.left_out.len().saturating_sub(MAX_LISTED) {
            lines.push(format!("  and {more} more"));
        }
        lines
    }
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
