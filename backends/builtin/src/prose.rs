//! Pages that are made from code keep the width that other pages have.

/// The longest line of a page, in characters.
const MAX_LINE: usize = 120;

/// Markdown with its prose broken at blanks, behind the indent of its list. Tables, code and comments stay as they are.
pub fn wrap_prose(page: &str) -> String {
    let mut out = String::with_capacity(page.len() + page.len() / 100);
    let mut is_code = false;
    for line in page.lines() {
        let text = line.trim_start();
        is_code ^= text.starts_with("```");
        if is_code || text.starts_with(['|', '#', '<']) || line.chars().count() <= MAX_LINE {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let indent = line.len() - text.len();
        let hanging = if text.starts_with("- ") {
            indent + 2
        } else {
            indent
        };
        push_wrapped(&mut out, line, hanging);
    }
    out
}

fn push_wrapped(out: &mut String, line: &str, hanging: usize) {
    let text = line.trim_start();
    let mut width = line.len() - text.len();
    out.push_str(&line[..width]);
    let mut is_first = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if !is_first && width + 1 + length > MAX_LINE {
            out.push('\n');
            out.push_str(&" ".repeat(hanging));
            (width, is_first) = (hanging, true);
        }
        if !is_first {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        (width, is_first) = (width + length, false);
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: the words of a page stay in their order, and no line of prose is longer than it may be.
        #[test]
        fn the_words_stay(lines in prop::collection::vec("( {2})?(- )?([a-zé`]{1,20} ){0,30}[a-z]{1,9}", 0..6)) {
            let page: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let wrapped = wrap_prose(&page);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&wrapped), words(&page));
            prop_assert!(wrapped.lines().all(|line| line.chars().count() <= MAX_LINE));
            prop_assert_eq!(wrap_prose(&wrapped), wrapped);
        }
    }

    #[test]
    fn code_and_tables_stay_as_they_are() {
        let long = "x ".repeat(100);
        let page = format!(
            "```\n{long}\n```\n| {long} |\n<!-- {long} -->\n- {}\n",
            long.trim_end()
        );
        let wrapped = wrap_prose(&page);
        assert!(wrapped.starts_with(&format!(
            "```\n{long}\n```\n| {long} |\n<!-- {long} -->\n- x x"
        )));
        assert!(wrapped.lines().last().unwrap().starts_with("  x"));
    }
}
