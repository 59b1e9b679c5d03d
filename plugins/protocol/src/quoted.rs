//! The quotes of an answer, each with the field that it stands in.

use crate::answer::{Answer, Evidence, Finding, Location, Tag};

/// A quote that has to be searched.
pub struct QuotedText<'a> {
    /// The field as a judge would look for it in its own answer.
    pub field: String,
    /// Where it is said to stand.
    pub location: Location,
    /// What the judge quotes.
    pub quote: &'a str,
}

/// Every quote of an answer, findings first. One that is missing where it is due is among them, empty.
pub fn quoted_texts(answer: &Answer) -> Vec<QuotedText<'_>> {
    let of = |field: String, finding: &'_ Finding| (field, finding.location.clone());
    let mut all = Vec::new();
    for (nth, finding) in answer.findings.iter().enumerate() {
        if !is_about_file(finding) {
            let (field, location) = of(format!("findings[{nth}].quote"), finding);
            let quote = finding.quote.as_str();
            all.push(QuotedText {
                field,
                location,
                quote,
            });
        }
    }
    for (nth, raised) in answer.independent_findings.iter().enumerate() {
        let finding = &raised.finding;
        // Whoever found nothing may have nothing to quote.
        let may_be_empty = raised.tag == Tag::NotReproduced && finding.quote.trim().is_empty();
        if !is_about_file(finding) && !may_be_empty {
            let (field, location) = of(
                format!("independent_findings[{nth}].finding.quote"),
                finding,
            );
            let quote = finding.quote.as_str();
            all.push(QuotedText {
                field,
                location,
                quote,
            });
        }
    }
    all.extend(
        evidence_of(answer)
            .into_iter()
            .map(|(field, evidence)| QuotedText {
                field: format!("{field}.quote"),
                location: Location {
                    path: evidence.path.clone(),
                    line: evidence.line,
                    end_line: None,
                },
                quote: &evidence.quote,
            }),
    );
    all
}

fn evidence_of(answer: &Answer) -> Vec<(String, &Evidence)> {
    let responses = answer.responses.iter().enumerate();
    let responses = responses
        .filter_map(|(nth, r)| Some((format!("responses[{nth}].evidence"), r.evidence.as_ref()?)));
    let withdrawals = answer.withdrawn.iter().enumerate();
    let withdrawals = withdrawals
        .filter_map(|(nth, w)| Some((format!("withdrawn[{nth}].evidence"), w.evidence.as_ref()?)));
    let change = answer.change.iter().filter_map(|c| c.evidence.as_ref());
    let change = change.map(|evidence| ("change.evidence".to_owned(), evidence));
    responses.chain(withdrawals).chain(change).collect()
}

/// Whether a finding is about a file as a whole, and so has nothing to quote.
fn is_about_file(finding: &Finding) -> bool {
    finding.location.line == 0 && finding.quote.trim().is_empty()
}
