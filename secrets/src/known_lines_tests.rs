//! Lines of a file that only the lines around them give away, where a change shows them without these.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::Redactor;

/// Files with a secret `~` below many lines `#`, each with the one of them that repeats.
const FILES: [(&str, &str, &str); 9] = [
    ("users.csv", "id,name,password\n#9,ann,~\n", "1,bob,x\n"),
    (
        "users.tsv",
        "id\tname\tpassword\n#9\tann\t~\n",
        "1\tbob\tx\n",
    ),
    (
        "users.md",
        "| user | password |\n|---|---|\n#| ann | ~ |\n",
        "| bob | x |\n",
    ),
    (
        "a.json",
        "{\n  \"passwords\": [\n#    \"~\",\n    \"end\"\n  ]\n}\n",
        "    \"x\",\n",
    ),
    ("a.yml", "passwords:\n#  - ~\n", "  - x\n"),
    (
        "seed.sql",
        "INSERT INTO users (id, password) VALUES\n#  (9, '~');\n",
        "  (1, 'x'),\n",
    ),
    (
        "dump.sql",
        "COPY users (id, password) FROM stdin;\n#9\t~\n",
        "1\tx\n",
    ),
    (
        "hive-site.xml",
        "<property>\n  <name>a.ConnectionPassword</name>\n#  <value>~</value>\n</property>\n",
        "  <tag>x</tag>\n",
    ),
    (
        "k8s.yaml",
        "kind: Secret\nstringData:\n#  foo: ~\n",
        "  bar: x\n",
    ),
];

fn value() -> impl Strategy<Value = String> {
    "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{1,12}[!%#+]{0,1}[a-z0-9]"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: a line that its file hides is hidden alike wherever it is shown alone, far from what says it.
    #[test]
    fn a_line_that_its_file_hides_is_hidden_alone(value in value(), between in 0_usize..12, is_crlf: bool) {
        prop_assume!(crate::value::is_drawn_value(&value));
        for (path, form, line) in FILES {
            let text = form.replace('#', &line.repeat(between)).replace('~', &value);
            let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
            let whole = Redactor::default().redact_source(Some(path), &text).text;
            prop_assert!(!whole.contains(&value), "{}: {}", path, whole);
            let knowing = Redactor::default().knowing([(Some(Cow::Borrowed(path)), text.lines())]);
            let shown = text.split_terminator('\n').map(|line| knowing.redact_source(Some(path), line).text);
            let shown: Vec<String> = shown.collect();
            prop_assert_eq!(shown, whole.split_terminator('\n').collect::<Vec<_>>(), "{}", path);
        }
    }
}

/// What lines of a file say of one of them is nothing that another file says.
#[test]
fn a_line_is_known_in_its_own_file_alone() {
    let text = "id,password\n1,x\n2,Kx!9tram\n";
    let knowing = Redactor::default().knowing([(Some(Cow::Borrowed("a.csv")), text.lines())]);
    let shown = |path: &str| knowing.redact_source(Some(path), "2,Kx!9tram").text;
    assert_eq!(shown("a.csv"), "2,[redacted: secret]");
    assert_eq!(shown("b.csv"), "2,Kx!9tram");
    let renamed = knowing.renaming([("new.csv".to_owned(), "a.csv".to_owned())]);
    let shown = renamed.redact_source(Some("new.csv"), "2,Kx!9tram").text;
    assert_eq!(shown, "2,[redacted: secret]");
}
