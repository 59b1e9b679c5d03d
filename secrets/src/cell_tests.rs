//! Laws of tables in markup: what stands in the column of a secret is hidden.

use proptest::prelude::*;

use crate::Redactor;
use crate::plausible::is_placeholder;
use crate::table_cells::TableReader;

/// Tables with `@` for the name of a column and `~` for a value in it.
const TABLES: [(&str, &str); 15] = [
    (
        "a.html",
        "<table>\n<tr><th>User</th><th>@</th></tr>\n<tr><td>bob</td><td>~</td></tr>\n</table>",
    ),
    (
        "a.html",
        "<table class=\"x\">\n  <thead>\n    <tr>\n      <th>User</th>\n      <th scope=\"col\">@</th>\n    </tr>\n  </thead>\n  <tbody>\n    <tr>\n      <td>bob</td>\n      <td><code>~</code></td>\n    </tr>\n  </tbody>\n</table>",
    ),
    (
        "a.html",
        "<table>\n<tr>\n<td><b>@</b></td>\n<td>User</td>\n</tr>\n<tr>\n<td>\n~\n</td>\n<td>bob</td>\n</tr>",
    ),
    (
        "a.html",
        "<table>\n<tr><th>User</th><td>bob</td></tr>\n<tr><th>@</th><td>~</td></tr>\n</table>",
    ),
    (
        "a.wiki",
        "{| class=\"wikitable\"\n! User !! @\n|-\n| bob || ~\n|-\n| eve || x\n|}",
    ),
    (
        "a.wiki",
        "{|\n|-\n! User\n! @\n|-\n| bob\n| style=\"x\" | ~\n|}",
    ),
    ("a.wiki", "{|\n| User || @\n|-\n| bob || ~\n|}"),
    ("a.adoc", "|===\n|User |@\n\n|bob |~\n|eve |x\n|==="),
    (
        "a.adoc",
        "[cols=\"1,1\"]\n|===\n| @ | User\n\n| ~\n| bob\n|===",
    ),
    ("a.txt", "||User||@||\n|bob|~|\n|eve|x|"),
    (
        "a.rst",
        "+------+-----------+\n| User | @ |\n+======+===========+\n| bob  | ~ |\n+------+-----------+\n| eve  | x |",
    ),
    (
        "a.rst",
        "====  ================\nUser  @\n====  ================\nbob   ~\neve   x\n====  ================",
    ),
    (
        "a.rst",
        ".. list-table:: Users\n   :header-rows: 1\n\n   * - User\n     - @\n   * - bob\n     - ~\n",
    ),
    ("a.md", "| User | @ |\n|---|---|\n| bob | ~ |\n"),
    ("a.csv", "user,@\nbob,~\n"),
];

/// Tables that describe secrets, and tables beside a word that names one.
const INNOCENT: [(&str, &str); 8] = [
    (
        "a.html",
        "<table>\n<tr><th>Password</th><th>Rule</th></tr>\n<tr><td>required</td><td>min8x2chars</td></tr>\n</table>",
    ),
    (
        "a.html",
        "<table>\n<tr><th>Password policy</th></tr>\n<tr><td>min8x2chars</td></tr>\n</table>",
    ),
    (
        "a.html",
        "<table>\n<tr><th>Password</th></tr>\n</table>\n<table>\n<tr><td>x</td></tr>\n<tr><td>min8x2chars</td></tr>",
    ),
    (
        "a.adoc",
        "|===\n|Option |Password\n|x |Yes, since 1.2\n|===",
    ),
    (
        "a.rst",
        "=====  ===\nToken  Use\n=====  ===\nLPAR2  a1b2c3d\n=====  ===",
    ),
    (
        "a.rst",
        "+------+------+\n| Password | x |\n+------+------+\n\nmin8x2chars | y |",
    ),
    ("a.txt", "||Token||Rule||\n|identifier2|a1b2c3d|"),
    ("a.wiki", "{|\n! Password !! Rule\n|}\n| min8x2chars || x"),
];

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: tables × names × values. What stands in the column of a secret is hidden, though it is not drawn.
    #[test]
    fn a_cell_in_the_column_of_a_secret_is_hidden(
        value in prop_oneof!["[a-z]{5,7}[0-9]{1,2}[a-z]{4,7}", "[A-Z][a-z]{4,8}[0-9]{3,4}!", "[A-Z][a-z0-9]{9,14}[0-9][A-Z]"],
        name in prop::sample::select(vec!["Password", "API key", "DB password", "client_secret"]),
    ) {
        prop_assume!(!is_placeholder(&value));
        let texts = TABLES.iter().map(|(path, form)| (path, form.replace('@', name).replace('~', &value)));
        let leaks: Vec<_> = texts.filter(|(path, text)| shown(path, text).contains(&value)).map(|(_, text)| text).collect();
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n---\n"));
    }

    #[test]
    fn every_table_is_read(text in "(<table>|\\{\\||\\|===|\\|\\|a\\|\\||\\+-\\+|== ==|\\.\\. list-table::)(\n[<>/trhd|!+=* é-]{0,16}|password){0,8}") {
        shown("a.html", &text);
    }
}

#[test]
fn cells_of_other_columns_and_tables_are_shown() {
    let hidden = INNOCENT
        .into_iter()
        .filter(|(path, text)| shown(path, text) != *text);
    assert_eq!(hidden.collect::<Vec<_>>(), Vec::<(&str, &str)>::new());
}

/// Law: every kind of blank, be it of several bytes, may stand before and behind the lines of every table.
#[test]
fn no_blank_around_the_lines_of_a_table_harms_its_reader() {
    for blank in [" ", "\t", "\u{a0}", "\u{2003}", "\u{3000}", "\u{feff}"] {
        for (path, form) in TABLES {
            let lines = form.lines().map(|line| format!("{blank}{line}{blank}\n"));
            let mut reader = TableReader::default();
            for line in lines.clone() {
                for value in reader.read_line(&line) {
                    assert!(line.get(value).is_some(), "{line:?}");
                }
            }
            shown(path, &lines.collect::<String>());
        }
    }
}
