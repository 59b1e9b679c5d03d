//! What a run will send, to whom, and what that may cost: told before anybody is asked.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use council_protocol::price::{EXPECTED_OUTPUT, ModelPrice, estimate_tokens};
use council_protocol::seat::{AgentKind, Api};
use council_protocol::tokens::weighed_bytes;
use council_protocol::{Coverage, CoverageState, Seat};

use crate::config::{AgentSettings, LargeChangePolicy, PriceSettings, Settings};
use crate::council::Outcome;
use crate::council::plan::{DebateMode, MAX_SUB_TURNS, Procedure, RoundLimits};
use crate::duel::DuelRole;
use crate::duel::protocol::turns::most_turns;
use crate::report::BriefFacts;
use crate::run::call_extras::CallExtras;
use crate::run::cost_words::count_noun;
use crate::run::recipient::describe_recipient;
use crate::run::shards::shard_of;
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

    /// A change that is reviewed in parts has one round. The costs follow from the turns: nobody changes these afterwards.
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

/// What reviews would cost together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CostForecast {
    /// US dollars from and to, of those whose price is known.
    pub(crate) usd: (f64, f64),
    /// Of whom no price is known.
    pub(crate) unpriced: BTreeSet<String>,
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
    /// US dollars from (the caches help all but the first, one round) to (they do not, all rounds); none: unknown.
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

/// The prices of the models that may answer for a seat, that of the first one first; none: one of them has none.
fn prices_of<'m>(seat: &Seat, money: &'m BudgetLimits) -> Option<Vec<&'m ModelPrice>> {
    let fallback = match &seat.agent.kind {
        AgentKind::Http(endpoint) => endpoint.fallback.as_slice(),
        _ => &[],
    };
    let models = seat.agent.model.iter().chain(fallback);
    let prices: Option<Vec<&ModelPrice>> = models.map(|model| money.prices.get(model)).collect();
    prices.filter(|prices| !prices.is_empty())
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
    /// Whether a review in parts shows what is left out: it is not in parts already, and all of it can be read.
    parts_show_more: bool,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl RunEstimate {
    /// The forecast of a run for these seats, each with the size of its brief, of whom each is asked so often; `has_tree`:
    /// judges can look into files.
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
        let mut sent = HashSet::new();
        let paid = || seats.iter().filter(|(seat, _)| seat.agent.kind.is_paid());
        for (seat, brief) in paid() {
            let extras = CallExtras::of_seat(seat, settings, has_tree);
            let beside = beside_brief(extras);
            let input = estimate_tokens(brief.weight + beside);
            let prices = prices_of(seat, &money);
            let price = prices.as_ref().and_then(|prices| prices.first());
            // A cache has no brief of this run before the first judge of its part has sent it.
            let is_first = sent.insert((describe_recipient(seat), *brief, shard_of(&seat.judge)));
            let usd = price.map(|price| {
                let tokens = estimate_tokens(brief.weight);
                let cached = price.cost_usd(estimate_tokens(beside), tokens, EXPECTED_OUTPUT);
                let stored = match is_first {
                    true => price.max_usd(tokens, 0) - price.cost_usd(0, tokens, 0),
                    false => 0.0,
                };
                // Each turn carries those before it, and may find no cache.
                let answer = extras.most_output;
                let carried = answer + estimate_tokens(TASK_BYTES);
                let uncached = |price: &ModelPrice, turn: u64| {
                    let first = input + turn * carried;
                    extras.look_ups_usd(price, first)
                        + price.max_usd(extras.last_input(first), answer)
                };
                // Whoever asks helpers is asked again with what they say.
                let helped = u64::from(settings.review.explorers > 0);
                let most = |price| -> f64 {
                    let turns = 0..turns.most + helped;
                    turns.map(|turn| uncached(price, turn)).sum()
                };
                // A model that gives way may have been paid.
                let most = prices.iter().flatten().map(|price| most(price)).sum();
                (cached * turns.least as f64 + stored.max(0.0), most)
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
            bound: money.most_usd,
            left_out: coverage
                .gaps()
                .map(|file| file.path.display().into_owned())
                .collect(),
            parts_show_more: settings.review.large != LargeChangePolicy::Shard
                && coverage
                    .gaps()
                    .all(|file| !matches!(file.state, CoverageState::Unreadable { .. })),
            turns,
        }
    }

    /// The same, with where the bytes of a brief go.
    pub(crate) fn with_brief(self, brief: Option<BriefFacts>) -> Self {
        Self { brief, ..self }
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
}

#[path = "estimate_lines.rs"]
mod lines;

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
