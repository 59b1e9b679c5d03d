//! The names of secrets whose value has not come yet at the end of their line, and where it may stand below.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::assigned::{behind_sign, literals_of, names_of};
use crate::below_name::cells_of;
use crate::beside_name::last_word;
use crate::calls::{is_conversion, is_lookup, takes_password};
use crate::dialect::compile_pattern;
use crate::inserted_rows::listed_columns;
use crate::named::{NameKind, kind_of_name};
use crate::returned_value::opens_function;
use crate::words::has_form_of_words;

/// How the value of a name may stand in a line below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// In quotes, as the rest of an expression.
    Literal,
    /// In quotes, behind what says that it is taken instead: `? "…"`, `|| "…"`.
    Alternative,
    /// Behind `return`, or by itself where a body's last expression is what it gives back.
    Returned { is_bare: bool },
    /// As a word by itself.
    Word,
    /// The same where only its look tells it from another word.
    Drawn,
    /// In a field beside the name: `value: …`.
    Field,
    /// In a field within what the name opens.
    Inner,
    /// In an element beside the name, or within it.
    Element,
    /// In the column below the name: the sign between cells, its place, and how many there are.
    Column { sign: char, at: usize, of: usize },
}

/// A name whose value may stand below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenName {
    pub(crate) name: String,
    pub(crate) parts: Vec<Part>,
    /// Blanks before the name's line: less than these end its block.
    pub(crate) outer: usize,
    /// Blanks and signs before the fields of the item that it names.
    pub(crate) indent: usize,
    /// Whether it is the value of a field called `name`.
    pub(crate) is_of_field: bool,
    /// Whether it is an option of a command, of which the value is the next word.
    pub(crate) is_option: bool,
    /// Whether a word below belongs to it only if it stands deeper.
    pub(crate) is_block: bool,
    /// How many lines came since.
    pub(crate) age: usize,
}

/// A field of an item: `- name: x`, `"name": "x",`, `name = "x"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedField {
    pub(crate) key: String,
    pub(crate) value: Range<usize>,
    pub(crate) indent: usize,
}

impl OpenName {
    /// The name that a line opens.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        names_of(line).find_map(|name| {
            let named = OpeningLine { line, name };
            named
                .of_field()
                .or_else(|| named.of_element())
                .or_else(|| named.of_section())
                .or_else(|| named.of_option())
                .or_else(|| named.of_function())
                .or_else(|| named.of_expression())
                .or_else(|| named.of_column())
                .or_else(|| named.of_heading())
        })
    }

    /// How many lines below may hold the value.
    pub(crate) fn most_lines(&self) -> usize {
        let is_block = self.parts.contains(&Part::Field) || self.parts.contains(&Part::Inner);
        match (self.is_of_element(), is_block) {
            (true, _) => 12,
            (_, true) => 8,
            _ => 4,
        }
    }

    /// Whether it is the text of an element that names what another one beside it holds.
    pub(crate) fn is_of_element(&self) -> bool {
        self.parts == [Part::Element]
    }
}

/// The name of a secret in its line.
struct OpeningLine<'l> {
    line: &'l str,
    name: Range<usize>,
}

impl OpeningLine<'_> {
    fn open(&self, parts: &[Part]) -> Option<OpenName> {
        let name = &self.line[self.name.clone()];
        let outer = indent_of(self.line);
        (kind_of_name(name)? != NameKind::Described).then(|| OpenName {
            name: name.to_owned(),
            parts: parts.to_vec(),
            outer,
            indent: outer,
            is_of_field: false,
            is_option: false,
            is_block: false,
            age: 0,
        })
    }

    fn before(&self) -> &str {
        &self.line[..self.name.start]
    }

    fn behind(&self) -> &str {
        &self.line[self.name.end..]
    }

    /// `- name: DB_PASSWORD`
    fn of_field(&self) -> Option<OpenName> {
        let field = field_of(self.line)?;
        let is_named = ["name", "key", "field", "parameterkey"].contains(&field.key.as_str());
        if !is_named || field.value != self.name {
            return None;
        }
        Some(OpenName {
            indent: field.indent,
            is_of_field: true,
            ..self.open(&[Part::Field])?
        })
    }

    /// `<password>`, `<key>ApiToken</key>` of a plist, `<entry key="password">`
    fn of_element(&self) -> Option<OpenName> {
        let (before, behind) = (self.before().trim_end(), self.behind().trim());
        let is_opened = before.ends_with('<') && (behind == ">" || is_attributes(behind));
        let is_attribute = ["name=\"", "key=\"", "Name=\"", "Key=\""]
            .iter()
            .any(|head| before.ends_with(head))
            && behind == "\">";
        let is_key = ["<key>", "<name>", "<Key>", "<Name>"]
            .iter()
            .any(|tag| before.ends_with(tag))
            && behind.starts_with("</")
            && behind.matches('<').count() == 1;
        match (is_opened || is_attribute, is_key) {
            (true, _) => self.open(&[Part::Element, Part::Word]),
            (_, true) => self.open(&[Part::Element]),
            _ => None,
        }
    }

    /// `[db.password]`, `variable "db_password" {`, `resource "key_vault_secret" "x" {`
    fn of_section(&self) -> Option<OpenName> {
        let text = self.line.trim();
        let is_quote = |c: char| "\"'[] ".contains(c);
        let head = text.trim_start_matches("[[").trim_start_matches('[');
        let is_table =
            head.len() < text.len() && text.ends_with(']') && !text.contains(['"', ',', '(']);
        let is_block = self.behind().trim_matches(is_quote) == "{"
            && !text.contains(['=', ':', '(', ';', '.']);
        let is_resource = text.starts_with("resource \"") && text.ends_with('{');
        match (is_table, is_block || is_resource) {
            (true, _) => self.open(&[Part::Field, Part::Inner]),
            (_, true) => self.open(&[Part::Inner]),
            _ => None,
        }
    }

    /// `String getPassword() {`, `def api_key(self):`
    fn of_function(&self) -> Option<OpenName> {
        let is_bare = opens_function(self.line, &self.name)?;
        self.open(&[Part::Returned { is_bare }])
    }

    /// `password =`, `password = (`, `"password":`, `password: process.env.PW ||`, `.password(`
    fn of_expression(&self) -> Option<OpenName> {
        let Some(at) = behind_sign(self.line, &self.name) else {
            let is_call = without_comment(self.behind()).trim() == "(";
            let word = self
                .before()
                .trim()
                .rsplit([' ', '\t'])
                .next()
                .unwrap_or_default();
            let is_made = word.is_empty()
                || word.ends_with(|c: char| !c.is_ascii_alphanumeric())
                || word == "new";
            let is_taking = is_call && is_made && takes_password(&self.line[self.name.clone()]);
            return self.open(&[Part::Literal]).filter(|_| is_taking);
        };
        let is_colon = self.line[..at].trim_end().ends_with(':');
        let rest = without_comment(&self.line[at..]).trim_end();
        let parts: &[Part] = match rest {
            "" | "\\" if is_colon => &[Part::Literal, Part::Inner, Part::Word],
            "" | "\\" | "(" | "[" | "[]byte(" => &[Part::Literal],
            "{" => &[Part::Inner],
            _ if is_block_mark(rest) => &[Part::Word],
            _ if is_here_document(rest) => &[Part::Word],
            _ if is_operator_end(rest) || is_open_call(rest) || is_open_list(rest) => {
                &[Part::Literal]
            }
            _ if may_choose(rest) => &[Part::Alternative],
            _ => return None,
        };
        let is_literal =
            rest.contains(['"', '\'', '`']) && !rest.contains("\"\"") && !rest.contains("''");
        // What is given in words is a message, which may go on as well.
        let is_message = is_literal && literals_of(self.line, at).is_empty();
        if parts == [Part::Literal] && is_message {
            return None;
        }
        Some(OpenName {
            is_block: is_colon,
            ..self.open(parts)?
        })
    }

    /// `acme --password \`
    fn of_option(&self) -> Option<OpenName> {
        let rest = self.behind().trim_start_matches('=').trim();
        let is_option = self.before().ends_with("--") && rest == "\\";
        let open = self
            .open(&[Part::Word, Part::Literal])
            .filter(|_| is_option)?;
        Some(OpenName {
            is_option: true,
            ..open
        })
    }

    /// `user,password`, `| user | password |`, `INSERT INTO users (name, password)`
    fn of_column(&self) -> Option<OpenName> {
        let line = self.line.trim();
        let listed = listed_columns(line);
        let is_listed = listed.is_some();
        let (cells, sign) = match listed {
            Some(listed) => listed,
            None => {
                let signs = [',', ';', '\t'];
                let of_text = || signs.into_iter().find(|sign| line.contains(*sign));
                let sign = Some('|')
                    .filter(|_| line.starts_with('|'))
                    .or_else(of_text)?;
                (cells_of(line, sign), sign)
            }
        };
        let name = self.line[self.name.clone()].trim();
        let word = |cell: &&str| cell.trim().trim_matches(['"', '\'', '`', '*']).to_owned();
        let is_name = |cell: &&str| {
            let text = word(cell);
            !text.is_empty()
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_.- ".contains(&b))
        };
        let is_header = cells.len() > 1
            && cells.iter().all(is_name)
            && (is_listed || sign == '|' || indent_of(self.line) == 0);
        let at = cells
            .iter()
            .position(|cell| word(cell) == name || word(cell).ends_with(&format!(" {name}")))
            .filter(|_| is_header)?;
        let of = cells.len();
        self.open(&[Part::Column { sign, at, of }])
    }

    /// `**Password**` or `## API token`, with nothing beside it
    fn of_heading(&self) -> Option<OpenName> {
        const MAX_WORDS: usize = 3;
        let is_mark = |c: char| "#*_:| ".contains(c);
        let text = self.line.trim();
        let title = text.trim_matches(is_mark);
        let name = &self.line[self.name.clone()];
        let is_title = text.starts_with(['#', '*'])
            && title.split(' ').count() <= MAX_WORDS
            && title.split(' ').any(|word| word == name);
        self.open(&[Part::Drawn])
            .filter(|_| has_form_of_words(name) && (title == name || is_title))
    }
}

/// What stands behind a key in a line, without its quotes.
pub(crate) fn field_of(line: &str) -> Option<NamedField> {
    let text = line.trim_start_matches([' ', '\t', '-', '{', '"', '\'']);
    let indent = line.len() - line.trim_start_matches([' ', '\t', '-', '{']).len();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (key, rest) = text.split_at(end);
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    let rest = rest
        .strip_prefix("=>")
        .or_else(|| rest.strip_prefix([':', '=']))?;
    let rest = rest.trim_start();
    let rest = rest.trim_start_matches(['"', '\'']);
    let start = line.len() - rest.len();
    let value = rest.trim_end_matches(|c: char| c.is_whitespace() || "\"',}".contains(c));
    (!key.is_empty() && !value.is_empty()).then(|| NamedField {
        key: key.to_ascii_lowercase(),
        value: start..start + value.len(),
        indent,
    })
}

/// Whether a field of this key holds what another one names.
pub(crate) fn is_value_field(key: &str) -> bool {
    const KEYS: [&str; 7] = [
        "value",
        "default",
        "parametervalue",
        "defaultvalue",
        "stringvalue",
        "plaintext_value",
        "plaintextvalue",
    ];
    KEYS.contains(&key)
}

/// A text without the comment at its end, in which nothing is quoted.
// Every line is asked: a regular expression took more time than the rest of the look at lists.
pub(crate) fn without_comment(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_mark = |at: usize| {
        let marks: [&[u8]; 4] = [b"#", b"//", b"-- ", b"--\t"];
        marks.iter().any(|mark| bytes[at..].starts_with(mark))
    };
    let is_blank = |at: usize| at == 0 || b" \t".contains(&bytes[at - 1]);
    let quoted = memchr::memrchr3(b'"', b'\'', b'`', bytes).map_or(0, |at| at + 1);
    let signs = memchr::memchr3_iter(b'#', b'/', b'-', &bytes[quoted..]);
    let mut signs = signs.map(|at| quoted + at);
    let begun = signs.find(|at| is_mark(*at) && is_blank(*at));
    begun.map_or(text, |at| &text[..at.saturating_sub(1)])
}

/// Whether an expression goes on in the next line.
pub(crate) fn is_operator_end(text: &str) -> bool {
    let text = text.trim_end();
    ["||", "??", "?:", "+", " or", " else", "\\", " ."]
        .iter()
        .any(|end| text.ends_with(end))
}

/// Whether a text may be a condition whose choice stands in the lines below.
pub(crate) fn may_choose(text: &str) -> bool {
    !text.is_empty() && !text.ends_with([';', ',', '{', '}', '(', '[', ':'])
}

/// Whether a line goes on with the expression above it, and says what is taken instead.
pub(crate) fn begins_alternative(line: &str) -> bool {
    const SIGNS: [&str; 8] = ["? ", ": ", "|| ", "?? ", "&& ", "or ", "and ", "else "];
    let text = line.trim_start();
    SIGNS.iter().any(|sign| text.starts_with(sign))
}

/// `|`, `>-`, `!!str |2`: a text of its own lines in YAML.
fn is_block_mark(text: &str) -> bool {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(r"^(?:![!A-Za-z:/-]*[ \t]*)?(?:&[A-Za-z0-9_-]+[ \t]*)?[|>][0-9+-]{0,2}$")
            .ok()
    });
    MARK.as_ref().is_some_and(|mark| mark.is_match(text))
}

/// `$(cat <<EOF`
fn is_here_document(text: &str) -> bool {
    static HERE: LazyLock<Option<Regex>> =
        LazyLock::new(|| compile_pattern(r#"<<[-~]?[ \t]*\\?["']?[A-Za-z_]+["']?$"#).ok());
    HERE.as_ref().is_some_and(|here| here.is_match(text))
}

/// `os.environ.get(`: a call that gives back what it is given, or looks it up.
fn is_open_call(text: &str) -> bool {
    let call = text.strip_suffix(['(', '[', '{']).map(last_word);
    call.is_some_and(|callee| !callee.is_empty() && (is_lookup(callee) || is_conversion(callee)))
}

/// `("a"`: a list that is not closed in its line.
fn is_open_list(text: &str) -> bool {
    let count = |signs: &[char]| text.matches(signs).count();
    text.starts_with(['(', '[']) && count(&['(', '[']) > count(&[')', ']'])
}

/// The attributes of an element up to the end of its tag.
fn is_attributes(text: &str) -> bool {
    text.starts_with(' ')
        && text.ends_with('>')
        && !text.ends_with("/>")
        && text.matches('>').count() == 1
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
