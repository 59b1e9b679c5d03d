//! `lockfile-tampering`: a locked dependency of the same version that comes from elsewhere, or is another one.

use council_protocol::LineKind;
use council_protocol::change::Line;

use super::prelude::*;
use crate::locked::{self, HASH, INTEGRITY, LockedFacts, RESOLVED, SOURCE};
use crate::named_source::{NamedSources, repository_of};
use crate::rule::RuleHit;
use crate::sister_host::is_same_place;
use crate::view::clip_start;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "lockfile-tampering",
        perspective: SECURITY,
        category: "supply-chain",
        severity: Significant,
        summary: "a locked dependency whose source or checksum changes while its version stays",
        why: "A published version never changes: another checksum means other code, another host means another \
              publisher. Nobody reads lockfiles line by line, so malicious code is easy to hide there.\n\
              It is a note where the `Cargo.toml` of the same change names the new repository, or where another host \
              of the same domain offers a file whose checksum stays.",
        fix: "Regenerate the lockfile from the manifest and compare; find out why the entry changed.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Code,
    languages: &[],
    claims: &["lockfile", "integrity", "checksum", "resolved"],
    check: RuleCheck::File(check_file),
};

pattern!(
    /// As npm, the first yarn and cargo write them. The checksums of later yarns are of its own archives, and change with
    /// its settings.
    PAIR,
    r#"^\s*"?(resolved|integrity|checksum)"?(?:\s*=\s*|:\s*|\s+)"?((?:https?://|sha\d)[^"\s,]*|[0-9a-f]{64})"#
);

/// The lockfiles in which a version stands beside its source and its checksum.
const LOCKFILES: [&str; 4] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "Cargo.lock",
];

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.is_text() {
        return;
    }
    let read = |text| locked::read_lockfile(file.file_name(), text);
    match (file.text_before().map(read), file.text_after()) {
        // Lines do not matter where both sides can be read: a change may lay the file out anew.
        (Some(Some(before)), Some(text)) => {
            let after = read(text).unwrap_or_default();
            hits.0.extend(find_swap(file, &(before, after), text));
        }
        _ => check_hunks(file, hits),
    }
}

/// The first fact that differs though the version is the same, and none that is a note where there is a worse one. One
/// is enough: a registry that moves is one event, however many entries it touches.
fn find_swap(
    file: &FileView<'_>,
    (before, after): &(LockedFacts, LockedFacts),
    text: &str,
) -> Option<RuleHit> {
    let named = NamedSources::of_change(file);
    let swaps = after.iter().flat_map(|(key, values)| {
        let old = before.get(key).map_or(&[][..], Vec::as_slice);
        let gone = || old.iter().filter(|value| !values.contains(value));
        let is_new = |value: &&String| !old.contains(value);
        let swapped = values.iter().filter(is_new).filter_map(move |value| {
            let mut was = gone()
                .filter(|old| is_swapped(key.2, old, value))
                .peekable();
            was.peek()?;
            let is_known = |old: &String| is_sister(key, old, value, before, after);
            Some((key, value, was.any(is_known)))
        });
        swapped.collect::<Vec<_>>()
    });
    let swaps = swaps.filter_map(|(key, value, is_sister)| {
        let is_explained = is_sister || named.name(key, value);
        Some((is_explained, text.find(value.as_str())?, key.2))
    });
    let lost = find_lost(before, after, text).map(|(at, what)| (false, at, what));
    let (is_explained, at, what) = swaps.chain(lost).min()?;
    let number = u32::try_from(text[..at].matches('\n').count()).ok()? + 1;
    let described = format!("`{what}` of a dependency changes, but its version does not.");
    let hit = match file.added_lines().find(|line| line.number() == number) {
        Some(line) => line.line_hit(described),
        None => RuleHit {
            line: number,
            quote: clip_start(text.lines().nth(number as usize - 1)?.trim()).to_owned(),
            ..file.file_hit(described)
        },
    };
    Some(if is_explained {
        hit.with_severity(Minor)
    } else {
        hit
    })
}

/// Whether another host of the same owner offers the same file: what its checksum says cannot be replaced.
fn is_sister(
    (package, version, kind): &(String, String, &'static str),
    old: &str,
    new: &str,
    before: &LockedFacts,
    after: &LockedFacts,
) -> bool {
    let key = (package.clone(), version.clone(), INTEGRITY);
    let stays = match (before.get(&key), after.get(&key)) {
        (Some(old), Some(new)) => old == new && new.iter().all(|sum| is_strong(sum)),
        _ => false,
    };
    *kind == RESOLVED && stays && is_same_place(old, new)
}

/// Whether nobody can make another file with this checksum.
fn is_strong(checksum: &str) -> bool {
    strength(kind_of(checksum)).is_some_and(|bits| bits >= 256)
}

/// The name of a checksum's kind.
fn kind_of(checksum: &str) -> &str {
    let end = checksum.find(['-', ':', '=', '/']).unwrap_or_default();
    &checksum[..end]
}

/// Where a dependency stands that has its version and its source still, and its checksum no more.
fn find_lost(
    before: &LockedFacts,
    after: &LockedFacts,
    text: &str,
) -> Option<(usize, &'static str)> {
    let lost = before.keys().find_map(|(package, version, kind)| {
        let is_lost = |kind: &str| kind == INTEGRITY;
        let key = |kind| (package.clone(), version.clone(), kind);
        let stays = after.get(&key(RESOLVED))?.first()?;
        (is_lost(kind) && !after.contains_key(&key(INTEGRITY))).then_some(stays)
    })?;
    Some((text.find(lost.as_str())?, INTEGRITY))
}

/// The same for a patch, of which only hunks are known.
fn check_hunks(file: &FileView<'_>, hits: &mut HitList) {
    let later_yarn = |line: &Line<'_>| line.text.starts_with("  checksum: ");
    if !LOCKFILES.contains(&file.file_name()) || file.lines.iter().any(later_yarn) {
        return;
    }
    let mut header: Option<&Line<'_>> = None;
    for entry in file.lines.split_inclusive(|line| is_border(line.text)) {
        // Where the line that names the dependency has changed too, another one stands here now.
        let named = header.is_some_and(|line| line.kind == LineKind::Context);
        header = entry.last();
        if !named {
            continue;
        }
        let inside = |line: &&Line<'_>| line.kind != LineKind::Context && !is_border(line.text);
        let changed = || entry.iter().filter(inside);
        // Another line has changed with it: a version, a name, a whole entry.
        if !changed().all(|line| PAIR.is_match(line.text)) {
            continue;
        }
        let of = |kind| {
            let lines = entry.iter().filter(move |line| line.kind == kind);
            lines.filter_map(|line| Some((line, PAIR.captures(line.text)?)))
        };
        let swapped = of(LineKind::Added).find_map(|(line, new)| {
            let (_, old) = of(LineKind::Removed).find(|(_, old)| old[1] == new[1])?;
            is_swapped(&new[1], &old[2], &new[2]).then(|| (line, new[1].to_owned()))
        });
        if let Some((line, what)) = swapped {
            // One is enough: a registry that moves is one event, however many entries it touches.
            report_swap(file, line, &what, hits);
            return;
        }
    }
}

/// Whether a line stands between two dependencies.
fn is_border(text: &str) -> bool {
    let yarn = text.ends_with(':') && !text.starts_with([' ', '\t']);
    let text = text.trim();
    text.is_empty()
        || text.ends_with('{')
        || text.starts_with('}')
        || text.starts_with("[[")
        || yarn
}

/// Whether the value stands for another program: a checksum of the same kind that differs or of a weaker one, another host,
/// or another package of the same host. Newer package managers write stronger checksums for the same version, and `https`
/// for `http`.
fn is_swapped(key: &str, old: &str, new: &str) -> bool {
    match key {
        RESOLVED if !new.starts_with("http") || !old.starts_with("http") => false,
        RESOLVED if host_of(old) != host_of(new) => !PUBLIC_HOSTS.contains(&host_of(new)),
        RESOLVED => {
            matches!((package_of(old), package_of(new)), (Some(old), Some(new)) if old != new)
        }
        SOURCE => repository_of(old) != repository_of(new) && !is_public(new),
        INTEGRITY | HASH => {
            let (before, after) = (kind_of(old), kind_of(new));
            (before == after && old != new) || strength(after) < strength(before)
        }
        _ => old != new,
    }
}

/// How hard it is to make another program with the same checksum.
fn strength(kind: &str) -> Option<u32> {
    kind.strip_prefix("sha").and_then(|bits| bits.parse().ok())
}

/// The package and the archive of an address in npm's form.
fn package_of(url: &str) -> Option<(&str, &str)> {
    let path = url.split(['#', '?']).next().unwrap_or(url);
    let (before, archive) = path.split_once("/-/")?;
    let package = before.rsplit('/').next().unwrap_or(before);
    Some((package, archive.rsplit('/').next().unwrap_or(archive)))
}

/// Whether a source is the public registry of its language, in one of its names.
fn is_public(source: &str) -> bool {
    const PUBLIC: [&str; 6] = [
        "github.com/rust-lang/crates.io-index",
        "index.crates.io",
        "pypi.org/simple",
        "rubygems.org",
        "index.rubygems.org",
        "repo.packagist.org",
    ];
    PUBLIC.contains(&repository_of(source))
}

/// Names of the one public registry of npm, what stands for it where none is named, and that of PyPI's files.
const PUBLIC_HOSTS: [&str; 5] = [
    "(default)",
    "files.pythonhosted.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "registry.npmjs.com",
];

fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

fn report_swap(file: &FileView<'_>, line: &Line<'_>, what: &str, hits: &mut HitList) {
    let number = line.new_no.unwrap_or_default();
    if let Some(view) = file.added_lines().find(|view| view.number() == number) {
        hits.push(view.line_hit(format!(
            "`{what}` of a dependency changes, but its version does not."
        )));
    }
}
