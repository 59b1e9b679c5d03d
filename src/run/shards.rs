//! A change that is larger than one brief, in parts that each fit (`review.large = "shard"`): the same bench judges every
//! part, and one council comes to one verdict over all of them.

use std::collections::BTreeSet;

use council_protocol::{Coverage, CoverageState, JudgeId, Packet, Seat};

use crate::council::PART_MARK;
use crate::council::plan::{ConsensusRule, DebateMode, Procedure};
use crate::prompt::{Brief, PromptError};

use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;

/// A part of a change: its brief, and what of the whole change that shows.
#[derive(Debug)]
pub(crate) struct ChangeShard {
    pub(crate) brief: Brief,
    pub(crate) coverage: Coverage,
    /// Indices of its files in the packet.
    pub(crate) files: Vec<usize>,
}

/// The parts of a packet, each small enough to be shown whole. Files are taken in the order of the packet, which is that of
/// their paths, so that what lies together is judged together; a file that does not fit alone is a part of its own, and its
/// coverage says so.
pub(crate) fn split_change(
    packet: &Packet,
    render: &dyn Fn(&Packet) -> Result<Brief, PromptError>,
) -> Result<Vec<ChangeShard>, PromptError> {
    let files: Vec<usize> = (0..packet.files.len()).collect();
    let mut parts = Vec::new();
    split_files(packet, &files, render, &mut parts)?;
    Ok(parts)
}

fn split_files(
    packet: &Packet,
    files: &[usize],
    render: &dyn Fn(&Packet) -> Result<Brief, PromptError>,
    parts: &mut Vec<ChangeShard>,
) -> Result<(), PromptError> {
    let brief = render(&packet_of_files(packet, files))?;
    let whole = files
        .iter()
        .zip(&brief.coverage.files)
        .all(|(&file, shown)| {
            shown.state.is_complete() || !packet.coverage.files[file].state.is_complete()
        });
    if !whole && files.len() > 1 {
        let (before, after) = files.split_at(split_point(packet, files));
        split_files(packet, before, render, parts)?;
        return split_files(packet, after, render, parts);
    }
    let coverage = whole_coverage(packet, files, &brief.coverage);
    parts.push(ChangeShard {
        brief,
        coverage,
        files: files.to_vec(),
    });
    Ok(())
}

/// Where half of the text is on either side, at the end of a folder if one ends nearby.
fn split_point(packet: &Packet, files: &[usize]) -> usize {
    let sizes: Vec<usize> = files.iter().map(|&file| file_size(packet, file)).collect();
    let all: usize = sizes.iter().sum();
    let mut before = 0;
    let mut half = 1;
    for (at, size) in sizes.iter().enumerate() {
        before += size;
        if before * 2 >= all {
            half = at + 1;
            break;
        }
    }
    let half = half.clamp(1, files.len() - 1);
    let folder = |at: usize| {
        let path = packet.files[files[at]].path.as_bytes();
        let end = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        path[..end].to_vec()
    };
    let near = files.len() / 8;
    let ends = (half.saturating_sub(near).max(1)..=(half + near).min(files.len() - 1))
        .filter(|&at| folder(at - 1) != folder(at));
    ends.min_by_key(|&at| at.abs_diff(half)).unwrap_or(half)
}

fn file_size(packet: &Packet, file: usize) -> usize {
    let hunks = packet.files[file].hunks.iter();
    64 + hunks.map(|hunk| hunk.body.len()).sum::<usize>()
}

/// The packet with these files only.
pub(crate) fn packet_of_files(packet: &Packet, files: &[usize]) -> Packet {
    Packet {
        version: packet.version,
        target: packet.target.clone(),
        files: files
            .iter()
            .map(|&file| packet.files[file].clone())
            .collect(),
        instructions: packet.instructions.clone(),
        coverage: Coverage {
            files: files
                .iter()
                .map(|&file| packet.coverage.files[file].clone())
                .collect(),
        },
        framing: packet.framing.clone(),
    }
}

/// A part's coverage as one of the whole change: whatever is not in it was not shown.
fn whole_coverage(packet: &Packet, files: &[usize], shown: &Coverage) -> Coverage {
    let mut coverage = packet.coverage.clone();
    for file in &mut coverage.files {
        if file.state == CoverageState::Reviewed {
            file.state = CoverageState::OverBudget;
        }
    }
    for (&file, shown) in files.iter().zip(&shown.files) {
        coverage.files[file].state = shown.state.clone();
    }
    coverage
}

/// The bench once for each of `parts` parts; judges that read the whole packet sit once.
pub(crate) fn seats_for_shards(
    bench: &[Seat],
    parts: usize,
    most: u64,
) -> Result<Vec<Seat>, RunError> {
    let mut seats = Vec::new();
    for part in 1..=parts {
        for seat in bench {
            let reads = seat.agent.kind.reads_brief();
            if reads || part == 1 {
                let mut seat = seat.clone();
                if reads {
                    seat.judge = JudgeId(format!("{}{PART_MARK}{part}", seat.judge));
                }
                seats.push(seat);
            }
        }
    }
    if seats.len() as u64 > most {
        let count = seats.len();
        return Err(RunError::usage(format!(
            "the change needs {parts} parts with {count} judges, but at most {most} are allowed"
        ))
        .hint("raise `limits.agents` or `limits.brief` in your own configuration")
        .hint(
            "or set `review.large = \"rank\"`: files that do not fit are listed as not reviewed",
        ));
    }
    Ok(seats)
}

/// Whether these are one judge, however many parts it sees.
pub(crate) fn is_one_judge(seats: &[Seat]) -> bool {
    let whole = |seat: &Seat| {
        let name = seat.judge.as_str();
        let bench = name.rsplit_once(PART_MARK);
        bench.map_or(name, |(bench, _)| bench).to_owned()
    };
    let names: BTreeSet<String> = seats.iter().map(whole).collect();
    names.len() == 1
}

/// The part that a judge sees, from 0.
pub(crate) fn shard_of(judge: &JudgeId) -> usize {
    // A judge's helpers have its name with something behind.
    let behind = judge
        .as_str()
        .rsplit_once(PART_MARK)
        .map_or("", |(_, behind)| behind);
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    let number: usize = behind[..digits].parse().unwrap_or(1);
    number.saturating_sub(1)
}

/// What holds for a council over parts: one round, since nobody can judge what others found in a part that it was not shown;
/// and no majority, since those who were not shown a problem would outvote those who were.
pub(crate) fn apply_shard_rules(prepared: &mut PreparedReview, parts: usize) {
    prepared.notes.push(format!(
        "the change is larger than one brief: the same judges reviewed it in {parts} parts"
    ));
    apply_split_rules(prepared);
}

/// The same for judges who each saw other files of it.
pub(crate) fn apply_spread_rules(prepared: &mut PreparedReview) {
    let note = "the change is larger than one brief: its files were spread over the judges, the most telling first, \
                each to as many as the quorum where as many briefs had room for all of it";
    prepared.notes.push(note.to_owned());
    apply_split_rules(prepared);
}

fn apply_split_rules(prepared: &mut PreparedReview) {
    let review = &mut prepared.config.settings.review;
    if review.debate != DebateMode::Off || !matches!(review.procedure, Procedure::Review) {
        prepared
            .notes
            .push("a change in parts is reviewed in one round".to_owned());
    }
    review.debate = DebateMode::Off;
    review.procedure = Procedure::Review;
    if review.consensus == ConsensusRule::Majority {
        review.consensus = ConsensusRule::Strict;
        prepared
            .notes
            .push("a majority cannot be counted over parts: `strict` applies instead".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use council_protocol::FileChange;
    use council_protocol::change::{FileKind, FileStatus, Hunk};
    use council_protocol::coverage::FileCoverage;

    use super::*;
    use crate::council::plan::RunSeed;
    use crate::prompt::{BriefClass, MIN_BRIEF_BYTES, PromptBuilder};
    use crate::run::backends::empty_packet;

    fn packet(files: &[(&str, usize)]) -> Packet {
        let mut packet = empty_packet();
        for (path, lines) in files {
            let lines32 = *lines as u32;
            let hunk = Hunk {
                old_start: 0,
                old_lines: 0,
                new_start: 1,
                new_lines: lines32,
                section: String::new(),
                body: "+one line of some length, again and again\n".repeat(*lines),
            };
            packet.files.push(FileChange {
                path: (*path).into(),
                old_path: None,
                status: FileStatus::Added,
                kind: FileKind::Text,
                old_mode: 0,
                new_mode: 0o100_644,
                old_id: None,
                new_id: None,
                old_size: None,
                new_size: None,
                similarity: None,
                moved_from: None,
                lossy: false,
                hunks: vec![hunk],
            });
            packet.coverage.files.push(FileCoverage {
                path: (*path).into(),
                state: CoverageState::Reviewed,
            });
        }
        packet
    }

    fn parts(packet: &Packet) -> Vec<ChangeShard> {
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
        let class = BriefClass {
            budget_bytes: MIN_BRIEF_BYTES,
            ..BriefClass::default()
        };
        split_change(packet, &|packet| prompter.render_brief(packet, &class)).unwrap()
    }

    #[test]
    fn nothing_is_left_out_and_nothing_is_shown_twice() {
        let files: Vec<(String, usize)> = (0..12)
            .map(|n| (format!("{}/f{n:02}.rs", if n < 7 { "a" } else { "b" }), 30))
            .collect();
        let files: Vec<(&str, usize)> = files.iter().map(|(p, n)| (p.as_str(), *n)).collect();
        let packet = packet(&files);
        let parts = parts(&packet);
        assert!(parts.len() > 1);
        for at in 0..packet.files.len() {
            let seen = parts
                .iter()
                .filter(|part| part.coverage.files[at].state.is_complete())
                .count();
            assert_eq!(seen, 1, "{:?}", packet.files[at].path);
        }
        assert!(
            parts
                .iter()
                .all(|part| part.brief.text.len() <= MIN_BRIEF_BYTES)
        );
        let views: Vec<&Coverage> = parts
            .iter()
            .flat_map(|part| [&part.coverage, &part.coverage])
            .collect();
        assert!(Coverage::of_quorum(&views, 2).is_complete());
        assert!(
            !Coverage::of_quorum(&views[1..], 2).is_complete(),
            "one judge of a part is missing"
        );
    }

    #[test]
    fn a_file_that_does_not_fit_alone_is_a_part_whose_coverage_says_so() {
        let packet = packet(&[("big.rs", 2_000), ("small.rs", 5)]);
        let parts = parts(&packet);
        assert_eq!(parts.len(), 2);
        assert!(
            !parts[0].coverage.files[0].state.is_complete()
                && parts[1].coverage.files[1].state.is_complete()
        );
    }

    #[test]
    fn judges_are_counted_whatever_parts_they_see() {
        let seat = |name: &str| -> Seat {
            serde_json::from_value(serde_json::json!({
                "judge": name,
                "agent": { "name": "c", "vendor": "v", "kind": { "driver": "command", "argv": ["x"] } },
            }))
            .unwrap()
        };
        for judges in 1..4 {
            let bench: Vec<Seat> = (1..=judges).map(|n| seat(&format!("judge-{n}"))).collect();
            for parts in 1..4 {
                let seats = seats_for_shards(&bench, parts, u64::MAX).unwrap();
                assert_eq!(is_one_judge(&seats), judges == 1, "{judges} in {parts}");
            }
            assert_eq!(is_one_judge(&bench), judges == 1);
        }
    }

    #[test]
    fn a_judge_s_part_is_in_its_name() {
        assert_eq!(shard_of(&"judge-1".into()), 0);
        assert_eq!(shard_of(&"judge-1-part-3".into()), 2);
        assert_eq!(shard_of(&"judge-1-part-3-explorer-1".into()), 2);
    }
}
