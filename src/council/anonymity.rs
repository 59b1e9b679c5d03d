//! Peers without names: labels in an order of their own for each judge, scrubbed text, and a byte budget.

use council_protocol::task::{Peer, PeerFinding};
use council_protocol::{Finding, JudgeId, RoundNumber};

use super::judges::{JudgeState, Judges, SeatIndex};
use super::keys::SeededRandom;
use super::plan::RunSeed;

/// The order in which `viewer` sees the others, the same in all rounds: whoever comes first is A. The order of the seats plays
/// no part.
pub(super) fn peer_order(seed: &RunSeed, judges: &Judges, viewer: SeatIndex) -> Vec<SeatIndex> {
    let mut others = judges.counted_seats();
    others.retain(|&seat| seat != viewer);
    others.sort_by(|&a, &b| judges[a].id().cmp(judges[b].id()));
    let parts = [judges[viewer].id().as_str()];
    SeededRandom::new(seed, "peers", &parts).shuffle(&mut others);
    others
}

/// `A`, `B`, …, `Z`, `AA`, …
pub(super) fn peer_label(index: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(index % 26).unwrap_or(0));
    match index / 26 {
        0 => letter.to_string(),
        more => peer_label(more - 1) + &letter.to_string(),
    }
}

/// Whose finding an id such as `A1` means, and its number from 1, in the order that a judge was shown.
pub(super) fn parse_finding_id(order: &[SeatIndex], id: &str) -> Option<(SeatIndex, usize)> {
    let id = id.trim();
    let digits = id.find(|c: char| c.is_ascii_digit())?;
    let (name, number) = id.split_at(digits);
    Some((
        seat_by_label(order, name)?,
        number.parse().ok().filter(|&n| n > 0)?,
    ))
}

/// Who a label means.
pub(super) fn seat_by_label(order: &[SeatIndex], name: &str) -> Option<SeatIndex> {
    let name = name.trim();
    order
        .iter()
        .enumerate()
        .find(|&(i, _)| peer_label(i).eq_ignore_ascii_case(name))
        .map(|(_, &seat)| seat)
}

/// The others as one judge sees them: no name, vendor, confidence or tally. Findings up to and without `round`.
pub(super) fn collect_peers(judges: &Judges, order: &[SeatIndex], round: RoundNumber) -> Vec<Peer> {
    let names = judge_names(judges);
    let seen = |(index, &seat): (usize, &SeatIndex)| {
        build_peer(&judges[seat], peer_label(index), round, &names)
    };
    order.iter().enumerate().filter_map(seen).collect()
}

fn build_peer(
    judge: &JudgeState,
    label: String,
    round: RoundNumber,
    names: &[&JudgeId],
) -> Option<Peer> {
    let (_, last) = judge.answers.range(..round).next_back()?;
    let findings = judge
        .raised
        .iter()
        .enumerate()
        .filter(|(_, r)| r.round < round);
    let findings = findings.map(|(i, raised)| PeerFinding {
        id: format!("{label}{}", i + 1),
        finding: scrub_finding(&raised.finding, names),
    });
    Some(Peer {
        verdict: last.verdict,
        key_insight: scrub_names(&last.key_insight, names),
        findings: findings.collect(),
        recommendation: scrub_names(&last.recommendation, names),
        file: None,
        label,
    })
}

/// The judges' names, longest first, so that `judge-1` is not found inside `judge-10`.
pub(super) fn judge_names(judges: &Judges) -> Vec<&JudgeId> {
    let mut names: Vec<&JudgeId> = judges.iter().map(JudgeState::id).collect();
    names.sort_by_key(|name| {
        (
            std::cmp::Reverse(name.as_str().len()),
            name.as_str().to_owned(),
        )
    });
    names
}

/// A finding without what gives its author away. Quotes and suggestions are the change's words and stay.
pub(super) fn scrub_finding(finding: &Finding, names: &[&JudgeId]) -> Finding {
    let by_rule = finding.rule.is_some();
    Finding {
        description: scrub_names(&finding.description, names),
        why: scrub_names(&finding.why, names),
        fix: scrub_names(&finding.fix, names),
        rule: None,
        reference: finding.reference.clone().filter(|_| !by_rule),
        ..finding.clone()
    }
}

/// Text in which no judge is named.
pub(super) fn scrub_names(text: &str, names: &[&JudgeId]) -> String {
    let mut text = text.to_owned();
    for name in names.iter().map(|n| n.as_str()).filter(|n| !n.is_empty()) {
        if text.contains(name) {
            text = text.replace(name, "a judge");
        }
    }
    text
}

/// Bytes to which the texts of findings are cut, step by step, before a finding is left out: one of 70 KB would else never
/// reach the judge who could confirm it.
const TEXT_STEPS: [usize; 3] = [4096, 1024, 256];

/// Cuts long texts, and then drops whole findings, least severe first and last ones first, until the rest fits; returns how
/// many are dropped.
pub(super) fn fit_budget(peers: &mut [Peer], max_bytes: u64) -> u32 {
    for max in TEXT_STEPS {
        if sizes(peers).iter().map(|(_, _, bytes)| bytes).sum::<u64>() <= max_bytes {
            return 0;
        }
        let findings = peers.iter_mut().flat_map(|peer| &mut peer.findings);
        findings.for_each(|found| clip_texts(&mut found.finding, max));
    }
    let mut all = sizes(peers);
    all.sort_by_key(|&(p, f, _)| {
        (
            peers[p].findings[f].finding.severity,
            std::cmp::Reverse((f, p)),
        )
    });
    let mut total: u64 = all.iter().map(|(_, _, bytes)| bytes).sum();
    let over = all.iter().take_while(|(_, _, bytes)| {
        let over = total > max_bytes;
        total -= if over { *bytes } else { 0 };
        over
    });
    let mut dropped: Vec<(usize, usize)> = over.map(|&(p, f, _)| (p, f)).collect();
    dropped.sort_unstable_by(|a, b| b.cmp(a));
    for &(p, f) in &dropped {
        peers[p].findings.remove(f);
    }
    u32::try_from(dropped.len()).unwrap_or(u32::MAX)
}

/// Peer, finding, and its bytes on the wire.
fn sizes(peers: &[Peer]) -> Vec<(usize, usize, u64)> {
    let size = |f: &PeerFinding| serde_json::to_vec(f).map_or(0, |bytes| bytes.len() as u64);
    let findings = |(p, peer): (usize, &Peer)| {
        let each = peer.findings.iter().enumerate();
        each.map(|(f, finding)| (p, f, size(finding)))
            .collect::<Vec<_>>()
    };
    peers.iter().enumerate().flat_map(findings).collect()
}

fn clip_texts(finding: &mut Finding, max: usize) {
    let texts = [
        &mut finding.description,
        &mut finding.quote,
        &mut finding.why,
        &mut finding.fix,
    ];
    for text in texts.into_iter().chain(&mut finding.reference) {
        if text.len() > max {
            text.truncate(text.floor_char_boundary(max));
            text.push_str(" … [cut]");
        }
    }
    // A part of a replacement is none.
    finding.suggestion.take_if(|text| text.len() > max);
}

#[cfg(test)]
mod tests {
    use council_protocol::{Location, Severity, Vote};

    use super::*;

    fn finding(id: &str, severity: Severity) -> PeerFinding {
        let finding = Finding {
            severity,
            category: String::new(),
            rule: None,
            description: "x".repeat(100),
            location: Location {
                path: "a".into(),
                line: 1,
                end_line: None,
            },
            quote: "q".into(),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        };
        PeerFinding {
            id: id.into(),
            finding,
        }
    }

    fn peer(label: &str, findings: Vec<PeerFinding>) -> Peer {
        Peer {
            label: label.into(),
            verdict: Vote::Warn,
            key_insight: String::new(),
            findings,
            recommendation: String::new(),
            file: None,
        }
    }

    #[test]
    fn labels_count_like_columns_and_find_their_way_back() {
        assert_eq!([0, 25, 26, 27].map(peer_label), ["A", "Z", "AA", "AB"]);
        assert_eq!(
            parse_finding_id(&[SeatIndex(7), SeatIndex(3)], "B12"),
            Some((SeatIndex(3), 12))
        );
        assert_eq!(
            parse_finding_id(&[SeatIndex(7), SeatIndex(3)], " a1 "),
            Some((SeatIndex(7), 1))
        );
        for odd in [
            "",
            "A",
            "A0",
            "C1",
            "1",
            "Ä1",
            "A1x",
            "A99999999999999999999999",
        ] {
            assert_eq!(
                parse_finding_id(&[SeatIndex(7), SeatIndex(3)], odd),
                None,
                "{odd}"
            );
        }
    }

    #[test]
    fn whole_findings_are_dropped_least_severe_first_with_a_count() {
        let mut peers = [
            peer(
                "A",
                vec![
                    finding("A1", Severity::Minor),
                    finding("A2", Severity::Critical),
                ],
            ),
            peer(
                "B",
                vec![
                    finding("B1", Severity::Significant),
                    finding("B2", Severity::Minor),
                ],
            ),
        ];
        let one = serde_json::to_vec(&peers[0].findings[1]).unwrap().len() as u64;
        assert_eq!(fit_budget(&mut peers.clone(), u64::MAX), 0);
        assert_eq!(fit_budget(&mut peers, one * 2 + 20), 2);
        let left: Vec<_> = peers
            .iter()
            .flat_map(|p| &p.findings)
            .map(|f| f.id.as_str())
            .collect();
        assert_eq!(left, ["A2", "B1"]);
        assert_eq!(fit_budget(&mut peers, 0), 2);
        assert!(peers.iter().all(|p| p.findings.is_empty()));
    }

    #[test]
    fn no_judge_is_named() {
        let ids = [JudgeId::from("judge-10"), JudgeId::from("judge-1")];
        let names: Vec<&JudgeId> = ids.iter().collect();
        assert_eq!(
            scrub_names("judge-10 and judge-1 agree", &names),
            "a judge and a judge agree"
        );
    }

    use proptest::prelude::*;

    proptest! {
        /// However long the words of a finding are, those who could confirm it are shown it: nothing is dropped that fits
        /// when its words are cut, and what is dropped is never worse than what stays.
        #[test]
        fn words_are_cut_before_a_finding_is_left_out(
            lengths in prop::collection::vec((0usize..100_000, 0u8..3), 1..8),
        ) {
            let severities = [Severity::Minor, Severity::Significant, Severity::Critical];
            let findings = lengths.iter().enumerate().map(|(nth, &(length, severity))| {
                let mut found = finding(&format!("A{}", nth + 1), severities[usize::from(severity)]);
                found.finding.why = "ü".repeat(length / 2);
                found.finding.suggestion = (length % 2 == 0).then(|| "s".repeat(length));
                found
            });
            let mut peers = [peer("A", findings.collect())];
            let max = 24 << 10;
            prop_assert_eq!(fit_budget(&mut peers, max), 0);
            let left: u64 = sizes(&peers).iter().map(|(_, _, bytes)| bytes).sum();
            prop_assert!(left <= max, "{} bytes", left);
            for (found, (length, _)) in peers[0].findings.iter().zip(&lengths) {
                let whole = found.finding.why.len() == length / 2 * 2;
                prop_assert!(whole || found.finding.why.ends_with("[cut]"));
            }
        }
    }
}
