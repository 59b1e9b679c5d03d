//! How deep lines stand in a quote and in their file, where the two are not written in the same blanks: models write a
//! tab as four of them.

/// Each indentation of a quote with the one in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuotedIndents<'a>(pub(super) &'a [(String, String)]);

impl QuotedIndents<'_> {
    /// A suggestion that is written as its quote is, with the blanks of the file; none: these cannot be told of a line.
    pub(super) fn put_into_file(self, suggestion: &str) -> Option<String> {
        if self.is_of_file(suggestion) {
            return Some(suggestion.to_owned());
        }
        let lines = suggestion.split_inclusive('\n').map(|line| {
            if line.trim().is_empty() {
                return Some(line.to_owned());
            }
            let own = blanks(line);
            Some(self.indent_in_file(own)? + &line[own.len()..])
        });
        lines.collect()
    }

    /// Whether a suggestion has the blanks of the file already.
    fn is_of_file(self, suggestion: &str) -> bool {
        let Some((own, indent)) = self.0.first() else {
            return true;
        };
        let lines = suggestion.lines().filter(|line| !line.trim().is_empty());
        let mut indents = lines.map(blanks);
        let begins_there = indents.clone().next() == Some(indent) && own != indent;
        let signs = (self.sign_of(Side::Quote), self.sign_of(Side::File));
        let is_other_sign = matches!(signs, (Some(quoted), Some(filed)) if quoted != filed);
        let is_written = indents.clone().any(|blanks| !blanks.is_empty());
        let is_filed = |blanks: &str| blanks.is_empty() || sign_of(blanks) == signs.1;
        begins_there || is_other_sign && is_written && indents.all(is_filed)
    }

    fn indent_in_file(self, own: &str) -> Option<String> {
        let mut known = self.0.iter().filter(|(quoted, _)| quoted == own);
        match known.next() {
            Some((_, indent)) => known
                .all(|(_, other)| other == indent)
                .then(|| indent.clone()),
            None => self.indent_beside(own),
        }
    }

    /// The indentation of a depth that the quote does not have: as far from those of the quote as it is there.
    fn indent_beside(self, own: &str) -> Option<String> {
        let (quoted, filed) = (self.sign_of(Side::Quote)?, self.sign_of(Side::File)?);
        if !own.chars().all(|c| c == quoted) {
            return None;
        }
        let depth = |(own, indent): &(String, String)| Some((count(own)?, count(indent)?));
        let depths: Vec<(i64, i64)> = self.0.iter().map(depth).collect::<Option<_>>()?;
        let first = *depths.first()?;
        let second = depths.iter().copied().find(|depth| depth.0 != first.0);
        // Of one depth alone nobody knows the step, unless a sign stands for several of the other.
        let zero = (quoted != filed).then_some((0, 0));
        let second = second.or(zero)?;
        let step = (second.0 - first.0, second.1 - first.1);
        let at = |own: i64| {
            let way = (own - first.0) * step.1;
            (step.0 != 0 && way % step.0 == 0).then(|| first.1 + way / step.0)
        };
        let is_even = depths.iter().all(|depth| at(depth.0) == Some(depth.1));
        let wanted = at(count(own)?).filter(|_| is_even)?;
        Some(String::from(filed).repeat(usize::try_from(wanted).ok()?))
    }

    /// The one sign that all indentations of a side are made of.
    fn sign_of(self, side: Side) -> Option<char> {
        let all: String = match side {
            Side::Quote => self.0.iter().map(|(own, _)| own.as_str()).collect(),
            Side::File => self.0.iter().map(|(_, indent)| indent.as_str()).collect(),
        };
        sign_of(&all)
    }
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Quote,
    File,
}

fn count(blanks: &str) -> Option<i64> {
    i64::try_from(blanks.len()).ok()
}

/// The sign that these blanks are made of; none: there are none, or several.
fn sign_of(blanks: &str) -> Option<char> {
    let first = blanks.chars().next()?;
    blanks.chars().all(|c| c == first).then_some(first)
}

/// The blanks with which a line begins.
pub(super) fn blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn put(pairs: &[(&str, &str)], suggestion: &str) -> Option<String> {
        let pairs = pairs
            .iter()
            .map(|(own, indent)| ((*own).to_owned(), (*indent).to_owned()));
        QuotedIndents(&pairs.collect::<Vec<_>>()).put_into_file(suggestion)
    }

    #[test]
    fn a_depth_that_nobody_can_tell_leaves_no_suggestion() {
        for (pairs, suggestion, put_in) in [
            (
                &[("    ", "\t")][..],
                "    if x:\n        y()",
                Some("\tif x:\n\t\ty()"),
            ),
            (&[("    ", "\t")], "    if x:\n      y()", None),
            (
                &[("    ", "\t")],
                "\tif x:\n\t\ty()",
                Some("\tif x:\n\t\ty()"),
            ),
            (
                &[("\t", "    ")],
                "\tif x:\n\t\ty()",
                Some("    if x:\n        y()"),
            ),
            // One depth alone is a step or a shift.
            (&[("        ", "    ")], "        y()", Some("    y()")),
            (
                &[("        ", "    ")],
                "        if x:\n            y()",
                None,
            ),
            (
                &[("        ", "    "), ("            ", "        ")],
                "        if x:\n                y()",
                Some("    if x:\n            y()"),
            ),
            (
                &[("    ", "  "), ("        ", "    ")],
                "    if x:\n            y()",
                Some("  if x:\n      y()"),
            ),
            // As it stands in the file.
            (
                &[("        ", "    ")],
                "    y()\n    z()",
                Some("    y()\n    z()"),
            ),
            // One indentation for two depths.
            (&[("    ", "\t"), ("    ", "\t\t")], "    y()", None),
            (
                &[("", "\t"), ("    ", "\t\t")],
                "y:\n    z:\n        a()",
                Some("\ty:\n\t\tz:\n\t\t\ta()"),
            ),
        ] {
            assert_eq!(
                put(pairs, suggestion).as_deref(),
                put_in,
                "{pairs:?} {suggestion:?}"
            );
        }
    }

    proptest! {
        /// Whatever unit a judge writes for that of the file, for all lines and from whatever margin: what stands in the
        /// file has its unit, and nothing but blanks is another.
        #[test]
        fn each_line_stands_as_deep_in_the_file_as_in_the_suggestion(
            quoted in prop::collection::vec(1usize..4, 1..4),
            more in prop::collection::vec(1usize..5, 0..4),
            (own, filed) in prop::sample::select(vec![("    ", "\t"), ("  ", "\t"), ("\t", "    "), ("\t", "  "), ("  ", "    "), ("    ", "  ")]),
        ) {
            let pairs: Vec<_> = quoted.iter().map(|&depth| (own.repeat(depth), filed.repeat(depth))).collect();
            let lines = |unit: &str| {
                let depths = quoted.first().into_iter().chain(&more);
                depths.map(|&depth| unit.repeat(depth) + "run()\n").collect::<String>()
            };
            let put = QuotedIndents(&pairs).put_into_file(&lines(own));
            let is_told = own.trim_matches(' ') != filed.trim_matches(' ');
            let is_several = quoted.iter().any(|depth| *depth != quoted[0]);
            if is_told || is_several {
                prop_assert_eq!(put, Some(lines(filed)));
            } else {
                prop_assert!(put.is_none_or(|put| put == lines(filed)));
            }
        }
    }
}
