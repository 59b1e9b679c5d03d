//! Why a file counts as unread though it can be read: too few of its readers answered.

/// Where no judge counts.
pub(crate) const NO_ANSWER: &str = "no judge gave an answer";

/// How every reason ends for which a file counts as unread whose readers are lost.
const SHOWN_IT_ANSWERED: &str = "shown it answered";

/// How such a reason begins where some of them answered.
const ONLY: &str = "only ";

/// Where too few readers of a file are left.
pub(crate) fn lost_readers(read: usize, asked: usize) -> String {
    match read {
        0 => format!("no judge that was {SHOWN_IT_ANSWERED}"),
        _ => format!("{ONLY}{read} of the {asked} judges that were {SHOWN_IT_ANSWERED}"),
    }
}

/// Whether a file counts as unread since its readers gave no answer, and not since it cannot be read.
pub fn is_for_lost_readers(reason: &str) -> bool {
    reason == NO_ANSWER || reason.ends_with(SHOWN_IT_ANSWERED)
}

/// Whether a file counts as unread though some of its readers answered: they may have found something in it.
pub fn is_read_by_few(reason: &str) -> bool {
    is_for_lost_readers(reason) && reason.starts_with(ONLY)
}
