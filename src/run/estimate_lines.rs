//! The forecast of a run, in lines for a person.

use council_agents::tools::{declared_bytes, max_bytes_of_calls};
use council_protocol::price::{EXPECTED_OUTPUT, estimate_tokens};

use super::{BriefSize, CostForecast, JudgeTurns, RunEstimate, TASK_BYTES, beside_brief};
use crate::run::cost_words::{count_noun, format_cost, format_number, format_size};

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
    /// Where the bytes of a brief and of a turn go.
    pub(super) fn brief_lines(&self) -> Vec<String> {
        let Some(brief) = &self.brief else {
            return Vec::new();
        };
        let mut parts = TokenParts::of(self.largest);
        let bound = match brief.is_full {
            true => "limits.brief",
            false => "limits.context",
        };
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
                left => format!(", {left} more did not fit (`{bound}`)"),
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
            let look_ups = usize::try_from(self.extras.look_ups).unwrap_or(usize::MAX);
            let most = format!(
                " in each call; a judge may look things up {} before it answers (`limits.tool-calls`), which adds at most {}",
                count_noun(look_ups, "time"),
                format_size(max_bytes_of_calls(self.extras.look_ups))
            );
            lines.push(line(
                "tools that look into the repository",
                declared_bytes(),
                &most,
            ));
        }
        lines
    }

    /// The forecast in lines; paths in it are untrusted.
    pub(crate) fn render_lines(&self) -> Vec<String> {
        if !self.sends_anything() {
            return vec!["nothing leaves this machine: only built-in judges take part".to_owned()];
        }
        let beside = beside_brief(self.extras);
        let parts = match self.brief.as_ref().map_or(1, |brief| brief.parts) {
            0 | 1 => String::new(),
            parts => format!(" in the largest of {parts} briefs"),
        };
        let mut lines = vec![format!(
            "about {} tokens ({}, {} replaced) will be sent{parts}:",
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
        lines.extend(self.turns_line());
        lines.extend(self.bound_line());
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
            "{asked}; the lower cost is for {costs} where the provider remembers what it was sent (its prompt cache), the higher \
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

    /// What all recipients cost together, as far as prices are known.
    pub(crate) fn cost(&self) -> CostForecast {
        let known = self.to.values().filter_map(|recipient| recipient.usd);
        let usd = known.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let unpriced = self.to.iter().filter(|(_, to)| to.usd.is_none());
        CostForecast {
            usd: self.bounded(Some(usd)).unwrap_or(usd),
            unpriced: unpriced.map(|(name, _)| name.clone()).collect(),
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
            let more = match self.parts_show_more {
                true => " (`review.large = \"shard\"` shows everything)",
                false => "",
            };
            let files = count_noun(self.left_out.len(), "file");
            lines.push(format!("not shown in full to any judge: {files}{more}"));
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
