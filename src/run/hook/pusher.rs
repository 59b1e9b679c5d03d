//! The `git push` that a hook belongs to, where its words can be read: a hook manager may not hand on what git says.

use std::os::unix::process::parent_id;

/// So many processes above this one are looked at: a manager, its shells, git.
const MAX_PARENTS: usize = 16;

/// What the push above this process sends, where that is one ref: a name, empty for a deletion, or `HEAD` where none is named.
/// None: it may send several, or its words cannot be read.
pub(crate) fn pushed_source(setting: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut process = parent_id();
    for _ in 0..MAX_PARENTS {
        let words = words_of(process);
        if let Some(words) = words.as_deref().and_then(push_words) {
            return one_source(words, setting);
        }
        match parent_of(process) {
            Some(parent) if parent > 1 => process = parent,
            _ => break,
        }
    }
    None
}

/// The words of a process's command, as Linux tells them.
fn words_of(process: u32) -> Option<Vec<String>> {
    let bytes = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(
        text.trim_end_matches('\0')
            .split('\0')
            .map(str::to_owned)
            .collect(),
    )
}

fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in parentheses, and may hold anything.
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}

/// The words behind `git push`, where that is all that the command says: an option before them may set anything.
fn push_words(words: &[String]) -> Option<&[String]> {
    let (program, rest) = words.split_first()?;
    let is_git = program.rsplit('/').next() == Some("git");
    let (first, rest) = rest.split_first().filter(|_| is_git)?;
    (first == "push").then_some(rest)
}

/// Options that send more than what is named.
const SENDS_MORE: [&str; 7] = [
    "--all",
    "--branches",
    "--mirror",
    "--tags",
    "--follow-tags",
    "--prune",
    "--stdin",
];

/// Options whose value may be the next word, which is then no ref.
const TAKES_VALUE: [&str; 4] = ["--push-option", "--receive-pack", "--exec", "--repo"];

fn may_take_next_word(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => !long.is_empty() && TAKES_VALUE.iter().any(|option| option.starts_with(word)),
        // `-o`, also behind other letters.
        None => word.starts_with('-') && word.contains('o'),
    }
}

fn one_source(words: &[String], setting: impl Fn(&str) -> Option<String>) -> Option<String> {
    let is_wide = |word: &&String| {
        let option = word.split('=').next().unwrap_or_default();
        SENDS_MORE
            .iter()
            .any(|more| option.len() > 3 && more.starts_with(option))
    };
    let is_unclear = words.iter().any(|word| may_take_next_word(word));
    if is_unclear || words.iter().any(|word| is_wide(&word)) || is_set(&setting, "push.followTags")
    {
        return None;
    }
    let named: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    match named[..] {
        [_, refspec] => {
            let refspec = refspec.strip_prefix('+').unwrap_or(refspec);
            let source = refspec.split(':').next().unwrap_or_default();
            (refspec != ":" && !refspec.contains('*')).then(|| source.to_owned())
        }
        [] | [_] => {
            let remote = named.first().map_or("origin", |name| name.as_str());
            let keys = ["push", "mirror"].map(|key| format!("remote.{remote}.{key}"));
            let matching = setting("push.default").is_some_and(|value| value == "matching");
            let default = setting("remote.pushDefault").is_some() && named.is_empty();
            let is_plain = !matching && !default && keys.iter().all(|key| setting(key).is_none());
            is_plain.then(|| "HEAD".to_owned())
        }
        _ => None,
    }
}

fn is_set(setting: impl Fn(&str) -> Option<String>, key: &str) -> bool {
    setting(key).is_some_and(|value| value != "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(command: &str, settings: &[(&str, &str)]) -> Option<String> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let setting = |key: &str| {
            let mut known = settings.iter().filter(|(name, _)| *name == key);
            known.next().map(|(_, value)| (*value).to_owned())
        };
        push_words(&words).and_then(|words| one_source(words, setting))
    }

    #[test]
    fn only_a_push_that_can_send_no_second_ref_names_one() {
        for (one, sent) in [
            ("git push", "HEAD"),
            ("git push origin", "HEAD"),
            ("git push -q origin main", "main"),
            (
                "/usr/bin/git push --force-with-lease origin HEAD:refs/heads/x",
                "HEAD",
            ),
            ("git push -u origin +main:x", "main"),
            ("git push --no-tags origin :gone", ""),
            ("git push --push-option=ci.skip origin main", "main"),
        ] {
            assert_eq!(source(one, &[]).as_deref(), Some(sent), "{one}");
        }
        for several in [
            "git push --all",
            "git push --al",
            "git push origin a b",
            "git push --tags origin main",
            "git push --mirror=x",
            "git push origin :",
            "git push origin +:",
            "git push -o origin main",
            "git push -qo origin main",
            "git push --repo origin main",
            "git push --rep origin main",
            "git push origin refs/heads/*:refs/heads/*",
            "git push -o ci.skip origin main",
            "git -c push.default=matching push",
            "git p",
            "vim push",
        ] {
            assert_eq!(source(several, &[]), None, "{several}");
        }
        for (key, value) in [
            ("push.default", "matching"),
            ("push.followTags", "true"),
            ("remote.origin.push", "refs/heads/*"),
            ("remote.origin.mirror", "true"),
            ("remote.pushDefault", "other"),
        ] {
            assert_eq!(source("git push", &[(key, value)]), None, "{key}");
        }
    }
}
