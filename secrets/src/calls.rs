//! What calls do with the literal that they are given: they give it back, take it as a password, or look it up.

use std::ops::Range;

use crate::named::kind_of_name;

/// Calls whose result is what they are given, in another type: `b64("…")`, `[]byte("…")`, `Some("…")`.
const CONVERSIONS: &str = "b64 b64decode b64encode base64 atob btoa byte bytes bytearray char str string \
    decode64 strict_decode64 urlsafe_decode64 fromhex from_hex unhex unhexlify hex2bin base64_decode \
    frombase64string decode_base64 decodestring str_to_string to_string tostring text some just pack encode \
    decode secretstr securestring secretstring zeroizing quote default";

/// Calls that make a value of a type, which is text: `Buffer.from("…")`.
const MAKERS: &str = "new from of from_str valueof";

/// Methods that give a literal in another type: `"…".getBytes()`.
const CONVERSIONS_OF: &str = "tochararray getbytes encode decode into to_string to_owned tostring as_bytes as_ref \
    as_str trim strip freeze bytes unwrap clone to_vec asutf8";

/// What looks a value up, and takes the literal behind its name where there is none: `getenv("PW", "…")`.
const LOOKUPS: &str = "get getenv env fetch config setting environ lookup";

/// Calls that are given the name of a setting and its value, or the user and the password.
const PAIR_CALLS: &str = "set assign setdefault setproperty setheader setenv put putenv add append header define map \
    mapof entry pair option argument add_argument environ connect login auth pdo setitem \
    string stringvar stringp stringvarp setenvironmentvariable setattr strcpy strncpy strlcpy strcpy_s \
    addheader setrequestheader withheader addparam queryparam setattribute setparameter getproperty header_add setvalue addvalue";

/// Verbs of calls that take a password: `set_password("…")`, `withToken("…")`.
const TAKING_VERBS: &str = "set with use and add change new";

/// Whether a call of this name takes a password, and does not look one up: its verb says so, or it has none.
pub(crate) fn takes_password(name: &str) -> bool {
    let last = name.rsplit(['.', '-']).next().unwrap_or(name);
    if kind_of_name(last).is_none() {
        return false;
    }
    let words = crate::words::words_of_name(last);
    let heads = &words[..words.len().saturating_sub(1)];
    let is_upper = !last.bytes().any(|b| b.is_ascii_lowercase());
    is_upper
        || heads.first().is_none_or(|verb| {
            is_in(TAKING_VERBS, verb) || kind_of_name(&heads.join("_")).is_some() || is_noun(verb)
        })
}

/// Whether a call is given the name of a setting before its value, or before what is taken where it is not set.
pub(crate) fn is_pair_call(callee: &str) -> bool {
    is_lookup(callee) || is_in(PAIR_CALLS, &last_part(callee))
}

/// Whether a call gives back what it is given: `bytes("…")`, `String::from("…")`, but neither `flag.String("…")`, which
/// looks up, nor `Command::new("…")`.
pub(crate) fn is_conversion(callee: &str) -> bool {
    let last = last_part(callee);
    let head = callee[..callee.len() - last.len().min(callee.len())].to_ascii_lowercase();
    let is_of_text = || {
        [
            "string", "secret", "password", "buffer", "bytes", "str:", "optional", "list.",
        ]
        .iter()
        .any(|word| head.contains(word))
    };
    is_in(MAKERS, &last) && is_of_text()
        || is_in(CONVERSIONS, &last) && (!head.contains('.') || is_decoder(&last))
}

/// Whether a method of something gives back the bytes of what it is given, whatever it is a method of.
fn is_decoder(last: &str) -> bool {
    [
        "b64",
        "64",
        "hex",
        "base64string",
        "hexlify",
        "decodestring",
    ]
    .iter()
    .any(|part| last.contains(part))
}

/// Whether a call looks a value up by its name.
pub(crate) fn is_lookup(callee: &str) -> bool {
    let last = last_part(callee);
    LOOKUPS.split(' ').any(|verb| last.ends_with(verb)) || callee.contains("env")
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The name of a call without what it is a part of, in small letters.
fn last_part(callee: &str) -> String {
    let last = callee.rsplit(['.', ':']).next().unwrap_or(callee);
    last.trim_end_matches(['!', '?']).to_ascii_lowercase()
}

/// Whether the first word of a name is the thing that has the password, and no verb: `db_password`, `storePassword`.
pub(crate) fn is_noun(word: &str) -> bool {
    const NOUNS: &str = "db database store key user admin root smtp mail api client app my access private \
    signing secret http account master";
    is_in(NOUNS, word)
}

/// Whether a literal is what a method is called on that is no conversion: `"wipe2db".execute()`.
pub(crate) fn is_called(line: &str, value: &Range<usize>) -> bool {
    let behind = line[value.end..].trim_start_matches(['"', '\'', '`', '\\']);
    let Some(method) = behind
        .strip_prefix('.')
        .or_else(|| behind.strip_prefix("?."))
    else {
        return false;
    };
    let end = method
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(method.len());
    let method = method[..end].to_ascii_lowercase();
    !method.is_empty() && !is_in(CONVERSIONS_OF, &method)
}
