//! What of a secret reaches an agent: nothing in its brief, nothing in its room; tools by rule see the tree as it is.

use crate::harness::Repo;
use crate::programs::{answer, with_judge};

const LOOKS: &str = "grep -rh PIN: . >@MARKS/room";

/// A repository whose change holds a secret that only the user's own rules know, and a judge that looks at its room.
fn with_secret(script: &str, more: &str) -> Repo {
    let repo = with_judge(script, more);
    let config = ".config/git-council/config.toml";
    let judge = std::fs::read_to_string(repo.in_home(config)).unwrap();
    let rules = repo.in_home("gitleaks.toml").display().to_string();
    repo.write_home(config, &format!("{judge}\n[redact]\nrules = {rules:?}\n"));
    let house =
        "[[rules]]\nid = 'house'\nregex = '''\\b(house_[a-z0-9]{8})\\b'''\nkeywords = ['house_']\n";
    repo.write_home("gitleaks.toml", house);
    repo.write(
        "src/pin.rs",
        "/// Opens it.\npub const PIN: &str = \"house_abcd1234\";\n",
    );
    repo.commit("Pin");
    repo
}

fn seen(repo: &Repo, name: &str) -> String {
    std::fs::read_to_string(repo.in_home("marks").join(name)).unwrap()
}

#[test]
fn an_agent_is_shown_a_secret_of_the_users_own_rules_neither_in_its_brief_nor_in_its_room() {
    let answer = answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt\nkey=");
    let repo = with_secret(&format!("{LOOKS}\n{answer}"), "");
    repo.council(["review", "HEAD"]).ends(0);
    assert_eq!(
        seen(&repo, "room"),
        "pub const PIN: &str = \"[redacted: house]\";\n"
    );
    let prompt = seen(&repo, "prompt");
    assert!(
        prompt.contains("PIN: &str = \"[redacted: house]\""),
        "{prompt}"
    );
    assert!(!prompt.contains("house_abcd"), "{prompt}");
}

#[test]
fn a_tool_that_searches_for_secrets_sees_them_and_the_report_does_not_show_them() {
    let sarif = r#"cat >/dev/null
cat <<'END'
{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "finder"}}, "results": [{"ruleId": "house", "level": "error",
 "message": {"text": "A secret: house_abcd1234"}, "locations": [{"physicalLocation": {"artifactLocation":
 {"uri": "src/pin.rs"}, "region": {"startLine": 2}}}]}]}]}
END"#;
    let repo = with_secret(
        &format!("{LOOKS}\n{sarif}"),
        "format = 'sarif'\ndeterministic = true\n",
    );
    let run = repo.council(["review", "HEAD", "--json"]).ends(1);
    assert_eq!(
        seen(&repo, "room"),
        "pub const PIN: &str = \"house_abcd1234\";\n"
    );
    assert!(run.stdout.contains("[redacted: house]"), "{}", run.stdout);
    assert!(!run.stdout.contains("house_abcd"), "{}", run.stdout);
}

#[test]
fn rules_for_secrets_are_the_users_and_an_odd_file_is_named() {
    let repo = with_secret(&answer("PASS", ""), "");
    repo.write_home("gitleaks.toml", "[[rules]]\nid = 'odd'\nregex = '''(a'''\n");
    repo.council(["review", "HEAD"])
        .ends(2)
        .tells("rule `odd`")
        .tells("redact.rules");
    let repo = with_judge(&answer("PASS", ""), "");
    repo.write("council.toml", "[redact]\nrules = '/gitleaks.toml'\n");
    repo.commit("Rules");
    repo.write("src/pin.rs", "/// Opens it.\npub const PIN: u32 = 1;\n");
    repo.commit("Pin");
    repo.council(["review", "HEAD"])
        .ends(2)
        .tells("`redact.rules` may not be set by the repository");
}
