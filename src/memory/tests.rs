use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::*;
use crate::council::reproduction::{ReproductionRecord, ReproductionResult};
use crate::memory::seal::DIGITS;
use crate::memory::sealed_reports::{CLOSE, MIDDLE, OPEN, dir_entries};
use crate::report::{self, GatePolicy, MemoryPlace};
use council_protocol::RoundNumber;

const EXAMPLE: &str = include_str!("../../docs/examples/report.json");

fn key(n: u32) -> String {
    format!("{n:064x}")
}

/// The documents' example report under a key.
fn report(n: u32) -> Report {
    let mut report = report::json::parse(EXAMPLE).unwrap();
    report.receipt.run.recognition_key = Some(key(n));
    report
}

fn cache(dir: &Path, keep: usize) -> VerdictCache {
    VerdictCache::new(dir, keep, Some(MacKey::new([7; 32])))
}

#[test]
fn a_verdict_is_found_under_its_key_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 10);
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&report(1)).unwrap();
    assert_eq!(cache.get(&key(1)), Some(report(1)));
    assert_eq!(cache.get(&key(2)), None);
    for odd in ["", "../../x", &"z".repeat(64)] {
        assert_eq!(cache.get(odd), None);
    }
    // A file that says that it is another's is nobody's.
    fs::copy(
        cache.folder.file_of_key(&key(1)).unwrap(),
        cache.folder.file_of_key(&key(2)).unwrap(),
    )
    .unwrap();
    assert_eq!(cache.get(&key(2)), None);
}

#[test]
fn t29_a_verdict_that_somebody_else_put_there_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 10);
    cache.put(&report(1)).unwrap();
    let file = cache.folder.file_of_key(&key(1)).unwrap();
    let sealed = fs::read_to_string(&file).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&sealed).is_ok());
    // Another user's, or one with no key at all.
    for seal in [Some(MacKey::new([8; 32])), None] {
        let other = VerdictCache::new(dir.path(), 10, seal);
        assert_eq!(other.get(&key(1)), None);
        assert_eq!((other.list().len(), other.count()), (0, 1));
    }
    // Ours, greener by a word.
    let json = report::json::render(&report(1), GatePolicy::default());
    for planted in [
        json.clone(),
        sealed.replacen("WARN", "PASS", 1),
        sealed.replacen("\"seal\":\"", "\"seal\":\"0", 1),
        format!("{OPEN}{}{MIDDLE}{json}{CLOSE}", "0".repeat(DIGITS)),
        format!("{OPEN}ü"),
    ] {
        assert_ne!(planted, sealed);
        fs::write(&file, planted).unwrap();
        assert_eq!(cache.get(&key(1)), None);
    }
    fs::write(&file, sealed).unwrap();
    assert_eq!(cache.get(&key(1)), Some(report(1)));
    let none = VerdictCache::new(&dir.path().join("none"), 10, None);
    none.put(&report(1)).unwrap();
    assert_eq!(none.count(), 0);
}

#[test]
fn a_note_names_who_asked_for_the_run_that_judged() {
    for first in [None, Some("a coder")] {
        for again in [None, Some("another")] {
            let mut known = report(1);
            let run = &mut known.receipt.run;
            run.started_by = first.map(str::to_owned);
            run.recognise(MemoryPlace::Cache, None, None, again.map(str::to_owned));
            assert_eq!(run.started_by.as_deref(), again);
            let noted = crate::memory::line::trim_report(&known);
            assert_eq!(noted.receipt.run.started_by.as_deref(), first);
        }
    }
}

#[test]
fn errors_abstentions_and_gaps_are_never_kept() {
    type Spoil = fn(&mut Report);
    let spoils: [(&str, Spoil); 9] = [
        ("inconclusive", |r| {
            r.outcome.verdict = Verdict::Inconclusive
        }),
        ("skipped", |r| r.outcome.verdict = Verdict::Skipped),
        ("incomplete", |r| r.incomplete = true),
        ("an abstention", |r| r.outcome.judges[0].counted = None),
        ("a failure", |r| {
            let failure = council_protocol::message::Failure {
                kind: council_protocol::message::FailureKind::Died,
                detail: "x".into(),
                usage: None,
            };
            r.outcome.judges[0].failures = vec![crate::council::outcome::RoundFailure {
                round: RoundNumber::FIRST,
                failure,
            }];
        }),
        ("nobody", |r| r.outcome.judges.clear()),
        ("a test that could not be run", |r| {
            let result = ReproductionResult::held_up("there is no program `x` on the PATH");
            r.outcome.ledger.reproductions = vec![ReproductionRecord {
                id: "P1".into(),
                judge: r.outcome.judges[0].seat.judge.clone(),
                finding: Some("F1".into()),
                shows: council_protocol::reproduction::ReproductionClaim::Defect,
                command: "x".into(),
                files: Vec::new(),
                standing: result.standing(),
                result,
                refutes: false,
            }];
        }),
        ("a gap", |r| {
            r.outcome.coverage.files[1].state =
                council_protocol::CoverageState::Unreadable { reason: "x".into() };
        }),
        ("recognised", |r| {
            let run = &mut r.receipt.run;
            run.recognise(MemoryPlace::Cache, None, None, None);
        }),
    ];
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 10);
    assert!(is_worth_keeping(&report(1)));
    for (what, spoil) in spoils {
        let mut report = report(1);
        spoil(&mut report);
        assert!(!is_worth_keeping(&report), "{what}");
        cache.put(&report).unwrap();
        assert!(cache.list().is_empty(), "{what}");
    }
}

#[test]
fn the_oldest_are_forgotten_beyond_the_bound() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 2);
    for n in 0..5 {
        cache.put(&report(n)).unwrap();
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + u64::from(n));
        let file = fs::File::options()
            .append(true)
            .open(cache.folder.file_of_key(&key(n)).unwrap())
            .unwrap();
        file.set_modified(at).unwrap();
    }
    assert_eq!(cache.prune_excess(), 3);
    let left: Vec<String> = cache.list().into_iter().map(|kept| kept.key).collect();
    assert_eq!(left, [key(4), key(3)]);
    assert_eq!(cache.clear().unwrap(), 2);
    assert!(cache.list().is_empty());
}

#[test]
fn a_file_that_was_cut_off_is_no_verdict_and_goes_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 10);
    cache.put(&report(1)).unwrap();
    let whole = fs::read(cache.folder.file_of_key(&key(1)).unwrap()).unwrap();
    for length in [0, 1, whole.len() / 2, whole.len() - 3] {
        fs::write(cache.folder.file_of_key(&key(1)).unwrap(), &whole[..length]).unwrap();
        assert_eq!(cache.get(&key(1)), None, "{length} bytes");
    }
    let half = cache.dir().join(".council-x");
    fs::write(&half, "{").unwrap();
    cache.prune_excess();
    assert!(half.exists(), "somebody may still write it");
    fs::File::options()
        .append(true)
        .open(&half)
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();
    cache.prune_excess();
    assert!(!half.exists());
}

#[test]
fn a_thousand_readers_and_writers_never_see_half_a_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 6);
    let (seen, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // The example as it is: parsing it a thousand times is what takes the time.
    let reports: Vec<Report> = (0..8).map(report).collect();
    std::thread::scope(|scope| {
        for n in 0..1000_usize {
            let (cache, reports, seen, wrong) = (&cache, &reports, &seen, &wrong);
            let work = move || {
                let report = &reports[n % reports.len()];
                if n % 2 == 0 {
                    cache.put(report).unwrap();
                } else if let Some(found) = cache.get(&key((n % reports.len()) as u32)) {
                    seen.fetch_add(1, Ordering::Relaxed);
                    if found != *report {
                        wrong.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            std::thread::Builder::new()
                .stack_size(512 << 10)
                .spawn_scoped(scope, work)
                .unwrap();
        }
    });
    assert_eq!(wrong.into_inner(), 0);
    let halves =
        dir_entries(cache.dir()).filter(|(path, _)| path.extension().is_none_or(|e| e != "json"));
    assert_eq!(halves.count(), 0);
    assert!(cache.list().len() <= 6 + SLACK);
}

/// The other half of the next test: writes until it is killed.
#[test]
fn writes_until_it_is_killed() {
    let Some(dir) = std::env::var_os("COUNCIL_TEST_KILLED_WRITER") else {
        return;
    };
    let cache = cache(Path::new(&dir), 10);
    loop {
        cache.put(&report(1)).unwrap();
    }
}

#[test]
fn a_writer_that_is_killed_leaves_a_whole_verdict_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path(), 10);
    for after in 0..6_u64 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "memory::cache::tests::writes_until_it_is_killed"])
            .env("COUNCIL_TEST_KILLED_WRITER", dir.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let end = std::time::Instant::now() + Duration::from_secs(20);
        while cache.folder.list_files().is_empty() && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(after * 3));
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert_eq!(cache.get(&key(1)), Some(report(1)));
        cache.clear().unwrap();
    }
}

#[test]
fn a_report_of_before_these_fields_is_still_read() {
    let mut value: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
    let run = value["receipt"]["run"].as_object_mut().unwrap();
    for field in ["recognised", "git_source"] {
        run.remove(field);
    }
    for finding in value["findings"].as_array_mut().unwrap() {
        finding.as_object_mut().unwrap().remove("dismissed");
    }
    assert!(report::json::parse(&value.to_string()).is_ok());
}
