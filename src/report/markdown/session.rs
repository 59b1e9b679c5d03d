//! A cross-examination as one document: openings, every round, the final votes, the verdict.

use council_protocol::JudgeId;
use council_protocol::RoundNumber;

use super::finding::prose;
use super::parts::{cell, row, table};
use crate::council::ledger::{JudgeStand, RoundRecord};
use crate::council::outcome::ChallengeRecord;
use crate::council::readable_description;
use crate::report::bottom_line::GatePolicy;
use crate::report::council_word::{self, ballot_decision, counted_ballot, rate_risk};
use crate::report::document::move_reason;
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};
use crate::text::Untrusted;

/// The session, ended by a newline; none where there was no cross-examination.
pub(crate) fn session(report: &Report) -> Option<String> {
    document(report, false)
}

/// The same while the council sits: what has passed so far, and no verdict.
pub(crate) fn minutes(so_far: &Report) -> Option<String> {
    document(so_far, true)
}

fn document(report: &Report, sitting: bool) -> Option<String> {
    if report.outcome.ledger.rounds.is_empty() {
        return None;
    }
    let names = JudgeNames::without_agents(&report.outcome.judges);
    let session = SessionWriter {
        report,
        names: &names,
        sitting,
    };
    let mut parts = vec![session.head(), session.openings()];
    let ballots = !report.outcome.ledger.ballots.is_empty();
    let last = report
        .outcome
        .ledger
        .rounds
        .last()
        .map(|r| r.round)
        .filter(|_| ballots);
    let rounds = report.outcome.ledger.rounds.iter();
    let examined = rounds.filter(|r| r.round > 1 && Some(r.round) != last);
    parts.extend(examined.map(|record| session.round(record)));
    parts.extend(session.votes());
    parts.push(if sitting {
        SITTING.to_owned()
    } else {
        session.verdict()
    });
    Some(parts.join("\n\n---\n\n") + "\n")
}

/// What the minutes of a council end with, until it has a verdict.
const SITTING: &str = "*The council is sitting, or broke off here: there is no verdict.*";

/// What stands in the cell of a councillor that was not there.
const ABSENT: &str = "absent";

struct SessionWriter<'a> {
    report: &'a Report,
    names: &'a JudgeNames<'a>,
    /// More may follow.
    sitting: bool,
}

impl SessionWriter<'_> {
    fn head(&self) -> String {
        let report = self.report;
        let label = crate::text::clip_chars(&report.target.label, 200);
        let seats = report.outcome.judges.iter();
        let seats = seats.map(|j| Untrusted::new(self.names.get(&j.seat.judge)).prose());
        format!(
            "# Council session: {}\n\n- **Date:** {}\n- **Councillors:** {}",
            Untrusted::new(&label).code(),
            Untrusted::new(report.date()).prose(),
            seats.collect::<Vec<_>>().join(", ")
        )
    }

    fn openings(&self) -> String {
        let first = self
            .report
            .outcome
            .ledger
            .rounds
            .iter()
            .find(|r| r.round == 1);
        let mut parts = vec!["## Opening statements".to_owned()];
        for stand in first.iter().flat_map(|record| &record.stands) {
            let confidence = if self.names.is_rule(&stand.judge) {
                String::new()
            } else {
                format!(" (confidence {})", words::confidence_word(stand.confidence))
            };
            let mut opening = format!(
                "### {}\n\n{}: {}{confidence}",
                self.name(stand),
                stand.after.as_str(),
                prose(&stand.position)
            );
            for (number, argument) in (1..).zip(&stand.arguments) {
                let gap = if number == 1 { "\n\n" } else { "\n" };
                opening.push_str(&format!("{gap}{number}. {}", prose(argument)));
            }
            parts.push(opening);
        }
        parts.extend(self.challenges(RoundNumber::FIRST));
        parts.join("\n\n")
    }

    fn name(&self, stand: &JudgeStand) -> String {
        Untrusted::new(self.names.get(&stand.judge)).prose()
    }

    /// Challenges, position updates, key exchanges, interventions.
    fn round(&self, record: &RoundRecord) -> String {
        let nothing = || "None.".to_owned();
        let parts = [
            format!("### Round {}", record.round.previous()),
            format!(
                "#### Challenges\n\n{}",
                self.challenges(record.round).unwrap_or_else(nothing)
            ),
            format!("#### Position Updates\n\n{}", self.updates(record)),
            format!("#### Key Exchanges\n\n{}", self.exchanges(record)),
            format!(
                "#### Moderator Interventions\n\n{}",
                self.interventions(record)
            ),
        ];
        parts.join("\n\n")
    }

    fn challenges(&self, round: RoundNumber) -> Option<String> {
        let of = |c: &&ChallengeRecord| c.round == round;
        let made = self.report.outcome.challenges.iter().filter(of);
        let mut lines: Vec<String> = made.map(|c| self.challenge(c)).collect();
        let few = self.report.outcome.ledger.unchallenged.iter();
        lines.extend(few.filter(|u| u.round == round).map(|u| {
            let who = Untrusted::new(self.names.get(&u.judge)).prose();
            let why = match u.reason.trim() {
                "" => "without giving a reason".to_owned(),
                reason => prose(reason),
            };
            let did = match u.made {
                0 => "challenged nobody".to_owned(),
                1 => "made one challenge only".to_owned(),
                n => format!("made {n} challenges"),
            };
            format!("- **{who}** {did}: {why}")
        }));
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn challenge(&self, challenge: &ChallengeRecord) -> String {
        let name = |judge| Untrusted::new(self.names.get(judge)).prose();
        let claim = match challenge.claim.trim() {
            "" => String::new(),
            claim => format!("\"{}\" ", prose(claim)),
        };
        let answer = match &challenge.answer {
            Some(answer) => format!("Answered: {}", prose(answer)),
            None if challenge.evaded => "Asked twice and evaded.".to_owned(),
            None if self.sitting => "Not answered yet.".to_owned(),
            None if challenge.asked > 0 => "Asked and not answered.".to_owned(),
            None => "Nobody was asked to answer it.".to_owned(),
        };
        format!(
            "- {}, **{}** to **{}**: {claim}{}\n  - {answer}",
            challenge.id,
            name(&challenge.from),
            name(&challenge.to),
            prose(&challenge.question),
        )
    }

    fn updates(&self, record: &RoundRecord) -> String {
        let mut rows: Vec<String> = record
            .stands
            .iter()
            .map(|stand| {
                let changed = match move_reason(stand) {
                    Some(why) if stand.given != stand.after => format!("No: {}", cell(&why)),
                    Some(why) => format!("Yes: {}", cell(&why)),
                    None => "No".to_owned(),
                };
                let after = match stand.position.trim() {
                    "" => stand.after.as_str().to_owned(),
                    position => format!("{}: {}", stand.after.as_str(), cell(position)),
                };
                row(&[
                    self.name(stand),
                    words::vote_word(stand.before).to_owned(),
                    after,
                    changed,
                ])
            })
            .collect();
        let absent = |id: &JudgeId| !record.stands.iter().any(|stand| stand.judge == *id);
        let absent = self.examined().filter(|id| absent(id));
        rows.extend(absent.map(|id| {
            let (who, nothing) = (self.names.get(id), "–".to_owned());
            let who = Untrusted::new(who).prose_cell();
            row(&[who, nothing.clone(), ABSENT.to_owned(), nothing])
        }));
        table(&["Councillor", "Before", "After", "Changed?"], &rows)
    }

    fn exchanges(&self, record: &RoundRecord) -> String {
        let name = |judge| Untrusted::new(self.names.get(judge)).prose();
        let messages = self.report.outcome.ledger.messages.iter();
        let mut lines: Vec<String> = messages
            .filter(|m| m.round == record.round)
            .map(|m| {
                let late = if m.delivered { "" } else { " (not passed on)" };
                format!(
                    "- {} to {}{late}: {}",
                    name(&m.from),
                    name(&m.to),
                    prose(&m.text)
                )
            })
            .collect();
        for (what, points) in [
            ("Emerging Consensus", &record.consensus),
            ("Persistent Disagreements", &record.disputed),
        ] {
            if !points.is_empty() {
                let points: Vec<String> = points.iter().map(|p| prose(p)).collect();
                lines.push(format!("- **{what}:** {}", points.join(" · ")));
            }
        }
        if lines.is_empty() {
            lines.push("None.".to_owned());
        }
        lines.join("\n")
    }

    fn interventions(&self, record: &RoundRecord) -> String {
        let done = self.report.outcome.ledger.interventions.iter();
        let lines: Vec<String> = done
            .filter(|i| i.round == record.round)
            .map(|i| {
                let to: Vec<&str> = i.to.iter().map(|judge| self.names.get(judge)).collect();
                let to = Untrusted::new(&words::join_names(&to)).prose();
                format!("- **{}**, put to {to}: {}", i.kind.name(), prose(&i.about))
            })
            .collect();
        if lines.is_empty() {
            return "None.".to_owned();
        }
        lines.join("\n")
    }

    /// The councillors that are cross-examined: a rule opens, and is not.
    fn examined(&self) -> impl Iterator<Item = &JudgeId> {
        let ids = self.report.outcome.judges.iter().map(|j| &j.seat.judge);
        ids.filter(|id| !self.names.is_rule(id))
    }

    fn votes(&self) -> Option<String> {
        let ballots = &self.report.outcome.ledger.ballots;
        let judges = self.report.outcome.judges.iter();
        let casts = |id: &JudgeId| ballots.iter().any(|cast| cast.judge == *id);
        let seated = judges.filter(|j| casts(&j.seat.judge) || !self.names.is_rule(&j.seat.judge));
        let rows = seated.map(|judge| {
            let id = &judge.seat.judge;
            let who = Untrusted::new(self.names.get(id)).prose_cell();
            let counts = counted_ballot(self.report, judge).map(council_word::ballot_word);
            let Some(cast) = ballots.iter().find(|cast| cast.judge == *id) else {
                let vote = judge.counted.map_or_else(
                    || ABSENT.to_owned(),
                    |vote| format!("no ballot; {} stands", vote.as_str()),
                );
                let nothing = || "–".to_owned();
                return row(&[who, vote, nothing(), nothing(), nothing(), nothing()]);
            };
            let ballot = &cast.ballot;
            let word = council_word::ballot_word(ballot.vote);
            let vote = match counts {
                Some(counts) if counts == word => word.to_owned(),
                Some(counts) => format!("{word}, counts as {counts}"),
                None => format!("{word}, does not count"),
            };
            row(&[
                who,
                vote,
                cell(&ballot.strongest_point),
                cell(&ballot.concession),
                cell(&ballot.remaining_concern),
                cell(&ballot.conditions.join(" · ")),
            ])
        });
        let header = [
            "Councillor",
            "Vote",
            "Strongest point",
            "Concession",
            "Remaining concern",
            "Conditions",
        ];
        (!ballots.is_empty()).then(|| {
            format!(
                "## Final votes\n\n{}\n\n{}",
                table(&header, &rows.collect::<Vec<_>>()),
                self.counts()
            )
        })
    }

    /// Each way to vote, with how many counted for it and who.
    fn counts(&self) -> String {
        let rows = council_word::VOTES.map(|vote| {
            let judges = self.report.outcome.judges.iter();
            let for_it = judges.filter(|j| counted_ballot(self.report, j) == Some(vote));
            let who: Vec<&str> = for_it.map(|j| self.names.get(&j.seat.judge)).collect();
            let names = match who.as_slice() {
                [] => "nobody".to_owned(),
                who => Untrusted::new(&who.join(", ")).prose_cell(),
            };
            let word = council_word::ballot_word(vote).to_owned();
            row(&[word, who.len().to_string(), names])
        });
        table(&["Vote", "Counted", "Who"], &rows)
    }

    fn verdict(&self) -> String {
        let report = self.report;
        let mut parts = vec![format!(
            "## Verdict\n\n**{}**",
            report.bottom_line(GatePolicy::default()).headline
        )];
        if let Some(decision) = ballot_decision(report) {
            let divided = if decision.divided {
                " The council is divided."
            } else {
                ""
            };
            let confidence = decision.confidence.map_or("–", words::confidence_word);
            parts.push(format!(
                "By the ballots: **{}** ({}).{divided} Confidence: {confidence}.",
                council_word::ballot_word(decision.word),
                decision.tally_text()
            ));
        }
        parts.push(self.risks());
        parts.push(format!("### Position evolution\n\n{}", self.evolution()));
        parts.join("\n\n")
    }

    fn risks(&self) -> String {
        let rated = self
            .report
            .outcome
            .findings
            .iter()
            .filter_map(|f| Some((f, rate_risk(f)?)));
        let rows: Vec<String> = rated
            .map(|(finding, risk)| {
                row(&[
                    cell(&format!(
                        "{} {}",
                        finding.id,
                        readable_description(&finding.finding.description)
                    )),
                    risk.severity.to_owned(),
                    risk.probability.to_owned(),
                    risk.response.to_owned(),
                ])
            })
            .collect();
        let header = ["Risk", "Severity", "Probability", "Response"];
        let rated = if rows.is_empty() {
            "No finding stands, so no risk is rated.".to_owned()
        } else {
            table(&header, &rows)
        };
        let rejected: Vec<&str> = self
            .report
            .outcome
            .findings
            .iter()
            .filter(|f| rate_risk(f).is_none())
            .map(|f| f.id.as_str())
            .collect();
        let unrated = match rejected.as_slice() {
            [] => String::new(),
            ids => format!(
                "\n\nNot rated, because rejected: {}.",
                cell(&ids.join(", "))
            ),
        };
        format!("### Risk matrix\n\n{rated}{unrated}")
    }

    fn evolution(&self) -> String {
        let rounds = &self.report.outcome.ledger.rounds;
        let ballots = !self.report.outcome.ledger.ballots.is_empty();
        let title = |(index, record): (usize, &RoundRecord)| match record.round {
            RoundNumber::FIRST => "Opening".to_owned(),
            _ if ballots && index + 1 == rounds.len() => "Ballot".to_owned(),
            round => format!("Round {}", round.previous()),
        };
        let mut header = vec!["Councillor".to_owned()];
        header.extend(rounds.iter().enumerate().map(title));
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let rows = self.report.outcome.judges.iter().map(|judge| {
            let id = &judge.seat.judge;
            let mut cells = vec![Untrusted::new(self.names.get(id)).prose_cell()];
            cells.extend(rounds.iter().map(|record| {
                let stand = record.stands.iter().find(|s| s.judge == *id);
                let absent = if self.names.is_rule(id) {
                    "–"
                } else {
                    ABSENT
                };
                stand.map_or(absent, |s| s.after.as_str()).to_owned()
            }));
            row(&cells)
        });
        table(&header, &rows.collect::<Vec<_>>())
    }
}
