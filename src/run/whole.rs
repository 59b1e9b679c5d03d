//! A change that is larger than a brief: the one command that reviews all of it, and what that costs.

use council_protocol::coverage::FileCoverage;
use council_protocol::{
    Coverage, CoverageState, FileChange, Hunk, LineKind, Packet, RepoPath, Seat,
};

use council_secrets::Redactor;

use crate::config::LargeChangePolicy;
use crate::council::PART_MARK;
use crate::prompt::{Brief, MAX_EDITED_LINE};
use crate::report::TOO_LONG_A_LINE;
use crate::run::context::RunContext;
use crate::run::estimate::{BriefSize, JudgeTurns, RunEstimate};
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::review_command::{pathspec_without, review_command};

/// Bytes that a line of a hunk takes in a brief beside its text: its number and its marker.
const GUTTER: u64 = 7;

/// What to run where models are shown a part of the change only; none: they are shown all of it, or nothing more can be
/// shown.
pub(crate) fn suggest_whole_review(
    prepared: &PreparedReview,
    prompts: Option<&SeatPrompts>,
    seats: &[Seat],
    start: &RunContext,
) -> Option<String> {
    let settings = &prepared.config.settings;
    let shown = prompts?.shown_coverage();
    let is_cut = |file: &&FileCoverage| {
        matches!(
            file.state,
            CoverageState::OverBudget | CoverageState::Truncated { .. }
        )
    };
    let cut: Vec<&FileCoverage> = shown.files.iter().filter(is_cut).collect();
    if let Some(why) = lines_that_are_withheld(&cut, &prepared.packet, &prepared.redactor) {
        return Some(why);
    }
    if let Some(why) = lines_that_are_cut(&cut, &prepared.packet) {
        return Some(why);
    }
    if cut.is_empty() {
        return None;
    }
    let frame = prompts?.brief_facts().frame;
    let cut_in_parts = settings.review.large == LargeChangePolicy::Shard;
    let most = settings.limits.brief;
    let alone = |file, bytes| prompts?.brief_of_file(prepared, file, bytes);
    let needed = BriefOfOneFile::find(&prepared.packet, &cut, (frame, most), &alone);
    if cut_in_parts && needed.is_none() {
        return None;
    }
    let request = prepared.request.as_ref()?;
    let brief = needed
        .as_ref()
        .map_or(settings.limits.brief, |whole| whole.bytes);
    let parts = prompts?.briefs_in_parts(prepared, brief)?;
    // Where the change is in parts already, each judge sits once for each.
    let seats: Vec<&Seat> = seats.iter().filter(|seat| is_of_first_part(seat)).collect();
    let is_reader = |seat: &&Seat| seat.agent.kind.reads_brief();
    let (readers, others): (Vec<&Seat>, Vec<&Seat>) = seats.into_iter().partition(is_reader);
    let judges = others.len() + readers.len() * parts.len();
    let mut changes = vec![("review.large", "shard".to_owned())];
    if needed.is_some() {
        changes.push(("limits.brief", format!("{}K", brief / 1024)));
    }
    if judges as u64 > settings.limits.agents {
        changes.push(("limits.agents", judges.to_string()));
    }
    let command = review_command(
        request,
        (start.named_dir.as_deref(), &start.config),
        &changes,
    )?;
    let each = parts
        .iter()
        .map(|brief| BriefSize::of_text(brief))
        .flat_map(|shown| readers.iter().map(move |seat| (*seat, shown)));
    let each: Vec<(&Seat, BriefSize)> = each
        .filter(|(seat, _)| seat.agent.kind.reads_text())
        .collect();
    let has_tree = prepared.change.blobs.has_blobs();
    let (turns, coverage) = (JudgeTurns::ONCE, &prepared.coverage);
    let estimate = RunEstimate::for_turns(turns, &each, 0, coverage, settings, has_tree);
    let why = match needed {
        Some(whole) => format!(
            "{} alone is larger than one brief (`limits.brief`)",
            whole.path
        ),
        None => {
            "the change is larger than one brief (`limits.brief`), so files are left out".to_owned()
        }
    };
    let in_parts = match parts.len() {
        1 => "at once".to_owned(),
        parts => format!("in {parts} parts"),
    };
    let but = match longest_changed_line(&cut, &prepared.packet) {
        Some((name, bytes)) => format!(
            " but {name}, which has a line of {bytes} bytes and of which models are shown {} (leave it out with `-- {}`),",
            MAX_EDITED_LINE,
            pathspec_without(&name)
        ),
        None => String::new(),
    };
    Some(format!(
        "{why}; `{command}{REVIEWS_ALL}{but} {in_parts}: {}",
        estimate.describe_total()
    ))
}

/// What only such a suggestion says.
const REVIEWS_ALL: &str = "` reviews all of it";

/// Takes the suggestion out of the notes of a run in which nothing is missing: judges may look up what their brief left
/// out, and nobody is to pay again for what is done.
pub(crate) fn drop_idle_suggestion(coverage: &Coverage, notes: &mut Vec<String>) {
    if coverage.gaps().next().is_none() {
        notes.retain(|note| !note.contains(REVIEWS_ALL));
    }
}

/// The brief that shows a file which no brief of the configured size shows whole, even alone: a file is never divided
/// between two parts, for whoever reads the second half has to know the first.
struct BriefOfOneFile {
    path: String,
    bytes: u64,
}

/// Bytes that no change fills: the patches that are read are smaller.
const NO_BOUND: u64 = 1 << 32;

impl BriefOfOneFile {
    /// Of the one that needs the largest brief of those that are shown in part; none: each of them fits alone, and only did
    /// not fit behind others. `alone` renders a brief of one file within so many bytes.
    fn find(
        packet: &Packet,
        cut: &[&FileCoverage],
        (frame, most): (u64, u64),
        alone: &dyn Fn(usize, u64) -> Option<Brief>,
    ) -> Option<Self> {
        let is_cut = |path: &RepoPath| cut.iter().any(|one| one.path == *path);
        let files = packet.files.iter().enumerate();
        let needed = files.filter_map(|(at, file)| {
            // Most files are far smaller: they need not be rendered to know that.
            let is_large = bytes_in_brief(file) * 2 + frame > most;
            (is_large && is_cut(&file.path)).then_some(())?;
            let whole = alone(at, NO_BOUND)?;
            let shows_all = |bytes| alone(at, bytes).map(|brief| brief.coverage == whole.coverage);
            (!shows_all(most)?).then_some(())?;
            // What a brief lays aside for its list and its instructions depends on its size.
            let mut bytes = (whole.text.len() as u64).next_multiple_of(1024);
            while !shows_all(bytes)? {
                bytes = (bytes * 21 / 20).next_multiple_of(1024);
            }
            let path = file.path.display().into_owned();
            Some(Self { path, bytes })
        });
        needed.max_by_key(|file| file.bytes)
    }
}

/// What a file's hunks take in a brief.
fn bytes_in_brief(file: &FileChange) -> u64 {
    let in_hunk = |hunk: &Hunk| {
        let lines = u64::from(hunk.old_lines) + u64::from(hunk.new_lines);
        hunk.body.len() as u64 + GUTTER * lines
    };
    file.hunks.iter().map(in_hunk).sum()
}

/// What is said where nothing is missing but lines that are withheld whole, for the name of their file says that it holds
/// secrets: no parts and no larger brief show more of them.
fn lines_that_are_withheld(
    cut: &[&FileCoverage],
    packet: &Packet,
    redactor: &Redactor,
) -> Option<String> {
    for coverage in cut {
        let CoverageState::Truncated { shown, total } = coverage.state else {
            return None;
        };
        let mut files = packet.files.iter();
        let file = files.find(|file| file.path == coverage.path)?;
        if withheld_lines(file, redactor) < u64::from(total.saturating_sub(shown)) {
            return None;
        }
    }
    let name = cut.first()?.path.display();
    let more = match cut.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let without = pathspec_without(&name);
    Some(format!(
        "lines of {name}{more} were redacted as a whole, as the file's name says that it holds secrets: no model was shown \
         them, and only rules have read them; to review the rest without it: `-- {without}`"
    ))
}

fn withheld_lines(file: &FileChange, redactor: &Redactor) -> u64 {
    let path = file.path.display();
    let count = |hunk: &Hunk| {
        let mut reader = redactor.lines(Some(&path));
        let lines = hunk.lines().filter(|line| {
            let withheld = reader.redact_line(line.text).withheld;
            withheld && line.kind != LineKind::Context
        });
        lines.count() as u64
    };
    file.hunks.iter().map(count).sum()
}

/// What helps where nothing is missing but the ends of long lines: neither parts nor a larger brief show more of them.
fn lines_that_are_cut(cut: &[&FileCoverage], packet: &Packet) -> Option<String> {
    let most = MAX_EDITED_LINE;
    let mut longest: Option<(&FileChange, usize)> = None;
    for coverage in cut {
        let CoverageState::Truncated { shown, total } = coverage.state else {
            return None;
        };
        let file = packet
            .files
            .iter()
            .find(|file| file.path == coverage.path)?;
        let changed = file.hunks.iter().flat_map(Hunk::lines);
        let changed = changed.filter(|line| line.kind != LineKind::Context);
        let long: Vec<usize> = changed
            .map(|line| line.text.len())
            .filter(|&bytes| bytes > most)
            .collect();
        if (long.len() as u64) < u64::from(total.saturating_sub(shown)) {
            return None;
        }
        let bytes = long.into_iter().max()?;
        if longest.is_none_or(|(_, other)| bytes > other) {
            longest = Some((file, bytes));
        }
    }
    let (file, bytes) = longest?;
    let name = file.path.display();
    let without = pathspec_without(&name);
    Some(format!(
        "models are shown {most} {TOO_LONG_A_LINE}{name} has one of {bytes}: break long lines up, or leave the file out with \
         `-- {without}`"
    ))
}

/// The longest changed line of these files that no brief shows whole, however the change is divided, and its file's name.
fn longest_changed_line(cut: &[&FileCoverage], packet: &Packet) -> Option<(String, usize)> {
    let is_cut = |file: &&FileChange| cut.iter().any(|one| one.path == file.path);
    let changed = packet.files.iter().filter(is_cut).flat_map(|file| {
        let lines = file.hunks.iter().flat_map(Hunk::lines);
        let changed = lines.filter(|line| line.kind != LineKind::Context);
        changed.map(move |line| (file, line.text.len()))
    });
    let (file, bytes) = changed
        .filter(|(_, bytes)| *bytes > MAX_EDITED_LINE)
        .max_by_key(|(_, bytes)| *bytes)?;
    Some((file.path.display().into_owned(), bytes))
}

/// Whether a judge sits for the first part of a change, or for all of it.
fn is_of_first_part(seat: &Seat) -> bool {
    let part = seat.judge.as_str().rsplit_once(PART_MARK);
    part.is_none_or(|(_, part)| part == "1")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use council_protocol::change::{FileKind, FileStatus};

    use super::*;
    use crate::council::plan::RunSeed;
    use crate::prompt::{BriefClass, MIN_BRIEF_BYTES, PromptBuilder};
    use crate::run::backends::empty_packet;

    /// A new file whose lines are so long.
    fn packet_of_lines(lines: &[usize]) -> Packet {
        let mut packet = empty_packet();
        let body = lines
            .iter()
            .map(|bytes| format!("+{}\n", "word ".repeat(bytes / 5)));
        let hunk = Hunk {
            old_start: 0,
            old_lines: 0,
            new_start: 1,
            new_lines: lines.len() as u32,
            section: String::new(),
            body: body.collect(),
        };
        packet.files.push(FileChange {
            path: "long.py".into(),
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
            path: "long.py".into(),
            state: CoverageState::Reviewed,
        });
        packet
    }

    /// What is said of such a file, shown in a brief of this size.
    fn said(lines: &[usize], budget_bytes: usize) -> Option<String> {
        let packet = packet_of_lines(lines);
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
        let class = BriefClass {
            budget_bytes,
            ..BriefClass::default()
        };
        let brief = prompter.render_brief(&packet, &class).unwrap();
        let cut: Vec<_> = brief.coverage.gaps().collect();
        lines_that_are_cut(&cut, &packet)
    }

    #[test]
    fn advice_to_review_the_rest_stands_only_where_there_is_a_rest() {
        let advice = format!(
            "big.py alone is larger than one brief; `git council review{REVIEWS_ALL} at once: about 9"
        );
        for (state, is_kept) in [
            (CoverageState::Reviewed, false),
            (CoverageState::OverBudget, true),
            (CoverageState::Truncated { shown: 1, total: 2 }, true),
        ] {
            let path = "big.py".into();
            let coverage = Coverage {
                files: vec![FileCoverage { path, state }],
            };
            let mut notes = vec!["another note".to_owned(), advice.clone()];
            drop_idle_suggestion(&coverage, &mut notes);
            assert_eq!(notes.len(), 1 + usize::from(is_kept), "{coverage:?}");
        }
    }

    #[test]
    fn a_line_that_is_cut_is_named_with_its_length_and_what_helps() {
        let whole = BriefClass::default().budget_bytes;
        let why = said(&[40, 32_000, 25_000], whole).unwrap();
        assert!(
            why.contains("long.py has one of 32000") && why.contains("':/!long.py'"),
            "{why}"
        );
        assert_eq!(said(&[40, 15_900], whole), None);
        // Here the size of the brief cuts, and other advice is true.
        assert_eq!(said(&[1_900; 40], MIN_BRIEF_BYTES), None);
    }

    /// A change that is divided shows no line that is too long for any brief: a command that reviews "all of it" must
    /// not be followed, and paid, in vain.
    #[test]
    fn a_line_that_no_division_shows_is_known_beside_files_that_are_left_out() {
        let packet = packet_of_lines(&[40, 32_000, 25_000]);
        for state in [
            CoverageState::OverBudget,
            CoverageState::Truncated { shown: 0, total: 3 },
        ] {
            let cut = FileCoverage {
                path: "long.py".into(),
                state,
            };
            let found = longest_changed_line(&[&cut], &packet);
            assert_eq!(found, Some(("long.py".to_owned(), 32_000)));
        }
        assert_eq!(longest_changed_line(&[], &packet), None);
        let short = packet_of_lines(&[40, 15_900]);
        let cut = FileCoverage {
            path: "long.py".into(),
            state: CoverageState::OverBudget,
        };
        assert_eq!(longest_changed_line(&[&cut], &short), None);
    }

    /// A packet of new files with so many lines each.
    fn packet_of_files(sizes: &[usize]) -> Packet {
        let mut packet = empty_packet();
        for (at, &lines) in sizes.iter().enumerate() {
            let mut one = packet_of_lines(&vec![40; lines]);
            let path = RepoPath::from(format!("f{at}.py").as_str());
            for file in &mut one.files {
                file.path.clone_from(&path);
            }
            for file in &mut one.coverage.files {
                file.path.clone_from(&path);
            }
            packet.files.append(&mut one.files);
            packet.coverage.files.append(&mut one.coverage.files);
        }
        packet
    }

    /// Of these files in a brief of that size: which do not even fit alone, and which one is named with what brief.
    fn too_large_alone(packet: &Packet, most: u64) -> (Vec<String>, Option<BriefOfOneFile>) {
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
        let render = |packet: &Packet, bytes: u64| {
            let class = BriefClass {
                budget_bytes: bytes as usize,
                ..BriefClass::default()
            };
            prompter.render_brief(packet, &class).unwrap()
        };
        let alone = |at: usize, bytes| {
            let one = crate::run::shards::packet_of_files(packet, &[at]);
            Some(render(&one, bytes))
        };
        let together = render(packet, most);
        let cut: Vec<&FileCoverage> = together.coverage.gaps().collect();
        let large = (0..packet.files.len()).filter(|&at| {
            alone(at, most).is_some_and(|brief| brief.coverage.gaps().next().is_some())
        });
        let name = |at: usize| packet.files[at].path.display().into_owned();
        let large = large.map(name).collect();
        let frame = together.sizes.frame as u64;
        let found = BriefOfOneFile::find(packet, &cut, (frame, most), &alone);
        if let Some(found) = &found {
            let at = packet
                .files
                .iter()
                .position(|file| file.path.display() == found.path);
            let brief = alone(at.unwrap(), found.bytes).unwrap();
            assert!(brief.coverage.is_complete(), "{} bytes", found.bytes);
        }
        (large, found)
    }

    #[test]
    fn a_file_that_fits_alone_is_not_too_large_for_a_brief() {
        let (large, found) = too_large_alone(&packet_of_files(&[1_000, 1_000]), 64 << 10);
        assert_eq!(large, Vec::<String>::new());
        assert!(found.is_none());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

        /// A file is told to be larger than a brief where a brief of it alone does not show it whole, and only there; and the
        /// brief that is named shows it.
        #[test]
        fn a_file_is_larger_than_a_brief_if_a_brief_of_it_alone_is_cut(
            sizes in proptest::collection::vec(1_usize..700, 1..4),
            most in 12_u64..48,
        ) {
            let (large, found) = too_large_alone(&packet_of_files(&sizes), most << 10);
            let named = found.map(|found| found.path);
            proptest::prop_assert_eq!(named.is_some(), !large.is_empty(), "{:?}", large);
            proptest::prop_assert!(named.is_none_or(|path| large.contains(&path)));
        }
    }

    /// Judges of a change in parts sit once for each part: the next division does not multiply them again.
    #[test]
    fn a_judge_of_several_parts_is_one_judge() {
        let seat: Seat = serde_json::from_value(serde_json::json!({
            "judge": "judge-1",
            "agent": { "name": "c", "vendor": "v", "kind": { "driver": "command", "argv": ["x"] } },
        }))
        .unwrap();
        let bench = [seat];
        for parts in 2..5 {
            let seats = crate::run::shards::seats_for_shards(&bench, parts, u64::MAX).unwrap();
            let first = seats.iter().filter(|seat| is_of_first_part(seat));
            assert_eq!(first.count(), bench.len(), "{parts}");
        }
        assert!(bench.iter().all(is_of_first_part));
    }

    proptest::proptest! {
        /// The size that is named for a file alone is enough for it, whatever its lines are like: the printed command
        /// must not leave the file unread again.
        #[test]
        fn the_brief_that_is_named_for_a_file_shows_all_of_it(lines in 200usize..3_000, words in 0usize..30) {
            let packet = packet_of_lines(&vec![words * 5; lines]);
            let (large, found) = too_large_alone(&packet, MIN_BRIEF_BYTES as u64);
            proptest::prop_assert_eq!(found.is_some(), !large.is_empty(), "{:?}", large);
        }
    }
}
