//! One side of a duel: what to do when the file is as it is and so much time has passed.

use council_protocol::Millis;

use super::standing::standings;
use super::transcript::{SectionKind, Transcript};
use super::turns::{self, Next};
use super::{Ending, Role, check};

/// What a side does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Look again after a pause.
    Wait,
    /// Ask the agent and append this section; with `last`, close in the same append.
    Speak {
        /// The section.
        section: SectionKind,
        /// Whether the rounds are used up with it.
        last: bool,
    },
    /// Append a CONSENSUS.
    Close {
        /// How it ended.
        ending: Ending,
    },
    /// A CONSENSUS stands: stop.
    Stop {
        /// What it says; a foreign one without a typed ending counts as `violation`.
        ending: Ending,
    },
    /// The wait for the file itself is over: stop, write nothing (B never creates the file).
    GiveUp,
}

/// One side's memory between two looks at the file.
#[derive(Debug, Clone)]
pub struct Side {
    role: Role,
    timeout_ms: Millis,
    /// The text that was last acted upon or waited on, and since when. Remembering what was consumed, rather than what
    /// the file was when the wait began, loses no wake-up (councils.md 4.4).
    seen: Option<String>,
    since: Millis,
}

impl Side {
    /// A side that begins to look now.
    pub fn new(role: Role, timeout_ms: Millis, now: Millis) -> Self {
        Self {
            role,
            timeout_ms,
            seen: None,
            since: now,
        }
    }

    /// What to do, given the file's text (`None`: there is no file).
    pub fn look(&mut self, text: Option<&str>, now: Millis) -> Move {
        if self.seen.as_deref() != text {
            self.seen = text.map(str::to_owned);
            self.since = now;
        }
        let late = now.saturating_sub(self.since) >= self.timeout_ms;
        let Some(text) = text else {
            return self.without_file(late);
        };
        let transcript = Transcript::parse(text);
        match turns::next(&transcript) {
            Next::Over => Move::Stop {
                ending: ending_of(&transcript),
            },
            Next::Broken => Move::Close {
                ending: Ending::Violation,
            },
            Next::Unfinished if late => Move::Close {
                ending: Ending::timeout(self.role.other()),
            },
            Next::Unfinished => Move::Wait,
            Next::Close => self.at_the_limit(&transcript),
            Next::Append {
                role,
                section,
                may_close,
                last,
            } if role == self.role => {
                if may_close && is_settled(&transcript) {
                    Move::Close {
                        ending: Ending::Consensus,
                    }
                } else {
                    Move::Speak { section, last }
                }
            }
            Next::Append { .. } if late => Move::Close {
                ending: Ending::timeout(self.role.other()),
            },
            Next::Append { .. } => Move::Wait,
        }
    }

    fn without_file(&self, late: bool) -> Move {
        match self.role {
            Role::A => Move::Speak {
                section: SectionKind::Opening,
                last: false,
            },
            Role::B if late => Move::GiveUp,
            Role::B => Move::Wait,
        }
    }

    /// After the last response only a close is left; B writes it with that response, so A meets this only when a
    /// foreign B did not.
    fn at_the_limit(&self, transcript: &Transcript) -> Move {
        match (self.role, is_settled(transcript)) {
            (Role::B, _) => Move::Wait,
            (Role::A, true) => Move::Close {
                ending: Ending::Consensus,
            },
            (Role::A, false) => Move::Close {
                ending: Ending::Limit,
            },
        }
    }
}

/// Whether nothing is open between the sides.
pub fn is_settled(transcript: &Transcript) -> bool {
    standings(transcript)
        .iter()
        .all(super::standing::PointStanding::is_settled)
}

/// How a concluded transcript ended. A fatal violation anywhere outweighs what it says of itself.
pub fn ending_of(transcript: &Transcript) -> Ending {
    if check::check(transcript).iter().any(|v| v.rule.is_fatal()) {
        return Ending::Violation;
    }
    let consensus = transcript
        .sections
        .iter()
        .find(|s| s.kind == SectionKind::Consensus);
    consensus
        .and_then(super::transcript::Section::outcome)
        .unwrap_or(Ending::Violation)
}

#[cfg(test)]
mod tests {
    use super::super::MAX_ROUNDS;
    use super::super::turns::tests::file;
    use super::*;

    fn look(role: Role, text: Option<&str>, waited: Millis) -> Move {
        let mut side = Side::new(role, 600_000, 0);
        side.look(text, 0);
        side.look(text, waited)
    }

    const SPEAK_1: Move = Move::Speak {
        section: SectionKind::Response(1),
        last: false,
    };

    #[test]
    fn seed_004_b_waits_for_the_file_and_never_creates_it() {
        assert_eq!(look(Role::B, None, 599_999), Move::Wait);
        assert_eq!(look(Role::B, None, 600_000), Move::GiveUp);
        assert_eq!(
            look(Role::A, None, 0),
            Move::Speak {
                section: SectionKind::Opening,
                last: false
            }
        );
    }

    #[test]
    fn seed_004_time_out_is_closed_from_the_own_role_only() {
        let opening = file(&[("Opening", 'A')]);
        assert_eq!(look(Role::A, Some(&opening), 599_999), Move::Wait);
        assert_eq!(
            look(Role::A, Some(&opening), 600_000),
            Move::Close {
                ending: Ending::TimeoutB
            }
        );
        assert_eq!(look(Role::B, Some(&opening), 0), SPEAK_1);
        let follow_up = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        assert_eq!(
            look(Role::B, Some(&follow_up), 600_000),
            Move::Close {
                ending: Ending::TimeoutA
            }
        );
    }

    #[test]
    fn seed_004_a_role_is_kept_until_consensus() {
        let opened = file(&[("Opening", 'A')]);
        for role in [Role::A, Role::B] {
            // A file that appears, or goes away, makes nobody another side.
            let mut side = Side::new(role, 10, 0);
            let before = side.look(Some(&opened), 0);
            side.look(None, 1);
            assert_eq!(side.look(Some(&opened), 2), before, "{role}");
        }
    }

    #[test]
    fn seed_004_the_wait_ends_on_a_change_a_time_out_or_a_consensus() {
        let opened = file(&[("Opening", 'A')]);
        let mut side = Side::new(Role::A, 600_000, 0);
        for now in [0, 5_000, 599_999] {
            assert_eq!(side.look(Some(&opened), now), Move::Wait, "{now}");
        }
        let late = side.clone().look(Some(&opened), 600_000);
        let ending = Ending::TimeoutB;
        assert_eq!(late, Move::Close { ending });
        let answered = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        let changed = side.clone().look(Some(&answered), 599_999);
        assert!(!matches!(changed, Move::Wait), "{changed:?}");
        let closed = file(&[("Opening", 'A'), ("Response 1", 'B'), ("CONSENSUS", 'A')]);
        let over = side.look(Some(&closed), 599_999);
        assert!(matches!(over, Move::Stop { .. }), "{over:?}");
    }

    #[test]
    fn seed_004_a_change_restarts_the_wait() {
        let mut side = Side::new(Role::A, 600_000, 0);
        let opening = file(&[("Opening", 'A')]);
        side.look(Some(&opening), 0);
        let half = format!("{opening}\n## Response 1\nI think");
        assert_eq!(side.look(Some(&half), 599_999), Move::Wait);
        assert_eq!(side.look(Some(&half), 1_199_998), Move::Wait);
        assert_eq!(
            side.look(Some(&half), 1_199_999),
            Move::Close {
                ending: Ending::TimeoutB
            }
        );
    }

    #[test]
    fn seed_004_a_closes_when_every_point_is_settled() {
        let settled = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        assert_eq!(
            look(Role::A, Some(&settled), 0),
            Move::Close {
                ending: Ending::Consensus
            }
        );
        let open = settled.replacen("text", "1. `a.rs:1` — bad", 1);
        assert_eq!(
            look(Role::A, Some(&open), 0),
            Move::Speak {
                section: SectionKind::FollowUp(1),
                last: false
            }
        );
    }

    #[test]
    fn seed_004_the_last_writer_closes_at_the_limit() {
        let mut sections = vec![("Opening".to_owned(), 'A'), ("Response 1".into(), 'B')];
        for n in 1..=MAX_ROUNDS {
            sections.push((format!("Follow-up {n}"), 'A'));
            sections.push((format!("Response {}", n + 1), 'B'));
        }
        let text = |sections: &[(String, char)]| {
            let refs: Vec<_> = sections.iter().map(|(h, r)| (h.as_str(), *r)).collect();
            file(&refs).replacen("text", "1. `a.rs:1` — bad", 1)
        };
        let before = text(&sections[..sections.len() - 1]);
        let last = Move::Speak {
            section: SectionKind::Response(MAX_ROUNDS + 1),
            last: true,
        };
        assert_eq!(look(Role::B, Some(&before), 0), last);
        assert_eq!(
            look(Role::A, Some(&text(&sections)), 0),
            Move::Close {
                ending: Ending::Limit
            }
        );
    }

    #[test]
    fn seed_004_a_broken_transcript_ends_in_violation() {
        let broken = file(&[("Opening", 'B')]);
        assert_eq!(
            look(Role::A, Some(&broken), 0),
            Move::Close {
                ending: Ending::Violation
            }
        );
        let untyped = file(&[("Opening", 'A'), ("Response 1", 'B'), ("CONSENSUS", 'A')]);
        assert_eq!(
            look(Role::B, Some(&untyped), 0),
            Move::Stop {
                ending: Ending::Violation
            }
        );
    }
}
