//! Pushes that wait, pushes of submodules, and dismissals that travel with the notes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::harness::Repo;
use crate::hook::{CONFLICT, Desk};
use crate::verdict_notes::key;

#[test]
fn a_council_of_models_that_is_late_lets_a_push_through_or_stops_it() {
    let desk = Desk::new().installed();
    let judge = desk.repo.in_home("slow.sh");
    fs::write(&judge, "#!/bin/sh\nexec sleep 600\n").unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    let slow = format!(
        "[agents.slow]\ndriver = 'command'\ncommand = [{judge:?}]\n[review]\nagents = ['slow']\n[hook]\nmodels = true\ntimeout = '1s'\n"
    );
    desk.repo
        .write_home(".config/git-council/config.toml", &slow);
    desk.gate();
    desk.repo.write("notes.md", "A note.\n");
    desk.repo.commit("Note");
    desk.push(&["origin", "HEAD:late"])
        .ends(0)
        .tells("INCONCLUSIVE");
    assert!(desk.has("late"));
    // What the rules found in time counts, however late the models are.
    let note = desk.repo.git(["rev-parse", "HEAD"]);
    desk.conflict();
    desk.push(&["origin", "HEAD:broken"])
        .ends(1)
        .tells("the push is blocked");
    assert!(!desk.has("broken"));
    desk.repo.git(["reset", "--quiet", "--hard", note.trim()]);
    desk.repo
        .git(["config", "council.hook.on-timeout", "block"]);
    desk.repo.write("more.md", "More.\n");
    desk.repo.commit("More");
    desk.push(&["origin", "HEAD:stopped"])
        .ends(1)
        .tells("the push is blocked");
    assert!(!desk.has("stopped"));
}

/// Law: however little time the hook has, and however large a file is, a token beside it stops a push.
#[test]
fn no_large_file_buys_a_token_through_a_gate() {
    let desk = Desk::new().installed();
    desk.gate();
    let values = (100_000..120_000).map(|n| format!("password{n} = \"Zq{n}kV9x7Lm2Tw8Rp\"\n"));
    desk.repo.write("a-large.py", values.collect::<String>());
    // It stands before the token in the order of paths, and its size is to be known before it is read.
    let dump = "INSERT INTO t VALUES (1, 'alice', 'x@example.com');\n".repeat(40_000);
    desk.repo.write("a-dump.sql", dump);
    let token = ["t = \"gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA\"\n"].concat();
    desk.repo.write("small.py", &token);
    desk.repo.commit("A key");
    for timeout in ["1ms", "100ms", "1s"] {
        let config = format!("[hook]\ntimeout = '{timeout}'\n");
        desk.repo
            .write_home(".config/git-council/config.toml", &config);
        let run = desk.push(&["origin", "HEAD:late"]).ends(1);
        let run = run.tells("small.py:1").tells("the push is blocked");
        assert!(
            !run.stderr.contains("the sum was reviewed"),
            "{}",
            run.stderr
        );
        assert!(!desk.has("late"), "{timeout}");
    }
}

#[test]
fn a_submodule_has_hooks_and_a_memory_of_its_own() {
    let desk = Desk::new();
    let part = Desk::new();
    let url = part.repo.in_home("remote.git");
    let path = url.to_str().unwrap();
    desk.repo.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        path,
        "part",
    ]);
    desk.repo.git(["commit", "--quiet", "--message", "A part"]);
    let inside = desk.repo.path().join("part");
    desk.repo
        .council_in(&inside, &["hook", "install"], &[])
        .ends(0);
    let own = desk.repo.path().join(".git/modules/part");
    assert!(own.join("hooks/pre-push").is_file());
    assert!(!desk.repo.path().join(".git/hooks/pre-push").exists());
    let git = |args: &[&str]| desk.repo.git_in(&inside, args);
    git(&["config", "council.hook.mode", "gate"]);
    fs::write(inside.join("notes.md"), CONFLICT).unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "Conflict"]);
    let push = ["-C", "part", "push", "origin", "HEAD:refs/heads/stopped"];
    desk.git(&[], &push).ends(1).tells("notes.md:1");
    assert!(own.join("council/verdicts").is_dir());
    assert!(!part.has("stopped"));
    // From the outside it is one line of the outer change.
    desk.repo.council(["review", "HEAD"]).ends(0);
}

/// What one commit adds and the next one takes back is in the history that is pushed.
#[test]
fn a_secret_that_a_later_commit_takes_back_stops_a_push() {
    let desk = Desk::new().installed();
    desk.gate();
    let token = ["t = \"gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA\"\n"].concat();
    let base = desk.repo.git(["rev-parse", "HEAD"]).trim().to_owned();
    desk.repo.write("k.py", &token);
    let leak = desk.repo.commit("A key");
    desk.repo.git(["rm", "--quiet", "k.py"]);
    desk.repo
        .git(["commit", "--quiet", "--message", "Take it back"]);
    for refspec in ["HEAD:main", "HEAD:new"] {
        let run = desk.push(&["origin", refspec]).ends(1);
        let run = run
            .tells("k.py:1")
            .tells(leak.get(..10).unwrap())
            .tells("the push is blocked");
        assert!(!run.stderr.contains("NqVwYS81VP7"), "{}", run.stderr);
    }
    // Advice says the same and lets it through.
    desk.repo.git(["config", "council.hook.mode", "advisory"]);
    desk.push(&["origin", "HEAD:told"]).ends(0).tells("k.py:1");
    assert!(desk.has("told"));
    // What the tip still has is told once, by the review of the whole.
    desk.repo.git(["config", "council.hook.mode", "gate"]);
    desk.repo.git(["reset", "--quiet", "--hard", &base]);
    desk.repo.write("k.py", &token);
    desk.repo.commit("A key");
    desk.repo.write("more.md", "More.\n");
    desk.repo.commit("More");
    desk.repo
        .git(["update-ref", "-d", "refs/remotes/origin/told"]);
    let run = desk.push(&["origin", "HEAD:main"]).ends(1);
    assert!(!run.stderr.contains("of commit"), "{}", run.stderr);
}

/// What the remote has already, no push can take back.
#[test]
fn a_secret_that_is_out_already_may_be_moved_and_removed() {
    let desk = Desk::new().installed();
    let token = ["t = \"gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA\"\n"].concat();
    desk.repo.write("k.py", &token);
    desk.repo.commit("A key");
    desk.push(&["--no-verify", "origin", "main"]).ends(0);
    desk.gate();
    desk.repo.write("other.py", &token);
    desk.repo.git(["rm", "--quiet", "k.py"]);
    desk.repo.commit("Move it");
    desk.repo.git(["rm", "--quiet", "other.py"]);
    desk.repo
        .git(["commit", "--quiet", "--message", "Remove it"]);
    desk.push(&["origin", "main"]).ends(0);
}

/// A message is pushed like a file.
#[test]
fn a_secret_in_a_message_stops_a_push() {
    let desk = Desk::new().installed();
    desk.gate();
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    desk.repo.write("more.md", "More.\n");
    desk.repo.commit(&format!("More\n\nTried with {token}.\n"));
    let run = desk.push(&["origin", "HEAD:main"]).ends(1);
    let run = run.tells("the message of commit").tells("provider-token");
    assert!(!run.stderr.contains(&token), "{}", run.stderr);
    desk.repo
        .git(["commit", "--quiet", "--amend", "--message", "More"]);
    desk.push(&["origin", "HEAD:main"]).ends(0);
}

/// Whoever lists the refs of a remote reads their names.
#[test]
fn a_secret_in_the_name_of_a_ref_stops_a_push() {
    let desk = Desk::new().installed();
    desk.gate();
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    for kind in ["heads", "tags"] {
        let name = format!("HEAD:refs/{kind}/{token}");
        let run = desk.push(&["origin", &name]).ends(1);
        run.tells("the name of the branch or tag");
    }
}

#[test]
fn a_review_tells_of_a_secret_in_a_message_of_the_range() {
    let repo = crate::harness::Repo::with_base();
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    repo.write("more.md", "More.\n");
    let id = repo.commit(&format!("More\n\nTried with {token}.\n"));
    repo.write("most.md", "Most.\n");
    repo.commit("Most");
    let run = repo.council(["review", "HEAD~2..HEAD", "--json"]).ends(0);
    let told = format!("the message of commit {} holds a secret", &id[..12]);
    let run = run.prints(&told);
    assert!(!run.stdout.contains("NqVwYS81VP7"), "{}", run.stdout);
    let run = repo.council(["review", "HEAD", "--json"]).ends(0);
    assert!(!run.stdout.contains("holds a secret"), "{}", run.stdout);
}

/// Whatever kind of secret it is, and whatever says it: a commit, its author, an annotated tag, a note.
#[test]
fn a_secret_in_a_tag_a_note_or_an_author_stops_a_push() {
    let desk = Desk::new().installed();
    desk.gate();
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    let stops = |refspec: &str, place: &str| {
        let run = desk.push(&["origin", refspec]).ends(1);
        let run = run.tells(place).tells("the push is blocked");
        assert!(!run.stderr.contains("NqVwYS81VP7"), "{}", run.stderr);
    };
    let message = format!("use {token}");
    desk.repo
        .git(["tag", "--annotate", "--message", &message, "v3"]);
    stops("v3", "the annotation of the tag");
    desk.repo
        .git(["tag", "--annotate", "--message", "outer", "v4", "v3"]);
    stops("v4", "the annotation of the tag");
    desk.repo
        .git(["tag", "--annotate", "--message", "Nothing secret", "v5"]);
    desk.push(&["origin", "v5"]).ends(0);
    desk.repo.git(["notes", "add", "--message", &message]);
    stops("refs/notes/commits", "provider-token");
    let key = [
        "-----BEGIN RSA PRI",
        "VATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf",
    ]
    .concat();
    desk.repo
        .git(["commit", "--quiet", "--allow-empty", "--message", &key]);
    stops("HEAD:main", "the message of commit");
    let author = format!("--author={token} <a@example.com>");
    desk.repo.git([
        "commit",
        "--quiet",
        "--amend",
        "--allow-empty",
        "--message",
        "More",
        &author,
    ]);
    stops("HEAD:main", "the author of commit");
    // Advice says it, and lets the push go on.
    desk.repo.git(["config", "council.hook.mode", "advisory"]);
    desk.push(&["origin", "v3"])
        .ends(0)
        .tells("the annotation of the tag");
}

/// Whoever does what a blocked push of notes advises can push them.
#[test]
fn a_secret_in_notes_goes_as_it_is_advised() {
    let desk = Desk::new().installed();
    desk.gate();
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    desk.repo.git(["notes", "add", "--message", "A word"]);
    desk.repo.git(["notes", "append", "--message", &token]);
    let run = desk.push(&["origin", "refs/notes/commits"]).ends(1);
    assert!(!run.stderr.contains("rebase"), "{}", run.stderr);
    let advised = run.stderr.split("git update-ref ").nth(1).unwrap();
    let advised = advised.split(", and push").next().unwrap();
    let advised = format!("git update-ref {advised}").replace("NAME", "commits");
    desk.repo.git(["notes", "remove"]);
    desk.push(&["origin", "refs/notes/commits"]).ends(1);
    assert!(desk.repo.shell(&advised).status().unwrap().success());
    desk.push(&["origin", "refs/notes/commits"]).ends(0);
}

/// A line of which nobody sees anything proves what a rule says of it.
#[test]
fn a_line_of_invisible_characters_alone_stops_a_push() {
    let desk = Desk::new().installed();
    desk.gate();
    desk.repo
        .write("a.html", "<p>pay 100 EUR to\n\u{202e}\n<b>ecilA</b></p>\n");
    desk.repo.commit("A page");
    desk.push(&["origin", "HEAD:main"])
        .ends(1)
        .tells("a.html:2");
    desk.repo.git(["rm", "--quiet", "a.html"]);
    desk.repo.write("a.py", "x = 1\n\u{200b}\ny = 2\n");
    desk.repo.commit("A script");
    desk.repo
        .council(["review", "HEAD", "--fail-on", "warn"])
        .ends(1)
        .prints("a.py:2");
}

/// What another remote has is new to this one.
#[test]
fn a_push_to_an_address_is_compared_with_what_that_address_has() {
    let desk = Desk::new().installed();
    desk.gate();
    let token = ["t = \"gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA\"\n"].concat();
    desk.repo.write("k.py", &token);
    desk.repo.commit("A key");
    desk.push(&["--no-verify", "origin", "HEAD:main"]).ends(0);
    let public = desk.repo.in_home("public.git");
    desk.repo
        .git(["init", "--quiet", "--bare", public.to_str().unwrap()]);
    desk.push(&[public.to_str().unwrap(), "main"])
        .ends(1)
        .tells("k.py:1");
}

/// What a merge brings from the remote is not this push's.
#[test]
fn a_merge_of_what_the_remote_has_adds_no_secret() {
    let desk = Desk::new().installed();
    let token = ["t = \"gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA\"\n"].concat();
    desk.repo.git(["switch", "--quiet", "--create", "side"]);
    desk.repo.write("side.md", "Aside.\n");
    desk.repo.commit("Side");
    desk.repo.git(["switch", "--quiet", "main"]);
    desk.repo.write("k.py", &token);
    desk.repo.commit("A key that is out already");
    desk.push(&["--no-verify", "origin", "main"]).ends(0);
    desk.repo.git(["remote", "set-head", "origin", "main"]);
    desk.gate();
    desk.repo.git(["switch", "--quiet", "side"]);
    desk.repo.git(["merge", "--quiet", "--no-edit", "main"]);
    desk.push(&["origin", "HEAD:side"]).ends(0);
}

fn fetch(clone: &Repo) {
    clone.git([
        "fetch",
        "--quiet",
        "origin",
        "+refs/notes/council:refs/notes/council",
    ]);
}

#[test]
fn a_dismissal_that_is_signed_counts_in_another_clone_and_in_ci() {
    let ann = crate::memory::conflicted();
    let Some(key) = key(&ann) else {
        eprintln!("skipped, because ssh-keygen makes no key here");
        return;
    };
    ann.council(["review", "HEAD"]).ends(1);
    ann.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    let zoe = Repo::home();
    let from = ann.path().to_str().unwrap().to_owned();
    zoe.git(["clone", "--quiet", &from, "."]);
    fetch(&zoe);
    let range = ["review", "HEAD~1..HEAD", "--fresh"];
    let run = zoe.council(range).ends(1).prints("from elsewhere");
    assert!(!run.stdout.contains("dismissed: "), "{}", run.stdout);
    let entry = format!("{key} ann ann@example.com");
    zoe.git(["config", "--global", "council.trustedNotes", &entry]);
    zoe.council(range).prints("dismissed: F1");
    let job = |actor: &str| zoe.council_with(&[("CI", "1"), ("GITHUB_ACTOR", actor)], &range);
    job("zoe").prints("dismissed: F1");
    // Nobody dismisses findings of their own change.
    let own = job("ann").ends(1);
    assert!(!own.stdout.contains("dismissed: "), "{}", own.stdout);
}

/// The name of a remote comes from a configuration that others may have written.
#[test]
fn the_name_of_a_remote_is_no_option() {
    let desk = Desk::new().installed();
    desk.gate();
    desk.conflict();
    desk.repo.git(["config", "push.default", "current"]);
    let address = desk.repo.in_home("remote.git").display().to_string();
    for name in [
        "-h",
        "--help",
        "-qh",
        "--",
        "--config=hook.enabled=false",
        "--config=hook.mode=advisory",
        "--config=rules.merge-conflict=off",
        "--config=review.ignore=*",
    ] {
        let url = format!("remote.{name}.url");
        desk.repo.git(["config", &url, &address]);
        desk.repo.git(["config", "remote.pushDefault", name]);
        desk.push(&[]).ends(1).tells("the push is blocked");
    }
}

/// Who sits by the trusted branch's word sits in no hook that asks the rules alone; and no time of a run is the hook's.
#[test]
fn what_the_trusted_branch_says_of_judges_and_time_neither_breaks_nor_opens_a_gate() {
    let tables = "[[judge]]\nperspective = 'security'\nagent = 'builtin'\n";
    for (name, file) in [("judges", tables), ("time", "[timeouts]\nrun = '1ms'\n")] {
        let desk = Desk::new().installed();
        desk.gate();
        desk.repo.write("council.toml", file);
        desk.repo.commit("Configuration");
        desk.push(&["--no-verify", "origin", "main"]).ends(0);
        desk.repo.git(["switch", "--quiet", "--create", "feature"]);
        desk.repo.write("docs/a.md", "A sentence.\n");
        desk.repo.commit("Harmless");
        desk.push(&["origin", "feature"]).ends(0);
        assert!(desk.has("feature"), "{name}");
        desk.conflict();
        desk.push(&["origin", "HEAD:broken"]).ends(1);
        assert!(!desk.has("broken"), "{name}");
    }
}

/// The default branch of a second remote may be a stranger's.
#[test]
fn the_configuration_of_another_remote_opens_no_gate() {
    let desk = Desk::new().installed();
    desk.gate();
    let (origin, fork) = (
        desk.repo.in_home("remote.git"),
        desk.repo.in_home("fork.git"),
    );
    let (origin, fork) = (origin.to_str().unwrap(), fork.to_str().unwrap());
    desk.repo.git(["clone", "--quiet", "--bare", origin, fork]);
    desk.repo.git(["remote", "add", "fork", fork]);
    desk.repo.git(["switch", "--quiet", "--create", "theirs"]);
    desk.repo
        .write("council.toml", "[rules]\nconflict-marker = 'off'\n");
    desk.repo.commit("Rules");
    desk.push(&["--no-verify", "fork", "HEAD:main"]).ends(0);
    desk.repo.git(["fetch", "--quiet", "fork"]);
    desk.conflict();
    desk.push(&["fork", "HEAD:broken"]).ends(1);
    desk.repo
        .git(["branch", "--quiet", "--set-upstream-to", "fork/main"]);
    desk.repo.council(["review", "--fresh"]).ends(1);
}

/// A FAIL is one whoever came to it, and no tidying takes it away: a duel's, and one over the last of several commits.
#[test]
fn a_gate_hears_a_duel_and_keeps_what_it_heard() {
    let desk = Desk::new().installed();
    let judge = desk.repo.in_home("judge.sh");
    fs::write(&judge, crate::programs::answer("FAIL", "")).unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    let agents = format!("[agents.helper]\ndriver = 'command'\ncommand = [{judge:?}]\n");
    desk.repo
        .write_home(".config/git-council/config.toml", &agents);
    desk.gate();
    desk.repo.write("one.md", "One.\n");
    desk.repo.commit("One");
    desk.repo.write("two.md", "Two.\n");
    desk.repo.commit("Two");
    let duel = ["duel", "HEAD", "--agent-a", "helper", "--agent-b", "helper"];
    let run = desk.repo.council_with(&[], &duel);
    assert_ne!(run.code, 0, "{}", run.stdout);
    let push = || desk.push(&["origin", "HEAD:refs/heads/topic"]);
    push().ends(1).tells("the push is blocked");
    desk.repo.council(["cache", "clear"]).ends(0);
    push().ends(1).tells("the push is blocked");
}

/// Whatever council a review was held with: the gate asks the one of the configuration, and knows what the other one said.
#[test]
fn a_gate_remembers_what_any_review_of_the_same_change_objected() {
    let desk = Desk::new().installed();
    let (fails, passes) = (
        crate::programs::answer("FAIL", ""),
        crate::programs::answer("PASS", ""),
    );
    let judge = desk.repo.in_home("judge.sh");
    let say = |text: &str| {
        fs::write(&judge, text).unwrap();
        fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let agents = format!("[agents.helper]\ndriver = 'command'\ncommand = [{judge:?}]\n");
    desk.repo
        .write_home(".config/git-council/config.toml", &agents);
    desk.gate();
    let by_helper = ["--agents", "helper"];
    let stricter: [&[&str]; 4] = [&[], &["--quorum", "1"], &["--quick"], &["--", "notes.md"]];
    for (nth, more) in stricter.iter().enumerate() {
        desk.repo.write("notes.md", format!("Note {nth}.\n"));
        desk.repo.write("more.md", format!("More {nth}.\n"));
        desk.repo.commit("Notes");
        let branch = format!("HEAD:b{nth}");
        say(&fails);
        let review = [&["review", "HEAD", "--fresh"], &by_helper[..], more].concat();
        desk.repo.council_with(&[], &review).ends(3);
        desk.push(&["origin", &branch])
            .ends(1)
            .tells("INCONCLUSIVE")
            .tells("the push is blocked");
        // A later review of the same change takes its place.
        say(&passes);
        let again = [&["review", "HEAD", "--fresh"], &by_helper[..]].concat();
        desk.repo.council_with(&[], &again).ends(0);
        desk.push(&["origin", &branch]).ends(0);
    }
}
