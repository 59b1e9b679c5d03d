//! What is known of a run that goes on, and how it looks: a line for the round and one for each judge.

use council_protocol::answer::Stance;
use council_protocol::{FailureKind, JudgeId, Millis, RoundNumber, Severity, Vote};

use crate::council::plan::Procedure;
use crate::session::{AskedTask, ProgressEvent, ProgressKind, UsedTokens};
use crate::text::{self, Ellipsis, Untrusted, dollars, short_count};

/// The most columns of a judge's name and of its agent's.
const MAX_NAME: usize = 20;

/// A judge as it is shown.
#[derive(Debug, Clone, PartialEq)]
struct JudgeRow {
    judge: JudgeId,
    name: String,
    agent: String,
    state: JudgeState,
    /// The round that it was asked for last.
    asked: RoundNumber,
    /// Why it failed in that round, before it was asked again.
    failed: Option<String>,
    /// Since when, in the council's milliseconds.
    since: Millis,
    lookups: usize,
    /// What it looks up now.
    tool: Option<String>,
    /// Until when its provider is left alone, and why.
    pause: Option<(Millis, String)>,
    /// What its turn has used until now: its reply tells the sum.
    used: UsedTokens,
}

#[derive(Debug, Clone, PartialEq)]
enum JudgeState {
    Starting,
    Waiting,
    Thinking(AskedTask),
    Checking,
    Answered(String),
    Failed(String),
    Abstained(String),
}

/// A run that goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Board {
    target: String,
    round: RoundNumber,
    rows: Vec<JudgeRow>,
    used: UsedTokens,
    max_usd: Option<f64>,
    is_paid: bool,
    /// Whether somebody has answered whose model has no price: then the sum is not all of it.
    is_unpriced: bool,
    /// Its sides write in turn: there are no rounds of answers.
    is_duel: bool,
    is_over: bool,
    /// How many tests of judges are still to be run.
    tests: usize,
    at: Millis,
}

impl Board {
    /// Takes in an event. What is worth a line of its own is given back: one that stays where it was written.
    pub(crate) fn hear(&mut self, event: &ProgressEvent) -> Option<String> {
        self.at = self.at.max(event.at);
        let at = event.at;
        match &event.kind {
            ProgressKind::Convened { .. } => self.convene(&event.kind),
            ProgressKind::Started { judge } => self.set(judge, JudgeState::Waiting, at),
            ProgressKind::TestQueued { .. } => self.tests += 1,
            ProgressKind::TestEnded { .. } => self.tests = self.tests.saturating_sub(1),
            ProgressKind::Asked {
                judge, round, task, ..
            } => {
                let is_next = *round > self.round.max(RoundNumber::FIRST) && !self.is_duel;
                self.round = self.round.max(*round);
                self.settle_turn(judge, None);
                if let Some(row) = self.row(judge).filter(|row| row.asked != *round) {
                    (row.asked, row.failed) = (*round, None);
                }
                self.set(judge, JudgeState::Thinking(*task), at);
                return is_next.then(|| format!("round {round} begins"));
            }
            ProgressKind::LooksUp { judge, tool, asked } => {
                // One of an earlier turn is over; from another process it may be heard late.
                if let Some(row) = self.row(judge).filter(|row| at >= row.since) {
                    row.tool = Some(format!("{} {asked}", tool.replace('_', " ")));
                }
            }
            ProgressKind::AsksAgain {
                judge,
                why,
                pause_ms,
            } => {
                if let Some(row) = self.row(judge).filter(|row| at >= row.since) {
                    row.pause = Some((at.saturating_add(*pause_ms), why.clone()));
                }
            }
            ProgressKind::Spends { judge, used } => {
                self.is_unpriced |= is_unpriced(used);
                // What is heard late, from another process, the reply has told already.
                let is_open = |row: &&mut JudgeRow| {
                    at >= row.since && matches!(row.state, JudgeState::Thinking(_))
                };
                if let Some(row) = self.row(judge).filter(is_open) {
                    row.used = *used;
                }
            }
            ProgressKind::Wrote { judge, section } => {
                self.set(judge, JudgeState::Waiting, at);
                return Some(format!("{} wrote: {section}", self.name_of(judge)));
            }
            ProgressKind::Replied { judge, used } => {
                self.settle_turn(judge, Some(*used));
                self.is_unpriced |= is_unpriced(used);
                if let Some(row) = self.row(judge) {
                    row.lookups += used.lookups;
                }
                self.set(judge, JudgeState::Checking, at);
            }
            ProgressKind::Answered { judge, .. } => {
                let says = describe_answer(&event.kind);
                self.set(judge, JudgeState::Answered(says.clone()), at);
                return Some(format!("{} answered {says}", self.name_again(judge)));
            }
            // Whoever was asked to end did not fail: why it abstains is told at the end.
            ProgressKind::Failed {
                judge,
                kind: FailureKind::Cancelled,
                ..
            } => self.set(judge, JudgeState::Waiting, at),
            ProgressKind::Failed { judge, why, .. } => {
                self.set(judge, JudgeState::Failed(why.clone()), at);
                let told = format!("{} failed: {why}", self.name_again(judge));
                let before = self
                    .row(judge)
                    .and_then(|row| row.failed.replace(why.clone()));
                let is_same = before.is_some_and(|before| before == *why);
                let name = self.name_of(judge);
                return Some(match is_same {
                    true => format!("{name} was asked again, and failed in the same way"),
                    false => told,
                });
            }
            ProgressKind::TimedOut { judge } => {
                self.set(judge, JudgeState::Failed("out of time".to_owned()), at);
                return Some(format!("{} is out of time", self.name_of(judge)));
            }
            ProgressKind::Abstained { judge, why } => {
                // Why it failed was told when it did.
                let told = JudgeState::Failed(why.clone());
                let is_told = self
                    .rows
                    .iter()
                    .any(|row| row.judge == *judge && row.state == told);
                self.set(judge, JudgeState::Abstained(why.clone()), at);
                if is_told {
                    return None;
                }
                return Some(format!("{} abstained: {why}", self.name_of(judge)));
            }
            ProgressKind::Concluded { .. } | ProgressKind::Finished { .. } => self.is_over = true,
            other => return self.debate_line(other),
        }
        None
    }

    /// A sentence for what one judge says to another.
    fn debate_line(&self, kind: &ProgressKind) -> Option<String> {
        Some(match kind {
            ProgressKind::Response {
                judge,
                stance,
                of,
                place,
                finding,
                ..
            } => {
                let verb = match stance {
                    Stance::Agreed => "agrees with",
                    Stance::PartiallyAgreed => "partly agrees with",
                    Stance::Disagreed => "disputes",
                };
                let (who, of) = (self.name_of(judge), self.name_of(of));
                format!("{who} {verb} {of} on {place}: {finding}")
            }
            ProgressKind::Withdrawn {
                judge,
                place,
                finding,
                ..
            } => {
                let who = self.name_of(judge);
                format!("{who} withdraws {place}: {finding}")
            }
            ProgressKind::Moved {
                judge, from, to, ..
            } => {
                let who = self.name_of(judge);
                // Its evidence is searched later, and without it the earlier vote stands.
                format!(
                    "{who} says that it moves from {} to {}",
                    from.as_str(),
                    to.as_str()
                )
            }
            ProgressKind::Challenged {
                judge,
                to,
                question,
                ..
            } => {
                let to = self.name_of(&to.as_str().into());
                format!("{} asks {to}: {question}", self.name_of(judge))
            }
            _ => return None,
        })
    }

    fn convene(&mut self, kind: &ProgressKind) {
        let ProgressKind::Convened {
            target,
            max_usd,
            judges,
            procedure,
            ..
        } = kind
        else {
            return;
        };
        // A turn that was cut off is paid for all the same.
        let (used, is_unpriced) = (self.used_so_far(), self.is_unpriced);
        let row = |seated: &crate::session::SeatedJudge| JudgeRow {
            judge: seated.judge.clone(),
            name: match seated.perspective.as_str() {
                "" => seated.judge.as_str().to_owned(),
                name => name.to_owned(),
            },
            agent: seated.model.clone().unwrap_or_else(|| seated.agent.clone()),
            state: JudgeState::Starting,
            asked: RoundNumber::FIRST,
            failed: None,
            since: 0,
            lookups: 0,
            tool: None,
            pause: None,
            used: UsedTokens::default(),
        };
        *self = Self {
            target: target.clone(),
            max_usd: *max_usd,
            is_duel: *procedure == Procedure::Duel,
            is_paid: judges.iter().any(|one| one.paid),
            rows: judges.iter().map(row).collect(),
            used,
            is_unpriced,
            ..Self::default()
        };
        // Judges that look for the same thing are told apart by their own names.
        let names: Vec<String> = self.rows.iter().map(|row| row.name.clone()).collect();
        for row in &mut self.rows {
            if names.iter().filter(|name| **name == row.name).count() > 1 {
                row.name = row.judge.as_str().to_owned();
            }
        }
    }

    /// Whether somebody has to wait for judges that take their time.
    pub(crate) fn is_paid(&self) -> bool {
        self.is_paid
    }

    /// Whether the judges are at work.
    pub(crate) fn is_running(&self) -> bool {
        !self.rows.is_empty() && !self.is_over
    }

    /// When the last event was.
    pub(crate) fn last_ms(&self) -> Millis {
        self.at
    }

    /// What is reviewed.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    fn row(&mut self, judge: &JudgeId) -> Option<&mut JudgeRow> {
        self.rows.iter_mut().find(|row| row.judge == *judge)
    }

    fn name_of(&self, judge: &JudgeId) -> String {
        let row = self.rows.iter().find(|row| row.judge == *judge);
        row.map_or_else(|| judge.as_str().to_owned(), |row| row.name.clone())
    }

    /// Its name where it says something, which tells whether it was asked for it a second time.
    fn name_again(&self, judge: &JudgeId) -> String {
        let name = self.name_of(judge);
        let row = self.rows.iter().find(|row| row.judge == *judge);
        match row.and_then(|row| row.failed.as_ref()) {
            Some(_) => format!("{name}, asked again,"),
            None => name,
        }
    }

    /// A turn is over: it has used so much, or what is known of it until now.
    fn settle_turn(&mut self, judge: &JudgeId, used: Option<UsedTokens>) {
        let known = self.row(judge).map(|row| std::mem::take(&mut row.used));
        let used = used.or(known).unwrap_or_default();
        self.used = self.used.plus(used);
    }

    /// What is paid for, turns that go on included.
    fn used_so_far(&self) -> UsedTokens {
        let open = self.rows.iter().map(|row| row.used);
        open.fold(self.used, UsedTokens::plus)
    }

    fn set(&mut self, judge: &JudgeId, state: JudgeState, at: Millis) {
        if let Some(row) = self.row(judge) {
            (row.state, row.since, row.tool, row.pause) = (state, at, None, None);
        }
    }

    /// Round, time, answers, tokens and money, on one line.
    pub(crate) fn summary(&self, now: Millis) -> String {
        let round = self.round.max(RoundNumber::FIRST);
        // Who is not asked in this round has not answered in it.
        let asked = || self.rows.iter().filter(|row| row.asked == round);
        let count =
            |is_one: fn(&JudgeState) -> bool| asked().filter(|row| is_one(&row.state)).count();
        let all = asked().count();
        let answered = count(|state| matches!(state, JudgeState::Answered(_)));
        // An abstention is none of the answers that a quorum needs.
        let silent =
            count(|state| matches!(state, JudgeState::Failed(_) | JudgeState::Abstained(_)));
        let mut parts = if self.is_duel {
            vec!["duel".to_owned(), seconds(now)]
        } else {
            vec![
                format!("round {round}"),
                seconds(now),
                match silent {
                    0 => format!("{answered} of {all} answered"),
                    _ => format!("{answered} of {all} answered, {silent} failed"),
                },
            ]
        };
        match self.tests {
            0 => {}
            1 => parts.push("running a test of a judge".to_owned()),
            several => parts.push(format!("running {several} tests of judges")),
        }
        let used = self.used_so_far();
        let tokens = [used.input_tokens, used.output_tokens];
        if let Some(tokens) = tokens.into_iter().flatten().reduce(u64::saturating_add) {
            parts.push(format!("{} tokens", short_count(tokens)));
        }
        parts.extend(self.money());
        parts.join(" · ")
    }

    /// What was spent so far, against its limit.
    fn money(&self) -> Option<String> {
        let least = if self.is_unpriced { "at least " } else { "" };
        match (self.used_so_far().usd, self.max_usd) {
            (None, Some(most)) if self.is_paid && self.is_unpriced => {
                Some(format!("cost unknown, limit ${most:.2}"))
            }
            (spent, Some(most)) if self.is_paid => {
                let spent = spent.unwrap_or(0.0);
                Some(format!("{least}{} of ${most:.2}", dollars(spent)))
            }
            (Some(spent), _) => Some(format!("{least}{}", dollars(spent))),
            _ => None,
        }
    }

    /// Who is still at work.
    pub(crate) fn waiting_for(&self) -> String {
        let is_open = |row: &&JudgeRow| {
            matches!(
                row.state,
                JudgeState::Starting | JudgeState::Thinking(_) | JudgeState::Checking
            )
        };
        let names = self.rows.iter().filter(is_open).map(|row| &*row.name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// The whole board, a line for each judge below the summary; every line fits into `width` columns.
    pub(crate) fn render(&self, now: Millis, width: usize, ellipsis: Ellipsis) -> Vec<String> {
        // The state is what changes: names give way to it.
        let most = MAX_NAME.min(width / 4).max(4);
        let cell = |text: &str| text::fit_columns(&Untrusted::new(text).name(), most, ellipsis);
        let names: Vec<String> = self.rows.iter().map(|row| cell(&row.name)).collect();
        let agents: Vec<String> = self.rows.iter().map(|row| cell(&row.agent)).collect();
        let widest = |cells: &[String]| {
            let widths = cells.iter().map(|cell| text::display_width(cell));
            widths.max().unwrap_or(0)
        };
        let (name_width, agent_width) = (widest(&names), widest(&agents));
        let pad = |cell: &str, width: usize| {
            let gap = width.saturating_sub(text::display_width(cell));
            format!("{cell}{}", " ".repeat(gap))
        };
        let mut lines = vec![self.summary(now)];
        for ((row, name), agent) in self.rows.iter().zip(&names).zip(&agents) {
            let state = Untrusted::new(&row.describe(now)).line();
            let (name, agent) = (pad(name, name_width), pad(agent, agent_width));
            lines.push(format!("  {name}  {agent}  {state}"));
        }
        let fit = |line: String| text::fit_columns(&line, width.saturating_sub(1), ellipsis);
        lines.into_iter().map(fit).collect()
    }
}

/// Whether something was used of which nobody says what it costs.
fn is_unpriced(used: &UsedTokens) -> bool {
    let counted = [used.input_tokens, used.output_tokens];
    used.usd.is_none() && counted.into_iter().flatten().any(|tokens| tokens > 0)
}

/// As many lines as a window has rows, the last of which is the cursor's: what is drawn above it is never taken away.
pub(super) fn fit_rows(mut lines: Vec<String>, rows: Option<usize>) -> Vec<String> {
    let room = rows.unwrap_or(usize::MAX).saturating_sub(1).max(1);
    if lines.len() <= room {
        return lines;
    }
    let left = lines.split_off(room.saturating_sub(1).max(1)).len();
    if room > 1 {
        lines.push(format!("  {left} more judges"));
    }
    lines
}

impl JudgeRow {
    fn describe(&self, now: Millis) -> String {
        let since = seconds(now.saturating_sub(self.since));
        let looked = match self.lookups {
            0 => String::new(),
            1 => ", 1 look-up".to_owned(),
            more => format!(", {more} look-ups"),
        };
        match &self.state {
            JudgeState::Starting => "starting".to_owned(),
            JudgeState::Waiting => "waiting".to_owned(),
            JudgeState::Thinking(task) => match (&self.pause, &self.tool) {
                (Some((until, why)), _) if now < *until => {
                    // The last second is one, too.
                    format!("asked again in {}: {why}", seconds(until - now + 999))
                }
                (_, Some(tool)) => format!("{} {since} · {tool}", task_words(*task)),
                _ => format!("{} {since}", task_words(*task)),
            },
            JudgeState::Checking => "its quotes are looked up".to_owned(),
            JudgeState::Answered(says) => format!("answered {says}{looked}"),
            JudgeState::Failed(why) => format!("failed: {why}"),
            JudgeState::Abstained(why) => format!("abstained: {why}"),
        }
    }
}

fn task_words(task: AskedTask) -> &'static str {
    match task {
        AskedTask::Review => "thinking",
        AskedTask::Debate | AskedTask::Rebuttal => "reading the other judges",
        AskedTask::Duel => "writing its section",
        AskedTask::Opening => "opening",
        AskedTask::Examination => "in cross-examination",
        AskedTask::Ballot => "voting",
        AskedTask::Document => "writing",
        AskedTask::Synthesis => "putting it together",
        AskedTask::Correction => "correcting its answer",
    }
}

/// `FAIL · 1 critical, 2 minor`.
fn describe_answer(kind: &ProgressKind) -> String {
    let ProgressKind::Answered {
        vote,
        critical,
        significant,
        minor,
        ..
    } = kind
    else {
        return String::new();
    };
    let counts = [
        (*critical, Severity::Critical),
        (*significant, Severity::Significant),
        (*minor, Severity::Minor),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, severity)| format!("{count} {}", severity.as_str()))
        .collect();
    let vote: &Vote = vote;
    if counts.is_empty() {
        vote.as_str().to_owned()
    } else {
        format!("{} · {}", vote.as_str(), counts.join(", "))
    }
}

/// `12 s`, `3 m 05 s`.
pub(crate) fn seconds(ms: Millis) -> String {
    let seconds = ms / 1_000;
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} m {:02} s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_never_has_more_lines_than_its_window() {
        let lines = |count: usize| {
            (0..count)
                .map(|at| format!("line {at}"))
                .collect::<Vec<_>>()
        };
        for (count, rows) in (1..12).flat_map(|count| (1..12).map(move |rows| (count, rows))) {
            let fitted = fit_rows(lines(count), Some(rows));
            assert!(fitted.len() < rows.max(2), "{count} {rows}: {fitted:?}");
            assert_eq!(fitted[0], "line 0");
        }
        assert_eq!(
            fit_rows(lines(5), Some(4)),
            ["line 0", "line 1", "  3 more judges"]
        );
        assert_eq!(fit_rows(lines(5), None).len(), 5);
    }
}
