//! The texts of XML's elements in one line, each with the name that it belongs to: whatever attributes an element has.

use std::ops::Range;

use crate::steps::looked_at;
use crate::value::MIN_VALUE;

/// The longest text of an element that is read: its end may be far away, or nowhere.
const MAX_TEXT: usize = 4 << 10;

/// The deepest element that is read.
const MAX_DEPTH: usize = 64;

/// Elements that hold what another one names, or what they stand in.
pub(crate) const VALUE_TAGS: [&str; 5] = ["value", "string", "text", "plaintext", "data"];

/// Elements that name what the next one holds.
pub(crate) const NAME_TAGS: [&str; 3] = ["name", "key", "id"];

/// Reads the elements of one line.
#[derive(Debug, Default)]
struct ElementReader {
    /// The names of the elements that are open.
    open: Vec<Range<usize>>,
    /// The text of the last element that names the next one.
    named: Option<Range<usize>>,
    found: Vec<(Range<usize>, Range<usize>)>,
}

/// The names and the texts of the elements of a line: `<password id="1">…</password>`, `<name>password</name><value>…`.
pub(crate) fn element_texts(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut reader = ElementReader::default();
    let mut at = 0;
    while let Some(open) = line[at..].find('<') {
        let start = at + open + 1;
        at = reader.read_tag(line, start).unwrap_or(start);
    }
    reader.found
}

impl ElementReader {
    /// Reads the tag behind a bracket, and the text behind it. None: there is none.
    fn read_tag(&mut self, line: &str, start: usize) -> Option<usize> {
        let tag = &line[start..];
        if let Some(closing) = tag.strip_prefix('/') {
            self.open.pop();
            return Some(start + 1 + closing.find('>')? + 1);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_:.-".contains(c);
        let length = tag.find(|c| !is_name(c))?;
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let end = start + length + tag[length..].find(['>', '<'])?;
        let is_single = line[..end].ends_with('/');
        if line[end..].starts_with('<') || is_single || self.open.len() == MAX_DEPTH {
            return Some(end.max(start + length));
        }
        let local = tag[..length].rfind(':').map_or(0, |at| at + 1);
        self.open.push(start + local..start + length);
        self.read_text(line, end + 1);
        Some(end + 1)
    }

    fn read_text(&mut self, line: &str, start: usize) {
        let near = &line[start..line.floor_char_boundary(start + MAX_TEXT)];
        let rest = looked_at(near).trim_start();
        let (text, closing) = match rest.strip_prefix("<![CDATA[") {
            Some(data) => (data, "]]>"),
            None => (rest, "</"),
        };
        let Some((text, _)) = text.split_once(closing) else {
            return;
        };
        let text = text.trim();
        let is_text = !text.is_empty() && (closing == "]]>" || !text.contains('<'));
        let place = text.as_ptr() as usize - line.as_ptr() as usize;
        let place = place..place + text.len();
        let Some(tag) = self.open.last().cloned().filter(|_| is_text) else {
            return;
        };
        let is_in = |tags: &[&str]| {
            tags.iter()
                .any(|one| line[tag.clone()].eq_ignore_ascii_case(one))
        };
        if is_in(&NAME_TAGS) {
            self.named = Some(place);
            return;
        }
        let outer = self.open.iter().rev().nth(1).cloned();
        let owner = match is_in(&VALUE_TAGS) {
            true => self.named.take().or(outer).unwrap_or(tag),
            false => tag,
        };
        if text.len() >= MIN_VALUE && !text.contains(char::is_whitespace) {
            self.found.push((owner, place));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Redactor, is_placeholder};

    const FORMS: [&str; 9] = [
        "<@ id=\"1\">~</@>",
        "<@ class='x' encrypted=\"false\">~</@>",
        "<@ xsi:type=\"xsd:string\">~</@>",
        "<wsse:@ Type=\"http://docs/x#y\">~</wsse:@>",
        "<@><![CDATA[~]]></@>",
        "<@><Value>~</Value><PlainText>true</PlainText></@>",
        "<property><name>x.@</name><value>~</value></property>",
        "<dict><key>@</key><string>~</string></dict>",
        "<a><b/><@ x=\"y\"> ~ </@></a>",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: whatever attributes and elements stand between, the text of a secret's element is hidden.
        #[test]
        fn the_text_of_an_element_is_hidden(
            value in "[A-Za-z][A-Z][0-9][a-z]{2}[A-Z][0-9][A-Za-z0-9!]{2,12}",
            name in prop::sample::select(vec!["Password", "password", "AdministratorPassword", "clientSecret", "api_key"]),
        ) {
            prop_assume!(!is_placeholder(&value));
            for form in FORMS {
                let line = form.replace('@', name).replace('~', &value);
                let shown = Redactor::default().redact_source(Some("a.xml"), &line).text;
                prop_assert!(!shown.contains(&value), "{}: {}", line, shown);
            }
        }

        #[test]
        fn any_line_is_read(line in "[a-c<>/é!\\[\\]=\" -]{0,80}") {
            for (name, value) in element_texts(&line) {
                prop_assert!(name.end <= value.start && value.end <= line.len());
            }
        }
    }
}
