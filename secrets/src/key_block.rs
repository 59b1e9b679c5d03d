//! Lines of private keys, and lines that are nothing but base64.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::filler::is_filler;
use crate::script::Script;

/// Where a reader of private keys stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyBlock {
    place: Place,
    /// What stood before `-----BEGIN`: source code writes it before each line of a key that it holds (`# `, `echo "`).
    frame: String,
    /// How the file is run that the lines are of.
    script: Script,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    /// After `-----BEGIN … PRIVATE KEY-----`.
    Header,
    /// After at least one line of the key itself.
    Body,
    /// After `-----BEGIN CERTIFICATE-----` and its like: made to be given away.
    Public,
}

/// What stands for a line of a key that was redacted before.
const REDACTED: &str = "[redacted: private-key]";

/// What stands in the head of a key before its body.
const HEADERS: [&str; 10] = [
    "Proc-Type:",
    "DEK-Info:",
    "Version:",
    "Comment:",
    "Encryption:",
    "Public-Lines:",
    "Private-Lines:",
    "Private-MAC:",
    "Key-Derivation:",
    "Argon2-",
];

impl KeyBlock {
    /// For the lines of a file that is run like this.
    pub(crate) fn within(script: Script) -> Self {
        Self {
            script,
            ..Self::default()
        }
    }

    /// Whether the lines that were read begin nothing that goes on.
    pub(crate) fn is_idle(&self) -> bool {
        self.place == Place::Outside
    }

    /// Whether a key goes on in the next line, or one that is written in this line begins.
    pub(crate) fn reads_key(&self, line: &str, holds_secrets: bool) -> bool {
        self.place != Place::Outside || key_begin(line, holds_secrets).is_some()
    }

    /// Whether the line that was read last belongs to something that is made to be given away.
    pub(crate) fn is_public(&self) -> bool {
        self.place == Place::Public
    }

    /// Goes on in a public block, or begins one, as long as each line is what such a block has.
    fn stays_public(&mut self, line: &str) -> bool {
        let text = bare_text(line);
        if begins_public(text) || begins_file(text) {
            self.place = Place::Public;
            return true;
        }
        // A key of DKIM is published in the name service, over several strings.
        if let Some(key) = text
            .strip_prefix(DKIM_BEGIN)
            .or_else(|| text.split(DKIM_BEGIN).nth(1))
            && (line.contains("v=DKIM1") || text.starts_with(DKIM_BEGIN))
            && key.bytes().all(is_base64)
        {
            self.place = Place::Public;
            return true;
        }
        if self.place != Place::Public {
            return false;
        }
        let is_end = text.starts_with(KEY_END);
        let is_body = text.len() <= MAX_PEM_LINE && text.bytes().all(is_base64);
        if is_end || !is_body {
            self.place = Place::Outside;
        }
        is_end || is_body
    }

    /// Reads the next line of a text. Where it holds a part of a key, or is base64: its kind, and what of it is secret.
    pub(crate) fn read_line(
        &mut self,
        line: &str,
        holds_secrets: bool,
    ) -> Option<(&'static str, Range<usize>)> {
        if self.stays_public(line) {
            return None;
        }
        if let Some(begin) = key_begin(line, holds_secrets) {
            let after = line[begin..].find(KEY_BEGIN).map_or(line.len(), |_| {
                let name = begin + KEY_BEGIN.len();
                line[name..]
                    .find("-----")
                    .map_or(line.len(), |at| name + at + 5)
            });
            let end = line[after..].find(KEY_END).map(|at| after + at);
            self.place = if end.is_some() {
                Place::Outside
            } else {
                Place::Header
            };
            line[..begin].clone_into(&mut self.frame);
            let body = runs_range(line, after..end.unwrap_or(line.len()), 32)?;
            if end.is_none() {
                self.place = Place::Body;
            }
            return Some(("private-key", body));
        }
        if self.place == Place::Outside {
            let body = bare_range(line);
            let text = &line[body.clone()];
            if holds_secrets && !self.script.is_code && is_token_line(text) {
                return Some(("base64", body));
            }
            // A word by itself is a call where a shell reads it, and one before `(` is a call everywhere.
            if line.len() < MIN_BARE || self.script.is_shell {
                return None;
            }
            let run = framed_run(line, "").filter(|run| !line[run.end..].starts_with('('))?;
            // `NAME=value` is no text of one word: what stands behind the name is looked at by itself.
            let inner = line[run.clone()].trim_end_matches('=').rfind('=');
            let run = inner.map_or(run.clone(), |at| run.start + at + 1..run.end);
            if is_filler(&line[run.clone()]) {
                return None;
            }
            return is_base64_line(&line[run.clone()]).then_some(("base64", run));
        }
        let end = line.find(KEY_END);
        let text = &line[..end.unwrap_or(line.len())];
        let shortest = if self.place == Place::Body { 4 } else { 16 };
        // The last line of a key is short, and looks like a part of one only behind others.
        let decorated = if self.place == Place::Body { 20 } else { 40 };
        let body = framed_run(text, &self.frame)
            .filter(|run| run.len() >= shortest)
            .or_else(|| runs_range(text, 0..text.len(), decorated));
        self.place = match &body {
            _ if end.is_some() => Place::Outside,
            Some(_) => Place::Body,
            None if text.contains(REDACTED) => Place::Body,
            None if is_header(without_frame(text, &self.frame)) => self.place,
            None => Place::Outside,
        };
        Some(("private-key", body?))
    }
}

/// The fewest signs of a line of base64 whose head is not shown.
pub(crate) const MIN_BARE: usize = 60;

/// The longest line of base64 in a block of PEM: 76 signs where MIME wraps it, 64 elsewhere.
const MAX_PEM_LINE: usize = 76;

/// What stands in blocks that are made to be given away.
const PUBLIC: [&str; 12] = [
    "DH PARAMETERS",
    "X9.42 DH PARAMETERS",
    "EC PARAMETERS",
    "DSA PARAMETERS",
    "CERTIFICATE",
    "X509 CERTIFICATE",
    "TRUSTED CERTIFICATE",
    "CERTIFICATE REQUEST",
    "NEW CERTIFICATE REQUEST",
    "X509 CRL",
    "PUBLIC KEY",
    "RSA PUBLIC KEY",
];

/// A line without what source code writes around each line of such a block.
fn bare_text(line: &str) -> &str {
    let text = line.trim();
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.trim_end_matches([',', ';', '+', '\\', ' ', ')']);
    let text = text.strip_suffix('"').unwrap_or(text);
    let text = text.strip_suffix("\\n").unwrap_or(text);
    text.strip_suffix("\\r").unwrap_or(text)
}

/// Whether a line of base64 is the first one of a file of a known format: an archive, a picture, a certificate.
fn begins_file(text: &str) -> bool {
    const HEADS: [&str; 9] = [
        "UEsDB",
        "iVBORw0KGgo",
        "R0lGOD",
        "/9j/4",
        "JVBERi0",
        "H4sIA",
        "LS0tLS1CRUdJTiBDRVJU",
        "LS0tLS1CRUdJTiBQVUJM",
        "AAABAAE",
    ];
    let is_head = HEADS.iter().any(|head| text.starts_with(head));
    is_head && text.len() >= MIN_BARE && text.len() <= MAX_PEM_LINE && text.bytes().all(is_base64)
}

/// Whether a line is the first one of such a block, and nothing else.
fn begins_public(line: &str) -> bool {
    let name = line.strip_prefix("-----BEGIN ");
    let name = name.and_then(|rest| rest.strip_suffix("-----"));
    name.is_some_and(|name| PUBLIC.contains(&name))
}

const KEY_BEGIN: &str = "-----BEGIN";
const KEY_END: &str = "-----END";

const PUTTY_BEGIN: &str = "PuTTY-User-Key-File-";

/// Some of these signs is in each line that begins a key, or what is made to be given away.
pub(crate) const FRAME_SIGNS: [&str; 3] = [KEY_BEGIN, PUTTY_BEGIN, DKIM_BEGIN];

/// How a key of DKIM begins.
const DKIM_BEGIN: &str = "p=MI";

/// Every line of every change is searched for these two.
static BEGINS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [KEY_BEGIN, PUTTY_BEGIN].map(|begin| Finder::new(begin.as_bytes())));

/// Whether a private key may begin in a text of many lines. Where none does, each line can be read by itself.
pub(crate) fn may_begin_key(text: &str) -> bool {
    BEGINS
        .iter()
        .any(|begin| begin.find(text.as_bytes()).is_some())
}

/// How the frame of a key calls it; the last one is shared by both ends of a tunnel.
const PRIVATE: [&str; 4] = [
    "PRIVATE KEY",
    "PRIVATE%20KEY",
    "PRIVATE+KEY",
    "OpenVPN Static key",
];

/// Where the frame of a private key begins in a line.
fn key_begin(line: &str, holds_secrets: bool) -> Option<usize> {
    let [pem, putty] = &*BEGINS;
    // In a query or a form, blanks are written in another way.
    let is_private = |text: &str| {
        let mut spellings = PRIVATE.iter();
        spellings.any(|name| text.contains(name))
    };
    let named = |at: &usize| holds_secrets || is_private(&line[*at..]);
    let pem = pem.find(line.as_bytes()).filter(named);
    pem.or_else(|| putty.find(line.as_bytes()))
}

/// PuTTY's keys have headers between their bodies, too; a line of comment signs alone is blank.
fn is_header(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text.len() < 2 || HEADERS.iter().any(|header| text.starts_with(header))
}

fn without_frame<'l>(line: &'l str, frame: &str) -> &'l str {
    line.strip_prefix(frame).unwrap_or(line)
}

/// The longest run of base64 in a line that holds nothing else but signs and escapes, what stands before each line of the
/// key aside.
fn framed_run(line: &str, frame: &str) -> Option<Range<usize>> {
    let start = line.len() - without_frame(line, frame).len();
    let run = base64_runs(line, start..line.len()).max_by_key(ExactSizeIterator::len)?;
    (is_sign(&line[start..run.start]) && is_sign(&line[run.end..])).then_some(run)
}

/// Whether a text is short, and nothing but signs and escapes.
fn is_sign(text: &str) -> bool {
    let is_escape = |at: usize| matches!(text.as_bytes()[at..], [b'\\', b'n' | b'r' | b't', ..]);
    let mut letters = text.char_indices().filter(|(_, c)| c.is_alphanumeric());
    text.len() <= 32 && letters.all(|(at, _)| at > 0 && is_escape(at - 1))
}

/// From the first run of base64 that is at least `shortest` long to the end of the last of four and more. At least one run
/// must look drawn.
fn runs_range(line: &str, within: Range<usize>, shortest: usize) -> Option<Range<usize>> {
    let mut runs = base64_runs(line, within)
        .filter(|run| run.len() >= 4)
        .peekable();
    let is_long = |run: &Range<usize>| run.len() >= shortest && is_drawn_base64(&line[run.clone()]);
    while runs.next_if(|run| run.len() < 16).is_some() {}
    let first = runs.next()?;
    let (mut found, mut end) = (is_long(&first), first.end);
    for run in runs {
        found |= is_long(&run);
        end = run.end;
    }
    found.then_some(first.start..end)
}

/// The runs of base64, without the letter of an escape such as `\n` before them.
fn base64_runs(line: &str, within: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = line.as_bytes();
    let mut at = within.start;
    std::iter::from_fn(move || {
        at += bytes[at..within.end].iter().position(|&b| is_base64(b))?;
        if at > 0 && bytes[at - 1] == b'\\' && matches!(bytes[at], b'n' | b'r' | b't') {
            at += 1;
        }
        let start = at;
        at += bytes[at..within.end]
            .iter()
            .take_while(|&&b| is_base64(b))
            .count();
        Some(start..at)
    })
}

/// A line without what source code puts around a piece of a token: white space, quotes, commas, `\n`.
fn bare_range(line: &str) -> Range<usize> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '`' | ';');
    let start = line.len() - line.trim_start_matches(is_edge).len();
    let text = line[start..].trim_end_matches(is_edge);
    let text = text.strip_suffix("\\n").unwrap_or(text);
    start..start + text.trim_end_matches(['"', '\'', ' ']).len()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a line is nothing but base64, as in the middle of a key whose head is not shown.
fn is_base64_line(body: &str) -> bool {
    body.len() >= MIN_BARE && is_drawn_base64(body)
}

fn is_drawn_base64(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_uppercase())
        && text.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether a line of a file that holds secrets is one of a key or a token; `NAME=` is none.
fn is_token_line(body: &str) -> bool {
    let padded = !body.ends_with('=') || body.len().is_multiple_of(4);
    let is_name = body.trim_end_matches('=').contains('=');
    body.len() >= 4 && padded && !is_name && body.bytes().all(is_base64)
}
