//! The files that a change edits, whole and on either side: what a line far from every hunk says of a value on one, such
//! as the heading of a table, stands in no hunk.

use std::borrow::Cow;
use std::sync::Arc;

use council_protocol::change::FileStatus;
use council_protocol::{BlobSource, FileChange, Packet, RepoPath, Side};

/// A name, and the bytes as the change has them: they are shared with whoever read them before.
pub(super) type ChangedFile = (RepoPath, Arc<[u8]>);

/// Larger files, and more than so many bytes of them, are searched for secrets only where the change shows them.
const MAX_SEARCHED_FILE: usize = 1 << 20;
const MAX_SEARCHED: usize = 8 << 20;

/// Each file that is changed, by its name after the change: as it is afterwards, and as it was. Of one that is added or
/// deleted the change has every line.
pub(super) fn changed_texts(packet: &Packet, blobs: &dyn BlobSource) -> Vec<ChangedFile> {
    let mut left = MAX_SEARCHED;
    let is_whole =
        |file: &&FileChange| !matches!(file.status, FileStatus::Added | FileStatus::Deleted);
    let sides = [Side::New, Side::Old];
    let files = sides.iter().flat_map(|side| {
        packet
            .files
            .iter()
            .filter(is_whole)
            .map(move |file| (*side, file))
    });
    let texts = files.filter_map(|(side, file)| {
        let (path, size) = match side {
            Side::New => (&file.path, file.new_size),
            Side::Old => (file.path_before(), file.old_size),
        };
        let is_small = |size: u64| size <= MAX_SEARCHED_FILE.min(left) as u64;
        size.is_none_or(is_small).then_some(())?;
        let blob = blobs.read(side, path).ok().flatten()?;
        (blob.len() <= MAX_SEARCHED_FILE).then_some(())?;
        left = left.checked_sub(blob.len())?;
        Some((file.path.clone(), blob))
    });
    texts.collect()
}

/// The same as text.
pub(super) fn as_texts(files: &[ChangedFile]) -> Vec<(RepoPath, Cow<'_, str>)> {
    let files = files.iter();
    files
        .map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use council_secrets::Redactor;
    use proptest::prelude::*;

    use super::*;
    use crate::council::plan::RunSeed;
    use crate::git::testing::Repo;
    use crate::prompt::{BriefClass, PromptBuilder, redactor_knowing};
    use crate::sight::tests::corpus::{prepare, write_commit};

    /// Files in which a line is secret by lines far above it: what stands above, a line that is repeated, the secret line
    /// with `@` for the value, and what stands below.
    const FILES: [(&str, &str, &str, &str, &str); 8] = [
        (
            "users.csv",
            "id,name,password\n",
            "#,bob,x\n",
            "9,ann,@\n",
            "z,eve,y\n",
        ),
        (
            "users.tsv",
            "id\tname\tpassword\n",
            "#\tbob\tx\n",
            "9\tann\t@\n",
            "z\teve\ty\n",
        ),
        (
            "users.md",
            "| user | password |\n|---|---|\n",
            "| b# | x |\n",
            "| ann | @ |\n",
            "| eve | y |\n",
        ),
        (
            "a.json",
            "{\n  \"passwords\": [\n",
            "    \"x#\",\n",
            "    \"@\",\n",
            "    \"end\"\n  ]\n}\n",
        ),
        ("a.yml", "passwords:\n", "  - x#\n", "  - @\n", "  - y\n"),
        (
            "seed.sql",
            "INSERT INTO u (id, password) VALUES\n",
            "  (#, 'x'),\n",
            "  (9, '@'),\n",
            "  (0, 'y');\n",
        ),
        (
            "conf/hive-site.xml",
            "<configuration>\n  <property>\n    <name>a.ConnectionPassword</name>\n",
            "    <tag>x#</tag>\n",
            "    <value>@</value>\n",
            "  </property>\n</configuration>\n",
        ),
        (
            ".env",
            "# settings\n",
            "HOST#=db\n",
            "DB_PASSWORD=@\n",
            "PORT=1\n",
        ),
    ];

    /// The files with the secret line, or without it.
    fn files(value: Option<&str>, between: usize) -> Vec<(String, String)> {
        let text = |(head, line, secret, end): (&str, &str, &str, &str)| {
            let lines = (0..between).map(|at| line.replace('#', &at.to_string()));
            let secret = value.map_or(String::new(), |value| secret.replace('@', value));
            format!("{head}{}{secret}{end}", lines.collect::<String>())
        };
        let files = FILES.iter();
        let files = files.map(|(path, head, line, secret, end)| {
            ((*path).to_owned(), text((head, line, secret, end)))
        });
        files.collect()
    }

    /// The lines of the brief of a range that it shows as changed, in their order.
    fn shown_lines(repo: &Repo, range: &str) -> Vec<String> {
        let (change, packet) = prepare(repo, range);
        let texts = changed_texts(&packet, &*change.blobs);
        let redactor = redactor_knowing(&Redactor::default(), &packet, &as_texts(&texts), &[]);
        let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
        let prompter = prompter.with_redactor(redactor);
        let brief = prompter
            .render_brief(&packet, &BriefClass::default())
            .unwrap();
        let text = |line: &str| {
            // A line that goes has no number, and any other one has.
            let line = line.trim_start();
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let sign = if rest.len() < line.len() { " +" } else { "-" };
            rest.strip_prefix(sign).map(str::to_owned)
        };
        let lines = brief
            .text
            .lines()
            .skip_while(|line| !line.starts_with("=== "));
        let lines = lines.take_while(|line| !line.starts_with("</"));
        lines.filter_map(text).collect()
    }

    /// Whether a column of passwords hides a value: one that reads like words is shown there.
    fn is_secret(value: &str) -> bool {
        let table = format!("id,name,password\n9,ann,{value}\n");
        let shown = Redactor::default().redact_source(Some("users.csv"), &table);
        !shown.text.contains(value)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: the change that adds a secret and the one that takes it away hide the same lines, and so does one that
        /// puts another in its place on both of its sides; however far above it stands what says that it is one.
        #[test]
        fn each_side_of_a_change_is_read_as_a_whole_file(
            value in "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{1,12}[!%+]{0,1}[a-z0-9]",
            other in "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{1,12}[!%+]{0,1}[a-z0-9]",
            between in 0_usize..10,
        ) {
            prop_assume!(value != other && is_secret(&value) && is_secret(&other));
            let mut stream = String::new();
            for (message, value) in [
                ("Begin", None), ("Add", Some(&value)), ("Rotate", Some(&other)), ("Drop", None),
            ] {
                write_commit(&mut stream, message, &files(value.map(String::as_str), between));
            }
            let repo = Repo::new();
            repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
            let added = shown_lines(&repo, "main~3..main~2");
            let rotated = shown_lines(&repo, "main~2..main~1");
            let removed = shown_lines(&repo, "main~1..main");
            prop_assert_eq!(added.len(), FILES.len(), "{:?}", added);
            prop_assert_eq!(&added, &removed);
            for line in added.iter().chain(&rotated) {
                prop_assert!(line.contains("[redacted: "), "{}", line);
                prop_assert!(!line.contains(&value) && !line.contains(&other), "{}", line);
            }
        }
    }
}
