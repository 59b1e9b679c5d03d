//! The brief: a packet rendered for one class of models.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, CoverageState, Packet, RepoPath, SeenLines};
use council_secrets::Redactor;
use minijinja::context;

use super::choose::{ChosenText, choose_hunks, whole_sizes};
use super::context::{ContextBlock, ContextKind, ContextUse, ShownContext, show_context};
use super::hidden_values::HiddenValues;
use super::rank::SeatShare;
use super::template::{PromptError, TemplateSet};
use super::{fence::PromptFence, rank, redact, show};
use crate::packet::{cut_text, is_cut, sha256, share_room};

/// A class of models: all its judges are sent the same brief.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BriefClass {
    /// The most bytes that a brief has; at least [`MIN_BRIEF_BYTES`] is used.
    pub budget_bytes: usize,
    /// The most bytes that are shown of one line that the change does not edit.
    pub line_bytes: usize,
    /// The most bytes of what stands around the change; of what the change itself leaves of the budget.
    pub context_bytes: usize,
    /// Whose brief it is where files are spread over several judges; none: the same for all.
    pub share: Option<SeatShare>,
}

/// What stands around a change, and what of it could not be looked up.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChangeContext<'a> {
    /// The blocks, within each kind the most telling first.
    pub blocks: &'a [ContextBlock],
    /// What a bound of the search left out, in words.
    pub gaps: &'a [String],
}

/// Where the bytes of a brief went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BriefSizes {
    /// The change with the lines around its hunks.
    pub change: usize,
    /// What stands around the change, by kind.
    pub context: Vec<(ContextKind, ContextUse)>,
    /// What of that could not be looked up, in words.
    pub gaps: Vec<String>,
    /// Whether the size of the brief left less room for that than it may take.
    pub is_full: bool,
    /// Everything else: facts, list of files, instructions, and what explains them.
    pub frame: usize,
}

/// The smallest budget that is kept to: what is constant in a brief and the names of some files need room.
pub(crate) const MIN_BRIEF_BYTES: usize = 8 * 1024;

impl Default for BriefClass {
    fn default() -> Self {
        Self {
            budget_bytes: 400_000,
            line_bytes: 2_000,
            context_bytes: 60_000,
            share: None,
        }
    }
}

impl BriefClass {
    /// The class of models that read `tokens` tokens at once. No tokenizer is known for all of them: 3.5 bytes a token
    /// with a margin of 30 %, a quarter of the window kept for debate and answers (`rust.md` A4.3).
    pub fn of_window(tokens: usize) -> Self {
        Self {
            budget_bytes: tokens / 4 * 3 * 35 / 13,
            ..Self::default()
        }
    }
}

/// A packet rendered for one class of models: the first thing that each of its judges reads, the same bytes for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    pub text: Arc<str>,
    /// What of the change it shows.
    pub coverage: Coverage,
    /// The changed lines that it shows whole of the files that it shows in part.
    pub partly_seen: Vec<SeenLines>,
    /// The secrets that were replaced.
    pub(crate) redactions: HiddenValues,
    /// SHA-256 of the text, 64 hex digits.
    pub digest: String,
    /// Where its bytes went.
    pub sizes: BriefSizes,
    /// The trusted instructions of which not all is shown.
    pub cut_instructions: Vec<RepoPath>,
}

/// What a brief is rendered with.
#[derive(Debug, Clone, Copy)]
pub(super) struct BriefTools<'a> {
    pub(super) fence: &'a PromptFence,
    pub(super) templates: &'a TemplateSet,
    pub(super) redactor: &'a Redactor,
}

/// Renders the brief: facts, list of files, trusted instructions, then the change within the budget.
pub(super) fn render_brief(
    packet: &Packet,
    around: ChangeContext<'_>,
    class: &BriefClass,
    tools: BriefTools<'_>,
) -> Result<Brief, PromptError> {
    let budget = class.budget_bytes.max(MIN_BRIEF_BYTES);
    let order = rank::rank_files(&packet.files);
    let share = match packet.target.kind {
        // There is nothing else.
        TargetKind::Stage => budget / 5 * 4,
        _ => budget / 5,
    };
    let InstructionText {
        text: instructions,
        secrets: mut redactions,
        cut,
    } = render_instructions(packet, share, tools.redactor);
    let listing = plan_listing(packet, &order, budget / 4, tools.redactor);
    let parts = BriefParts {
        instructions: &instructions,
        ..BriefParts::default()
    };
    let empty = render_text(packet, parts, tools)?;
    let room = budget.saturating_sub(empty.len() + listing.bytes);
    let order = match class.share {
        Some(share) => {
            let sizes = whole_sizes(packet, room, class.line_bytes);
            rank::order_for_seat(&order, &sizes, room, share)
        }
        None => order,
    };
    let ChosenText {
        text: change,
        secrets,
        mut coverage,
        partly_seen,
    } = choose_hunks(packet, &order, room, class.line_bytes, tools.redactor);
    redactions.extend(&secrets);
    for &index in &listing.unnamed {
        mark_unlisted(packet, &mut coverage, index);
    }
    let list = render_list(packet, &coverage, &listing, tools.redactor);
    let parts = BriefParts {
        list: &list,
        change: &change,
        ..parts
    };
    let bare = render_text(packet, parts, tools)?;
    let mut sizes = BriefSizes {
        change: change.len(),
        frame: bare.len().saturating_sub(change.len()),
        ..BriefSizes::default()
    };
    let room = budget.saturating_sub(bare.len() + CONTEXT_FRAME);
    sizes.is_full = room < class.context_bytes;
    let shown = fill_context(packet, around, room, class, tools);
    let text = if shown.text.is_empty() {
        bare
    } else {
        let context = &shown.text;
        let text = render_text(packet, BriefParts { context, ..parts }, tools)?;
        sizes.frame = text.len().saturating_sub(change.len() + context.len());
        text
    };
    redactions.extend(&shown.secrets);
    sizes.context = shown.uses;
    sizes.gaps = around.gaps.to_vec();
    let digest = sha256(text.as_bytes());
    Ok(Brief {
        text: text.into(),
        coverage,
        partly_seen,
        redactions,
        digest,
        sizes,
        cut_instructions: cut,
    })
}

/// Bytes of the words that explain the context, and of its fences.
const CONTEXT_FRAME: usize = 1_600;

/// What of the context belongs to the files of this packet, which may be a part of the change.
fn fill_context(
    packet: &Packet,
    around: ChangeContext<'_>,
    room: usize,
    class: &BriefClass,
    tools: BriefTools<'_>,
) -> ShownContext {
    let paths: HashSet<_> = packet.files.iter().map(|file| &file.path).collect();
    let blocks = around.blocks.iter();
    let blocks: Vec<&ContextBlock> = blocks
        .filter(|block| paths.contains(&block.about))
        .collect();
    let gaps: String = around.gaps.iter().map(|gap| format!("[{gap}]\n")).collect();
    let left = room.min(class.context_bytes).saturating_sub(gaps.len());
    // Whoever is shown six callers and not told of two more does not look for them.
    let for_blocks = left.saturating_sub(LEFT_OUT_NOTE);
    let mut shown = show_context(&blocks, for_blocks, class.line_bytes, tools.redactor);
    let note = left_out_note(&shown.uses).filter(|_| left > LEFT_OUT_NOTE);
    shown.text.extend(note);
    // Also where nothing was found: a function without callers and one whose callers were not looked for look alike.
    if gaps.len() <= room {
        shown.text.push_str(&gaps);
    }
    shown
}

/// Bytes that a brief keeps for [`left_out_note`].
const LEFT_OUT_NOTE: usize = 120;

/// How many blocks of each kind did not fit.
fn left_out_note(uses: &[(ContextKind, ContextUse)]) -> Option<String> {
    let mut counts = [
        (0, "definition"),
        (0, "use"),
        (0, "test"),
        (0, "other piece"),
    ];
    for (kind, used) in uses {
        let at = match kind {
            ContextKind::Definition => 0,
            ContextKind::Use => 1,
            ContextKind::Test => 2,
            _ => 3,
        };
        counts[at].0 += used.left;
    }
    let told = counts.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    (!told.is_empty()).then(|| format!("[left out for lack of room: {}]\n", told.join(", ")))
}

/// Facts that are not even listed were not seen: such a file has nothing else to show.
fn mark_unlisted(packet: &Packet, coverage: &mut Coverage, index: usize) {
    let bare = packet.files[index].hunks.is_empty();
    let covered = coverage.files.get_mut(index).filter(|_| bare);
    if let Some(covered) = covered.filter(|f| f.state.is_shown()) {
        covered.state = CoverageState::OverBudget;
    }
}

/// What a brief is put together from.
#[derive(Debug, Clone, Copy, Default)]
struct BriefParts<'a> {
    list: &'a str,
    instructions: &'a str,
    change: &'a str,
    context: &'a str,
}

fn render_text(
    packet: &Packet,
    parts: BriefParts<'_>,
    tools: BriefTools<'_>,
) -> Result<String, PromptError> {
    let BriefParts {
        list,
        instructions,
        change,
        context,
    } = parts;
    let fenced = |text: &str, given: bool| {
        if given {
            tools.fence.wrap(text)
        } else {
            String::new()
        }
    };
    let files = !packet.files.is_empty();
    let topic = packet.target.kind == TargetKind::Topic;
    let question = redact::redact_words(tools.redactor, &packet.target.label);
    tools.templates.render(
        "brief",
        context! {
            target => describe_target(packet.target.kind),
            tag => tools.fence.tag(),
            document => packet.target.kind == TargetKind::File,
            stage => packet.target.kind == TargetKind::Stage,
            wide => packet.target.kind != TargetKind::Patch,
            question => fenced(&question, topic),
            files => fenced(list, files),
            instructions => fenced(instructions, !instructions.is_empty()),
            change => fenced(change, files),
            context => fenced(context, !context.is_empty()),
        },
    )
}

/// What is under review, without the names that its author chose.
fn describe_target(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Branch => "a branch against the point where it left its base",
        TargetKind::Range => "a range of commits",
        TargetKind::Commit => "one commit",
        TargetKind::Staged => "what is staged for the next commit",
        TargetKind::Worktree => "a working tree against its last commit",
        TargetKind::Patch => "a patch",
        TargetKind::PullRequest => "a pull request",
        TargetKind::File => "a document",
        TargetKind::Topic => "a question",
        TargetKind::Stage => "a stage of a project",
    }
}

/// The trusted instructions as one text.
struct InstructionText {
    text: String,
    /// The secrets that were replaced in it.
    secrets: HiddenValues,
    /// The files of which not all is shown.
    cut: Vec<RepoPath>,
}

/// Renders the trusted instructions within `room`. A long file takes none of what a short one needs.
fn render_instructions(packet: &Packet, room: usize, redactor: &Redactor) -> InstructionText {
    let texts: Vec<(String, String, HiddenValues)> = packet
        .instructions
        .iter()
        .map(|instruction| {
            let head = format!("=== {}\n", show::show_path(&instruction.path, redactor));
            let (text, secrets) = redact::redact_counting(redactor, None, &instruction.text);
            (head, text, secrets)
        })
        .collect();
    let heads: usize = texts.iter().map(|(head, ..)| head.len() + 1).sum();
    let sizes: Vec<usize> = texts.iter().map(|(_, text, _)| text.len()).collect();
    let shares = share_room(&sizes, room.saturating_sub(heads));
    let mut shown = InstructionText {
        text: String::new(),
        secrets: HiddenValues::default(),
        cut: Vec::new(),
    };
    for (nth, (head, text, secrets)) in texts.iter().enumerate() {
        let part = cut_text(text, shares[nth]);
        let _ = writeln!(shown.text, "{head}{}", part.trim_end());
        shown.secrets.extend(secrets);
        if text.len() > shares[nth] || is_cut(text) {
            shown.cut.push(packet.instructions[nth].path.clone());
        }
    }
    shown
}

/// Which files the list names, most telling first, and how many bytes their lines take at most.
struct FileListing {
    named: Vec<usize>,
    unnamed: Vec<usize>,
    bytes: usize,
}

/// Names files while `room` lasts. What will be said of each is not known yet, so the longest gap counts.
fn plan_listing(packet: &Packet, order: &[usize], room: usize, redactor: &Redactor) -> FileListing {
    let longest = show::coverage_gap(&CoverageState::Truncated {
        shown: u32::MAX,
        total: u32::MAX,
    })
    .len();
    let mut listing = FileListing {
        named: Vec::new(),
        unnamed: Vec::new(),
        bytes: 0,
    };
    for &index in order {
        let gap = packet
            .coverage
            .files
            .get(index)
            .map(|f| show::coverage_gap(&f.state))
            .unwrap_or_default();
        let line =
            show::file_facts(&packet.files[index], redactor).len() + gap.len().max(longest) + 1;
        if listing.bytes + line > room {
            listing.unnamed.push(index);
        } else {
            listing.bytes += line;
            listing.named.push(index);
        }
    }
    listing.bytes += summarize_unnamed(packet, &listing.unnamed, redactor).len();
    listing
}

fn render_list(
    packet: &Packet,
    coverage: &Coverage,
    listing: &FileListing,
    redactor: &Redactor,
) -> String {
    let mut out = String::with_capacity(listing.bytes);
    for &index in &listing.named {
        let gap = coverage
            .files
            .get(index)
            .map(|f| show::coverage_gap(&f.state))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "{}{gap}",
            show::file_facts(&packet.files[index], redactor)
        );
    }
    out + &summarize_unnamed(packet, &listing.unnamed, redactor)
}

/// The files that the list has no room for, counted by folder.
fn summarize_unnamed(packet: &Packet, unnamed: &[usize], redactor: &Redactor) -> String {
    const MAX_FOLDERS: usize = 12;
    if unnamed.is_empty() {
        return String::new();
    }
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for &index in unnamed {
        let path = show::show_path(&packet.files[index].path, redactor);
        let folder = path.split_once('/').map_or(".", |(folder, _)| folder);
        *folders
            .entry(show::truncate_bytes(folder, 64).to_owned())
            .or_default() += 1;
    }
    let mut folders: Vec<_> = folders.into_iter().collect();
    folders.sort_by_key(|(name, count)| (Reverse(*count), name.clone()));
    let shown: Vec<_> = folders
        .iter()
        .take(MAX_FOLDERS)
        .map(|(name, count)| format!("{count} in {name}/"))
        .collect();
    let rest = if folders.len() > MAX_FOLDERS {
        ", …"
    } else {
        ""
    };
    format!(
        "and {} more files that are not named here: {}{rest}\n",
        unnamed.len(),
        shown.join(", ")
    )
}
