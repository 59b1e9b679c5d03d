//! Files beside a change, read for the secrets that they hold: what is said in its history may repeat them.

use council_protocol::change::EntryKind;
use council_protocol::{BlobSource, RepoPath, Side};
use council_secrets::FileTexts;

use crate::git::RangeTexts;

/// How many files are read, and how many bytes of one and of all: a review must not wait for the whole of a large tree.
const MAX_FILES: usize = 2_000;
const MAX_FILE_BYTES: usize = 256 << 10;
const MAX_BYTES: usize = 4 << 20;

/// What files are called in which people keep passwords, or a part of that.
const USUAL_NAMES: [&str; 16] = [
    "env",
    "secret",
    "cred",
    "conf",
    "cfg",
    "settings",
    "properties",
    "pass",
    "auth",
    "token",
    "application",
    "database",
    "compose",
    "values",
    "vars",
    "rc",
];

/// The texts of the reviewed tree, within bounds: files of usual names first, then those nearest to the top.
pub(crate) fn texts_beside(blobs: &dyn BlobSource) -> FileTexts {
    let entries = blobs.entries(Side::New).ok().flatten();
    let entries = entries.unwrap_or_default().into_iter();
    let files = entries.filter(|entry| entry.kind == EntryKind::File);
    let mut paths: Vec<RepoPath> = files.map(|entry| entry.path).collect();
    paths.sort_by_cached_key(|path| (!has_usual_name(path), depth(path), path.clone()));
    let mut left = MAX_BYTES;
    let texts = paths.iter().take(MAX_FILES).filter_map(|path| {
        let text = read_text(blobs, path).filter(|text| text.len() <= left)?;
        left -= text.len();
        Some((path.display().into_owned(), text))
    });
    texts.collect()
}

/// The texts that files of a range held after one of its commits.
pub(crate) fn texts_between(range: &RangeTexts) -> FileTexts {
    let texts = range.read().into_iter();
    let texts = texts.map(|(path, text)| {
        let path = RepoPath::new(path).display().into_owned();
        (path, String::from_utf8_lossy(&text).into_owned())
    });
    texts.collect()
}

fn has_usual_name(path: &RepoPath) -> bool {
    let name = path.display().to_ascii_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    USUAL_NAMES.iter().any(|usual| name.contains(usual))
}

fn depth(path: &RepoPath) -> usize {
    path.as_bytes().iter().filter(|&&b| b == b'/').count()
}

/// None: it is no text, too large, or cannot be read.
fn read_text(blobs: &dyn BlobSource, path: &RepoPath) -> Option<String> {
    let bytes = blobs.read(Side::New, path).ok().flatten()?;
    let is_text = bytes.len() <= MAX_FILE_BYTES && !bytes.contains(&0);
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use council_agents::tools::{CodeTools as _, LineRange, QueryBounds, ToolQuery};
    use council_protocol::Packet;
    use council_secrets::Redactor;
    use proptest::prelude::*;

    use super::*;
    use crate::council::plan::RunSeed;
    use crate::git::ReviewedChange;
    use crate::git::testing::Repo;
    use crate::lookup::CodeLookup;
    use crate::prompt::{
        BriefClass, ChangeContext, PromptBuilder, redact_source, redactor_knowing,
    };
    use crate::sight::tests::corpus::{prepare, write_commit};
    use crate::sight::{SearchLimits, Sight, gather_context};

    /// Files that hold a value in each form that a file view hides.
    const HOLDERS: [(&str, &str); 11] = [
        (
            "settings.py",
            "def sign_in():\n    password = \"@\"\n    return password\n",
        ),
        ("config/database.yml", "production:\n  password: @\n"),
        (".env", "DB_PASSWORD=@\n"),
        ("app.json", "{\n  \"apiToken\": \"@\"\n}\n"),
        ("application.properties", "spring.datasource.password=@\n"),
        ("db.py", "URL = \"postgres://app:@@db/prod\"\n"),
        (
            "docker-compose.yml",
            "services:\n  db:\n    environment:\n      - MYSQL_ROOT_PASSWORD=@\n",
        ),
        (
            "deploy/secret.yaml",
            "apiVersion: v1\nkind: Secret\nstringData:\n  password: @\n",
        ),
        (
            "deploy.sh",
            "curl -H \"Authorization: Bearer @\" https://h.example\n",
        ),
        ("client.js", "const clientSecret = '@';\n"),
        (".netrc", "machine h.example login app password @\n"),
    ];

    const MESSAGES: [&str; 5] = [
        "fix: set the database password to @ again, #12",
        "fix: login failed, use password = @ on staging",
        "fix #7: the new DB password is \"@\"",
        "fix: wrong credentials (see #4)\n\nThe server expects @.",
        "fix: `@` was refused",
    ];

    const CODE: &str = "import os\nHOST = \"db\"\ndef connect():\n    return open_db(HOST)\n";

    /// When the file gets its value.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Moment {
        /// With the message that repeats it.
        WithMessage,
        /// Long before the message, which does not touch it.
        Before,
        /// With the message, and a later commit changes it.
        ChangedSince,
        /// The commit of the message takes it away.
        TakenAway,
    }

    /// A repository whose last commit removes what the message tells about, and does not touch the file.
    fn repository((path, form): (&str, &str), value: &str, message: &str, moment: Moment) -> Repo {
        let holder = |value: &str| (path.to_owned(), written(form, value));
        let code = |end: &str| {
            let text = CODE.replace("(HOST)", &format!("(HOST{end})"));
            ("conf.py".to_owned(), text)
        };
        let is_before = matches!(moment, Moment::Before | Moment::TakenAway);
        let first = if is_before { value } else { "x" };
        let then = match moment {
            Moment::WithMessage | Moment::ChangedSince => vec![holder(value)],
            Moment::TakenAway => vec![holder("x")],
            Moment::Before => Vec::new(),
        };
        let mut stream = String::new();
        write_commit(&mut stream, "Begin", &[holder(first), code(", retries=1")]);
        let then = [then, vec![code(", retries=3")]].concat();
        write_commit(&mut stream, &message.replace('@', value), &then);
        if moment == Moment::ChangedSince {
            write_commit(&mut stream, "Rotate", &[holder("x")]);
        }
        write_commit(&mut stream, "Drop", &[code("")]);
        let repo = Repo::new();
        repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
        repo
    }

    /// `@@` is a value with an at sign behind it.
    fn written(form: &str, value: &str) -> String {
        form.replace("@@", "@\u{1}")
            .replace('@', value)
            .replace('\u{1}', "@")
    }

    fn brief(change: &ReviewedChange, packet: &Packet, redactor: &Redactor) -> String {
        let sight = Sight::around(change).unwrap().redacting(redactor.clone());
        let gathered = gather_context(
            &sight,
            packet,
            &SearchLimits::within(Duration::from_secs(60)),
        );
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
        let prompter = prompter.with_redactor(redactor.clone());
        let around = ChangeContext {
            blocks: &gathered.blocks,
            gaps: &gathered.gaps,
        };
        let brief = prompter.render_filled_brief(packet, around, &BriefClass::default());
        brief.unwrap().text.to_string()
    }

    /// What each look-up says of the file and of the code, by its name.
    fn look_ups(lookup: &CodeLookup, path: &str) -> Vec<(String, String)> {
        let lines = LineRange::default();
        let of_file = |path: &str| {
            let path = path.to_owned();
            [
                ToolQuery::ReadFile {
                    path: path.clone(),
                    lines,
                },
                ToolQuery::History { path, lines },
            ]
        };
        let symbols = ["sign_in", "connect", "password"].map(|name| ToolQuery::Symbol {
            name: name.to_owned(),
        });
        let search = ToolQuery::Search {
            regex: ".".to_owned(),
            glob: None,
        };
        let queries = [of_file(path), of_file("conf.py")].into_iter().flatten();
        let queries = queries.chain(symbols).chain([search]);
        let ask = |query: ToolQuery| {
            let bounds = QueryBounds {
                max_bytes: 24 << 10,
                until: Instant::now() + Duration::from_secs(20),
            };
            let said = lookup.run_query(&query, &bounds).text;
            (format!("{query:?}"), said.unwrap_or_else(|problem| problem))
        };
        queries.map(ask).collect()
    }

    /// By which exits a value leaves that the view of its file hides.
    fn exits(
        holder: (&str, &str),
        value: &str,
        message: &str,
        moment: Moment,
        reads_tree: bool,
    ) -> Vec<String> {
        let repo = repository(holder, value, message, moment);
        let (change, packet) = prepare(&repo, "main~1..main");
        let blobs = Arc::clone(&change.blobs);
        let redactor = redactor_knowing(&Redactor::default(), &packet, &[], &[]);
        let redactor = match reads_tree {
            true => redactor.learning(move || texts_beside(&*blobs)),
            false => redactor,
        };
        let brief = brief(&change, &packet, &redactor);
        assert!(brief.contains("fix"), "the message is told: {brief}");
        let history = change.earlier_history();
        let blobs = Arc::clone(&change.blobs);
        let lookup = CodeLookup::over_change(Arc::new(packet), blobs, redactor, history);
        let mut said = look_ups(&lookup.unwrap(), holder.0);
        said.push(("brief".to_owned(), brief));
        let tells = said.into_iter().filter(|(_, said)| said.contains(value));
        tells
            .map(|(exit, said)| format!("{exit}: {said}"))
            .collect()
    }

    #[test]
    fn a_password_of_a_file_beside_the_change_leaves_in_no_message() {
        for message in MESSAGES {
            let left = exits(
                HOLDERS[0],
                "hunter2-Xy9!kk",
                message,
                Moment::WithMessage,
                true,
            );
            assert_eq!(left, Vec::<String>::new(), "{message}");
        }
    }

    /// A tree that is too large to be read whole: the files that a commit touched are read all the same.
    #[test]
    fn a_message_is_read_with_the_files_of_its_commit() {
        for moment in [Moment::WithMessage, Moment::ChangedSince, Moment::TakenAway] {
            let left = exits(HOLDERS[0], "hunter2-Xy9!kk", MESSAGES[0], moment, false);
            assert_eq!(left, Vec::<String>::new(), "{moment:?}");
        }
    }

    /// What a commit of the range adds and a later one takes back stands on neither side of the change.
    #[test]
    fn a_message_shows_no_value_of_a_commit_between() {
        let value = "hunter2-Xy9!kk";
        let file = |value: &str| (HOLDERS[0].0.to_owned(), written(HOLDERS[0].1, value));
        let mut stream = String::new();
        write_commit(&mut stream, "Begin", &[file("x")]);
        write_commit(&mut stream, &format!("Log in with {value}"), &[file(value)]);
        write_commit(&mut stream, &format!("Take {value} out"), &[file("x")]);
        let repo = Repo::new();
        repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
        let (change, packet) = prepare(&repo, "main~2..main");
        let range = change.range_texts().unwrap();
        assert!(!range.is_cut);
        let redactor = redactor_knowing(&Redactor::default(), &packet, &[], &[]);
        let redactor = redactor.learning(move || texts_between(&range));
        for commit in &packet.framing.commits {
            let shown = redactor.redact_history(&commit.message, &[]).text;
            assert!(!shown.contains(value), "{shown}");
        }
    }

    #[test]
    fn files_of_usual_names_are_read_first() {
        for name in [
            ".env",
            "src/settings.py",
            "a/b/Credentials.java",
            ".npmrc",
            "my.cnf.conf",
        ] {
            assert!(has_usual_name(&name.into()), "{name}");
        }
        assert!(!has_usual_name(&"settings/main.py".into()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        /// What the view of a file hides leaves by no exit: neither by a message, whenever the file got it, nor by a look-up.
        #[test]
        fn what_a_file_hides_is_shown_nowhere(
            value in "[a-z]{4,7}[0-9]{1,2}[-_!][A-Z][a-z][0-9][a-z!]{2}[a-z]",
            holder in prop::sample::select(HOLDERS.to_vec()),
            message in prop::sample::select(MESSAGES.to_vec()),
            moment in prop::sample::select(vec![
                Moment::WithMessage, Moment::Before, Moment::ChangedSince, Moment::TakenAway,
            ]),
        ) {
            let path = RepoPath::from(holder.0);
            let (view, _) = redact_source(&Redactor::default(), Some(&path), &written(holder.1, &value));
            // What has a sign that no token of a header has is none, and its view shows it.
            prop_assume!(holder.0 != "deploy.sh" || !value.contains('!'));
            prop_assert!(!view.contains(&value), "{}", view);
            prop_assert_eq!(exits(holder, &value, message, moment, true), Vec::<String>::new());
        }
    }
}
