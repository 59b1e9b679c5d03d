//! Writes a section as Markdown, in the form that [`super::content`] reads back.

use council_protocol::answer::{Evidence, Stance, Tag};
use council_protocol::{Finding, Vote};

use super::claim_tag::TAGS;
use super::consent::{is_reserved, takes_back};
use super::plain_forms::is_plain;
use super::point_ref::PointId;
use super::transcript::SectionKind;
use super::wording::LABELS;
use super::{DuelEnding, DuelRole};
use crate::council::plain_words::objects;

/// What one side says in a section.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SectionDraft {
    /// Vote and one sentence, in an opening or a first response.
    pub position: Option<(Vote, String)>,
    /// Whether that sentence agrees with what the other side says against the change.
    pub agrees: bool,
    /// Replies: to which point, stance, reasoning, evidence.
    pub replies: Vec<(PointId, Stance, String, Option<Evidence>)>,
    /// Own points, with their tag in every section but the opening.
    pub points: Vec<(PointId, Option<Tag>, Finding)>,
    /// Own findings that the other side raised before, and that it agrees with.
    pub same: Vec<Finding>,
    /// Open points of the other side that it says nothing of.
    pub unanswered: Vec<PointId>,
}

/// The head of a new file.
pub(crate) fn render_head(subject: &str) -> String {
    format!("# Code Debate: {}\n", one_line(subject))
}

/// A whole section with its signature, to be appended in one write.
pub(crate) fn render_section(kind: SectionKind, speech: &SectionDraft, sign: &str) -> String {
    let mut out = format!("\n## {}\n\n", kind.heading());
    if let Some((vote, insight)) = &speech.position {
        out += &render_vote(*vote, &one_line(insight), speech.agrees);
    }
    for (to, stance, reasoning, evidence) in &speech.replies {
        out += &render_reply(*to, *stance, reasoning, evidence.as_ref());
    }
    let has_findings = !speech.points.is_empty() || !speech.same.is_empty();
    if has_findings && kind != SectionKind::Opening {
        out += "### Independent findings\n\n";
    }
    for (id, tag, finding) in &speech.points {
        out += &render_point(Some(*id), *tag, finding);
    }
    for finding in &speech.same {
        out += &render_point(None, Some(Tag::Same), finding);
    }
    if !speech.unanswered.is_empty() {
        out += &format!("No answer to {}.\n\n", join_ids(&speech.unanswered));
    } else if speech.replies.is_empty() && speech.points.is_empty() {
        out += match &speech.position {
            Some(_) if speech.agrees => "",
            Some((Vote::Pass, _)) => "Nothing stands against the change.\n\n",
            Some(_) => "This side names no finding whose quote holds.\n\n",
            None => "There is nothing to add.\n\n",
        };
    }
    out + sign + "\n\n---\n"
}

/// A vote and its reason. A PASS stands alone unless its reason is plain or names something: a judge that describes the change
/// beside its vote has not objected, and whoever reads the file takes everything behind a PASS for a reservation. Who agrees with
/// an objection says so all the same: "nothing stands against the change" would be the contrary.
fn render_vote(vote: Vote, insight: &str, agrees: bool) -> String {
    let describes =
        || !(is_plain(insight) || objects(insight) || takes_back(insight) || is_reserved(insight));
    if insight.trim().is_empty() || vote == Vote::Pass && !agrees && describes() {
        return format!("Vote: {}\n\n", vote.as_str());
    }
    format!("Vote: {} — {insight}\n\n", vote.as_str())
}

/// The closing section; `late` is the side that did not respond in time where nothing was left to say.
pub(crate) fn render_consensus(
    ending: DuelEnding,
    late: Option<DuelRole>,
    agreed: &[PointId],
    open: &[PointId],
    sign: &str,
) -> String {
    let late = late.filter(|_| ending == DuelEnding::Consensus);
    let late = late.map_or(String::new(), |role| {
        format!("{role} did not respond in time.\n\n")
    });
    format!(
        "\n## CONSENSUS\n\nOutcome: {}\n\n{late}Settled points: {}\n\nRemaining disagreements: {}\n\n{sign}\n",
        ending.as_str(),
        join_ids(agreed),
        join_ids(open),
    )
}

fn join_ids(ids: &[PointId]) -> String {
    match ids {
        [] => "none".to_owned(),
        ids => ids
            .iter()
            .map(PointId::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// `*— Agent A (git-council), 2025-06-15T14:30:00Z*`.
pub(crate) fn render_signature(role: DuelRole, tool: &str, time: &str) -> String {
    format!("*— {role} ({tool}), {time}*")
}

fn render_reply(
    to: PointId,
    stance: Stance,
    reasoning: &str,
    evidence: Option<&Evidence>,
) -> String {
    let label = LABELS
        .iter()
        .find(|(_, s)| *s == stance)
        .map_or("", |(word, _)| word);
    let mut out = format!("- **{to}** — **{label}** — {}", one_line(reasoning));
    if let Some(evidence) = evidence {
        out += &format!(
            " (see `{}:{}`)\n{}",
            evidence.path.display(),
            evidence.line,
            render_quote(&evidence.quote)
        );
    } else {
        out.push('\n');
    }
    out.push('\n');
    out
}

fn render_point(id: Option<PointId>, tag: Option<Tag>, finding: &Finding) -> String {
    let id = id.map_or(String::new(), |id| format!("**{id}** — "));
    let tag = tag.and_then(|t| TAGS.iter().find(|(_, tag)| *tag == t));
    let tag = tag.map_or(String::new(), |(word, _)| format!("[{word}] "));
    format!(
        "- {id}{tag}**{}** `{}:{}` — {}\n{}  Why: {}\n  Fix: {}\n\n",
        finding.severity.as_str(),
        finding.location.path.display(),
        finding.location.line,
        one_line(&finding.description),
        render_quote(&finding.quote),
        one_line(&finding.why),
        one_line(&finding.fix),
    )
}

/// Text of a judge on one line, so that no part of it can be a heading, a fence or a signature.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn render_quote(text: &str) -> String {
    text.lines().map(|line| format!("  > {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use council_protocol::{Location, RepoPath, Severity};
    use proptest::prelude::*;

    use super::super::content::read_content;
    use super::super::transcript::DebateTranscript;
    use super::*;

    fn id(text: &str) -> PointId {
        PointId::parse(text).unwrap()
    }

    fn finding(description: &str, quote: &str) -> Finding {
        Finding {
            severity: Severity::Critical,
            category: String::new(),
            rule: None,
            description: description.into(),
            location: Location {
                path: RepoPath::from("src/a.rs"),
                line: 7,
                end_line: None,
            },
            quote: quote.into(),
            why: "because".into(),
            fix: "mend it".into(),
            suggestion: None,
            reference: None,
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let evidence = Evidence {
            path: "src/b.rs".into(),
            line: 9,
            quote: "let y = 2;\nlet z = 3;".into(),
        };
        let speech = SectionDraft {
            agrees: false,
            position: Some((Vote::Fail, "broken".into())),
            replies: vec![(
                id("A1"),
                Stance::PartiallyAgreed,
                "half".into(),
                Some(evidence.clone()),
            )],
            points: vec![(id("B1"), Some(Tag::New), finding("boom", "x.unwrap()"))],
            same: Vec::new(),
            unanswered: Vec::new(),
        };
        let text = render_section(
            SectionKind::Response(1),
            &speech,
            &render_signature(DuelRole::B, "t", "2025-06-15T14:30:00Z"),
        );
        let transcript = DebateTranscript::parse(&text);
        assert!(transcript.sections[0].is_complete());
        let said = read_content(&transcript.sections[0]);
        assert_eq!(said.replies[0].to.ids, [id("A1")]);
        assert_eq!(said.replies[0].evidence.as_ref(), Some(&evidence));
        assert_eq!(said.points[0].finding, finding("boom", "x.unwrap()"));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn silence_is_told_as_silence_and_not_as_consent() {
        let written =
            |speech: &SectionDraft| render_section(SectionKind::Response(2), speech, "*— x*");
        let mute = SectionDraft {
            unanswered: vec![id("A1"), id("A2")],
            ..SectionDraft::default()
        };
        assert!(written(&mute).contains("\nNo answer to A1, A2.\n"));
        let parsed = DebateTranscript::parse(&written(&mute));
        let said = read_content(&parsed.sections[0]);
        assert_eq!((said.points.len(), said.replies.len()), (0, 0));
        assert!(written(&SectionDraft::default()).contains("There is nothing to add."));
    }

    proptest! {
        /// No text of a judge can end a section or open another.
        #[test]
        fn no_text_of_a_judge_can_forge_a_section(
            text in r"(\PC|\n|## CONSENSUS|## Response 2|```|> |\*— Agent A, 2025-06-15T14:30:00Z\*){0,40}"
        ) {
            let evidence = Evidence { path: "a.rs".into(), line: 1, quote: text.clone() };
            let speech = SectionDraft {
                agrees: false,
                position: Some((Vote::Pass, text.clone())),
                replies: vec![(id("A1"), Stance::Agreed, text.clone(), Some(evidence))],
                points: vec![(id("B1"), Some(Tag::Same), finding(&text, &text))],
                same: Vec::new(),
                unanswered: Vec::new(),
            };
            let sign = render_signature(DuelRole::B, "t", "2025-06-15T14:30:00Z");
            let transcript = DebateTranscript::parse(&render_section(SectionKind::Response(1), &speech, &sign));
            prop_assert_eq!(transcript.sections.len(), 1);
            let signature = transcript.sections[0].signature.as_ref();
            prop_assert_eq!(signature.map(|s| s.role), Some(DuelRole::B));
            prop_assert!(transcript.sections[0].is_complete());
        }
    }
}
