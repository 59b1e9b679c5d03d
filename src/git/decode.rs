//! The text that a file's bytes stand for: what git takes for binary may be UTF-16, or a script with a stray NUL.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::text_names::is_text_name;

/// A file is text as long as at most one byte of this many is no part of any text.
const MAX_ODD_SHARE: usize = 16;

/// How many bytes from the top may declare an encoding: two lines as in Python, the head of XML, HTML or CSS.
const DECLARATION_BYTES: usize = 1024;

/// Reads bytes as text in UTF-8; none when they are no text in any way that is known here.
///
/// Borrowed text is exactly the given bytes, which need not be UTF-8: a byte that nothing declares stays for the caller
/// to show as U+FFFD. Owned text was converted, or lost NULs, which shells and terminals drop as well.
pub fn decode_text(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    if let Some(text) = decode_marked(bytes) {
        return Some(Cow::Owned(text));
    }
    if memchr::memchr(0, bytes).is_none() {
        if declares_rewritten_ascii(bytes) {
            return None;
        }
        return match decode_declared(bytes) {
            Some(text) => Some(Cow::Owned(text)),
            // Shown as U+FFFD nobody could read it, be it EBCDIC or an alphabet of one byte that nothing declares.
            None if is_mostly_foreign(bytes) => None,
            None => Some(Cow::Borrowed(bytes)),
        };
    }
    if let Some(text) = wide_encoding(bytes).and_then(|encoding| decode_wide(encoding, bytes)) {
        return Some(Cow::Owned(text));
    }
    is_nearly_text(bytes).then(|| Cow::Owned(without_nuls(bytes)))
}

/// Whether a file's name or its beginning says that it is text: then bytes that are none hide something. What runs a script
/// reads it from the top, and does not mind what stands behind its end.
pub(super) fn claims_text(path: &[u8], bytes: &[u8]) -> bool {
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let marks: [&[u8]; 3] = [b"#!", &[0xff, 0xfe], &[0xfe, 0xff]];
    marks.iter().any(|mark| bytes.starts_with(mark))
        || begins_as_text(extension, bytes)
        || is_text_name(&name, extension)
        || holds_page(extension, bytes)
}

/// Formats that hold bytes and begin with lines of text: their heads, and the extensions of their files. Under another
/// name, a shell would run what stands behind the head.
const DATA_HEADS: [(&[u8], &[&str]); 9] = [
    (b"%PDF-", &["pdf", "ai"]),
    (b"%!PS-Adobe", &["ps", "eps"]),
    (b"!<arch>\n", &["a", "lib", "deb"]),
    (b"Kaydara FBX Binary", &["fbx"]),
    (b"#?RADIANCE", &["hdr"]),
    (b"Microsoft C/C++", &["pdb"]),
    (b"# vtk DataFile", &["vtk"]),
    (b"ply\n", &["ply"]),
    (b"P", &["ppm", "pgm", "pbm", "pnm"]),
];

/// The fewest bytes of text at the top that a program could be written in.
const MIN_SCRIPT_BYTES: usize = 16;

/// Whether a file begins as a text of several words or signs, whatever follows: formats of bytes have a short mark there.
fn begins_as_text(extension: &str, bytes: &[u8]) -> bool {
    let is_printed = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    let length = bytes.iter().take_while(|byte| is_printed(byte)).count();
    let is_data = DATA_HEADS
        .iter()
        .any(|(head, names)| bytes.starts_with(head) && names.contains(&extension));
    length >= MIN_SCRIPT_BYTES && !is_data
}

/// Formats that hold bytes of anything, words of programs among them, and that nobody runs as a page. Pictures, sounds,
/// films and fonts are none of them: no such words stand there, unless somebody put a page there.
const DATA_EXTENSIONS: [&str; 19] = [
    "a", "bin", "class", "db", "dll", "dylib", "exe", "gz", "jar", "lib", "mo", "o", "pdf", "pyc",
    "so", "sqlite", "tar", "wasm", "zip",
];

/// How pictures begin: with a page behind such a head, a file is no data, whatever its name says.
const PICTURE_HEADS: [&[u8]; 6] = [
    b"\x89PNG\r\n\x1a\n",
    b"GIF8",
    b"\xff\xd8\xff",
    b"BM",
    b"RIFF",
    b"\0\0\x01\0",
];

/// How code begins in a page that a server runs.
const PAGE_MARKS: [&[u8]; 9] = [
    b"<?php",
    b"<?=",
    b"<? ",
    b"<%@",
    b"<%=",
    b"<script",
    b"<jsp:",
    b"<cfexecute",
    b"<!--#exec",
];

/// Whether code of a page stands somewhere in a file: a picture before it is nothing to a server.
fn holds_page(extension: &str, bytes: &[u8]) -> bool {
    let is_code = |mark: &&[u8]| {
        memchr::memmem::find_iter(bytes, *mark).any(|at| {
            let code = bytes[at..].iter().take(MIN_SCRIPT_BYTES);
            code.clone().count() == MIN_SCRIPT_BYTES
                && code
                    .into_iter()
                    .all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'))
        })
    };
    let is_picture = PICTURE_HEADS.iter().any(|head| bytes.starts_with(head));
    (is_picture || !DATA_EXTENSIONS.contains(&extension)) && PAGE_MARKS.iter().any(is_code)
}

/// So many printable bytes of ASCII one after another are read by a shell, an interpreter or a build tool as they stand.
const MIN_ASCII_RUN: usize = 6;

/// UTF-16 or UTF-32 that says so with a byte order mark.
fn decode_marked(bytes: &[u8]) -> Option<Vec<u8>> {
    match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => decode_utf32(rest, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, rest @ ..] => decode_utf32(rest, u32::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => decode_wide(UTF_16LE, rest),
        [0xfe, 0xff, rest @ ..] => decode_wide(UTF_16BE, rest),
        _ => None,
    }
}

fn decode_utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Option<Vec<u8>> {
    let (units, rest) = bytes.as_chunks::<4>();
    let chars = units.iter().map(|four| char::from_u32(unit(*four)));
    let text: String = chars.map(|c| c.unwrap_or('\u{fffd}')).collect();
    (rest.is_empty() && is_plausible(&text) && !has_ascii_run(bytes)).then(|| text.into_bytes())
}

fn decode_wide(encoding: &'static Encoding, bytes: &[u8]) -> Option<Vec<u8>> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (is_plausible(&text) && !has_ascii_run(bytes)).then(|| without_nuls(text.as_bytes()))
}

/// Whether bytes hold text in ASCII, which wide text cannot: its Latin letters have zeros between them. A mark of two
/// bytes would else hide a whole script, which `sh` runs and a reader of UTF-16 sees as Chinese. Real Chinese has such runs
/// by chance: it is then no text, and named as unread.
fn has_ascii_run(bytes: &[u8]) -> bool {
    let is_ascii = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    bytes
        .split(|b| !is_ascii(b))
        .any(|run| run.len() >= MIN_ASCII_RUN)
}

/// Which UTF-16 has zeros where these bytes have them: Latin text has one in every second place.
fn wide_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let zeros = |first: usize| {
        bytes
            .iter()
            .skip(first)
            .step_by(2)
            .filter(|&&b| b == 0)
            .count()
    };
    let (even, odd, pairs) = (zeros(0), zeros(1), bytes.len() / 2);
    match () {
        () if odd * 2 > pairs && even * MAX_ODD_SHARE <= pairs => Some(UTF_16LE),
        () if even * 2 > pairs && odd * MAX_ODD_SHARE <= pairs => Some(UTF_16BE),
        () => None,
    }
}

/// Bytes that are not UTF-8, by the encoding that the file's own head names.
fn decode_declared(bytes: &[u8]) -> Option<Vec<u8>> {
    let encoding = declared_encoding(&bytes[..bytes.len().min(DECLARATION_BYTES)])?;
    // Whoever reads the declaration as ASCII reads the rest of it so: it cannot be wide.
    let is_other = [UTF_8, UTF_16LE, UTF_16BE].contains(&encoding);
    if is_other || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    (!malformed).then(|| text.into_owned().into_bytes())
}

/// Encodings of Python in which the letters of ASCII stand for others, by their letters and digits: with one of them a line
/// of comment is code.
const REWRITTEN_ASCII: [&str; 7] = [
    "utf7",
    "u7",
    "unicode11utf7",
    "unicodeescape",
    "rawunicodeescape",
    "punycode",
    "idna",
];

/// Code pages of EBCDIC that Python knows.
const EBCDIC: [&str; 8] = ["037", "039", "273", "424", "500", "875", "1026", "1140"];

/// Whether an interpreter reads another text in these bytes than everybody who looks at them: a comment in the first two
/// lines says so (PEP 263).
fn declares_rewritten_ascii(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let lines = head.split(|&b| b == b'\n' || b == b'\r');
    let lines = lines.filter(|line| !line.is_empty()).take(2);
    let mut names = lines.filter_map(|line| {
        let text = String::from_utf8_lossy(line).to_ascii_lowercase();
        let comment = text.trim_start_matches(['\u{feff}', ' ', '\t', '\u{c}']);
        let (_, after) = comment.strip_prefix('#')?.split_once("coding")?;
        let named = after.strip_prefix([':', '='])?.trim_start();
        let end = named.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
        let name = &named[..end.unwrap_or(named.len())];
        Some(name.replace(['-', '_', '.'], ""))
    });
    names.any(|name| {
        let page = name.trim_start_matches("cs").trim_start_matches("ibm");
        REWRITTEN_ASCII.contains(&&*name)
            || name.starts_with("ebcdic")
            || EBCDIC.contains(&page.trim_start_matches("cp"))
    })
}

/// `coding: NAME` in the first two lines, `encoding="NAME"`, `charset=NAME`.
fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let text = String::from_utf8_lossy(head);
    let marks = ["coding:", "coding=", "charset=", "charset "];
    let mut named = marks.iter().filter_map(|mark| {
        let (_, after) = text.split_once(mark)?;
        let after = after.trim_start_matches([' ', '"', '\'']);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
        let name = &after[..end.unwrap_or(after.len())];
        // Python's `latin_1` and `utf_8` are `latin1` and `utf-8` to everybody else.
        let spellings = [name.replace('_', "-"), name.replace(['_', '-'], "")];
        spellings
            .iter()
            .find_map(|name| Encoding::for_label(name.as_bytes()))
    });
    named.next()
}

/// Whether decoded text reads as text.
fn is_plausible(text: &str) -> bool {
    let odd = text
        .chars()
        .filter(|&c| c == '\u{fffd}' || (c.is_control() && !is_space(c)));
    odd.count() * MAX_ODD_SHARE <= text.chars().count()
}

/// Whether more than half of what is no white space would be shown as U+FFFD.
fn is_mostly_foreign(bytes: &[u8]) -> bool {
    if std::str::from_utf8(bytes).is_ok() {
        return false;
    }
    let foreign: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let blank = bytes
        .iter()
        .filter(|byte| byte.is_ascii_whitespace())
        .count();
    foreign * 2 > bytes.len() - blank
}

/// Whether bytes with NULs are text but for a few of them.
fn is_nearly_text(bytes: &[u8]) -> bool {
    let odd: usize = bytes
        .utf8_chunks()
        .map(|chunk| {
            let controls = chunk
                .valid()
                .bytes()
                .filter(|&b| b < 0x20 && !is_space(char::from(b)));
            controls.count() + chunk.invalid().len()
        })
        .sum();
    odd * MAX_ODD_SHARE <= bytes.len()
}

/// White space, and the escape of terminals.
fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1b}')
}

fn without_nuls(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|&b| b != 0).collect()
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
