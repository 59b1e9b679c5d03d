//! What a bound left out, in words for a person.

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{FileChange, Packet};
use council_syntax::language::Language;

use super::super::candidates::SoughtNames;
use super::super::limits::SearchLimits;
use super::super::search::{MAX_FILE, NameHits};
use crate::git::HistoryFindings;

/// What files, bytes or time left out of the search; `unread` files have hits and were not read closely.
pub(super) fn search_gap(hits: &NameHits, unread: usize) -> Option<String> {
    let read = hits.read;
    let time = if hits.is_late || unread > 0 {
        "time ran out: "
    } else {
        ""
    };
    match (read, unread) {
        (0, _) if hits.is_cut => Some("time ran out before names were searched".to_owned()),
        (_, 0) if !hits.is_cut => None,
        (_, 0) => Some(format!(
            "{time}names were searched in the {read} nearest files, not in the whole tree"
        )),
        _ => Some(format!(
            "{time}names were searched in the {read} nearest files, and {unread} files that have them were not read closely"
        )),
    }
}

/// Names of the change beyond the most that are looked for.
pub(super) fn names_gap(sought: &SoughtNames) -> Option<String> {
    let known = sought.names.len();
    let all = known + sought.left_out;
    (known < all).then(|| format!("{known} of the {all} names of the change were looked for"))
}

/// Edited lines of which no name was looked for.
pub(super) fn lines_gap(sought: &SoughtNames) -> Option<String> {
    let words = match sought.unread_lines {
        0 => return None,
        1 => "the names in 1 edited line of a very large file or change were".to_owned(),
        n => format!("the names in {n} edited lines of very large files or changes were"),
    };
    Some(format!("{words} not looked for"))
}

pub(super) fn size_gap(hits: &NameHits) -> Option<String> {
    let most = MAX_FILE >> 10;
    match hits.too_large {
        0 => None,
        1 => Some(format!("1 file larger than {most} KiB was not searched")),
        n => Some(format!(
            "{n} files larger than {most} KiB were not searched"
        )),
    }
}

/// Changed files in languages whose functions are not known: their changes stand without what holds them.
pub(super) fn language_gap(packet: &Packet) -> Option<String> {
    let is_one = |file: &&FileChange| {
        let is_edited = file.kind == FileKind::Text && file.status != FileStatus::Added;
        is_edited && Language::is_unknown_code(&file.path.display())
    };
    let mut files = packet.files.iter().filter(is_one);
    let first = files.next()?.path.display().into_owned();
    let more = match files.count() {
        0 => String::new(),
        1 => " and of 1 more file".to_owned(),
        n => format!(" and of {n} more files"),
    };
    Some(format!(
        "functions are not known in the language of {first}{more}: changes are shown with the lines around them"
    ))
}

/// What a partial clone left out: nobody knows what stands there.
pub(super) fn missing_gap(hits: &NameHits) -> Option<String> {
    match hits.missing {
        0 => None,
        1 => Some("1 file could not be searched: its content is not in this clone".to_owned()),
        n => Some(format!(
            "{n} files could not be searched: their content is not in this clone"
        )),
    }
}

/// What commits or time left out of history.
pub(super) fn history_gap(history: &HistoryFindings, limits: &SearchLimits) -> Option<String> {
    let walked = history.walked;
    if history.lines_left && history.is_shallow {
        return Some(format!(
            "this clone is shallow: the commits that brought some removed lines are not among its last {walked} \
             (`git fetch --unshallow`)"
        ));
    }
    if history.lines_left {
        return Some(format!(
            "the commits that brought some removed lines were not found within {walked} commits"
        ));
    }
    (history.is_cut && walked < limits.together)
        .then(|| format!("history was read {walked} commits back, and no further"))
}
