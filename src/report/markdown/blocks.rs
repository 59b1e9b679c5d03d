//! A document of whole blocks, so that trimming never breaks its Markdown.

/// What stands before the sections that are folded away, where there is something to fix, and where not.
const FOLD: &str =
    "<details>\n<summary>Details: why and how to fix, votes, rounds, receipt</summary>";
const QUIET_FOLD: &str = "<details>\n<summary>Details: votes, rounds, receipt</summary>";
const UNFOLD: &str = "</details>";

/// The heading above the findings with their reasons.
pub(super) const IN_FULL: &str = "Findings in full";

/// A document under construction.
#[derive(Debug, Default)]
pub(super) struct MarkdownDocument {
    head: Vec<String>,
    /// The sections in order.
    pub(super) sections: Vec<MarkdownSection>,
    /// The last line; where something is folded away, the last one behind the fold.
    pub(super) foot: String,
}

/// A heading with blocks under it; it goes when its last block goes.
#[derive(Debug)]
pub(super) struct MarkdownSection {
    heading: String,
    /// What goes first when space is short: the highest number.
    rank: u8,
    /// Whether it goes behind the fold, where there is one.
    folded: bool,
    blocks: Vec<String>,
}

impl MarkdownSection {
    /// A section without blocks is not shown.
    pub(super) fn new(
        heading: impl Into<String>,
        rank: u8,
        folded: bool,
        blocks: Vec<String>,
    ) -> Self {
        Self {
            heading: heading.into(),
            rank,
            folded,
            blocks: blocks.into_iter().filter(|b| !b.is_empty()).collect(),
        }
    }

    /// Its heading, where it has one, then its blocks.
    fn into_blocks(self) -> impl Iterator<Item = String> {
        let heading = (!self.heading.is_empty()).then(|| format!("## {}", self.heading));
        heading.into_iter().chain(self.blocks)
    }

    fn bytes(&self) -> usize {
        let heading = if self.blocks.is_empty() {
            0
        } else {
            self.heading.len() + "## \n\n".len()
        };
        heading + self.blocks.iter().map(|b| b.len() + 2).sum::<usize>()
    }
}

impl MarkdownDocument {
    /// Adds a block that stays whatever happens.
    pub(super) fn push_head(&mut self, block: String) {
        if !block.is_empty() {
            self.head.push(block);
        }
    }

    /// The document in at most `max_bytes`; whole blocks are left out for it, the last ones of the highest rank first.
    /// When not even the head fits, its first heading alone. `fold` puts what explains the verdict behind it, folded away.
    pub(super) fn render(mut self, max_bytes: usize, fold: bool) -> String {
        let room = if fold {
            max_bytes.saturating_sub(FOLD.len() + UNFOLD.len() + 4)
        } else {
            max_bytes
        };
        let dropped = self.trim(room);
        let mut blocks = std::mem::take(&mut self.head);
        let (behind, ahead): (Vec<MarkdownSection>, Vec<MarkdownSection>) = self
            .sections
            .drain(..)
            .filter(|section| !section.blocks.is_empty())
            .partition(|section| fold && section.folded);
        blocks.extend(ahead.into_iter().flat_map(MarkdownSection::into_blocks));
        let foot = format!("---\n\n{}", self.foot);
        match behind.is_empty() {
            true => {
                blocks.extend((dropped > 0).then(|| notice(dropped)));
                blocks.push(foot);
            }
            // Who has ten seconds reads neither how many judges there were nor when they began.
            false => {
                let has_findings = behind.iter().any(|section| section.heading == IN_FULL);
                let begin = if has_findings { FOLD } else { QUIET_FOLD };
                blocks.push(begin.to_owned());
                blocks.extend(behind.into_iter().flat_map(MarkdownSection::into_blocks));
                blocks.extend([foot, UNFOLD.to_owned()]);
                blocks.extend((dropped > 0).then(|| notice(dropped)));
            }
        }
        let text = blocks.join("\n\n") + "\n";
        if text.len() <= max_bytes {
            return text;
        }
        let heading = blocks
            .iter()
            .find(|b| b.starts_with("# "))
            .map_or("", String::as_str);
        format!("{heading}\n")
    }

    /// Leaves out blocks until the rest fits; says how many.
    fn trim(&mut self, max_bytes: usize) -> usize {
        let fixed = self.head.iter().map(|b| b.len() + 2).sum::<usize>()
            + self.foot.len()
            + "---\n\n\n".len();
        let mut dropped = 0;
        loop {
            let notice = if dropped > 0 {
                notice(dropped).len() + 2
            } else {
                0
            };
            let bytes = fixed
                + notice
                + self
                    .sections
                    .iter()
                    .map(MarkdownSection::bytes)
                    .sum::<usize>();
            if bytes <= max_bytes || !self.drop_least() {
                return dropped;
            }
            dropped += 1;
        }
    }

    fn drop_least(&mut self) -> bool {
        let least = self
            .sections
            .iter_mut()
            .filter(|s| !s.blocks.is_empty())
            .max_by_key(|s| s.rank);
        least.is_some_and(|section| section.blocks.pop().is_some())
    }
}

fn notice(dropped: usize) -> String {
    let parts = if dropped == 1 { "part" } else { "parts" };
    format!(
        "*{dropped} {parts} of this report did not fit here; the run's own report has everything.*"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> MarkdownDocument {
        let mut document = MarkdownDocument {
            foot: "*foot*".into(),
            ..MarkdownDocument::default()
        };
        document.push_head("# PASS: fine".into());
        document.sections.push(MarkdownSection::new(
            "Findings",
            1,
            false,
            vec!["one".repeat(20), "two".repeat(20)],
        ));
        document.sections.push(MarkdownSection::new(
            "Receipt",
            9,
            true,
            vec!["receipt".repeat(20)],
        ));
        document
    }

    #[test]
    fn the_least_important_part_goes_first_and_its_heading_with_it() {
        let whole = document().render(usize::MAX, false);
        let less = document().render(whole.len() - 1, false);
        assert!(
            less.contains("## Findings") && !less.contains("## Receipt"),
            "{less}"
        );
        assert!(
            less.contains("*1 part of this report did not fit"),
            "{less}"
        );
        let least = document().render(140, false);
        assert!(!least.contains("## "), "{least}");
        assert!(
            least.contains("# PASS: fine") && least.contains("*3 parts of"),
            "{least}"
        );
        assert_eq!(document().render(20, false), "# PASS: fine\n");
    }

    #[test]
    fn the_bound_holds() {
        for (max, fold) in (13..400).flat_map(|max| [(max, false), (max, true)]) {
            let text = document().render(max, fold);
            assert!(text.len() <= max, "{max}: {}", text.len());
            let count = |tag| text.matches(tag).count();
            assert_eq!(count("<details>"), count("</details>"), "{text}");
        }
    }

    #[test]
    fn what_explains_is_folded_away_and_what_is_wrong_is_not() {
        let text = document().render(usize::MAX, true);
        let (shown, folded) = text.split_once("<details>").unwrap();
        assert!(shown.contains("## Findings") && folded.contains("## Receipt"));
        assert!(
            folded.trim_end().ends_with("*foot*\n\n</details>"),
            "{folded}"
        );
    }
}
