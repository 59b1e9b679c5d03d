//! Who asks for a fixture of pytest: tests and other fixtures, by the name of a parameter.

use super::*;

const CONFTEST: &str = "import pytest\n\n\n@pytest.fixture\ndef db_session():\n    s = {\"n\": 77}\n    yield s\n    s.clear()\n";

/// The brief of a change of `tests/conftest.py`, in a repository that has these files as well.
fn brief(before: &str, swapped: (&str, &str), files: &[(&str, &str)]) -> String {
    let repo = Repo::new();
    for (path, text) in files {
        repo.write(path, *text);
    }
    repo.write("tests/conftest.py", before).commit("one");
    assert!(before.contains(swapped.0), "{swapped:?}");
    repo.write("tests/conftest.py", before.replace(swapped.0, swapped.1))
        .commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    render(&packet, &look(&change, &packet))
}

#[test]
fn who_asks_for_a_fixture_is_shown_however_it_changes() {
    let short = CONFTEST.replace("db_session", "db");
    let named = CONFTEST.replace("@pytest.fixture", "@pytest.fixture(name=\"db_session\")");
    let named = named.replace("def db_session", "def make_session");
    for (before, swapped, asks) in [
        (CONFTEST, ("    s.clear()\n", ""), "def test_a(db_session):"),
        (CONFTEST, ("77", "78"), "def test_a(tmp_path, db_session):"),
        (
            CONFTEST,
            ("def db_session", "def session"),
            "def test_a(db_session):",
        ),
        (
            CONFTEST,
            ("@pytest.fixture\n", "@pytest.fixture(scope=\"session\")\n"),
            "def test_a(db_session):",
        ),
        (
            CONFTEST,
            ("77", "78"),
            "async def test_a(\n    db_session,\n):",
        ),
        (
            CONFTEST,
            ("77", "78"),
            "@pytest.fixture\ndef user(db_session):",
        ),
        (
            CONFTEST,
            ("77", "78"),
            "@pytest.mark.usefixtures(\"db_session\")\ndef test_a():",
        ),
        (short.as_str(), ("77", "78"), "def test_a(db):"),
        (named.as_str(), ("77", "78"), "def test_a(db_session):"),
    ] {
        let test = format!("import pytest\n\n\n{asks}\n    assert 5\n");
        let brief = brief(before, swapped, &[("tests/unit/test_a.py", &test)]);
        let line = asks.lines().find(|line| line.contains("db")).unwrap();
        assert!(brief.contains(line), "{asks}: {brief}");
    }
}

#[test]
fn who_has_another_thing_of_the_name_of_a_fixture_is_not_shown() {
    let files = [
        (
            "tests/test_b.py",
            "def test_b():\n    db_session = spend(1)\n    assert db_session\n",
        ),
        (
            "tests/test_c.py",
            "def helper(db_session):\n    return spend(2)\n",
        ),
        (
            "other/test_d.py",
            "def test_d(db_session):\n    assert spend(3)\n",
        ),
        ("app/e.py", "def save(db_session):\n    return spend(4)\n"),
    ];
    let brief = brief(CONFTEST, ("77", "78"), &files);
    assert!(!brief.contains("spend("), "{brief}");
}
