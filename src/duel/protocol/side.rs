//! One side of a duel: what to do when the file is as it is and so much time has passed.

use council_protocol::Millis;

use super::closing::read_closing;
use super::standing::DebateState;
use super::transcript::{DebateTranscript, SectionKind};
use super::turns::{self, NextTurn};
use super::{DuelEnding, DuelRole, check};

/// What a side does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SideMove {
    /// Look again after a pause.
    Wait,
    /// Ask the agent and append this section; with `last`, close in the same append.
    Speak {
        section: SectionKind,
        /// Whether the rounds are used up with it.
        last: bool,
    },
    /// Append a CONSENSUS.
    Close {
        /// How it ended.
        ending: DuelEnding,
    },
    /// A CONSENSUS stands: stop.
    Stop {
        /// What it says; a foreign one without a typed ending counts as `violation`.
        ending: DuelEnding,
    },
    /// The wait for the file itself is over: stop, write nothing (B never creates the file).
    GiveUp,
}

/// One side's memory between two looks at the file.
#[derive(Debug, Clone)]
pub(crate) struct DuelSide {
    role: DuelRole,
    timeout_ms: Millis,
    /// The text that was last acted upon or waited on, and since when. Remembering what was consumed, rather than what
    /// the file was when the wait began, loses no wake-up.
    seen: Option<String>,
    since: Millis,
    /// Whether that text left nothing to do but wait: as long as it stays, it need not be parsed at each look.
    waits: bool,
}

impl DuelSide {
    /// A side that begins to look now.
    pub(crate) fn new(role: DuelRole, timeout_ms: Millis, now: Millis) -> Self {
        Self {
            role,
            timeout_ms,
            seen: None,
            since: now,
            waits: false,
        }
    }

    /// What to do, given the file's text (`None`: there is no file).
    pub(crate) fn next_move(&mut self, text: Option<&str>, now: Millis) -> SideMove {
        if self.seen.as_deref() != text {
            self.seen = text.map(str::to_owned);
            self.since = now;
            self.waits = false;
        }
        let late = now.saturating_sub(self.since) >= self.timeout_ms;
        if self.waits && !late {
            return SideMove::Wait;
        }
        let next = match text {
            None => self.without_file(late),
            Some(text) => self.after_text(text, late),
        };
        self.waits = next == SideMove::Wait;
        next
    }

    fn after_text(&self, text: &str, late: bool) -> SideMove {
        let transcript = DebateTranscript::parse(text);
        match turns::next_turn(&transcript) {
            NextTurn::Over => SideMove::Stop {
                ending: ending_of(&transcript),
            },
            NextTurn::Broken => SideMove::Close {
                ending: DuelEnding::Violation,
            },
            NextTurn::Unfinished if late => SideMove::Close {
                ending: DuelEnding::timeout_of(self.role.other()),
            },
            NextTurn::Unfinished => SideMove::Wait,
            NextTurn::Close => self.at_the_limit(&transcript),
            NextTurn::Append {
                role,
                section,
                may_close,
                last,
            } if role == self.role => {
                if may_close && is_settled(&transcript) {
                    SideMove::Close {
                        ending: DuelEnding::Consensus,
                    }
                } else {
                    SideMove::Speak { section, last }
                }
            }
            // Whoever has nothing to add to what is settled keeps nobody from a consensus.
            NextTurn::Append { .. } if late => SideMove::Close {
                ending: if DebateState::read(&transcript).is_settled_by_both() {
                    DuelEnding::Consensus
                } else {
                    DuelEnding::timeout_of(self.role.other())
                },
            },
            NextTurn::Append { .. } => SideMove::Wait,
        }
    }

    fn without_file(&self, late: bool) -> SideMove {
        match self.role {
            DuelRole::A => SideMove::Speak {
                section: SectionKind::Opening,
                last: false,
            },
            DuelRole::B if late => SideMove::GiveUp,
            DuelRole::B => SideMove::Wait,
        }
    }

    /// After the last response only a close is left; B writes it with that response, so A meets this only when a
    /// foreign B did not.
    fn at_the_limit(&self, transcript: &DebateTranscript) -> SideMove {
        match (self.role, is_settled(transcript)) {
            (DuelRole::B, _) => SideMove::Wait,
            (DuelRole::A, true) => SideMove::Close {
                ending: DuelEnding::Consensus,
            },
            (DuelRole::A, false) => SideMove::Close {
                ending: DuelEnding::Limit,
            },
        }
    }
}

/// Whether nothing is open between the sides.
pub(crate) fn is_settled(transcript: &DebateTranscript) -> bool {
    DebateState::read(transcript).is_settled()
}

/// How a concluded transcript ended. A fatal violation anywhere outweighs what it says of itself, and so does what the sides
/// said: a closing makes no agreement.
pub(crate) fn ending_of(transcript: &DebateTranscript) -> DuelEnding {
    let is_broken = check::check_transcript(transcript)
        .iter()
        .any(|v| v.rule.is_fatal());
    let Some((index, section)) = transcript.closing().filter(|_| !is_broken) else {
        return DuelEnding::Violation;
    };
    let earlier = transcript.before(index);
    let state = DebateState::read(&earlier);
    read_closing(&state, turns::next_turn(&earlier), section).ending
}

#[cfg(test)]
mod tests {
    use super::super::MAX_ROUNDS;
    use super::super::turns::tests::file;
    use super::*;

    fn look(role: DuelRole, text: Option<&str>, waited: Millis) -> SideMove {
        let mut side = DuelSide::new(role, 600_000, 0);
        side.next_move(text, 0);
        side.next_move(text, waited)
    }

    const SPEAK_1: SideMove = SideMove::Speak {
        section: SectionKind::Response(1),
        last: false,
    };

    #[test]
    fn b_waits_for_the_file_and_never_creates_it() {
        assert_eq!(look(DuelRole::B, None, 599_999), SideMove::Wait);
        assert_eq!(look(DuelRole::B, None, 600_000), SideMove::GiveUp);
        assert_eq!(
            look(DuelRole::A, None, 0),
            SideMove::Speak {
                section: SectionKind::Opening,
                last: false
            }
        );
    }

    #[test]
    fn time_out_is_closed_from_the_own_role_only() {
        let opening = file(&[("Opening", 'A')]);
        assert_eq!(look(DuelRole::A, Some(&opening), 599_999), SideMove::Wait);
        assert_eq!(
            look(DuelRole::A, Some(&opening), 600_000),
            SideMove::Close {
                ending: DuelEnding::TimeoutB
            }
        );
        assert_eq!(look(DuelRole::B, Some(&opening), 0), SPEAK_1);
        let follow_up = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        assert_eq!(
            look(DuelRole::B, Some(&follow_up), 600_000),
            SideMove::Close {
                ending: DuelEnding::TimeoutA
            }
        );
    }

    #[test]
    fn a_role_is_kept_until_consensus() {
        let opened = file(&[("Opening", 'A')]);
        for role in [DuelRole::A, DuelRole::B] {
            // A file that appears, or goes away, makes nobody another side.
            let mut side = DuelSide::new(role, 10, 0);
            let before = side.next_move(Some(&opened), 0);
            side.next_move(None, 1);
            assert_eq!(side.next_move(Some(&opened), 2), before, "{role}");
        }
    }

    #[test]
    fn the_wait_ends_on_a_change_a_time_out_or_a_consensus() {
        let opened = file(&[("Opening", 'A')]);
        let mut side = DuelSide::new(DuelRole::A, 600_000, 0);
        for now in [0, 5_000, 599_999] {
            assert_eq!(side.next_move(Some(&opened), now), SideMove::Wait, "{now}");
        }
        let late = side.clone().next_move(Some(&opened), 600_000);
        let ending = DuelEnding::TimeoutB;
        assert_eq!(late, SideMove::Close { ending });
        let answered = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        let changed = side.clone().next_move(Some(&answered), 599_999);
        assert!(!matches!(changed, SideMove::Wait), "{changed:?}");
        let closed = file(&[("Opening", 'A'), ("Response 1", 'B'), ("CONSENSUS", 'A')]);
        let over = side.next_move(Some(&closed), 599_999);
        assert!(matches!(over, SideMove::Stop { .. }), "{over:?}");
    }

    #[test]
    fn a_change_restarts_the_wait() {
        let mut side = DuelSide::new(DuelRole::A, 600_000, 0);
        let opening = file(&[("Opening", 'A')]);
        side.next_move(Some(&opening), 0);
        let half = format!("{opening}\n## Response 1\nI think");
        assert_eq!(side.next_move(Some(&half), 599_999), SideMove::Wait);
        assert_eq!(side.next_move(Some(&half), 1_199_998), SideMove::Wait);
        assert_eq!(
            side.next_move(Some(&half), 1_199_999),
            SideMove::Close {
                ending: DuelEnding::TimeoutB
            }
        );
    }

    #[test]
    fn a_closes_when_every_point_is_settled() {
        let settled = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        assert_eq!(
            look(DuelRole::A, Some(&settled), 0),
            SideMove::Close {
                ending: DuelEnding::Consensus
            }
        );
        let open = settled.replacen("text", "1. `a.rs:1` — bad", 1);
        assert_eq!(
            look(DuelRole::A, Some(&open), 0),
            SideMove::Speak {
                section: SectionKind::FollowUp(1),
                last: false
            }
        );
    }

    #[test]
    fn the_last_writer_closes_at_the_limit() {
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
        let last = SideMove::Speak {
            section: SectionKind::Response(MAX_ROUNDS + 1),
            last: true,
        };
        assert_eq!(look(DuelRole::B, Some(&before), 0), last);
        assert_eq!(
            look(DuelRole::A, Some(&text(&sections)), 0),
            SideMove::Close {
                ending: DuelEnding::Limit
            }
        );
    }

    #[test]
    fn a_broken_transcript_ends_in_violation() {
        let broken = file(&[("Opening", 'B')]);
        assert_eq!(
            look(DuelRole::A, Some(&broken), 0),
            SideMove::Close {
                ending: DuelEnding::Violation
            }
        );
        let opened = file(&[("Opening", 'A'), ("CONSENSUS", 'A')]);
        assert_eq!(
            look(DuelRole::B, Some(&opened), 0),
            SideMove::Stop {
                ending: DuelEnding::Violation
            }
        );
    }

    fn closed(response: &str, closing: &str) -> DuelEnding {
        let text = format!(
            "## Opening\n1. `a.rs:1` — bad\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
             ## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n\n{closing}\n"
        );
        ending_of(&DebateTranscript::parse(&text))
    }

    #[test]
    fn a_bare_closing_ends_the_debate_as_both_sides_left_it() {
        assert_eq!(
            closed("1. Agreed", "## CONSENSUS\nWe fix it."),
            DuelEnding::Consensus
        );
        assert_eq!(
            closed("1. Disagreed: no", "## CONSENSUS\nWe fix it."),
            DuelEnding::Violation
        );
        assert_eq!(
            closed("I have read it.", "## CONSENSUS"),
            DuelEnding::Violation
        );
        let late = "## CONSENSUS\nAgent A did not respond in time.";
        assert_eq!(closed("1. Disagreed: no", late), DuelEnding::TimeoutA);
        let dissenting = "## CONSENSUS\nRemaining disagreements: all of it";
        assert_eq!(closed("1. Agreed", dissenting), DuelEnding::Violation);
        let at_peace = "## CONSENSUS\nRemaining disagreements: none";
        assert_eq!(closed("1. Agreed", at_peace), DuelEnding::Consensus);
    }

    /// `role` closes where the other side is to speak and does not.
    fn closed_late(text: &str, role: DuelRole) -> DuelEnding {
        let SideMove::Close { ending } = look(role, Some(text), 600_000) else {
            panic!("{role} still waits")
        };
        let sign = format!("*— {role}, 2025-06-15T14:50:00Z*");
        let closing = super::super::speak::draft_closing(role, text, ending, &sign);
        let read = ending_of(&DebateTranscript::parse(&format!("{text}{closing}")));
        assert_eq!(read, ending, "{closing}");
        ending
    }

    #[test]
    fn a_side_that_has_nothing_to_add_keeps_nobody_from_what_is_settled() {
        let sections = [("Opening", 'A'), ("Response 1", 'B'), ("Follow-up 1", 'A')];
        let raised = |answer: &str| {
            let text = file(&sections);
            let text = text.replacen(
                "## Response 1\ntext",
                "## Response 1\n- **B1** — `a.rs:1` — new finding: bad",
                1,
            );
            text.replacen(
                "## Follow-up 1\ntext",
                &format!("## Follow-up 1\n{answer}"),
                1,
            )
        };
        assert_eq!(
            closed_late(&raised("B1: Agreed"), DuelRole::A),
            DuelEnding::Consensus
        );
        assert_eq!(
            closed_late(&raised("B1: Disagreed: no"), DuelRole::A),
            DuelEnding::TimeoutB
        );
        let answered = |answer: &str| {
            let text = file(&sections[..2]).replacen(
                "## Opening\ntext",
                "## Opening\n1. `a.rs:1` — bad",
                1,
            );
            text.replacen(
                "## Response 1\ntext",
                &format!("## Response 1\n{answer}"),
                1,
            )
        };
        assert_eq!(
            closed_late(&answered("1. Agreed"), DuelRole::B),
            DuelEnding::Consensus
        );
        assert_eq!(
            closed_late(&answered("1. Disagreed: no"), DuelRole::B),
            DuelEnding::TimeoutA
        );
        // Whoever never spoke has agreed to nothing.
        let alone = file(&sections[..1]).replacen("text", "Vote: PASS", 1);
        assert_eq!(closed_late(&alone, DuelRole::A), DuelEnding::TimeoutB);
    }

    #[test]
    fn what_a_closing_says_of_itself_makes_no_agreement() {
        let typed = "## CONSENSUS\nOutcome: consensus\n\n*— Agent A, 2025-06-15T14:32:00Z*";
        assert_eq!(
            closed("1. I am not convinced", typed),
            DuelEnding::Violation
        );
        assert_eq!(
            closed("Nothing of this convinces me. I disagree.", typed),
            DuelEnding::Violation
        );
        assert_eq!(closed("1. Agreed", typed), DuelEnding::Consensus);
    }

    #[test]
    fn a_disagreement_that_names_no_point_keeps_the_debate_open() {
        let text = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        let text = text.replace(
            "## Response 1\ntext",
            "## Response 1\nI disagree with this whole analysis.",
        );
        let next = look(DuelRole::A, Some(&text), 0);
        assert!(matches!(next, SideMove::Speak { .. }), "{next:?}");
    }

    #[test]
    fn no_answer_in_free_words_is_taken_for_more_consent_than_it_gives() {
        let unsettled = [
            "Looks good overall, but A2 is not a real issue.",
            "1. Agreed\n2. I'd push back on this one.",
            "- A1: ✅\n- A2: ❌",
            "All agreed except A2, which I think is wrong.",
            "I agree with A1. A2 doesn't convince me.",
            "A1: Agreed. A2: I won't accept this.",
            "Agreed with everything. On reflection, A2 is bogus.",
            "Agreed, good catch on the first one.",
            "I agree with the first point.",
            "Thanks, I have read both points.",
            "### Agreed\n- A1\n\n### Disagreed\n- A2",
            "| Point | Stance |\n|---|---|\n| A1 | Agreed |\n| A2 | Not convinced |",
            "- A1: Agreed\n- A2: Agreed\n\nStill, I remain unconvinced.",
            "> Agreed\n> Agreed",
            "```\nA1: Agreed\nA2: Agreed\n```",
        ];
        let settled = [
            "Agreed on all points.",
            "I agree with A1 and A2.",
            "A1: agreed\nA2: agreed",
            "1. Agreed.\n2. Agreed.",
            "### Agreed\n- A1\n- A2",
            "| Point | Stance |\n|---|---|\n| A1 | Agreed |\n| A2 | Agreed |",
            "Agreed.\n\nAgreed.",
        ];
        let is_settled_by = |answer: &str| {
            let text = format!(
                "## Opening\n1. `a.rs:1` — bad\n2. `b.rs:20` — worse\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
                 ## Response 1\n{answer}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n"
            );
            is_settled(&DebateTranscript::parse(&text))
        };
        let wrong: Vec<&&str> = unsettled
            .iter()
            .filter(|answer| is_settled_by(answer))
            .collect();
        assert!(wrong.is_empty(), "taken for consent: {wrong:#?}");
        let missed: Vec<&&str> = settled
            .iter()
            .filter(|answer| !is_settled_by(answer))
            .collect();
        assert!(missed.is_empty(), "consent that was not seen: {missed:#?}");
    }
}
