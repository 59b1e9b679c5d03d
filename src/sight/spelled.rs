//! Names that others use without code: of schemas, of the environment of a shell, and tasks that a command runs.

use std::collections::BTreeMap;

use council_syntax::language::Language;

use super::wanted::Spelling;
use super::words::{self, is_name};
use super::{schema, search};

/// The names that lines of a file give to such users.
pub(super) fn spelled_names(path: &str, text: &str, edited: &[u32]) -> BTreeMap<String, Spelling> {
    if schema::is_schema(path) {
        let names = schema::names_on(path, text, edited).into_iter();
        return names.map(|name| (name, Spelling::Word)).collect();
    }
    let lines: Vec<&str> = text.lines().collect();
    let places = edited.iter().map(|line| *line as usize - 1);
    let places = places.filter(|index| *index < lines.len());
    let language = Language::from_path(path);
    if language == Language::Shell {
        let variables = places.filter_map(|index| assigned_variable(lines[index]));
        return variables
            .map(|name| (name.to_owned(), Spelling::Word))
            .collect();
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_rake = name == "Rakefile" || name.ends_with(".rake");
    let tasks = places.filter_map(|index| match (language, name) {
        (_, "CMakeLists.txt") => None,
        (Language::Make, _) => target_of(&lines, index).map(str::to_owned),
        (Language::Ruby, _) if is_rake => rake_task_of(&lines, index),
        (_, "package.json") => script_of(&lines, index).map(str::to_owned),
        _ => None,
    });
    tasks.map(|name| (name, Spelling::Task)).collect()
}

/// The variable that a line of a shell script gives to others: `export NAME=`, `NAME=`. A plain `dir=` is its own.
fn assigned_variable(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = ["export ", "readonly ", "declare -x "]
        .iter()
        .find_map(|word| line.strip_prefix(word));
    let code = rest.unwrap_or(line).trim_start();
    let name = &code[..code.find(|c| !is_name(c)).unwrap_or(code.len())];
    let is_assigned = code[name.len()..].starts_with(['=', '+']);
    let is_shared = words::is_compound(name) && name.to_ascii_uppercase() == name;
    (name.len() > 2 && (rest.is_some() || (is_shared && is_assigned))).then_some(name)
}

/// The target whose head or recipe stands on a line of a makefile.
fn target_of<'t>(lines: &[&'t str], index: usize) -> Option<&'t str> {
    let heads = lines[..=index].iter().rev();
    let head = heads.copied().find(|line| line.starts_with(is_name))?;
    let (target, rest) = head
        .split_once(':')
        .filter(|(_, rest)| !rest.starts_with('='))?;
    // A recipe of `just` may have parameters.
    let target = target.split_whitespace().next().unwrap_or_default();
    let is_plain = target.chars().all(|c| is_name(c) || "-.".contains(c));
    (is_plain && target.len() > 1 && !rest.starts_with(":=")).then_some(target)
}

/// The script of a package that a line names.
fn script_of<'t>(lines: &[&'t str], index: usize) -> Option<&'t str> {
    let above = lines[..index].iter().rev();
    let opening = above
        .copied()
        .find(|line| line.contains('{') || line.contains('}'))?;
    let name = lines[index]
        .trim_start()
        .strip_prefix('"')?
        .split('"')
        .next()?;
    (opening.contains("\"scripts\"") && opening.contains('{')).then_some(name)
}

/// The task of Rake whose head or body stands on a line, behind what it is within: `orders:purge_old`.
fn rake_task_of(lines: &[&str], index: usize) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut around = Vec::new();
    let mut inner = usize::MAX;
    for line in lines[..=index].iter().rev() {
        let holds = ["task", "namespace"].map(|word| named_behind(line, word));
        if line.trim().is_empty() || indent(line) >= inner {
            continue;
        }
        match holds {
            [Some(name), _] if around.is_empty() => around.push(name),
            [_, Some(name)] if !around.is_empty() => around.push(name),
            _ => {}
        }
        inner = indent(line);
    }
    around.reverse();
    (!around.is_empty()).then(|| around.join(":"))
}

/// The name behind a word that a line begins with: `task purge: :environment`, `namespace :orders do`.
fn named_behind<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let rest = line.trim_start().strip_prefix(word)?;
    let name = rest.trim_start_matches([' ', '(', ':', '"', '\'']);
    let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
    (name.len() < rest.len() && end > 0).then(|| &name[..end])
}

/// Whether a line runs a task: `make NAME`, `npm run NAME`.
pub(super) fn runs_task(code: &str, task: &str) -> bool {
    const RUNNERS: [&str; 13] = [
        "MAKE",
        "Rake::Task",
        "bun",
        "gmake",
        "just",
        "make",
        "npm",
        "npm-run-all",
        "pnpm",
        "rails",
        "rake",
        "run-s",
        "yarn",
    ];
    let is_word = |c: char| is_name(c) || "-:.".contains(c);
    let mut places = code.match_indices(task).map(|(at, _)| at);
    places.any(|at| {
        let (before, behind) = (&code[..at], &code[at + task.len()..]);
        let mut earlier = before
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty());
        let is_whole =
            !before.ends_with(|c: char| is_word(c) || c == '/') && !behind.starts_with(is_word);
        is_whole && earlier.any(|word| RUNNERS.contains(&word))
    })
}

/// Whether a word stands on a line, whatever stands around it.
pub(super) fn has_word(code: &str, word: &str) -> bool {
    let mut places = code.match_indices(word).map(|(at, _)| at);
    places.any(|at| search::is_whole_word(code.as_bytes(), at, at + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_gives_to_others_is_read_from_it() {
        let names = |path: &str, text: &str, line: u32| -> Vec<String> {
            spelled_names(path, text, &[line]).into_keys().collect()
        };
        assert_eq!(names("a.sh", "export APP_HOME=/srv\n", 1), ["APP_HOME"]);
        assert_eq!(names("a.sh", "APP_HOME=/srv\n", 1), ["APP_HOME"]);
        assert_eq!(names("a.sh", "dir=/srv\n", 1), [""; 0]);
        let make = "CC := gcc\npackage-deb: all\n\t./pack.sh\n";
        assert_eq!(names("Makefile", make, 3), ["package-deb"]);
        assert_eq!(names("Makefile", make, 1), [""; 0]);
        let package = "{\n  \"scripts\": {\n    \"build:prod\": \"vite build\"\n  }\n}\n";
        assert_eq!(names("web/package.json", package, 3), ["build:prod"]);
        let rake = "namespace :shop do\n  task(:sweep) { }\n\n  namespace \"orders\" do\n    task purge: :sweep do\n      \
                    x = 1\n    end\n  end\nend\n";
        for (line, name) in [
            (2, "shop:sweep"),
            (5, "shop:orders:purge"),
            (6, "shop:orders:purge"),
        ] {
            assert_eq!(names("lib/tasks/shop.rake", rake, line), [name], "{line}");
        }
        assert_eq!(names("lib/tasks/shop.rake", rake, 1), [""; 0]);
        assert_eq!(names("lib/shop.rb", rake, 2), [""; 0]);
    }

    #[test]
    fn a_task_is_run_behind_its_runner_alone() {
        assert!(runs_task("      - run: npm run build:prod", "build:prod"));
        assert!(runs_task("\t$(MAKE) package-deb", "package-deb"));
        assert!(runs_task("make clean deb", "deb"));
        assert!(runs_task(
            "Rake::Task[\"orders:purge\"].invoke",
            "orders:purge"
        ));
        assert!(runs_task("  rake \"orders:purge\"", "orders:purge"));
        assert!(!runs_task("make package-deb", "deb"));
        assert!(!runs_task("echo deb", "deb"));
    }
}
