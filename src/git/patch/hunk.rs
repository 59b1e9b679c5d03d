//! Hunks of a patch.

use council_protocol::Hunk;

use super::error::PatchError;
use super::lines::PatchLines;

/// No file has more lines than this; line numbers stay well inside 32 bits.
const MAX_LINE: u32 = 1 << 30;

/// Reads the hunks of one file. `strip_cr`: the patch as a whole came with carriage returns, which are not the file's.
pub(super) fn read_hunks(
    lines: &mut PatchLines<'_>,
    strip_cr: bool,
) -> Result<(Vec<Hunk>, bool), PatchError> {
    let (mut hunks, mut lossy) = (Vec::<Hunk>::new(), false);
    while lines.peek().is_some_and(|line| line.starts_with(b"@@ -")) {
        let number = lines.next_number();
        let (hunk, lost) = read_hunk(lines, strip_cr)?;
        let ordered = hunks.last().is_none_or(|last| {
            last.old_start + last.old_lines <= hunk.old_start + u32::from(hunk.old_lines == 0)
                && last.new_start + last.new_lines
                    <= hunk.new_start + u32::from(hunk.new_lines == 0)
        });
        if !ordered {
            return Err(PatchError::Disorder { line: number });
        }
        lossy |= lost;
        hunks.push(hunk);
    }
    Ok((hunks, lossy))
}

fn read_hunk(lines: &mut PatchLines<'_>, strip_cr: bool) -> Result<(Hunk, bool), PatchError> {
    let number = lines.next_number();
    let header = lines.next().unwrap_or_default();
    let (old, new, section) = parse_header(header).ok_or(PatchError::Malformed {
        line: number,
        what: "a hunk's header",
    })?;
    let mut body = Vec::new();
    let (mut old_left, mut new_left) = (old.1, new.1);
    while old_left > 0 || new_left > 0 {
        let at = lines.next_number();
        let Some(line) = lines.next() else {
            return Err(PatchError::Truncated {
                line: at - 1,
                what: "a hunk",
            });
        };
        // What stands behind a line without an end is not known: `git apply` refuses it as well.
        if lines.is_cut() {
            return Err(PatchError::Truncated {
                line: at,
                what: "a line",
            });
        }
        let line = if strip_cr {
            line.strip_suffix(b"\r").unwrap_or(line)
        } else {
            line
        };
        let (from_old, from_new) = match line.first() {
            // An empty line is a context line whose space was trimmed on the way.
            Some(b' ') | None => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') if !body.is_empty() => (0, 0),
            _ => {
                return Err(PatchError::Count {
                    line: at,
                    found: "fewer",
                });
            }
        };
        let counted = old_left
            .checked_sub(from_old)
            .zip(new_left.checked_sub(from_new));
        (old_left, new_left) = counted.ok_or(PatchError::Count {
            line: at,
            found: "more",
        })?;
        push_line(&mut body, line);
    }
    if let Some(line) = lines.peek().filter(|line| line.starts_with(b"\\")) {
        push_line(&mut body, line.strip_suffix(b"\r").unwrap_or(line));
        lines.next();
    }
    refuse_extra_lines(lines)?;
    let (body, lossy) = decode_text(body);
    let section = String::from_utf8_lossy(section).into_owned();
    Ok((
        Hunk {
            old_start: old.0,
            old_lines: old.1,
            new_start: new.0,
            new_lines: new.1,
            section,
            body,
        },
        lossy,
    ))
}

fn push_line(body: &mut Vec<u8>, line: &[u8]) {
    match line {
        b"" => body.push(b' '),
        // git's own words, whatever the language of the one who made the patch.
        [b'\\', ..] => body.extend_from_slice(b"\\ No newline at end of file"),
        line => body.extend_from_slice(line),
    }
    body.push(b'\n');
}

/// Behind the last line that the header counted, no further line of a hunk may stand. The signature of a mail (`-- `)
/// and the header of the next file (`--- `) look like removed lines.
fn refuse_extra_lines(lines: &PatchLines<'_>) -> Result<(), PatchError> {
    let more = match lines.peek() {
        Some([b'+' | b' ', ..]) => true,
        Some(line @ [b'-', ..]) => {
            !matches!(line.trim_ascii_end(), b"--") && !line.starts_with(b"--- ")
        }
        _ => false,
    };
    if more {
        Err(PatchError::Count {
            line: lines.next_number(),
            found: "more",
        })
    } else {
        Ok(())
    }
}

fn decode_text(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

type LineRange = (u32, u32);

/// `@@ -1,2 +3,4 @@ section`; a count of one may be left out.
fn parse_header(line: &[u8]) -> Option<(LineRange, LineRange, &[u8])> {
    let rest = line.strip_prefix(b"@@ -")?;
    let end = rest.windows(3).position(|three| three == b" @@")?;
    let (spans, section) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 3..]);
    let (old, new) = spans.split_once(" +")?;
    let section = section
        .strip_prefix(b" ")
        .unwrap_or(section)
        .trim_ascii_end();
    let (old, new) = (parse_range(old)?, parse_range(new)?);
    (old.1 > 0 || new.1 > 0).then_some((old, new, section))
}

fn parse_range(text: &str) -> Option<LineRange> {
    let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
    let number = |text: &str| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u32>().ok().filter(|&n| digits && n < MAX_LINE)
    };
    let (start, lines) = (number(start)?, number(lines)?);
    (start > 0 || lines == 0).then_some((start, lines))
}
