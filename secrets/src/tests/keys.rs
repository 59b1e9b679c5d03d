//! Private keys: however source code writes one, nothing of its body is shown.

use super::*;

#[test]
fn the_body_of_a_private_key_goes_and_its_frame_stays() {
    let body = token("MII", 61);
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\nabcd\n-----END RSA PRIVATE KEY-----\nend\n"
    );
    let hidden = "[redacted: private-key]\n".repeat(3);
    let shown =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{hidden}-----END RSA PRIVATE KEY-----\nend\n");
    assert_eq!(redact(&key), (shown, 3));
    let line = format!("k = \"-----BEGIN PRIVATE KEY-----\\n{body}\"");
    let shown = "k = \"-----BEGIN PRIVATE KEY-----[redacted: private-key]\"";
    assert_eq!(redact(&line), (shown.to_owned(), 1));
}

/// However source code writes a key: what stands around its lines is no reason to show them.
#[test]
fn the_body_of_a_private_key_goes_whatever_stands_around_its_lines() {
    let lines: Vec<String> = (0..24).map(|at| token("MIIx", 58 + at % 3)).collect();
    let tail = "Qz4=".to_owned();
    let frames = [
        ("", ""),
        ("# ", ""),
        ("// ", ""),
        (" * ", ""),
        ("> ", ""),
        ("| ", " |"),
        ("    ", ""),
        ("-- ", ""),
        ("+", ""),
        ("- ", ""),
        ("\t", "\r"),
        ("\"", "\\n\" +"),
        ("'", "',"),
        ("\"", "\\n\""),
        ("", "\\n\\"),
        ("echo \"", "\""),
        ("print('", "')"),
        ("out.add(\"", "\\r\\n\");"),
        ("<!-- ", " -->"),
        ("rem ", ""),
        ("    + '", "\\n'"),
    ];
    for (before, after) in frames {
        let wrap = |text: &str| format!("{before}{text}{after}\n");
        let body: String = lines.iter().chain([&tail]).map(|line| wrap(line)).collect();
        let begin = wrap("-----BEGIN RSA PRIVATE KEY-----");
        let end = wrap("-----END RSA PRIVATE KEY-----");
        let (shown, secrets) = redact(&format!("{begin}{body}{end}x = 1\n"));
        assert_eq!(secrets, lines.len() + 1, "{before:?} {after:?}: {shown}");
        assert!(
            !lines.iter().any(|line| shown.contains(&line[8..])),
            "{before:?} {after:?}: {shown}"
        );
        assert!(
            !shown.contains(&tail) && shown.ends_with("x = 1\n"),
            "{before:?} {after:?}: {shown}"
        );
        assert_eq!(redact(&shown), (shown.clone(), 0));
    }
    // The last line of a key is shorter than the others, and a part of it.
    let tail = "1VGrrnt0n50qHhG7T8ksC7c=";
    for (before, after) in [
        ("<div>", "</div>"),
        ("\\033[32m", "\\033[0m"),
        ("  3 | ", ""),
        ("", "<br/>"),
    ] {
        let wrap = |text: &str| format!("{before}{text}{after}\n");
        let body: String = lines.iter().map(|line| wrap(line)).collect();
        let key = format!(
            "{}{body}{}{}",
            wrap("-----BEGIN PRI\u{56}ATE KEY-----"),
            wrap(tail),
            wrap("-----END PRI\u{56}ATE KEY-----")
        );
        let (shown, _) = redact(&key);
        assert!(!shown.contains("qHhG7T8ks"), "{before:?}: {shown}");
    }
    for between in [" ", "\\n", "\\r\\n", "\" \"", "\\n\" + \"", ",", "|"] {
        let key = format!(
            "k = \"-----BEGIN PRIVATE KEY-----{between}{}{between}-----END PRIVATE KEY-----\"",
            lines.join(between)
        );
        let (shown, secrets) = redact(&key);
        assert_eq!(secrets, 1, "{between:?}: {shown}");
        assert!(
            !lines.iter().any(|line| shown.contains(&line[8..])),
            "{between:?}: {shown}"
        );
        assert!(
            shown.contains("BEGIN") && shown.contains("END"),
            "{between:?}: {shown}"
        );
    }
}

#[test]
fn a_key_of_putty_is_one() {
    let body = token("AAAA", 40);
    let key = format!(
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\n{body}\nPrivate-Lines: 1\n{body}\nend"
    );
    let (shown, secrets) = redact(&key);
    assert_eq!(secrets, 2, "{shown}");
    assert!(!shown.contains(&body) && shown.ends_with("\nend"));
}

#[test]
fn a_piece_of_a_key_without_its_head_goes_too() {
    let body = token("MII", 61);
    assert_eq!(
        redact(&format!("    \"{body}\\n\"")),
        ("    \"[redacted: base64]\\n\"".to_owned(), 1)
    );
}

#[test]
fn code_that_looks_for_keys_stays() {
    let code = "if text.contains(\"-----BEGIN PRIVATE KEY-----\") {\n    return;\n}\n";
    assert_eq!(redact(code), (code.to_owned(), 0));
}

/// Found by fuzzing: signs of a key before one that is no base64 were shown.
#[test]
fn of_a_key_in_a_secret_file_nothing_is_shown_whatever_stands_in_its_lines() {
    let mark = |word: &str| format!("-----{word} RSA PRIVATE {}-----", "KEY");
    let body = token("", 60);
    for stray in [
        "i63jOZ\u{fffd}\u{fffd}",
        "i63jOZ!",
        "i63jOZ \u{0}",
        "----\u{12}",
    ] {
        let text = format!(
            "{}\n\n{body}\n{stray}{body}\n{}\n",
            mark("BEGIN"),
            mark("END")
        );
        let (shown, _) = redact_file("id_rsa", &text);
        assert!(!shown.contains("i63jOZ"), "{shown}");
        assert_eq!(redact_file("id_rsa", &shown).0, shown);
    }
}

/// A key that both ends of a tunnel share is of hexadecimal digits.
#[test]
fn a_static_key_is_hidden_line_by_line() {
    let body = ["8e1fb87aab23469f", "f90df9fdb369291d"].concat();
    let lines = format!("{body}\n").repeat(16);
    let key = format!(
        "-----BEGIN OpenVPN Static key V1-----\n{lines}-----END OpenVPN Static key V1-----\n"
    );
    let text = format!("client\n<tls-auth>\n{key}</tls-auth>\nport 1194\n");
    let (shown, count) = redact_file("client.ovpn", &text);
    assert!(count == 16 && !shown.contains(&body), "{shown}");
    assert!(shown.ends_with("</tls-auth>\nport 1194\n"), "{shown}");
}

/// What OpenSSH writes between the two lines of its frame, in one line and in many.
#[test]
fn the_body_of_an_openssh_key_is_hidden_without_its_frame() {
    let head = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz";
    let rest = "c2gtZWQyNTUxOQAAACBqX7vLk2Zp9wQmT4yRcN8sJdHfUaE3oGi5rXbKlMvWtQAA";
    for text in [
        format!("deploy_key: {head}{rest}\n"),
        format!("DEPLOY_KEY={head}{rest}\n"),
        format!("key: |\n  {head}\n  {rest}\n"),
    ] {
        let (shown, _) = redact_file("a.yml", &text);
        assert!(
            !shown.contains(&head[20..]) && !shown.contains(rest),
            "{shown}"
        );
    }
}
