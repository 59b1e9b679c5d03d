//! A property in somebody else's JSON file: put in and taken out with every comment and blank left as it was.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::step::Step;
use crate::run::jsonc::jsonc_options;

/// `file[parent][name] = value`.
#[derive(Debug, Clone)]
pub(crate) struct JsonEntry {
    pub(crate) parent: &'static str,
    pub(crate) name: &'static str,
    pub(crate) value: Value,
}

const OTHER: &str = "it has an entry of that name that you have written";

impl JsonEntry {
    pub(super) fn install_step(&self, now: Option<&str>) -> Step {
        let text = now
            .filter(|text| !text.trim().is_empty())
            .unwrap_or("{\n}\n");
        let (root, object) = match parse_root(text) {
            Ok(read) => read,
            Err(why) => return Step::leave(why),
        };
        let is_parent = |one: &jsonc_parser::cst::CstObjectProp| {
            let name = one.name().and_then(|name| name.decoded_value().ok());
            name.as_deref() == Some(self.parent)
        };
        match object.get(self.parent) {
            Some(parent) if parent.object_value().is_none() => {
                return Step::leave(format!("its \"{}\" is no JSON object", self.parent));
            }
            // Of two the last counts, and nobody would look into the first.
            Some(_)
                if object
                    .properties()
                    .iter()
                    .filter(|one| is_parent(one))
                    .count()
                    > 1 =>
            {
                return Step::leave(format!("it has \"{}\" twice", self.parent));
            }
            _ => {}
        }
        let parent = object.object_value_or_set(self.parent);
        match parent.get(self.name) {
            Some(there) => match there.value().and_then(|value| value.to_serde_value()) {
                Some(value) if value == self.value => Step::Nothing,
                // The program has moved: the entry would start nothing, or another version.
                Some(value) if self.is_ours(&value) => {
                    there.set_value(input_value(&self.value));
                    Step::Write(root.to_string())
                }
                _ => Step::leave(OTHER),
            },
            None => {
                parent.append(self.name, input_value(&self.value));
                Step::Write(root.to_string())
            }
        }
    }

    pub(super) fn remove_step(&self, now: &str) -> Step {
        let Ok((root, object)) = parse_root(now) else {
            return Step::Nothing;
        };
        let parent = object.object_value(self.parent);
        let there = parent.as_ref().and_then(|parent| parent.get(self.name));
        let (Some(parent), Some(there)) = (parent, there) else {
            return Step::Nothing;
        };
        let value = there.value().and_then(|value| value.to_serde_value());
        let Some(value) = value.filter(|value| self.is_ours(value)) else {
            return Step::leave(OTHER);
        };
        // As it was written, wherever the program lay at that time.
        let written = Self {
            value,
            ..self.clone()
        };
        let makes =
            |before: Option<&str>| written.install_step(before) == Step::Write(now.to_owned());
        if makes(None) {
            return Step::Delete;
        }
        there.remove();
        let with_parent = root.to_string();
        if parent.properties().is_empty()
            && let Some(own) = object.get(self.parent)
        {
            own.remove();
        }
        let without = root.to_string();
        // An empty object that was there before stays.
        Step::Write(if makes(Some(&without)) {
            without
        } else {
            with_parent
        })
    }

    /// The entry, as somebody would put it in by hand.
    pub(super) fn as_text(&self) -> String {
        let (parent, name) = (self.parent, self.name);
        format!("\"{parent}\": {{ \"{name}\": {} }}\n", self.value)
    }

    /// Whether the value is what an installation writes, wherever the program lay at that time. What starts another program,
    /// such as a wrapper, somebody has written.
    fn is_ours(&self, value: &Value) -> bool {
        let names = [value, &self.value].map(|value| program_of(value).map(file_name));
        let is_program = names[0].is_some() && (names[0] == names[1] || names[0] == Some(PROGRAM));
        is_program && without_program(value) == without_program(&self.value)
    }
}

const PROGRAM: &str = "git-council";

/// The program that an entry starts.
fn program_of(value: &Value) -> Option<&str> {
    match value.get("command")? {
        Value::Array(words) => words.first()?.as_str(),
        command => command.as_str(),
    }
}

/// The last part of a path, without the ending that Windows gives to programs.
fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The value without the path of the program.
fn without_program(value: &Value) -> Value {
    let mut value = value.clone();
    match value.get_mut("command") {
        Some(Value::Array(words)) if !words.is_empty() => words[0] = Value::Null,
        Some(command) => *command = Value::Null,
        None => {}
    }
    value
}

/// The object that a file is; else why it is none.
fn parse_root(text: &str) -> Result<(CstRootNode, CstObject), String> {
    if text.starts_with('\u{feff}') {
        return Err("it begins with a byte-order mark, which is no JSON".to_owned());
    }
    let root = CstRootNode::parse(text, &jsonc_options())
        .map_err(|error| format!("it cannot be read as JSON: {error}"))?;
    let object = root.object_value().ok_or("it is no JSON object")?;
    Ok((root, object))
}

fn input_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(all) => CstInputValue::Array(all.iter().map(input_value).collect()),
        Value::Object(fields) => {
            let fields = fields.iter();
            CstInputValue::Object(fields.map(|(k, v)| (k.clone(), input_value(v))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry() -> JsonEntry {
        JsonEntry {
            parent: "mcpServers",
            name: "git-council",
            value: json!({ "command": "git-council", "args": ["mcp"] }),
        }
    }

    fn written(step: Step) -> String {
        match step {
            Step::Write(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn comments_and_other_entries_stay_as_they_are() {
        for text in [
            "{\n  // mine\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"db\": { \"command\": \"npx\" } // keep\n  }\n}\n",
            "{\n  \"theme\": \"dark\"\n}\n",
            "{ \"mcpServers\": { \"db\": { \"command\": \"npx\" } }, \"last\": [1, 2] }",
        ] {
            let new = written(entry().install_step(Some(text)));
            let value = parse_root(&new).unwrap().0.to_serde_value().unwrap();
            assert_eq!(
                value["mcpServers"]["git-council"]["args"],
                json!(["mcp"]),
                "{new}"
            );
            assert_eq!(entry().install_step(Some(&new)), Step::Nothing);
            for kept in ["// mine", "// keep", "dark", "npx", "[1, 2]"] {
                assert_eq!(text.contains(kept), new.contains(kept), "{kept} in {new}");
            }
            let old = written(entry().remove_step(&new));
            let before = parse_root(text).unwrap().0.to_serde_value();
            assert_eq!(
                parse_root(&old).unwrap().0.to_serde_value(),
                before,
                "{old}"
            );
        }
    }

    #[test]
    fn a_file_of_ours_alone_goes_with_the_entry() {
        let new = written(entry().install_step(None));
        assert_eq!(entry().remove_step(&new), Step::Delete);
        let elsewhere = new.replace("\"git-council\",", "\"/opt/bin/git-council\",");
        // Where the program has moved, the entry follows it, and still goes as a whole.
        let renewed = written(entry().install_step(Some(&elsewhere)));
        assert_eq!(renewed, new);
        assert_eq!(entry().remove_step(&elsewhere), Step::Delete);
    }

    #[test]
    fn what_the_user_wrote_is_left() {
        let edited = "{ \"mcpServers\": { \"git-council\": { \"command\": \"git-council\", \"args\": [\"mcp\", \"-v\"] } } }";
        assert_eq!(entry().install_step(Some(edited)), Step::leave(OTHER));
        assert_eq!(entry().remove_step(edited), Step::leave(OTHER));
        for (odd, why) in [
            ("[]", "it is no JSON object"),
            (
                "{ \"mcpServers\": 3 }",
                "its \"mcpServers\" is no JSON object",
            ),
            (
                "{ \"mcpServers\": null }",
                "its \"mcpServers\" is no JSON object",
            ),
        ] {
            assert_eq!(entry().install_step(Some(odd)), Step::leave(why), "{odd}");
        }
    }

    #[test]
    fn what_is_installed_and_removed_leaves_a_json_file_as_it_was() {
        let Step::Write(new) = entry().install_step(None) else {
            panic!()
        };
        assert_eq!(entry().remove_step(&new), Step::Delete);
        for text in [
            "{}",
            "{ \"mcpServers\": {} }\n",
            "{\n  \"a\": 1\n}\n",
            "// mine\n{\n}\n",
        ] {
            let Step::Write(new) = entry().install_step(Some(text)) else {
                panic!("{text}")
            };
            let Step::Write(old) = entry().remove_step(&new) else {
                panic!("{new}")
            };
            let plain = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(plain(&old), plain(text));
        }
    }

    #[test]
    fn of_two_members_of_one_name_none_gets_the_entry() {
        let text = r#"{ "mcpServers": {}, "mcpServers": {} }"#;
        let twice = Step::leave("it has \"mcpServers\" twice");
        assert_eq!(entry().install_step(Some(text)), twice);
    }

    /// Law: nothing is put into a file that its agent cannot read, and the place of what is wrong is told.
    #[test]
    fn a_file_that_no_reader_of_json_takes_is_left() {
        for broken in [
            "{",
            "{ \"a\": 1",
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "{'a': 1}",
            "{a: 1}",
            "{\"a\": NaN}",
            "{\"a\": -Infinity}",
            "{\"a\": +1}",
            "{\"a\": .5}",
            "{\"a\": 0x1}",
            "{\"a\": \"\\x41\"}",
            "{} {}",
        ] {
            let Step::Leave(why) = entry().install_step(Some(broken)) else {
                panic!("{broken}")
            };
            assert!(why.contains("line"), "{broken}: {why}");
            assert_eq!(entry().remove_step(broken), Step::Nothing, "{broken}");
        }
        let marked = "\u{feff}{}";
        assert!(
            matches!(entry().install_step(Some(marked)), Step::Leave(why) if why.contains("mark"))
        );
    }

    /// Whatever somebody starts under our name instead of the program is his: it is neither changed nor removed.
    #[test]
    fn an_entry_that_starts_another_program_stays() {
        for command in [
            json!("git-council"),
            json!("/opt/bin/git-council"),
            json!("C:\\bin\\git-council.exe"),
        ] {
            let text =
                json!({ "mcpServers": { "git-council": { "command": command, "args": ["mcp"] } } })
                    .to_string();
            let renewed = match entry().install_step(Some(&text)) {
                Step::Nothing => text.clone(),
                step => written(step),
            };
            let renewed: Value = serde_json::from_str(&renewed).unwrap();
            assert_eq!(
                renewed["mcpServers"]["git-council"],
                entry().value,
                "{text}"
            );
            assert!(
                !matches!(entry().remove_step(&text), Step::Leave(_)),
                "{text}"
            );
        }
        for command in [
            json!("/home/me/bin/council-in-docker.sh"),
            json!("/opt/pinned/git-council-wrapper"),
            json!("docker"),
            json!(["/opt/git-council"]),
            json!(null),
            json!(""),
        ] {
            let text =
                json!({ "mcpServers": { "git-council": { "command": command, "args": ["mcp"] } } })
                    .to_string();
            assert_eq!(entry().remove_step(&text), Step::leave(OTHER), "{text}");
            assert_eq!(
                entry().install_step(Some(&text)),
                Step::leave(OTHER),
                "{text}"
            );
        }
    }
}
