//! Where a claimed problem is, in the many ways in which people write a place.

use council_protocol::{Location, RepoPath};

/// A path and the number of a line, however far they stand apart: "line 5 of a.py", "`a.py@5`". Where the code itself is
/// quoted, the path is enough: it is searched in the file.
pub(super) fn find_path_and_line(text: &str, is_quoted: bool) -> Option<Location> {
    let tokens = || {
        let around = |c: char| c.is_whitespace() || "`()[]{}<>|,;*\"'—–".contains(c);
        text.split(around).filter(|token| !token.is_empty())
    };
    let path = |token: &str| {
        let path = token
            .split(['@', ':', '#'])
            .next()
            .unwrap_or(token)
            .trim_end_matches('.');
        let (name, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        let is_ending = !ending.is_empty()
            && ending.len() <= 8
            && ending.bytes().all(|b| b.is_ascii_alphanumeric());
        let is_file = is_ending && !name.is_empty() && !ending.bytes().all(|b| b.is_ascii_digit());
        is_file.then(|| path.to_owned())
    };
    let path = tokens().find_map(path)?;
    let number = |token: &str| {
        let digits = token.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        digits[..end].parse::<u32>().ok().filter(|line| *line > 0)
    };
    let beside = tokens()
        .find(|token| token.starts_with(&path))
        .and_then(|token| number(&token[path.len()..]));
    let words: Vec<&str> = tokens().collect();
    let is_line = |word: &str| {
        matches!(
            word.trim_end_matches(['.', ':']).to_lowercase().as_str(),
            "line" | "lines" | "l"
        )
    };
    let named = words
        .windows(2)
        .filter(|pair| is_line(pair[0]))
        .find_map(|pair| number(pair[1]));
    let behind = words
        .windows(2)
        .filter(|pair| pair[0].starts_with(&path) && pair[0].ends_with([':', '@', '#']));
    let behind = behind.into_iter().find_map(|pair| number(pair[1]));
    let line = beside.or(behind).or(named).or(is_quoted.then_some(1))?;
    Some(Location {
        path: RepoPath::from(path.as_str()),
        line,
        end_line: None,
    })
}

/// The first place in a text: `path:3`, `path:3-5`, `path:3:9`, `path:L3`, `path#L3`, `path(3)`, `path line 3`; in
/// backticks, as a link, or bare.
pub(super) fn find_location(text: &str) -> Option<Location> {
    if let Some(label) = link_label(text)
        && let Some(place) = find_location(label)
    {
        return Some(place);
    }
    let in_ticks = text
        .split('`')
        .skip(1)
        .step_by(2)
        .find_map(|word| parse_place(word, true));
    let bare = || {
        let words = text.split_whitespace();
        let words = words.map(|word| {
            let bare = word.trim_matches(|c: char| "`[]{},;*_\"'".contains(c));
            // `path(3)` ends with a bracket of its own.
            let is_counted = parse_place(bare, false).is_some();
            if is_counted {
                bare
            } else {
                bare.trim_matches(|c: char| "`()[]{},;*_\"'".contains(c))
            }
        });
        words
            .map(|word| word.trim_end_matches([':', '.']))
            .find_map(|word| parse_place(word, false))
    };
    in_ticks.or_else(bare).or_else(|| find_spelled_line(text))
}

/// The label of a link, where a text begins with one: `[a.py:5](a.py#L5)`.
fn link_label(text: &str) -> Option<&str> {
    let at = text.find("](")?;
    let open = text[..at].rfind('[')?;
    Some(&text[open + 1..at])
}

/// `path` and the text of its lines, in the spellings of editors, compilers and forges.
fn split_lines(word: &str) -> Option<(&str, &str)> {
    if let Some(named) = word.rsplit_once("#L") {
        return Some(named);
    }
    if let Some(inner) = word.strip_suffix(')') {
        return inner.rsplit_once('(');
    }
    let (path, last) = word.rsplit_once(':')?;
    // `path:3:9` is line 3, column 9.
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match path.rsplit_once(':') {
        Some((path, line)) if is_number(line) && is_number(last) => Some((path, line)),
        _ => Some((path, last)),
    }
}

pub(super) fn parse_place(word: &str, in_ticks: bool) -> Option<Location> {
    let (path, lines) = split_lines(word)?;
    let mut numbers = lines
        .split(['-', '–'])
        .map(|n| n.trim_start_matches('L').parse::<u32>());
    let line = numbers.next()?.ok()?;
    let end_line = numbers
        .next()
        .and_then(Result::ok)
        .filter(|end| *end > line);
    let is_plain = path.starts_with(|c: char| c.is_alphanumeric() || "./_".contains(c))
        && !path.contains(char::is_whitespace);
    let is_named = path.contains(['.', '/']) && !path.ends_with(['.', '/']);
    let is_word = in_ticks
        && path.len() > 1
        && path
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let like_path = !path.contains("://") && (in_ticks || is_plain);
    let is_file = is_named || is_word;
    (like_path && is_file && line > 0).then(|| Location {
        path: RepoPath::from(path),
        line,
        end_line,
    })
}

/// `` `src/a.rs` line 3 ``, `` `src/a.rs`, lines 3-5 `` or `src/a.rs L3`.
fn find_spelled_line(text: &str) -> Option<Location> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| "`()[],;:*_.".contains(c)))
        .collect();
    let is_spelled = |word: &&str| matches!(word.to_ascii_lowercase().as_str(), "line" | "lines");
    let is_short = |word: &&str| {
        let digits = word.strip_prefix('L').unwrap_or_default();
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let at = words
        .iter()
        .position(|word| is_spelled(word) || is_short(word))?;
    let numbers = match is_short(&words[at]) {
        true => words[at],
        false => words.get(at + 1)?,
    };
    let path = words[..at]
        .last()
        .filter(|word| word.contains(['.', '/']))?;
    parse_place(&format!("{path}:{numbers}"), true)
}
