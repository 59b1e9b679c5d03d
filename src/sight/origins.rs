//! What history says about removed lines: why they were there.

use std::collections::HashSet;

use council_protocol::RepoPath;

use super::candidates::ChangedFile;
use super::limits::{SearchLimits, Sight};
use super::shown::describe_lines;
use crate::git::{HistoryBounds, HistoryFindings, LineOrigin, WantedLines};
use crate::prompt::{ContextBlock, ContextBody, ContextKind, is_test_path, truncate_bytes};

/// Words of a message that tell why lines are as they are.
const TELLING: &[&str] = &[
    "bug",
    "revert",
    "regression",
    "race",
    "deadlock",
    "leak",
    "crash",
    "security",
    "cve",
    "overflow",
    "workaround",
    "because",
    "otherwise",
    "incident",
    "vulnerability",
    "corrupt",
    "corruption",
    "injection",
    "prevent",
    "avoid",
    "guard",
    "panic",
    "hang",
    "timeout",
    "closes",
    "resolves",
    "wrong",
    "broken",
    "outage",
];

/// What these words end with where they are bent: "crashes", "prevented", "avoiding".
const ENDINGS: [&str; 5] = ["", "s", "es", "ed", "ing"];

/// The forms of "fix", and what is written before it as one word: "bugfixes". Prefixes, suffixes and fixtures are none.
const FIX_FORMS: [&str; 6] = ["fix", "fixes", "fixed", "fixing", "fixup", "fixups"];
const FIX_KINDS: [&str; 4] = ["", "bug", "hot", "quick"];

/// The same in several words.
const TELLING_PHRASES: &[&[&str]] = &[
    &["work", "around"],
    &["works", "around"],
    &["worked", "around"],
    &["working", "around"],
    &["so", "that"],
    &["no", "longer"],
    &["must", "not"],
];

/// The same in other languages that commits are written in: beginnings of words, and words where no blanks part them.
const TELLING_ELSEWHERE: &[&str] = &[
    // German, Dutch
    "behebt",
    "behoben",
    "korrig",
    "fehler",
    "absturz",
    "verhindert",
    "vermeidet",
    "herstel",
    "voorkom",
    // French, Spanish, Portuguese, Italian
    "corrig",
    "correc",
    "corregi",
    "corrett",
    "correz",
    "bogue",
    "plantage",
    "évite",
    "empêche",
    "arregl",
    "evita",
    "fallo",
    "falha",
    "errore",
    // Polish, Russian, Ukrainian
    "napraw",
    "błąd",
    "исправ",
    "ошиб",
    "виправ",
    "помилк",
    // Chinese, Japanese, Korean
    "修复",
    "修復",
    "修正",
    "漏洞",
    "崩溃",
    "缺陷",
    "不具合",
    "バグ",
    "脆弱性",
    "수정",
    "버그",
    "오류",
];

/// Whether a message says more than what was done: a fix, a revert, the number of an issue.
pub(super) fn is_telling(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let has_word = words.iter().any(|word| tells_why(word));
    let has_phrase = words.windows(2).any(|pair| TELLING_PHRASES.contains(&pair));
    let bytes = message.as_bytes();
    let has_number = bytes
        .windows(2)
        .any(|pair| pair[0] == b'#' && pair[1].is_ascii_digit());
    has_word
        || has_phrase
        || has_number
        || names_ticket(message)
        || tells_elsewhere(&message.to_lowercase())
}

/// Whether a word in small letters is one that tells, in any of its forms.
fn tells_why(word: &str) -> bool {
    let mut stems = ENDINGS.iter().filter_map(|end| word.strip_suffix(end));
    let mut fixes = FIX_KINDS.iter().filter_map(|kind| word.strip_prefix(kind));
    stems.any(|stem| TELLING.contains(&stem)) || fixes.any(|form| FIX_FORMS.contains(&form))
}

fn tells_elsewhere(lower: &str) -> bool {
    let begins_word = |(at, _): (usize, &str)| !lower[..at].ends_with(char::is_alphabetic);
    let joins_words = |word: &str| word.chars().any(|c| c >= '\u{3000}');
    let mut words = TELLING_ELSEWHERE.iter();
    words.any(|word| {
        lower
            .match_indices(word)
            .any(|found| joins_words(word) || begins_word(found))
    })
}

/// The most removed lines whose origin is asked for.
const MAX_REMOVED: usize = 2_000;

/// The most bytes of one message.
const MAX_MESSAGE: usize = 800;

/// The most other files of a commit that are named.
const MAX_NAMED: usize = 6;

/// Follows the removed lines to the commits that brought them.
pub(super) fn walk_history(
    sight: &Sight,
    files: &[ChangedFile<'_>],
    limits: &SearchLimits,
) -> HistoryFindings {
    let Some(history) = &sight.history else {
        return HistoryFindings::default();
    };
    let mut left = MAX_REMOVED;
    let mut wanted = Vec::new();
    // A file without removed lines is asked for as well: what changes together with it is told.
    for file in files {
        let lines: Vec<u32> = file.removed.iter().copied().take(left).collect();
        left -= lines.len();
        let path = file.file.path_before().as_bytes().to_vec();
        wanted.push(WantedLines { path, lines });
    }
    let bounds = HistoryBounds {
        commits: limits.commits,
        together: limits.together,
        is_over: &|| limits.is_over(),
    };
    history.walk_back(&wanted, &bounds)
}

/// The commit that tells why lines are there: the one that brought them, or the merge that brought that one.
fn speaker(history: &HistoryFindings, origin: &LineOrigin) -> Option<usize> {
    let message = |index: usize| {
        history
            .commits
            .get(index)
            .map_or("", |commit| &commit.message)
    };
    if is_telling(message(origin.commit)) {
        return Some(origin.commit);
    }
    let mut merges = origin.merges.iter().copied();
    merges.find(|&merge| is_telling(without_branches(message(merge))))
}

/// A merge's message without what git itself writes about branches: their names tell no reason.
fn without_branches(message: &str) -> &str {
    let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
    let written = [
        "Merge branch",
        "Merge remote-tracking branch",
        "Merge tag",
        "Merge commit",
    ];
    match written.iter().any(|begin| subject.starts_with(begin)) {
        true => body,
        false => message,
    }
}

/// One block for each commit that brought removed lines and tells why; a commit of several files says it once.
/// `path_now` is the changed file that had a path before the change.
pub(super) fn origin_blocks(
    sight: &Sight,
    history: &HistoryFindings,
    path_now: &dyn Fn(&RepoPath) -> RepoPath,
) -> Vec<ContextBlock> {
    let mut blocks = Vec::new();
    for (index, commit) in history.commits.iter().enumerate() {
        let origins = history.origins.iter();
        let origins: Vec<&LineOrigin> = origins
            .filter(|origin| speaker(history, origin) == Some(index))
            .collect();
        let place = |origin: &&LineOrigin| {
            let path = RepoPath::new(origin.path.clone());
            (path, describe_lines(&origin.lines))
        };
        let places: Vec<(RepoPath, String)> = origins.iter().map(place).collect();
        let Some((path, lines)) = places.first() else {
            continue;
        };
        // First the secrets, then the length: what is left of one that is cut is known by nothing.
        let message = sight.shown_message(history, commit);
        let mut body = shorten_message(message.trim());
        for (path, lines) in places.iter().skip(1).take(MAX_NAMED) {
            body.push_str(&format!(
                "\n(it also brought {lines} of {})",
                path.display()
            ));
        }
        let known: HashSet<&[u8]> = places.iter().map(|(path, _)| path.as_bytes()).collect();
        let others = commit
            .paths
            .iter()
            .filter(|other| !known.contains(other.as_slice()));
        let others = others.map(|path| RepoPath::new(path.clone()).display().into_owned());
        if let Some(named) = name_files(others.collect()) {
            body.push_str(&format!("\n(the commit also touched {named})"));
        }
        let short = commit.id.get(..12).unwrap_or(&commit.id);
        let is_merge = origins.iter().all(|origin| origin.commit != index);
        let came = if is_merge {
            "were merged by"
        } else {
            "came with"
        };
        blocks.push(ContextBlock {
            kind: ContextKind::Origin,
            about: path_now(path),
            path: path.clone(),
            note: format!("removed {lines} (numbered as before the change) {came} commit {short}, whose message is"),
            body: ContextBody::Words(body),
        });
    }
    blocks
}

/// The files of a commit, its tests first, and how many more there are; none: there are none.
fn name_files(mut paths: Vec<String>) -> Option<String> {
    paths.sort_by_key(|path| !is_test_path(path));
    let more = paths.len().saturating_sub(MAX_NAMED);
    paths.truncate(MAX_NAMED);
    let named = paths.join(", ");
    match (paths.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named),
        (false, more) => Some(format!("{named} and {more} more")),
    }
}

/// A message within its bytes: its beginning and its end, where people write what must not be forgotten. What is left out
/// between them is said.
fn shorten_message(message: &str) -> String {
    if message.len() <= MAX_MESSAGE {
        return message.to_owned();
    }
    let head = truncate_bytes(message, MAX_MESSAGE * 5 / 8);
    let head = head.rsplit_once('\n').map_or(head, |(whole, _)| whole);
    let start = message.ceil_char_boundary(message.len() - MAX_MESSAGE * 3 / 8);
    let tail = &message[start.max(head.len())..];
    // Half a line at its beginning would be read as a whole one.
    let tail = tail.split_once('\n').map_or(tail, |(_, whole)| whole);
    let left_out = message.len() - head.len() - tail.len();
    format!("{head}\n[… {left_out} bytes of the message are left out …]\n{tail}")
}

/// Standards that look like tickets.
const STANDARDS: &[&str] = &["UTF", "SHA", "ISO", "RFC", "AES", "HTTP", "TLS", "BASE"];

/// `ABC-123`.
fn names_ticket(message: &str) -> bool {
    message
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .any(|word| {
            word.split_once('-').is_some_and(|(project, number)| {
                project.len() >= 2
                    && !STANDARDS.contains(&project)
                    && project.bytes().all(|b| b.is_ascii_uppercase())
                    && !number.is_empty()
                    && number.bytes().all(|b| b.is_ascii_digit())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_in_other_languages_too() {
        for telling in [
            "修复空指针崩溃",
            "バグ修正: None で落ちる",
            "Corrige le plantage sur None",
            "Behebt den Absturz",
            "Исправлена ошибка",
        ] {
            assert!(is_telling(telling), "{telling}");
        }
        for plain in [
            "Renommer le module",
            "新しい関数を追加",
            "Neue Seite",
            "prefix the name",
            "incorrigible",
        ] {
            assert!(!is_telling(plain), "{plain}");
        }
    }

    proptest::proptest! {
        /// However "fix" is bent, joined and written, it tells; a word that only has it in it tells nothing.
        #[test]
        fn every_form_of_a_fix_tells(
            kind in "(bug|hot|quick)?[-_ ]?",
            form in "(fix(e[sd]|ing|up)?|FIX|Fix)",
            before in "((SHOP|shop)/|\\[)?",
            after in "(:|\\]|\\(core\\):|!)? [a-e ]{0,12}",
            other in "(pre|suf|af|in|post|cruci|trans)(fix|fixes|fixed)|fixtures?|fixation|fixpoint|debugger|hotel",
        ) {
            let message = format!("{before}{kind}{form}{after}");
            proptest::prop_assert!(is_telling(&message), "{}", message);
            let capital = message.to_uppercase();
            proptest::prop_assert!(is_telling(&capital), "{}", capital);
            let plain = format!("{before}{other}{after}");
            proptest::prop_assert!(!is_telling(&plain), "{}", plain);
        }

        /// Of a long message the first and the last line are shown, what is missing is said, and it stays within bounds.
        #[test]
        fn a_long_message_keeps_both_of_its_ends(lines in proptest::collection::vec("[a-zé ]{1,60}", 1..120)) {
            let message = lines.join("\n");
            let shown = shorten_message(message.trim());
            proptest::prop_assert!(shown.len() <= MAX_MESSAGE + 80, "{}", shown.len());
            let is_whole = shown == message.trim();
            proptest::prop_assert_eq!(is_whole, message.trim().len() <= MAX_MESSAGE);
            proptest::prop_assert_eq!(shown.contains("are left out"), !is_whole);
            let last = message.trim().lines().next_back().unwrap_or_default();
            proptest::prop_assert!(shown.ends_with(last), "{}", shown);
        }

        /// A test that came with a fix is named before other files, and what is not named is counted.
        #[test]
        fn tests_are_named_first_and_the_rest_is_counted(code in 0usize..12, tests in 0usize..4) {
            let mut paths: Vec<String> = (0..code).map(|n| format!("a{n}.py")).collect();
            paths.extend((0..tests).map(|n| format!("tests/test_{n}.py")));
            let named = name_files(paths).unwrap_or_default();
            proptest::prop_assert_eq!(named.matches("tests/test_").count(), tests);
            let more = (code + tests).saturating_sub(MAX_NAMED);
            proptest::prop_assert_eq!(named.ends_with(&format!(" and {more} more")), more > 0);
        }
    }

    #[test]
    fn messages_that_tell_why_are_told_from_those_that_tell_what() {
        for message in [
            "Fix double free",
            "x (#123)",
            "ABC-12: y",
            "Revert \"z\"",
            "avoid a race",
            "Work around None from the API",
            "Worked  around\nan old server",
            "Ask twice, because the API is slow",
            "The cache no longer grows",
            "bugfix: empty list",
            "Bugfix for empty list",
            "Bugfixes in mean",
            "fixup! mean of nothing",
        ] {
            assert!(is_telling(message), "{message}");
        }
        for message in [
            "Add pool",
            "prefix the names",
            "UTF-8 names are read",
            "bump a-1",
            "work on the list around it",
            "A fixture for the suffix",
            "wip",
        ] {
            assert!(!is_telling(message), "{message}");
        }
    }
}
