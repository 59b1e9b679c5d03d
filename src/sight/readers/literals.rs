//! Keys that stand without quotes in what a call is given: `res.json({ totalPrice: 1 })`, `jsonify(total_price=1)`.

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::place::line_of;
use super::spelling;

/// Who gets what a call is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenTo {
    /// Whoever asked, over a wire.
    Client,
    /// A page that shows it.
    Page,
}

const CALLS: [(Language, &str, GivenTo); 18] = [
    (Language::Script, ".json(", GivenTo::Client),
    (Language::Script, ".jsonp(", GivenTo::Client),
    (Language::Script, ".send(", GivenTo::Client),
    (Language::Script, "JSON.stringify(", GivenTo::Client),
    (Language::Script, ".render(", GivenTo::Page),
    (Language::Script, ".renderFile(", GivenTo::Page),
    (Language::Script, ".view(", GivenTo::Page),
    (Language::Python, "jsonify(", GivenTo::Client),
    (Language::Python, "JSONResponse(", GivenTo::Client),
    (Language::Python, "JsonResponse(", GivenTo::Client),
    (Language::Python, "Response(", GivenTo::Client),
    (Language::Python, "render_template(", GivenTo::Page),
    (Language::Python, "render_to_string(", GivenTo::Page),
    (Language::Python, "TemplateResponse(", GivenTo::Page),
    (Language::Python, "render(", GivenTo::Page),
    (Language::CSharp, "Ok(", GivenTo::Client),
    (Language::CSharp, "Json(", GivenTo::Client),
    (Language::Ruby, "render ", GivenTo::Page),
];

/// The keys of several words on the edited lines of a side.
pub(super) fn given_keys(side: &ReadSide<'_>) -> Vec<(String, GivenTo)> {
    let language = side.outline.language();
    let calls = CALLS.iter().filter(|(of, ..)| *of == language);
    let mut found = Vec::new();
    for &(_, call, to) in calls {
        let places = side.text.match_indices(call).map(|(at, _)| at);
        for at in places.filter(|&at| is_call(side.text, at, call)) {
            let given = &side.text[at + call.len()..];
            if to == GivenTo::Page && language == Language::Script && !given.starts_with(QUOTES) {
                continue;
            }
            let is_answer = call == "render " && given.starts_with("json:");
            let to = if is_answer { GivenTo::Client } else { to };
            let keys = keys_of(language, call, given).into_iter();
            let keys = keys.filter(|(inner, name)| {
                let line = line_of(side.text, at + call.len() + inner);
                side.lines.contains(&line) && spelling::words_of(name).len() > 1
            });
            found.extend(keys.map(|(_, name)| (wire_name(language, name), to)));
        }
    }
    found
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// .NET writes names into its answers as scripts have them.
fn wire_name(language: Language, name: &str) -> String {
    match language {
        Language::CSharp => spelling::camel(name),
        _ => name.to_owned(),
    }
}

/// Whether a name is called here, and not defined.
fn is_call(text: &str, at: usize, call: &str) -> bool {
    let before = &text[..at];
    let is_whole =
        call.starts_with('.') || !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_defined = ["def ", "function ", "async "]
        .iter()
        .any(|word| before.ends_with(word));
    is_whole && !is_defined
}

/// The keys in what a call is given, each with its place.
fn keys_of<'t>(language: Language, call: &str, given: &'t str) -> Vec<(usize, &'t str)> {
    let mut scanner = KeyScanner {
        language,
        code: given,
        at: 0,
        open: vec![Opening::Call],
        last: b'(',
        ends_with_line: !call.ends_with('('),
        found: Vec::new(),
    };
    scanner.run();
    scanner.found
}

/// A bracket that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Of the call, or of one that only makes a dictionary of its keywords.
    Call,
    Braces,
    Other,
}

/// What is given to a larger call is data.
const MAX_GIVEN: usize = 8 << 10;

struct KeyScanner<'t> {
    language: Language,
    code: &'t str,
    at: usize,
    /// The brackets that are open, the innermost last.
    open: Vec<Opening>,
    /// The last sign that is no blank.
    last: u8,
    /// Whether a line ends the call: it has no brackets.
    ends_with_line: bool,
    found: Vec<(usize, &'t str)>,
}

impl KeyScanner<'_> {
    fn run(&mut self) {
        while self.at < MAX_GIVEN && !self.open.is_empty() {
            let Some(&sign) = self.code.as_bytes().get(self.at) else {
                return;
            };
            let is_end = self.open.len() == 1 && self.last != b',' && self.ends_with_line;
            match sign {
                b'\n' if is_end => return,
                b'#' if self.language != Language::Script => self.skip_line(),
                b'/' if self.code[self.at..].starts_with("//") => self.skip_line(),
                b'"' | b'\'' | b'`' => self.skip_string(sign),
                _ if sign.is_ascii_alphabetic() || sign == b'_' => self.read_name(),
                _ => self.read_sign(sign),
            }
        }
    }

    fn read_sign(&mut self, sign: u8) {
        match sign {
            b'{' => self.open.push(Opening::Braces),
            b'(' | b'[' => {
                let is_dictionary = sign == b'(' && self.code[..self.at].ends_with("dict");
                self.open.push(match is_dictionary {
                    true => Opening::Call,
                    false => Opening::Other,
                });
            }
            b')' | b']' | b'}' => drop(self.open.pop()),
            _ => {}
        }
        if !sign.is_ascii_whitespace() {
            self.last = sign;
        }
        self.at += 1;
    }

    fn skip_line(&mut self) {
        let rest = &self.code.as_bytes()[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn skip_string(&mut self, quote: u8) {
        let bytes = self.code.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            let is_end = byte == quote || (byte == b'\n' && quote != b'`');
            self.at += if byte == b'\\' { 2 } else { 1 };
            if is_end {
                break;
            }
        }
        self.last = quote;
    }

    fn read_name(&mut self) {
        let start = self.at;
        let rest = &self.code[start..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let behind = rest[end..].trim_start();
        if matches!(self.last, b'{' | b',' | b'(') && self.is_key(behind) {
            self.found.push((start, &self.code[start..start + end]));
        }
        self.last = b'a';
        self.at += end;
    }

    /// Whether what stands behind a name makes it a key.
    fn is_key(&self, behind: &str) -> bool {
        let is_named = behind.starts_with(':') && !behind.starts_with("::");
        let is_set = behind.starts_with('=') && !behind.starts_with("==");
        match (self.open.last(), self.language) {
            (Some(Opening::Braces), Language::CSharp) => is_set,
            (Some(Opening::Braces), Language::Script) => is_named || behind.starts_with([',', '}']),
            (Some(Opening::Braces), Language::Ruby) => is_named,
            (Some(Opening::Call), Language::Ruby) => is_named,
            (Some(Opening::Call), Language::Python) => is_set,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(language: Language, call: &str, given: &str) -> Vec<String> {
        let found = keys_of(language, call, given).into_iter();
        found.map(|(_, name)| name.to_owned()).collect()
    }

    #[test]
    fn keys_are_told_from_what_else_a_call_is_given() {
        for (language, call, given, names) in [
            (
                Language::Script,
                ".json(",
                "{ id, total: c.total ? a : b, ...rest, last })",
                &["id", "total", "last"][..],
            ),
            (
                Language::Script,
                ".json(",
                "{ a: { inner: f({ deep }) }, // no: x\n 'q-x': 1 }); ({ far: 1 })",
                &["a", "inner", "deep"],
            ),
            (Language::Script, ".json(", "body)", &[]),
            (
                Language::Python,
                "jsonify(",
                "first, total=f(key=1), same=a == b, cart=dict(inner=1))",
                &["total", "same", "cart", "inner"],
            ),
            (
                Language::Python,
                "jsonify(",
                "# don't\n total=1)\nx = f(far=2)",
                &["total"],
            ),
            (
                Language::CSharp,
                "Ok(",
                "new { Id = c.Id, Total = c.Sum() })",
                &["Id", "Total"],
            ),
            (
                Language::Ruby,
                "render ",
                "json: { id: 1,\n  total: 2 }, status: :ok\nfar: 1",
                &["json", "id", "total", "status"],
            ),
        ] {
            assert_eq!(keys(language, call, given), names, "{given}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_call_is_given_is_read_to_its_end(given in "[a-zä(){}\\[\\]:=,\"'`\\\\#/ \n]{0,40}") {
            for language in [Language::Script, Language::Python, Language::CSharp, Language::Ruby] {
                keys(language, "render ", &given);
            }
        }
    }
}
