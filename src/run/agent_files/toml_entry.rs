//! A table in somebody else's TOML file: put in and taken out with everything else left as it was.

use std::path::Path;

use toml::{Table, Value};

use super::step::{EDITED, Step};

/// Encloses our lines in a file of the user's.
const BEGIN: &str = "# git-council: begin (written by `git council agents install`)\n";
const END: &str = "# git-council: end\n";

/// The table, with its heading in the first line.
#[derive(Debug, Clone)]
pub(crate) struct TomlEntry {
    pub(crate) text: String,
}

impl TomlEntry {
    /// The same table as a hint has room for it: `a.b = { c = 1 }`.
    pub(super) fn in_one_line(&self) -> String {
        let mut lines = self.text.trim().lines();
        let name = lines.next().unwrap_or_default();
        let values: Vec<&str> = lines.collect();
        let name = name.trim_matches(['[', ']']);
        format!("{name} = {{ {} }}", values.join(", "))
    }

    pub(super) fn install_step(&self, now: &str) -> Step {
        let block = format!("{BEGIN}{}{END}", self.text);
        if now.contains(&block) {
            return Step::Nothing;
        }
        // The program has moved: the old lines would start nothing.
        if let Some(old) = self.own_block(now) {
            return Step::Write(now.replacen(old, &block, 1));
        }
        if let Err(error) = now.parse::<Table>() {
            return Step::leave(describe_broken(now, &error));
        }
        // The agent may have written the file anew, without comments.
        let rest = self.without_own_table(now);
        if now.contains(self.name()) && rest.is_none() {
            return Step::leave("it names git-council already");
        }
        if rest.is_some() && self.starts_same_program(now) {
            return Step::Nothing;
        }
        let now = rest.as_deref().unwrap_or(now);
        let gap = match now.is_empty() || now.ends_with("\n\n") {
            true => "",
            false if now.ends_with('\n') => "\n",
            false => "\n\n",
        };
        let whole = format!("{now}{gap}{block}");
        match whole.parse::<Table>() {
            // Below a list of tables it would be part of the last of them.
            Ok(_) if self.starts_same_program(&whole) => Step::Write(whole),
            // A table that is written in one line cannot get another member below.
            _ => Step::leave("the entry does not fit into its TOML"),
        }
    }

    pub(super) fn remove_step(&self, now: &str) -> Step {
        let left = match self.own_block(now) {
            Some(block) => without_block(block, now),
            None => self.without_own_table(now),
        };
        match left {
            Some(left) if left.trim().is_empty() => Step::Delete,
            Some(left) => Step::Write(left),
            None if now.contains(self.name()) => Step::leave(EDITED),
            None => Step::Nothing,
        }
    }

    fn heading(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// What stands in no other line if the table is not there.
    fn name(&self) -> &str {
        self.heading().trim_matches(['[', ']'])
    }

    /// Our lines between their marks, wherever the program lay when they were written.
    fn own_block<'t>(&self, now: &'t str) -> Option<&'t str> {
        let begin = now.find(BEGIN)?;
        let length = now[begin..].find(END)? + END.len();
        let block = &now[begin..begin + length];
        let written = block.strip_prefix(BEGIN)?.strip_suffix(END)?;
        self.is_ours(written).then_some(block)
    }

    /// The file without our table where the marks are gone; none: it is not there, or has been edited.
    fn without_own_table(&self, now: &str) -> Option<String> {
        let lines: Vec<&str> = now.split_inclusive('\n').collect();
        let start = lines
            .iter()
            .position(|line| line.trim() == self.heading())?;
        let begins_next = |line: &&str| line.trim_start().starts_with('[');
        let length = lines[start + 1..].iter().position(begins_next);
        let end = length.map_or(lines.len(), |length| start + 1 + length);
        let is_mark = |line: &str| line.trim() == BEGIN.trim() || line.trim() == END.trim();
        let without_marks = |lines: &[&str]| -> String {
            let kept = lines.iter().filter(|line| !is_mark(line));
            kept.copied().collect()
        };
        let own = without_marks(&lines[start..end]);
        let left = without_marks(&lines[..start]) + &without_marks(&lines[end..]);
        (self.is_ours(&own) && takes_only(&own, now, &left)).then_some(left)
    }

    /// Whether lines say what an installation writes, wherever the program lay at that time, and nothing beside it.
    fn is_ours(&self, lines: &str) -> bool {
        let plain = |text: &str| text.parse::<Table>().ok().map(plain_table);
        !lines.contains('#') && plain(lines).is_some_and(|own| Some(own) == plain(&self.text))
    }

    /// Whether the table that stands in a file starts the very program that ours does.
    fn starts_same_program(&self, now: &str) -> bool {
        let command = |text: &str| {
            let whole = Value::Table(text.parse::<Table>().ok()?);
            let mut keys = self.name().split('.');
            let own = keys.try_fold(&whole, |at, key| at.get(key))?;
            own.get("command")?.as_str().map(str::to_owned)
        };
        command(now).is_some_and(|program| Some(program) == command(&self.text))
    }
}

/// Why a file is no TOML, and where.
fn describe_broken(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.unwrap_or_default().matches('\n').count() + 1;
    let why = error.message().lines().collect::<Vec<_>>().join(", ");
    format!("it cannot be read as TOML: line {line}: {why}")
}

/// A table with the program's name for its path, and whole numbers as such, however an agent writes them.
fn plain_table(table: Table) -> Table {
    let plain = |(key, value): (String, Value)| {
        let value = match value {
            Value::Table(table) => Value::Table(plain_table(table)),
            Value::Float(number) if number.fract() == 0.0 => Value::String(format!("{number:.0}")),
            Value::Integer(number) => Value::String(number.to_string()),
            Value::String(path) if key == "command" => {
                let name = Path::new(&path)
                    .file_name()
                    .map(|name| name.to_string_lossy());
                let is_program = name.is_some_and(|name| name == "git-council");
                Value::String(if is_program {
                    "git-council".to_owned()
                } else {
                    path
                })
            }
            other => other,
        };
        (key, value)
    };
    table.into_iter().map(plain).collect()
}

/// The file without our lines, if they are all that it loses.
fn without_block(block: &str, now: &str) -> Option<String> {
    let (before, after) = now.split_once(block)?;
    let shorter = before.strip_suffix("\n\n").map(|text| format!("{text}\n"));
    let left = shorter.unwrap_or_else(|| before.to_owned()) + after;
    takes_only(block, now, &left).then_some(left)
}

/// Whether a TOML file without our lines says what it said, less what these say. A line that the user wrote below ours
/// belongs to our table, and would fall to the table above it.
fn takes_only(lines: &str, now: &str, left: &str) -> bool {
    let read = |text: &str| text.parse::<Table>().ok();
    let (Some(own), Some(now), Some(mut left)) = (read(lines), read(now), read(left)) else {
        return false;
    };
    put_back(&mut left, own) && left == now
}

/// Adds to a table what it lost; false: a part of it is still there.
fn put_back(left: &mut Table, own: Table) -> bool {
    // `mcp_servers` holds tables alone and is everybody's; ours has values.
    let is_shared = |table: &Table| table.values().all(Value::is_table);
    own.into_iter()
        .all(|(key, value)| match (left.get_mut(&key), value) {
            (None, value) => left.insert(key, value).is_none(),
            (Some(Value::Table(there)), Value::Table(own)) if is_shared(&own) => {
                put_back(there, own)
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines() -> TomlEntry {
        TomlEntry {
            text: "[mcp_servers.git-council]\ncommand = \"git-council\"\ntool_timeout_sec = 1800\n"
                .to_owned(),
        }
    }

    #[test]
    fn an_entry_in_one_line_is_the_same_table() {
        let one = lines().in_one_line();
        assert_eq!(one.lines().count(), 1);
        assert_eq!(one.parse::<Table>(), lines().text.parse::<Table>());
    }

    fn written(step: Step) -> String {
        match step {
            Step::Write(text) => text,
            other => panic!("{other:?}"),
        }
    }

    /// What Codex makes of a file that it writes itself.
    #[test]
    fn an_entry_that_the_agent_wrote_anew_is_ours() {
        let now = "[mcp_servers.git-council]\ncommand = \"/v1/git-council\"\ntool_timeout_sec = 1800.0\n\n\
                   [mcp_servers.other]\ncommand = \"other\"\n# git-council: end\n";
        let left = "[mcp_servers.other]\ncommand = \"other\"\n";
        assert_eq!(lines().remove_step(now), Step::Write(left.to_owned()));
        let renewed = written(lines().install_step(now));
        assert!(
            renewed.starts_with(left) && !renewed.contains("/v1/"),
            "{renewed}"
        );
        let same = now.replace("/v1/", "");
        assert_eq!(lines().install_step(&same), Step::Nothing);
        for edited in ["enabled = false\n", "# mine\n", "tool_timeout_sec = 5\n"] {
            let edited = same.replacen("tool_timeout_sec = 1800.0\n", edited, 1);
            assert_eq!(
                lines().remove_step(&edited),
                Step::leave(EDITED),
                "{edited}"
            );
        }
    }

    #[test]
    fn lines_that_do_not_fit_are_not_written() {
        for text in [
            "mcp_servers = { db = { command = \"y\" } }\n",
            "[[mcp_servers]]\nx = 1\n",
            "[[mcp_servers]]\n",
        ] {
            let left = Step::leave("the entry does not fit into its TOML");
            assert_eq!(lines().install_step(text), left, "{text}");
            assert_eq!(lines().remove_step(text), Step::Nothing, "{text}");
        }
        for (text, line) in [
            ("a = \n", "line 1"),
            ("a = 1\n[b\n", "line 2"),
            ("a = 1\n\na = 2\n", "line 3"),
        ] {
            assert!(
                matches!(lines().install_step(text), Step::Leave(why) if why.contains(line)),
                "{text}"
            );
        }
    }

    /// Law: wherever the program lay, its entry is renewed and removed; one that starts another program is somebody's own.
    #[test]
    fn an_entry_follows_the_program() {
        let started_by = |program: &str| {
            let text = lines()
                .text
                .replace("\"git-council\"", &format!("{program:?}"));
            TomlEntry { text }
        };
        let places = ["git-council", "/v1/git-council", "/v 2/bin/git-council"];
        for old in places {
            for new in places {
                let first = written(started_by(old).install_step("a = 1\n"));
                let step = started_by(new).install_step(&first);
                let second = match step {
                    Step::Nothing if old == new => first,
                    step => written(step),
                };
                assert_eq!(started_by(new).install_step(&second), Step::Nothing);
                let removed = written(started_by(old).remove_step(&second));
                assert_eq!(removed, "a = 1\n", "{old} {new}");
            }
            let other = written(started_by("/x/wrapper").install_step(""));
            assert!(matches!(
                started_by(old).install_step(&other),
                Step::Leave(_)
            ));
            assert!(matches!(
                started_by(old).remove_step(&other),
                Step::Leave(_)
            ));
        }
    }

    #[test]
    fn lines_of_the_user_s_own_are_left() {
        let theirs = "[mcp_servers.git-council]\ncommand = \"other\"\n";
        assert!(matches!(lines().install_step(theirs), Step::Leave(_)));
        assert!(matches!(lines().remove_step(theirs), Step::Leave(_)));
        let alone = written(lines().install_step(""));
        assert_eq!(lines().remove_step(&alone), Step::Delete);
    }

    /// A server of the user's own as a TOML file has it.
    fn server() -> impl Strategy<Value = String> {
        let keys = prop::sample::subsequence(vec!["a", "b", "env"], 0..=3);
        keys.prop_map(|keys| {
            let line = |key: &&str| match *key {
                "env" => "env = { A = \"1\" }\n".to_owned(),
                key => format!("{key} = 1\n"),
            };
            let lines: String = keys.iter().map(line).collect();
            format!("[mcp_servers.other]\n{lines}")
        })
    }

    proptest! {
        /// Law: whatever the user wrote above and below, removing ours takes our table, no value of it less, and nothing else;
        /// or it leaves the file alone. And it does remove where all that came below begins a table of its own.
        #[test]
        fn removing_our_lines_moves_no_line_of_the_user_s_into_another_table(
            above in prop::option::of(server()),
            below in prop::collection::vec(
                prop::sample::select(vec![
                    "c = 1\n",
                    "env = { B = \"2\" }\n",
                    "enabled = false\n",
                    "# a word\n",
                    "\n",
                    "[next]\n",
                    "[mcp_servers.git-council.env]\n",
                    "[mcp_servers.git-council-2]\n",
                    "[[list]]\n",
                ]),
                0..4,
            ),
        ) {
            let above = above.unwrap_or_default();
            let installed = written(lines().install_step(&above));
            let now = installed + &below.concat();
            let Ok(mut said) = now.parse::<toml::Table>() else { return Ok(()) };
            let ours = "[mcp_servers.git-council";
            let first = below.iter().find(|line| line.starts_with('[') || line.contains('='));
            let is_apart = first.is_none_or(|line| line.starts_with('['))
                && !below.iter().any(|line| line.starts_with(&format!("{ours}.")));
            let servers = said["mcp_servers"].as_table_mut().unwrap();
            servers.remove("git-council");
            if servers.is_empty() {
                said.remove("mcp_servers");
            }
            match lines().remove_step(&now) {
                Step::Write(left) => prop_assert_eq!(left.parse::<toml::Table>().unwrap(), said),
                Step::Delete => prop_assert!(said.is_empty()),
                Step::Leave(_) => prop_assert!(!is_apart, "{}", now),
                Step::Nothing => prop_assert!(false, "{}", now),
            }
        }

        #[test]
        fn what_is_installed_and_removed_leaves_a_toml_file_as_it_was(
            lines_of in prop::collection::vec("[a-z]{1,5} = [1-9][0-9]{0,2}\n|\n|# [a-z]{0,9}\n", 1..9),
        ) {
            // A key once: what is no TOML is left alone.
            let mut keys = std::collections::BTreeSet::new();
            let is_new = |line: &&String| !line.contains('=') || keys.insert(line[..line.find(' ').unwrap_or(0)].to_owned());
            let text: String = lines_of.iter().filter(is_new).map(String::as_str).collect();
            let new = written(lines().install_step(&text));
            prop_assert_eq!(lines().install_step(&new), Step::Nothing);
            match lines().remove_step(&new) {
                Step::Write(old) => prop_assert_eq!(old.trim_end_matches('\n'), text.trim_end_matches('\n')),
                Step::Delete => prop_assert!(text.trim().is_empty()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
