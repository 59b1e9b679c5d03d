//! The keys of the objects of a script, on however many lines these stand.

use council_syntax::language::Language;

use super::super::lexed::LexedLines;
use super::super::words::is_name;

/// A key of an object, or a field of a type that is written as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectKey {
    pub(super) name: String,
    /// The keys that lead to it from the outermost object, its own at the end.
    pub(super) path: String,
    /// Its first and its last line.
    pub(super) lines: (u32, u32),
    /// What it is given; empty: the variable of its name.
    pub(super) value: String,
}

/// The keys of the objects of a script.
pub(super) fn object_keys(text: &str) -> Vec<ObjectKey> {
    let lexed = LexedLines::of(Language::Script, text);
    let mut scanner = ObjectScanner {
        code: lexed.masked().join("\n"),
        raw: lexed.lines.join("\n"),
        open: Vec::new(),
        last: ' ',
        found: Vec::new(),
        at: 0,
    };
    // Where blanks took the place of broken letters, places are no longer those of the text.
    if scanner.code.len() == scanner.raw.len() {
        scanner.run();
    }
    scanner.keys()
}

/// What a bracket opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Object,
    /// A block of statements, a list of what is imported, what is unpacked.
    Other,
}

struct OpenBracket {
    opening: Opening,
    /// What stood before it.
    before: char,
    /// How many keys were found before it.
    first: usize,
    /// The key whose value has not ended.
    pending: Option<usize>,
}

struct FoundKey {
    name: (usize, usize),
    path: String,
    end: usize,
    is_void: bool,
}

struct ObjectScanner {
    code: String,
    raw: String,
    open: Vec<OpenBracket>,
    /// The last sign that is no blank.
    last: char,
    found: Vec<FoundKey>,
    at: usize,
}

impl ObjectScanner {
    fn run(&mut self) {
        while let Some(sign) = self.code[self.at..].chars().next() {
            match sign {
                '{' | '(' | '[' => self.open(sign),
                '}' | ')' | ']' => self.close(),
                ',' | ';' => self.end_value(),
                c if is_name(c) && !is_name(self.last_before()) => {
                    self.read_name();
                    continue;
                }
                _ => {}
            }
            if !sign.is_whitespace() {
                self.last = sign;
            }
            self.at += sign.len_utf8();
        }
    }

    fn last_before(&self) -> char {
        self.code[..self.at].chars().next_back().unwrap_or(' ')
    }

    fn open(&mut self, sign: char) {
        let opening = match sign == '{' && self.opens_object() {
            true => Opening::Object,
            false => Opening::Other,
        };
        self.open.push(OpenBracket {
            opening,
            before: self.last,
            first: self.found.len(),
            pending: None,
        });
    }

    /// Whether a brace stands where a value or a type does.
    fn opens_object(&self) -> bool {
        let before = &self.code[..self.at];
        // `onClick={save}` of JSX gives one value.
        let is_attribute = before.ends_with('=')
            && before[..before.len() - 1].ends_with(is_name)
            && !self.code[self.at + 1..].trim_start().starts_with('{');
        let line = before.rsplit('\n').next().unwrap_or_default();
        let line = line.trim_start().trim_start_matches("export ");
        let is_type = line.starts_with("interface ") || line.starts_with("declare interface ");
        let is_returned =
            before.trim_end().ends_with("return") || before.trim_end().ends_with("default");
        let is_value = matches!(
            self.last,
            '=' | '(' | '[' | ',' | ':' | '?' | '{' | '&' | '|' | '<'
        );
        (is_value && !is_attribute) || is_type || is_returned
    }

    fn close(&mut self) {
        self.end_value();
        let Some(closed) = self.open.pop() else {
            return;
        };
        if closed.opening == Opening::Object && self.is_pattern(closed.before) {
            for key in &mut self.found[closed.first..] {
                key.is_void = true;
            }
        }
    }

    /// Whether what is closed here is no object and takes values out of one: `({ id }) =>`, `({ id }: Props) {`.
    fn is_pattern(&self, before: char) -> bool {
        let behind = self.code[self.at + 1..].trim_start();
        let is_set =
            behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>");
        let is_parameter = matches!(before, '(' | ',');
        let is_last = || {
            let rest = behind.strip_prefix(')').map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with("=>") || rest.starts_with('{'))
        };
        is_set || (is_parameter && (behind.starts_with(':') || is_last()))
    }

    fn end_value(&mut self) {
        let at = self.at;
        let pending = self.open.last_mut().and_then(|open| open.pending.take());
        if let Some(key) = pending {
            self.found[key].end = at;
        }
    }

    fn read_name(&mut self) {
        let start = self.at;
        let rest = &self.code[start..];
        let end = start + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let behind = self.code[end..].trim_start();
        let is_begun = matches!(self.last, '{' | ',' | ';');
        let is_named = behind.strip_prefix('?').unwrap_or(behind).starts_with(':');
        let is_key = is_named || behind.starts_with([',', '}', '(']);
        let is_here = self
            .open
            .last()
            .is_some_and(|open| open.opening == Opening::Object);
        if is_here && is_begun && is_key {
            let path = self.path_of(&self.code[start..end]);
            let pending = self.found.len();
            self.found.push(FoundKey {
                name: (start, end),
                path,
                end,
                is_void: false,
            });
            if let Some(open) = self.open.last_mut() {
                open.pending = Some(pending);
            }
        }
        self.last = 'a';
        self.at = end;
    }

    fn path_of(&self, name: &str) -> String {
        let holding = self.open.iter().rev().find_map(|open| open.pending);
        match holding {
            Some(key) => format!("{}.{name}", self.found[key].path),
            None => name.to_owned(),
        }
    }

    fn keys(&self) -> Vec<ObjectKey> {
        let mut line = 1_u32;
        let mut counted = 0;
        let mut keys = Vec::new();
        for key in &self.found {
            let (start, end) = key.name;
            line += lines_in(&self.raw[counted..start]);
            counted = start;
            if key.is_void {
                continue;
            }
            let whole = &self.raw[end..key.end.max(end)];
            let value = whole
                .trim_start()
                .trim_start_matches('?')
                .trim_start_matches(':');
            keys.push(ObjectKey {
                name: self.raw[start..end].to_owned(),
                path: key.path.clone(),
                lines: (line, line + lines_in(whole.trim_end())),
                value: value.split_whitespace().collect::<Vec<_>>().join(" "),
            });
        }
        keys
    }
}

fn lines_in(text: &str) -> u32 {
    let count = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(text: &str) -> Vec<String> {
        object_keys(text).into_iter().map(|key| key.path).collect()
    }

    #[test]
    fn keys_are_told_from_statements_patterns_and_imports() {
        for (text, keys) in [
            (
                "const state = { lineItems: [], coupon: \"\" };",
                &["lineItems", "coupon"][..],
            ),
            (
                "interface State { lineItems: string[]; coupon?: string }",
                &["lineItems", "coupon"],
            ),
            ("<Provider value={{ user, signOut }}>", &["user", "signOut"]),
            ("<Button onClick={signOut}>", &[]),
            (
                "return { ...state, lines: [a, { b: 1 }] };",
                &["lines", "lines.b"],
            ),
            ("f({ user, name }, 1);", &["user", "name"]),
            ("const { user, signOut } = useSession();", &[]),
            ("export function F({ user, id }) {", &[]),
            ("const f = ({ user, id }) => 1;", &[]),
            ("import { user, id } from \"./a\";", &[]),
            ("if (a) { user, id }", &[]),
            (
                "z.object({ id: z.string().min(1, { message: \"x\" }) })",
                &["id", "id.message"],
            ),
            (
                "const api = { load(id) { return id; }, stop: 1 };",
                &["load", "stop"],
            ),
        ] {
            assert_eq!(paths(text), keys, "{text}");
        }
    }

    #[test]
    fn a_key_is_known_with_its_value_and_its_lines() {
        let keys = object_keys("const a = {\n  one: {\n    two: 1,\n  },\n  three,\n};\n");
        let told: Vec<_> = keys
            .iter()
            .map(|key| (key.path.as_str(), key.lines, key.value.as_str()))
            .collect();
        let expected = [
            ("one", (2, 4), "{ two: 1, }"),
            ("one.two", (3, 3), "1"),
            ("three", (5, 5), ""),
        ];
        assert_eq!(told, expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: an object has the same keys on one line and on several.
        #[test]
        fn lines_change_no_key(keys in prop::collection::vec("[a-z]{3,8}", 1..6), spaces in prop::sample::select(&[" ", "\n  "][..])) {
            let pairs: Vec<String> = keys.iter().map(|key| format!("{spaces}{key}: 1")).collect();
            let text = format!("const all = {{{}\n}};\n", pairs.join(","));
            prop_assert_eq!(paths(&text), keys);
        }

        #[test]
        fn any_text_is_read_to_its_end(text in "[a-zä(){}\\[\\]:=,;\"'`?./ \n]{0,60}") {
            object_keys(&text);
        }
    }
}
