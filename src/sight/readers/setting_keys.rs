//! The keys of files of settings, each by the whole path that leads to it.

use std::collections::BTreeMap;

use council_syntax::language::Language;

/// An entry of settings.
pub(super) struct SettingEntry<'t> {
    /// Its keys from the top, with dots between them.
    pub(super) path: String,
    /// What stands behind its key on its line; of what JSON holds nothing.
    value: &'t str,
    pub(super) line: u32,
}

/// The entries of a file in its order, those that hold others among them.
pub(super) fn entries_of<'t>(path: &str, text: &'t str) -> Vec<SettingEntry<'t>> {
    match Language::from_path(path) {
        Language::Yaml => yaml_entries(text),
        Language::Json => json_entries(text),
        _ => section_entries(text),
    }
}

/// The values of settings by their paths; one that several profiles of a file have is all of theirs.
pub(super) fn values_of(path: &str, text: &str) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let holds_others = |entry: &SettingEntry<'_>| entry.value.is_empty();
    let is_yaml = Language::from_path(path) == Language::Yaml;
    let entries = entries_of(path, text).into_iter();
    for entry in entries.filter(|entry| !(is_yaml && holds_others(entry))) {
        let known = values.entry(entry.path).or_default();
        known.push('\n');
        known.push_str(entry.value.trim());
    }
    values
}

/// `key = value` below `[section]`: TOML, INI, properties, and what a shell gives to a program.
fn section_entries(text: &str) -> Vec<SettingEntry<'_>> {
    let mut section = "";
    let mut found = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1_u32..) {
        if let Some(named) = line.strip_prefix('[') {
            section = named
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or("");
        } else if !line.starts_with(['#', '!', ';'])
            && let Some((key, value)) = line.split_once(['=', ':'])
        {
            let key = key.trim_start_matches("export ").trim();
            found.push(SettingEntry {
                path: join_keys(section.trim(), without_index(key).trim_matches(QUOTES)),
                value,
                line: number,
            });
        }
    }
    found
}

const QUOTES: [char; 2] = ['"', '\''];

fn join_keys(above: &str, key: &str) -> String {
    match above {
        "" => key.to_owned(),
        above => format!("{above}.{key}"),
    }
}

/// `hosts[0]` is a value of `hosts`.
fn without_index(key: &str) -> &str {
    key.split('[').next().unwrap_or(key)
}

fn yaml_entries(text: &str) -> Vec<SettingEntry<'_>> {
    let mut holding: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1_u32..) {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.starts_with("---") {
            holding.clear();
        }
        if code.is_empty() || code.starts_with(['#', '-']) && !code.starts_with("- ") {
            continue;
        }
        let entry = (!code.starts_with("- ")).then(|| entry_of(code)).flatten();
        let (path, value) = match entry {
            Some((key, value)) => {
                holding.retain(|(other, _)| *other < indent);
                let above = holding.last().map_or("", |(_, path)| path);
                let path = join_keys(above, key);
                holding.push((indent, path.clone()));
                (path, value)
            }
            // An item of a list, or a line of a text.
            None => match holding.last() {
                Some((_, path)) => (path.clone(), code),
                None => continue,
            },
        };
        found.push(SettingEntry {
            path,
            value,
            line: number,
        });
    }
    found
}

/// `key: value`, the value without a comment behind it.
fn entry_of(code: &str) -> Option<(&str, &str)> {
    let at = code
        .find(": ")
        .or(code.trim_end().strip_suffix(':').map(str::len))?;
    let (key, value) = (code[..at].trim_matches(QUOTES), code[at + 1..].trim());
    let value = value.split(" #").next().unwrap_or(value);
    let is_key = !key.is_empty() && !key.contains([' ', '{', '$']);
    let value = if value.starts_with('#') { "" } else { value };
    is_key.then_some((key, value))
}

fn json_entries(text: &str) -> Vec<SettingEntry<'_>> {
    let bytes = text.as_bytes();
    // The path of what each open bracket holds.
    let mut open: Vec<String> = Vec::new();
    let mut path = String::new();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1_u32);
    while let Some(&sign) = bytes.get(at) {
        match sign {
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                let key = text.get(at + 1..end).unwrap_or_default();
                let behind = text.get(end + 1..).unwrap_or_default();
                if behind.trim_start().starts_with(':') {
                    path = join_keys(open.last().map_or("", String::as_str), key);
                    found.push(SettingEntry {
                        path: path.clone(),
                        value: "",
                        line,
                    });
                }
                at = end;
            }
            b'{' | b'[' => open.push(path.clone()),
            b'}' | b']' => path = open.pop().unwrap_or_default(),
            b'\n' => line += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = memchr::memchr(b'\n', &bytes[at..]);
                at = end.map_or(bytes.len(), |end| at + end - 1);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Where a string ends that begins before a place; one of JSON ends with its line.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\n' => return at - 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_and_values_are_read_from_settings() {
        let yaml = "# of the shop\nshop:\n  retry: # often\n    max-attempts: 5 # times\n    hosts:\n      - a\n      - \
                    b\n  \"note\": |\n    said: so\n---\nshop.name: x\nurl: http://x:80\n";
        let values = values_of("application.yml", yaml);
        let one = |path: &str| values.get(path).map(|value| value.trim().to_owned());
        assert_eq!(one("shop.retry.max-attempts").as_deref(), Some("5"));
        assert_eq!(one("shop.retry.hosts").as_deref(), Some("- a\n- b"));
        assert_eq!(one("shop.name").as_deref(), Some("x"));
        assert_eq!(one("url").as_deref(), Some("http://x:80"));
        assert!(!values.contains_key("shop.retry"), "{values:?}");
        let properties =
            "! of the shop\nshop.hosts[0]=a\nshop.hosts[1] = b\n# x=1\nshop.port: 80\n";
        let values = values_of("application-dev.properties", properties);
        let all: Vec<_> = values
            .iter()
            .map(|(path, value)| (path.as_str(), value.as_str()))
            .collect();
        assert_eq!(all, [("shop.hosts", "\na\nb"), ("shop.port", "\n80")]);
    }

    #[test]
    fn a_key_has_the_same_path_in_every_format() {
        for (path, text, line) in [
            ("a.yml", "top: 1\nmail:\n  in:\n    max_tries: 3\n", 4),
            ("a.toml", "top = 1\n[mail.in]\nmax_tries = 3\n", 3),
            ("a.ini", "; max_tries = 1\n[ mail.in ]\nmax_tries=3\n", 3),
            ("a.properties", "mail.in.max_tries = 3\n", 1),
            (
                "a.json",
                "{\n  // \"no\": 1\n  \"a\": [{ \"b\": \"}\" }],\n  \"mail\": { \"in\": {\n    \"max_tries\": 3\n  } }\n}\n",
                5,
            ),
        ] {
            let entries = entries_of(path, text);
            let found = entries.iter().find(|one| one.path == "mail.in.max_tries");
            assert_eq!(found.map(|one| one.line), Some(line), "{path}");
        }
        let env = entries_of(".env.example", "# A=1\nexport POOL_SIZE=20\n");
        assert_eq!(env[0].path, "POOL_SIZE");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_settings_are_read_to_their_end(text in "[a-z{}\\[\\]:=,\"/#\\\\ \nä.-]{0,60}") {
            for path in ["a.yml", "a.json", "a.toml"] {
                entries_of(path, &text);
            }
        }
    }
}
