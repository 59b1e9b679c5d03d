//! Has a C compiler check that the header and its Rust mirror are the same.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, which the lint's exception does not cover"
)]

use std::fmt::Write as _;
use std::fs;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

use council_abi::{ABI, Backend, HEADER, Host, SYMBOL, Str, level, status};

/// One `_Static_assert` for each number that both sides know.
fn asserts() -> String {
    let mut c = String::from("#include \"git_council.h\"\n");
    let mut same = |left: &str, right: usize| {
        writeln!(c, "_Static_assert({left} == {right}, \"{left}\");").unwrap();
    };
    same("sizeof(gc_str)", size_of::<Str>());
    same("sizeof(gc_host)", size_of::<Host>());
    same("sizeof(gc_backend)", size_of::<Backend>());
    same("offsetof(gc_str, ptr)", offset_of!(Str, ptr));
    same("offsetof(gc_str, len)", offset_of!(Str, len));
    macro_rules! offsets {
        ($c:literal, $rust:ty, $($field:ident)*) => {
            $(same(concat!("offsetof(", $c, ", ", stringify!($field), ")"), offset_of!($rust, $field));)*
        };
    }
    offsets!("gc_host", Host, struct_size abi ctx emit log);
    offsets!("gc_backend", Backend, struct_size abi manifest open spawn send cancel shutdown close);
    same("GIT_COUNCIL_ABI", ABI as usize);
    for (name, value) in [
        ("GC_OK", status::OK),
        ("GC_ERROR", status::ERROR),
        ("GC_PANICKED", status::PANICKED),
        ("GC_UNSUPPORTED", status::UNSUPPORTED),
        ("GC_CLOSED", status::CLOSED),
        ("GC_UNKNOWN_JUDGE", status::UNKNOWN_JUDGE),
        ("GC_LOG_ERROR", level::ERROR),
        ("GC_LOG_WARN", level::WARN),
        ("GC_LOG_INFO", level::INFO),
        ("GC_LOG_DEBUG", level::DEBUG),
    ] {
        same(name, usize::try_from(value).unwrap());
    }
    c
}

/// The function types of the mirror, written as C: assigning the table's members to them must not warn.
const SIGNATURES: &str = r"
void signatures(const gc_host *h, const gc_backend *b);
void signatures(const gc_host *h, const gc_backend *b) {
  void (*emit)(void *, gc_str) = h->emit;
  void (*log)(void *, int32_t, gc_str) = h->log;
  gc_str (*manifest)(void) = b->manifest;
  int32_t (*open)(const gc_host *, gc_str, gc_session **) = b->open;
  int32_t (*spawn)(gc_session *, gc_str) = b->spawn;
  int32_t (*send)(gc_session *, gc_str) = b->send;
  int32_t (*cancel)(gc_session *, gc_str) = b->cancel;
  int32_t (*shutdown)(gc_session *, gc_str, uint32_t) = b->shutdown;
  int32_t (*close)(gc_session *) = b->close;
  const gc_backend *(*entry)(void) = git_council_backend_v1;
  (void)emit, (void)log, (void)manifest, (void)open, (void)spawn, (void)send, (void)cancel, (void)shutdown;
  (void)close, (void)entry;
}
";

/// Compiles `source` without linking it. None: there is no C compiler.
fn compile(source: &str, flags: &[&str]) -> Option<Result<(), String>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("check.c");
    fs::write(&file, source).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-c", "-o"])
        .arg(dir.path().join("check.o"));
    cc.args(flags).arg("-I").arg(include).arg(&file);
    let output = cc.output().ok()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(errors)
    })
}

#[test]
fn the_header_and_its_mirror_have_one_layout() {
    let Some(result) = compile(&(asserts() + SIGNATURES), &["-std=c11", "-pedantic"]) else {
        eprintln!("SKIPPED: no C compiler (cc) was found, the header is not checked");
        return;
    };
    assert_eq!(result, Ok(()));
}

#[test]
fn a_wrong_offset_would_be_noticed() {
    let wrong = asserts().replacen(
        "offsetof(gc_host, log) == ",
        "offsetof(gc_host, log) == 1",
        1,
    );
    let Some(result) = compile(&wrong, &["-std=c11"]) else {
        eprintln!("SKIPPED: no C compiler (cc) was found, the header is not checked");
        return;
    };
    assert!(result.unwrap_err().contains("offsetof(gc_host, log)"));
}

#[test]
fn the_header_is_plain_c99_and_cpp() {
    let source = "#include \"git_council.h\"\n";
    for flags in [["-std=c99", "-pedantic"], ["-xc++", "-std=c++11"]] {
        match compile(source, &flags) {
            None => eprintln!("SKIPPED: no C compiler (cc) was found, the header is not checked"),
            Some(Err(errors)) if errors.contains("cc1plus") => {
                eprintln!(
                    "SKIPPED: cc was installed without C++, the header is not checked as C++"
                );
            }
            Some(result) => assert_eq!(result, Ok(()), "{flags:?}"),
        }
    }
}

#[test]
fn the_header_has_ten_functions_under_one_symbol() {
    assert_eq!(HEADER.matches("GC_EXPORT const").count(), 1);
    assert!(HEADER.contains(&format!("{SYMBOL}(void);")));
    let members = HEADER
        .lines()
        .filter(|l| l.contains(" (*") && l.ends_with(';'))
        .count();
    assert_eq!(1 + members, 10);
}
