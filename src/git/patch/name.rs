//! Names in the headers of a patch: quoted, prefixed, dated.

use council_protocol::RepoPath;

use super::error::PatchError;

/// A name as it stands, or `/dev/null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchName {
    Nothing,
    Path(Vec<u8>),
}

impl PatchName {
    fn from_bytes(bytes: Vec<u8>) -> Self {
        if bytes == b"/dev/null" {
            Self::Nothing
        } else {
            Self::Path(bytes)
        }
    }
}

/// The name on a `---` or `+++` line: quoted, or up to a tab (behind which a date may stand).
pub(super) fn label_name(text: &[u8], line: usize) -> Result<PatchName, PatchError> {
    if text.starts_with(b"\"") {
        let (name, _) = unquote_name(text).ok_or(PatchError::Malformed {
            line,
            what: "a quoted name",
        })?;
        return Ok(PatchName::from_bytes(name));
    }
    let end = text.iter().position(|&b| b == b'\t').unwrap_or(text.len());
    let name = text[..end].trim_ascii_end();
    if name.is_empty() {
        return Err(PatchError::Malformed {
            line,
            what: "the name of a file",
        });
    }
    Ok(PatchName::from_bytes(name.to_vec()))
}

/// A name that takes the rest of its line, e.g. behind `rename from `.
pub(super) fn header_name(text: &[u8], line: usize) -> Result<Vec<u8>, PatchError> {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if !text.starts_with(b"\"") {
        return Ok(text.to_vec());
    }
    unquote_name(text)
        .map(|(name, _)| name)
        .ok_or(PatchError::Malformed {
            line,
            what: "a quoted name",
        })
}

/// A name quoted as in C, and what follows it.
fn unquote_name(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (byte, after) = unescape_byte(rest)?;
                name.push(byte);
                rest = after;
            }
            byte => name.push(byte),
        }
    }
}

fn unescape_byte(text: &[u8]) -> Option<(u8, &[u8])> {
    let (&first, rest) = text.split_first()?;
    let plain = match first {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => first,
        b'0'..=b'3' => {
            let digits = text
                .get(..3)
                .filter(|digits| digits.iter().all(|d| (b'0'..=b'7').contains(d)))?;
            let value = digits
                .iter()
                .fold(0, |value: u32, digit| value * 8 + u32::from(digit - b'0'));
            return Some((u8::try_from(value).ok()?, &text[3..]));
        }
        _ => return None,
    };
    Some((plain, rest))
}

/// The two names of a `diff --git` line, prefixes included. Without quotes they are told apart only when they are
/// equal behind their prefixes; else other lines must name the files.
pub(super) fn split_pair(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if text.starts_with(b"\"") {
        let (old, rest) = unquote_name(text)?;
        let rest = rest.strip_prefix(b" ")?;
        return Some((
            old,
            if rest.starts_with(b"\"") {
                unquote_name(rest)?.0
            } else {
                rest.to_vec()
            },
        ));
    }
    if let Some(at) = text
        .windows(2)
        .position(|two| two == b" \"")
        .filter(|_| text.ends_with(b"\""))
    {
        return Some((text[..at].to_vec(), unquote_name(&text[at + 1..])?.0));
    }
    let splits = (0..text.len())
        .filter(|&at| text[at] == b' ')
        .map(|at| (&text[..at], &text[at + 1..]));
    let mut equal = splits.filter(|(old, new)| {
        old.len() == new.len() && (old == new || without_component(old) == without_component(new))
    });
    equal.next().map(|(old, new)| (old.to_vec(), new.to_vec()))
}

/// What stands behind the first component.
fn without_component(name: &[u8]) -> Option<&[u8]> {
    let slash = name.iter().position(|&b| b == b'/')?;
    Some(&name[slash + 1..]).filter(|rest| !rest.is_empty())
}

/// Prefixes that git writes in front of old and new names (`diff.mnemonicPrefix`).
const PREFIXES: [&[u8]; 7] = [b"a/", b"b/", b"i/", b"w/", b"c/", b"o/", b"1/"];

/// The names of both sides without their prefixes. `git` says whether the prefixes are git's, or the directories that
/// `diff -r` compared.
pub(super) fn without_prefix(old: &[u8], new: &[u8], git: bool) -> (Vec<u8>, Vec<u8>) {
    let known = |name: &[u8]| {
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name.starts_with(b"2/")
    };
    let strip = match (without_component(old), without_component(new)) {
        _ if old == new => false,
        (Some(a), Some(b)) => (known(old) && known(new)) || (!git && a == b),
        _ => false,
    };
    let stripped = |name: &[u8]| {
        if strip {
            without_component(name).unwrap_or(name).to_vec()
        } else {
            name.to_vec()
        }
    };
    (stripped(old), stripped(new))
}

/// A path inside a repository. Leading `/`, `./` and `../` of plain diffs are dropped, since no name leads out.
pub(super) fn repository_path(name: &[u8], git: bool, line: usize) -> Result<RepoPath, PatchError> {
    let mut name = name;
    while let Some(rest) = [&b"/"[..], b"./", b"../"]
        .into_iter()
        .find_map(|lead| name.strip_prefix(lead))
    {
        if git {
            break;
        }
        name = rest;
    }
    let odd =
        |part: &[u8]| matches!(part, b"" | b"." | b"..") || part.eq_ignore_ascii_case(b".git");
    if name.contains(&0) || name.split(|&b| b == b'/').any(odd) {
        return Err(PatchError::Path {
            line,
            path: String::from_utf8_lossy(name).into_owned(),
        });
    }
    Ok(RepoPath::new(name))
}
