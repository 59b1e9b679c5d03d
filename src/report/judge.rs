//! The file of one judge and round: its answer as a JSON block, then for people.

use council_protocol::answer::{Answer, Tag};
use council_protocol::{Finding, RoundNumber, Seat};
use council_secrets::Redactor;

use super::markdown::finding::{own, prose};
use super::{redact, words};
use crate::text::{self, Untrusted};

/// The file, ended by a newline. Its first block is the answer as JSON between three back-ticks; no back-tick and
/// nothing hidden stands in that JSON, so that a naive reader finds its end. Secrets are replaced.
pub fn render_judge(
    seat: &Seat,
    round: RoundNumber,
    answer: &Answer,
    redactor: &Redactor,
) -> String {
    let mut answer = answer.clone();
    redact::ReportRedactor(redactor).redact_answer(&mut answer);
    let answer = &answer;
    // An answer has string keys only and no fallible serializer in it.
    let json = crate::text::pretty_json(answer).unwrap_or_default();
    let mut blocks = vec![format!("```json\n{}\n```", text::json_safe(&json))];
    blocks.push(format!(
        "# {}, round {round}: {}",
        Untrusted::new(seat.judge.as_str()).prose(),
        answer.verdict.as_str()
    ));
    blocks.push(judge_facts(seat, answer));
    blocks.extend(paragraph("", &answer.key_insight));
    push_section(&mut blocks, "Analysis", paragraph("", &answer.analysis));
    push_section(&mut blocks, "Findings", finding_list(answer));
    push_section(
        &mut blocks,
        "Restatement",
        paragraph("", answer.restatement.as_deref().unwrap_or_default()),
    );
    push_section(&mut blocks, "Responses", response_lines(answer));
    push_section(&mut blocks, "Challenges", challenge_lines(answer));
    push_section(
        &mut blocks,
        "For the other side",
        paragraph("", answer.steel_man.as_deref().unwrap_or_default()),
    );
    push_section(&mut blocks, "Change", change_line(answer));
    push_section(
        &mut blocks,
        "Position",
        paragraph("", answer.position.as_deref().unwrap_or_default()),
    );
    push_section(
        &mut blocks,
        "Recommendation",
        paragraph("", &answer.recommendation),
    );
    let document = answer.document.as_deref().unwrap_or_default().trim();
    let fenced = Untrusted::new(document).fence("markdown", super::MAX_DOCUMENT);
    let written = Some(fenced.trim_end().to_owned()).filter(|_| !document.is_empty());
    push_section(&mut blocks, "Document", written.into_iter().collect());
    blocks.join("\n\n") + "\n"
}

/// The file of a role's document in a staged debate: the document first, then what belongs to it, without votes.
pub fn render_document(
    seat: &Seat,
    round: RoundNumber,
    answer: &Answer,
    redactor: &Redactor,
) -> String {
    let mut answer = answer.clone();
    redact::ReportRedactor(redactor).redact_answer(&mut answer);
    let answer = &answer;
    let role = match seat.perspective.name.as_str() {
        "" => seat.judge.as_str(),
        name => name,
    };
    let mut blocks = vec![format!(
        "<!-- {}, round {round} -->",
        Untrusted::new(role).prose().replace("--", "-")
    )];
    blocks.push(match &answer.document {
        Some(document) => plain_document(document),
        None => prose(&answer.key_insight),
    });
    push_section(&mut blocks, "Findings", finding_list(answer));
    push_section(&mut blocks, "Responses", response_lines(answer));
    push_section(&mut blocks, "Challenges", challenge_lines(answer));
    blocks.join("\n\n") + "\n"
}

/// A document for a file of its own: its Markdown stays, and whatever cannot be seen in it is made visible.
pub fn plain_document(document: &str) -> String {
    let lines: Vec<String> = Untrusted::new(document.trim()).code_lines().collect();
    lines.join("\n")
}

/// Reads the answer out of such a file: its first JSON block.
pub fn parse_judge_file(file: &str) -> Option<Answer> {
    let (_, rest) = file.split_once("```json\n")?;
    let (json, _) = rest.split_once("\n```")?;
    serde_json::from_slice(json.as_bytes()).ok()
}

/// Who answered. The agent stands here and not in the file's name, so that the name stays when the agent changes.
fn judge_facts(seat: &Seat, answer: &Answer) -> String {
    let agent = &seat.agent;
    let model = agent.model.as_deref().unwrap_or("its default");
    let confidence = if agent.deterministic {
        ""
    } else {
        words::confidence_word(answer.confidence)
    };
    let facts = [
        ("Perspective", seat.perspective.name.as_str()),
        ("Agent", &agent.name),
        ("Vendor", &agent.vendor),
        ("Model", if agent.deterministic { "rules" } else { model }),
        ("Confidence", confidence),
    ];
    let lines: Vec<String> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("- **{name}:** {}", prose(value)))
        .collect();
    lines.join("\n")
}

fn push_section(blocks: &mut Vec<String>, heading: &str, body: Vec<String>) {
    if !body.is_empty() {
        blocks.push(format!("## {heading}"));
        blocks.extend(body);
    }
}

/// A paragraph, unless it is empty.
fn paragraph(prefix: &str, text: &str) -> Vec<String> {
    if text.trim().is_empty() {
        Vec::new()
    } else {
        vec![format!("{prefix}{}", prose(text))]
    }
}

fn finding_list(answer: &Answer) -> Vec<String> {
    let later = answer
        .independent_findings
        .iter()
        .filter(|f| f.tag != Tag::NotReproduced)
        .map(|f| &f.finding);
    let all: Vec<&Finding> = answer.findings.iter().chain(later).collect();
    all.into_iter()
        .zip(1..)
        .map(|(finding, number)| own(number, finding))
        .collect()
}

fn response_lines(answer: &Answer) -> Vec<String> {
    let line = |r: &council_protocol::answer::Response| {
        let proof = r.evidence.as_ref().map_or(String::new(), |e| {
            format!(
                " (evidence at {})",
                Untrusted::new(&format!("{}:{}", e.path.display(), e.line)).code()
            )
        });
        let to = Untrusted::new(&r.to).prose();
        format!(
            "- **{}, {to}:** {}{proof}",
            words::stance_word(r.stance),
            prose(&r.reasoning)
        )
    };
    answer.responses.iter().map(line).collect()
}

fn challenge_lines(answer: &Answer) -> Vec<String> {
    let asked = answer.challenges.iter().map(|c| {
        let to = Untrusted::new(&c.to).prose();
        format!(
            "- **To {to}** on the claim: {} – {}",
            prose(&c.claim),
            prose(&c.question)
        )
    });
    let answered = answer.answers.iter().map(|a| {
        format!(
            "- **Answer to {}:** {}",
            Untrusted::new(&a.challenge).prose(),
            prose(&a.response)
        )
    });
    asked.chain(answered).collect()
}

fn change_line(answer: &Answer) -> Vec<String> {
    let Some(change) = &answer.change else {
        return Vec::new();
    };
    let evidence = change
        .evidence
        .as_ref()
        .map_or("no evidence".to_owned(), |e| {
            let quote = Untrusted::new(words::first_line(&e.quote)).code();
            format!(
                "{}: {quote}",
                Untrusted::new(&format!("{}:{}", e.path.display(), e.line)).code()
            )
        });
    vec![format!(
        "{} → {} on {evidence}",
        change.from.as_str(),
        change.to.as_str()
    )]
}
