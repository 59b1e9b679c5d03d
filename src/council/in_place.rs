//! A version of a finding where its quote was found, with the edit that it suggests there.

use council_protocol::{Finding, Location, Proof};

use super::bare_suggestion::{EditedLines, bare_suggestion};
use super::disposition::FindingVersion;

/// Where what was found stands, if its quote was found: a judge may have named another line.
pub fn proven_place(claimed: &Location, proof: &Proof) -> Location {
    let mut place = claimed.clone();
    if let Proof::Relocated { .. } = proof
        && let Some((first, last)) = proof.span(claimed)
    {
        place.line = first;
        place.end_line = place.end_line.map(|_| last);
    }
    place
}

/// A version of a finding with the line as it was proven.
pub(super) fn finding_in_place(shown: &FindingVersion) -> Finding {
    let mut finding = shown.finding.clone();
    let gap = line_before_gap(&finding.quote, &shown.context);
    let claimed = finding.location.clone();
    finding.location = proven_place(&claimed, &shown.proof);
    settle_edit(&mut finding, shown, gap.is_some());
    if finding.location.end_line.is_none() && quotes_down_to(shown, claimed.line) {
        finding.location.end_line = Some(claimed.line);
    }
    if let Some(last) = file_end(shown) {
        let end = finding.location.end_line.map(|end| end.min(last));
        finding.location.end_line = end.filter(|end| *end > finding.location.line);
    }
    let quoted = shown.quoted.as_ref();
    let code = quoted.and_then(|quoted| {
        quoted
            .piece_shown()
            .map(str::to_owned)
            .or_else(|| quoted.code.clone())
    });
    // Whoever looks for the line later, in another commit, looks for its code.
    if let Some(code) = gap.or(code) {
        finding.quote = code;
    }
    if matches!(shown.proof, Proof::Removed { .. }) {
        // The line is not there any more: under the number of another one it would be taken for that one.
        (finding.location.line, finding.location.end_line) = (0, None);
    }
    // Where it was said to stand tells a reader nothing: it stands somewhere else.
    let named = format!("{}:{}", claimed.path.display(), claimed.line);
    if finding.location != claimed && finding.reference.as_deref() == Some(named.as_str()) {
        finding.reference = None;
    }
    finding
}

/// Whether the quote begins above the line that its judge names and goes on at least as far as that.
fn quotes_down_to(shown: &FindingVersion, named: u32) -> bool {
    let lines = shown.quoted.as_ref().and_then(|quoted| quoted.lines);
    let Proof::Relocated { line } = shown.proof else {
        return false;
    };
    lines.is_some_and(|lines| line < named && named - line < lines)
}

/// Makes the suggestion of a finding the text that stands in the place of exactly its lines, blanks included: every
/// reader of a report and every program takes it as it is. None is left where that cannot be told.
fn settle_edit(finding: &mut Finding, shown: &FindingVersion, has_gap: bool) {
    let Some(suggestion) = finding.suggestion.take() else {
        return;
    };
    let Some(last) = edited_to(shown, has_gap) else {
        return;
    };
    finding.suggestion = match &shown.quoted {
        // Rules and tools name whole lines.
        Some(quoted) if !shown.deterministic => {
            let first = finding.location.line;
            let code = quoted.known_code(&finding.quote);
            let edited = EditedLines {
                code: &code,
                indent: &quoted.indent(),
                numbers: [shown.finding.location.line, first],
                count: last.saturating_sub(first) as usize + 1,
                is_document: is_document(&finding.location),
            };
            let bare = bare_suggestion(&suggestion, edited);
            bare.and_then(|bare| quoted.complete(&bare, &finding.quote))
        }
        _ => Some(suggestion),
    };
    if finding.suggestion.is_some()
        && last > finding.location.end_line.unwrap_or(finding.location.line)
    {
        finding.location.end_line = Some(last);
    }
}

/// Whether a fence or a list may be what the file itself holds.
fn is_document(at: &Location) -> bool {
    const ENDINGS: [&str; 8] = [
        ".md",
        ".markdown",
        ".mdx",
        ".rst",
        ".adoc",
        ".txt",
        ".org",
        ".qmd",
    ];
    let name = at.path.display().to_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The last of the lines that a suggestion replaces; none: nobody can tell which ones are meant.
fn edited_to(shown: &FindingVersion, has_gap: bool) -> Option<u32> {
    let claimed = &shown.finding.location;
    // A range that no file has names no lines: its suggestion would take away whatever stands below.
    let is_there = file_end(shown).is_none()
        && claimed.line > 0
        && matches!(shown.proof, Proof::Verified | Proof::Relocated { .. });
    let begin = shown.proof.place(claimed.line).filter(|_| is_there)?;
    let (first, last) = shown.proof.span(claimed)?;
    if shown.deterministic && first == claimed.line {
        return Some(last);
    }
    let own = || {
        u32::try_from(shown.finding.quote.trim().lines().count())
            .ok()
            .filter(|_| !has_gap)
    };
    let lines = shown
        .quoted
        .as_ref()
        .map_or_else(own, |quoted| quoted.lines);
    let Some(quoted_last) = lines.map(|lines| begin.saturating_add(lines.saturating_sub(1))) else {
        // The lines of a range are those that its judge names; one line is only where a quote begins.
        return Some(last).filter(|_| last > first && first == claimed.line);
    };
    // Whoever misnumbers a stretch and quotes a part of it may mean any lines around that.
    let is_inside = first == claimed.line && quoted_last <= last;
    let is_quoted = begin == first && quoted_last >= last;
    (is_inside || is_quoted).then_some(quoted_last.max(last))
}

/// The last line of the file, where the range that was named ends behind it.
fn file_end(shown: &FindingVersion) -> Option<u32> {
    shown.quoted.as_ref()?.file_end
}

/// Of a quote that leaves something out, the line with which it begins: its parts in a row are code that nobody
/// wrote. None: it leaves nothing out.
fn line_before_gap(quote: &str, context: &str) -> Option<String> {
    let squeeze = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").replace('`', "")
    };
    let (whole, around) = (squeeze(quote), squeeze(context));
    let gaps = ["...", "…"].iter().filter_map(|gap| quote.find(gap));
    // Code may have such signs itself.
    let gap = gaps.min().filter(|_| !around.contains(&whole))?;
    let mut lines = quote[..gap].lines().map(squeeze);
    let first = lines.find(|line| !line.is_empty())?;
    let first = first.trim_end_matches(['[', '(', '{']).trim_end();
    around.contains(first).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quoted_lines::QuotedLines;

    /// A range of lines is said by its judge: a quote from the middle of it moves nothing.
    #[test]
    fn a_quote_from_inside_of_its_range_moves_no_line() {
        let in_place = |(line, end), quote: &str, found: u32| {
            let mut finding = crate::testing::finding(council_protocol::Severity::Critical, line);
            finding.location.end_line = Some(end);
            finding.quote = quote.into();
            finding.suggestion = Some("x".into());
            let version = FindingVersion::of(finding, Proof::Relocated { line: found });
            let shown = finding_in_place(&version);
            let place = (shown.location.line, shown.location.end_line);
            (place, shown.suggestion.is_some())
        };
        assert_eq!(in_place((3, 5), "run(x)", 4), ((3, Some(5)), true));
        assert_eq!(in_place((3, 5), "run(x)", 5), ((3, Some(5)), true));
        assert_eq!(
            in_place((3, 4), "a\nb", 9),
            ((9, Some(10)), true),
            "misnumbered, and quoted whole"
        );
        assert_eq!(
            in_place((3, 5), "run(x)", 9),
            ((9, Some(11)), false),
            "nobody knows which lines are meant"
        );
    }

    /// A finding of one line whose quote was found at another one, and takes up so many lines.
    fn version_at(line: u32, found: u32, lines: Option<u32>) -> FindingVersion {
        let finding = crate::testing::finding(council_protocol::Severity::Critical, line);
        let proof = match found == line {
            true => Proof::Verified,
            false => Proof::Relocated { line: found },
        };
        let mut version = FindingVersion::of(finding, proof);
        version.quoted = Some(QuotedLines::before("", "", lines));
        version
    }

    /// A suggestion at one line or a range, for a quote that takes up these lines: where it is put.
    fn edited(
        (line, end_line): (u32, Option<u32>),
        (found, lines): (u32, Option<u32>),
    ) -> Option<(u32, u32)> {
        let mut version = version_at(line, found, lines);
        version.finding.location.end_line = end_line;
        version.finding.suggestion = Some("x".into());
        let shown = finding_in_place(&version);
        let (first, last) = (shown.location.line, shown.location.end_line);
        shown.suggestion.map(|_| (first, last.unwrap_or(first)))
    }

    #[test]
    fn a_suggestion_replaces_the_lines_that_are_quoted_or_none() {
        for (said, quoted, place) in [
            ((2, None), (2, Some(1)), Some((2, 2))),
            ((2, None), (2, Some(4)), Some((2, 5))),
            ((2, Some(3)), (2, Some(4)), Some((2, 5))),
            ((2, None), (7, Some(4)), Some((7, 10))),
            // It begins within the range, and ends behind it.
            ((2, Some(4)), (4, Some(3)), None),
            // It joins lines that are apart, or runs over their ends.
            ((2, None), (2, None), None),
            ((2, None), (7, None), None),
            ((2, Some(5)), (2, None), Some((2, 5))),
            ((2, Some(5)), (3, None), Some((2, 5))),
            ((2, Some(5)), (9, None), None),
            ((0, None), (0, Some(1)), None),
        ] {
            assert_eq!(edited(said, quoted), place, "{said:?} {quoted:?}");
        }
    }

    /// Lines that no file has are none: whatever reads the report looks for each that it names.
    #[test]
    fn a_range_ends_with_its_file_and_has_no_suggestion_where_it_was_to_end_behind() {
        for (last, end) in [(15, Some(15)), (9, Some(9)), (8, None)] {
            let mut finding = crate::testing::finding(council_protocol::Severity::Critical, 8);
            finding.location.end_line = Some(300);
            finding.suggestion = Some("x".into());
            let mut version = FindingVersion::of(finding, Proof::Verified);
            let quoted = QuotedLines::before("", "x", Some(1)).in_file_until(last);
            version.quoted = Some(quoted);
            let shown = finding_in_place(&version);
            assert_eq!((shown.location.line, shown.location.end_line), (8, end));
            assert_eq!(shown.suggestion, None);
        }
    }

    proptest::proptest! {
        /// Whoever quotes the lines around the one that it names is shown with that line, and with no line below it.
        #[test]
        fn a_named_line_within_the_quote_stays_in_the_range(
            begin in 1u32..200, lines in 1u32..12, named in 1u32..220,
        ) {
            let at = finding_in_place(&version_at(named, begin, Some(lines))).location;
            let end = at.end_line.unwrap_or(at.line);
            let is_within = (begin..begin + lines).contains(&named);
            proptest::prop_assert_eq!(at.line, begin);
            proptest::prop_assert_eq!(end, if is_within { named } else { begin });
        }
    }

    #[test]
    fn a_finding_is_kept_with_the_code_that_it_quotes() {
        let mut finding = crate::testing::finding(council_protocol::Severity::Critical, 8);
        finding.quote = "8 +    run(x)".into();
        let mut version = FindingVersion::of(finding, Proof::Verified);
        let lines = QuotedLines::before("", "run(x)", Some(1));
        version.quoted = Some(lines.without_marks("8 +    run(x)", &["run(x)"]));
        assert_eq!(finding_in_place(&version).quote, "run(x)");
        // Of a piece of the diff the kept lines alone would not say what is missing.
        let piece = " open(x)\n-check(x)\n run(x)";
        let kept = version.quoted.take().unwrap_or_default();
        version.quoted = Some(kept.with_piece(Some(piece.to_owned())));
        assert_eq!(finding_in_place(&version).quote, piece);
    }

    proptest::proptest! {
        /// Whatever is quoted: a suggestion that is left replaces every line that was quoted, and no line outside of
        /// these and of the range that was named.
        #[test]
        fn no_quoted_line_is_left_beside_its_replacement(
            line in 1u32..9, more in 0u32..4, found in 1u32..15, lines in proptest::option::of(1u32..5),
        ) {
            let end = line + more;
            let place = edited((line, (more > 0).then_some(end)), (found, lines));
            if let Some((first, last)) = place {
                let quoted_last = found + lines.unwrap_or(1) - 1;
                proptest::prop_assert!(first <= found && quoted_last <= last);
                let is_named = (line..=end).contains(&found);
                let (from, to) = if is_named { (line, end.max(quoted_last)) } else { (found, quoted_last) };
                proptest::prop_assert!(from <= first && last <= to);
            }
        }
    }

    #[test]
    fn what_is_shown_of_a_quote_with_a_gap_is_what_stands_before_it() {
        let context = "def read(user):\n    if user.is_admin:\n        return rows(*args, ...)\n";
        let shown = |quote| line_before_gap(quote, context);
        assert_eq!(
            shown("if user.is_admin: ... return rows"),
            Some("if user.is_admin:".into())
        );
        assert_eq!(shown("is_admin: […] rows(*args"), Some("is_admin:".into()));
        assert_eq!(shown("return rows(*args, ...)"), None, "the code's own");
        assert_eq!(shown("if user.is_admin:"), None);
    }
}
