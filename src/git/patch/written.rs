//! What shells and terminals do to a patch on its way into a file.

use std::borrow::Cow;

use crate::decode::decode_text;

/// A patch as git writes it: PowerShell makes UTF-16 with other line ends of it, and `color.ui = always` colours it.
pub(crate) fn as_git_writes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let plain = match decode_text(bytes).filter(|_| is_wide) {
        Some(text) => Cow::Owned(without_returns(&text)),
        None => Cow::Borrowed(bytes),
    };
    if is_coloured(&plain) {
        Cow::Owned(without_colour(&plain))
    } else {
        plain
    }
}

fn without_returns(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines = text.split(|&b| b == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.collect::<Vec<_>>().join(&b'\n')
}

/// Whether the heads of the files are coloured: what stands in code alone is code.
fn is_coloured(patch: &[u8]) -> bool {
    let mut lines = patch.split(|&b| b == b'\n');
    let is_head = |line: &[u8]| without_colour(line).starts_with(b"diff --git ");
    lines.any(|line| line.starts_with(b"\x1b[") && is_head(line))
}

/// Without the sequences `ESC [ … m` and `ESC [ K` that git writes.
fn without_colour(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, more)) = rest.split_first() {
        let sequence = rest.strip_prefix(b"\x1b[").and_then(|inner| {
            let digits = inner
                .iter()
                .take_while(|b| b.is_ascii_digit() || **b == b';');
            let end = digits.count();
            matches!(inner.get(end), Some(b'm' | b'K')).then_some(&inner[end + 1..])
        });
        rest = match sequence {
            Some(behind) => behind,
            None => {
                out.push(first);
                more
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str =
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new \u{1b}[31m\n";

    #[test]
    fn a_patch_of_powershell_is_what_git_wrote() {
        let wide: Vec<u8> = std::iter::once(0xfeff)
            .chain(PATCH.replace('\n', "\r\n").encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(*as_git_writes(&wide), *PATCH.as_bytes());
    }

    #[test]
    fn colours_of_git_are_taken_off_and_those_of_the_code_are_not() {
        assert_eq!(*as_git_writes(PATCH.as_bytes()), *PATCH.as_bytes());
        let coloured =
            "\u{1b}[1mdiff --git a/a b/a\u{1b}[m\n\u{1b}[32m+\u{1b}[m\u{1b}[32mnew\u{1b}[m\n";
        assert_eq!(
            *as_git_writes(coloured.as_bytes()),
            *b"diff --git a/a b/a\n+new\n"
        );
    }
}
