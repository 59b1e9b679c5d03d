//! What a change newly needs and no test has, though nothing refuses it: variables of the environment, the home, files of
//! the worktree that are in no commit. Borders that make a thing vanish are borders as well: what fails for want of it is
//! no defect.

use std::path::Path;

/// What tests do not have.
pub(super) struct TestSurroundings<'a> {
    /// Whether a test sees this variable.
    pub(super) is_visible: &'a dyn Fn(&str) -> bool,
    /// Whether the user has it set.
    pub(super) is_set: &'a dyn Fn(&str) -> bool,
    /// The top of the user's files; none: there are none.
    pub(super) worktree: Option<&'a Path>,
    /// Whether a side has this file.
    pub(super) is_tracked: &'a dyn Fn(&str) -> bool,
}

/// What the change newly names of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct VanishedNeeds {
    /// Why a test that fails shows nothing.
    whys: Vec<String>,
    /// The same, where what the test said has this name: here the user has no such thing either.
    named: Vec<(String, String)>,
}

/// Behind these a program names a variable.
const VARIABLES: [&str; 14] = [
    "environ[",
    "environ.get(",
    "environ.pop(",
    "getenv(",
    "Getenv(",
    "LookupEnv(",
    // In one piece these would be taken for reads of this program.
    concat!("env::", "var("),
    concat!("env::", "var_os("),
    "process.env[",
    "Deno.env.get(",
    "ENV[",
    "ENV.fetch(",
    "GetEnvironmentVariable(",
    "$_ENV[",
];

/// The same without a quote.
const MEMBER: &str = "process.env.";

/// By these a program asks for the home of its user.
const HOMES: [&str; 9] = [
    "Path.home(",
    "expanduser(",
    "homedir(",
    "home_dir(",
    "UserHomeDir(",
    "user.home",
    "Dir.home",
    "\"~/",
    "'~/",
];

const QUOTES: [char; 3] = ['"', '\'', '`'];

impl VanishedNeeds {
    /// Adds what a file names after the change, and not before it.
    pub(super) fn add_file(
        &mut self,
        path: &str,
        (old, new): (&str, &str),
        around: &TestSurroundings<'_>,
    ) {
        let before = variables_of(old);
        let after = variables_of(new).into_iter();
        for name in after.filter(|name| !before.contains(name) && !(around.is_visible)(name)) {
            let why = format!("it needs the variable `{name}`, which no test sees (`proof.env`)");
            match (around.is_set)(name) || name == "HOME" {
                true => self.whys.push(why),
                false => self.named.push((name.to_owned(), why)),
            }
        }
        if let Some(home) = HOMES
            .iter()
            .find(|word| new.contains(**word) && !old.contains(**word))
        {
            let word = home.trim_matches(['(', '"', '\'']);
            self.whys.push(format!(
                "it looks into the home of its user (`{word}`), and a test has an empty one"
            ));
        }
        self.add_ignored(path, (old, new), around);
    }

    fn add_ignored(&mut self, path: &str, (old, new): (&str, &str), around: &TestSurroundings<'_>) {
        let Some(top) = around.worktree else {
            return;
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let before: Vec<&str> = literals(old).collect();
        for name in literals(new).filter(|name| is_file_name(name) && !before.contains(name)) {
            let beside = format!("{folder}/{name}");
            let mut places = [name, beside.trim_start_matches('/')].into_iter();
            let is_ignored =
                |place: &&str| top.join(place).is_file() && !(around.is_tracked)(place);
            if let Some(place) = places.find(is_ignored) {
                let why =
                    format!("it needs `{place}`, which no copy for tests has: it is in no commit");
                self.whys.push(why);
            }
        }
    }

    /// Why a test that failed after the change shows nothing; none: it may show something.
    pub(super) fn why(&self, said: &str) -> Option<&str> {
        let named = self
            .named
            .iter()
            .find(|(name, _)| said.contains(name.as_str()));
        let first = self.whys.first().or(named.map(|(_, why)| why));
        first.map(String::as_str)
    }
}

/// The variables that a text names.
fn variables_of(text: &str) -> Vec<&str> {
    let quoted = VARIABLES.iter().flat_map(|mark| {
        let behind = text
            .match_indices(mark)
            .map(move |(at, _)| &text[at + mark.len()..]);
        behind.filter_map(|rest| word_in(rest.trim_start().strip_prefix(QUOTES)?))
    });
    let members = text.match_indices(MEMBER);
    let members = members.filter_map(|(at, _)| word_in(&text[at + MEMBER.len()..]));
    quoted.chain(members).collect()
}

fn word_in(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    Some(&text[..end.unwrap_or(text.len())]).filter(|word| !word.is_empty())
}

/// What stands between quotes, as far as a line says.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split(QUOTES).skip(1).step_by(2))
}

/// Whether a literal may be the path of a file below the worktree.
fn is_file_name(literal: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/ ".contains(c);
    let is_short = (2..=200).contains(&literal.len()) && literal.contains(['.', '/']);
    is_short
        && literal.chars().all(is_plain)
        && !literal.starts_with('/')
        && !literal.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(old: &str, new: &str, set: &[&str], top: Option<&Path>) -> VanishedNeeds {
        let around = TestSurroundings {
            is_visible: &|name| name == "PATH",
            is_set: &|name| set.contains(&name),
            worktree: top,
            is_tracked: &|path| path == "tracked.json",
        };
        let mut needs = VanishedNeeds::default();
        needs.add_file("shop/a.py", (old, new), &around);
        needs
    }

    /// In whatever language a program asks for it: what it newly needs and a test has not is no defect.
    #[test]
    fn a_variable_that_no_test_sees_is_no_defect_where_it_is_newly_read() {
        for read in [
            "float(os.environ[\"SHOP_DIVISOR\"])",
            "os.environ.get('SHOP_DIVISOR', 2)",
            "os.getenv(\"SHOP_DIVISOR\")",
            "std::env::var(\"SHOP_DIVISOR\").unwrap()",
            "os.Getenv(\"SHOP_DIVISOR\")",
            "process.env.SHOP_DIVISOR",
            "process.env['SHOP_DIVISOR']",
            "System.getenv(\"SHOP_DIVISOR\")",
            "ENV.fetch('SHOP_DIVISOR')",
        ] {
            let found = needs("2", read, &["SHOP_DIVISOR"], None);
            assert!(
                found
                    .why("")
                    .is_some_and(|why| why.contains("SHOP_DIVISOR")),
                "{read}"
            );
            assert_eq!(
                needs(read, read, &["SHOP_DIVISOR"], None).why(""),
                None,
                "{read}"
            );
            // Where the user has none either, its name has to be in the failure.
            let unset = needs("2", read, &[], None);
            assert_eq!(unset.why("AssertionError: 1 != 2"), None, "{read}");
            assert!(unset.why("KeyError: 'SHOP_DIVISOR'").is_some(), "{read}");
            let visible = read.replace("SHOP_DIVISOR", "PATH");
            assert_eq!(needs("2", &visible, &["PATH"], None).why("PATH"), None);
        }
    }

    #[test]
    fn the_home_and_a_file_of_no_commit_are_no_defect_either() {
        for home in [
            "Path.home() / '.config'",
            "os.path.expanduser(\"~/x\")",
            "os.homedir()",
        ] {
            assert!(needs("", home, &[], None).why("").is_some(), "{home}");
            assert_eq!(needs(home, home, &[], None).why(""), None, "{home}");
        }
        let top = tempfile::tempdir().unwrap();
        for path in ["local.json", "shop/own.env", "tracked.json"] {
            let file = top.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "1").unwrap();
        }
        let of = |new: &str| {
            needs("open('old.json')", new, &[], Some(top.path()))
                .why("")
                .map(str::to_owned)
        };
        for ignored in ["open('local.json')", "open(HERE / \"own.env\")"] {
            assert!(
                of(ignored).is_some_and(|why| why.contains("no commit")),
                "{ignored}"
            );
        }
        for other in [
            "open('tracked.json')",
            "open('none.json')",
            "'/etc/passwd'",
            "'../local.json'",
            "x = 'local'",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
