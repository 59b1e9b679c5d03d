//! Who names a file that goes, and who calls what is edited by another name.

use super::*;

/// So many lines that a file counts as large, and only its hunks are shown.
fn filling(mark: &str) -> String {
    (0..170)
        .map(|n| format!("{mark} filling {n}\n\n"))
        .collect()
}

/// Who names a file, each with the line that does.
const NAMERS: [(&str, &str, &str); 27] = [
    ("gen/main.py", "Makefile", "\tpython gen/main.py --out x"),
    (
        "gen/main.py",
        ".github/workflows/ci.yml",
        "      - run: python gen/main.py --check",
    ),
    (
        "gen/main.py",
        "scripts/release.sh",
        "python gen/main.py --release",
    ),
    (
        "lib/common.sh",
        "scripts/release.sh",
        ". \"$DIR/lib/common.sh\"",
    ),
    (
        "lib/common.sh",
        "bin/release",
        "source \"${ROOT}/lib/common.sh\"",
    ),
    (
        "gen/main.js",
        "package.json",
        "  \"build\": \"node gen/main.js\"",
    ),
    ("gen/main.py", "pyproject.toml", "x = \"gen.main:run\""),
    ("gen/main.py", "Dockerfile", "COPY gen/main.py /app/"),
    ("gen/main.py", "gen/Dockerfile", "COPY main.py /app/"),
    ("src/util.c", "CMakeLists.txt", "add_library(x src/util.c)"),
    ("tpl/a.html", "u.go", "//go:embed tpl/a.html"),
    (
        "js/app.js",
        "index.html",
        "<script src=\"js/app.js\"></script>",
    ),
    ("css/a.css", "css/b.css", "@import \"a.css\";"),
    (
        "data/rates.json",
        "u.py",
        "R = json.load(open('data/rates.json'))",
    ),
    ("lib/db.rb", "lib/u.rb", "require_relative 'db'"),
    (
        ".github/actions/setup/action.yml",
        ".github/workflows/ci.yml",
        "      - uses: ./.github/actions/setup",
    ),
    (
        "modules/net/main.tf",
        "main.tf",
        "  source = \"./modules/net\"",
    ),
    (
        "test/setup.js",
        "jest.config.js",
        "module.exports = { setupFiles: ['<rootDir>/test/setup.js'] };",
    ),
    ("css/_vars.scss", "css/main.scss", "@use 'vars';"),
    (
        "bin/run.sh",
        "deploy/x.service",
        "ExecStart=/opt/app/bin/run.sh --x",
    ),
    ("tools/gen.py", "Makefile", "\tcd tools && python gen.py"),
    (
        "lib/money.py",
        "app.py",
        "from lib import (\n    tax,  # of a year\n    money,\n)",
    ),
    (
        "lib/money.py",
        "lib/__init__.py",
        "from . import (\n    tax,\n    money,\n)",
    ),
    (
        "src/money.rs",
        "src/lib.rs",
        "pub mod money; // what it costs",
    ),
    ("src/money.rs", "src/lib.rs", "#[cfg(unix)] mod money;"),
    (
        "docs/setup.md",
        "README.md",
        "Read [how](docs/setup.md) first",
    ),
    ("src/db.ts", "src/u.ts", "import { a } from '@/db';"),
];

/// Law: whoever names a file that is deleted or moved is shown, whatever sort of file it is; who names another one of
/// the same name is not.
#[test]
fn whoever_names_a_file_that_goes_is_shown_and_nobody_else() {
    for (gone, namer, line) in NAMERS {
        for is_moved in [false, true] {
            for is_other in [false, true] {
                let repo = Repo::new();
                let name = gone.rsplit('/').next().unwrap();
                let other = format!("zz/deep/{name}");
                let line = match is_other {
                    true => line.replace(gone, &other).replace("gen.main", "zz.deep"),
                    false => line.to_owned(),
                };
                if is_other && !line.contains("zz") {
                    continue;
                }
                // What moves out of the tests is new where it stands: its old name is not told.
                if is_moved && gone.starts_with("test/") {
                    continue;
                }
                let mark = if namer.ends_with(".json") {
                    ""
                } else {
                    "# pad\n"
                };
                repo.write(gone, "one\ntwo\nthree\nfour\n")
                    .write(&other, "other\n");
                repo.write(namer, format!("{}{line}\n", mark.repeat(3)));
                repo.commit("one");
                if is_moved {
                    std::fs::create_dir_all(repo.path().join("elsewhere")).unwrap();
                    repo.git(&["mv", gone, "elsewhere/now.txt"]);
                } else {
                    repo.remove(gone);
                }
                repo.commit("two");
                let heads = heads(&repo);
                let what = if is_moved { "moves" } else { "deletes" };
                let why = format!("names `{gone}`, which the change {what}");
                assert_eq!(has(&heads, &why), !is_other, "{namer}: {line}: {heads:?}");
            }
        }
    }
}

type Renamed = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

/// Callers under another name: the file that is edited, files that stand between, and the caller with its line.
const RENAMED: [Renamed; 10] = [
    (
        "lib/rates.py",
        "#",
        "def convert(a):\n    return a * 100\n",
        &[
            (
                "lib/__init__.py",
                "from .rates import convert as to_cents\n",
            ),
            (
                "app/use.py",
                "from lib import to_cents\n\ndef bill(x):\n    return to_cents(x) / 100\n",
            ),
        ],
        "app/use.py",
    ),
    (
        "rates.py",
        "#",
        "def convert(a):\n    return a * 100\n",
        &[(
            "app/use.py",
            "import rates\nto_cents = rates.convert\n~\ndef bill(x):\n    return to_cents(x) / 100\n",
        )],
        "app/use.py",
    ),
    (
        "rates.py",
        "#",
        "def convert(a):\n    return a * 100\n",
        &[(
            "app/use.py",
            "import rates as r\n~\ndef bill(x):\n    return r.convert(x) / 100\n",
        )],
        "app/use.py",
    ),
    (
        "db.js",
        "//",
        "exports.save = function (x) {\n  return write(x, 100);\n};\n",
        &[(
            "u.js",
            "const { save: persist } = require('./db');\n~\nfunction go(x) {\n  persist(x).then(done);\n}\n",
        )],
        "u.js",
    ),
    (
        "src/db.ts",
        "//",
        "export default async function save(x: any) {\n  return write(x, 100);\n}\n",
        &[(
            "src/u.ts",
            "import persist from './db';\n~\nexport function go(x) {\n  return persist(x).id;\n}\n",
        )],
        "src/u.ts",
    ),
    (
        "src/db/index.ts",
        "//",
        "export default async function save(x: any) {\n  return write(x, 100);\n}\n",
        &[
            ("src/all.ts", "export { default as persist } from './db';\n"),
            (
                "src/u.ts",
                "import { persist } from './all';\n~\nexport function go(x) {\n  return persist(x).id;\n}\n",
            ),
        ],
        "src/u.ts",
    ),
    (
        "src/db.js",
        "//",
        "function save(x) {\n  return write(x, 100);\n}\nmodule.exports = save;\n",
        &[(
            "src/u.js",
            "const persist = require('./db');\n~\nfunction go(x) {\n  return persist(x).id;\n}\n",
        )],
        "src/u.js",
    ),
    (
        "src/rates.rs",
        "//",
        "pub fn convert(a: u64) -> u64 {\n    a * 100\n}\n",
        &[(
            "src/bill.rs",
            "use crate::rates::convert as to_cents;\n~\npub fn bill(x: u64) -> u64 {\n    to_cents(x) / 100\n}\n",
        )],
        "src/bill.rs",
    ),
    (
        "src/rates.rs",
        "//",
        "pub fn convert(a: u64) -> u64 {\n    a * 100\n}\n",
        &[
            (
                "src/lib.rs",
                "mod rates;\npub use rates::convert as to_cents;\n",
            ),
            (
                "src/bill.rs",
                "use crate::to_cents;\n~\npub fn bill(x: u64) -> u64 {\n    to_cents(x) / 100\n}\n",
            ),
        ],
        "src/bill.rs",
    ),
    (
        "rates/rates.go",
        "//",
        "package rates\n\nfunc Convert(a int) int {\n\treturn a * 100\n}\n",
        &[(
            "bill/bill.go",
            "package bill\n\nimport money \"example.com/m/rates\"\n~\nfunc Bill(x int) int {\n\treturn money.Convert(x) / 100\n}\n",
        )],
        "bill/bill.go",
    ),
];

/// Law: whoever calls what the change edits is shown, by whatever name the caller knows it.
#[test]
fn a_caller_is_shown_by_whatever_name_it_calls() {
    for (edited, mark, text, others, caller) in RENAMED {
        let repo = Repo::new();
        repo.write("go.mod", "module example.com/m\n");
        repo.write(edited, format!("{}{text}", filling(mark)));
        for (path, text) in others {
            let text = text.replace("~\n", &filling(mark));
            repo.write(path, format!("{text}{}", filling(mark)));
        }
        repo.commit("one");
        repo.write(
            edited,
            format!("{}{}", filling(mark), text.replace("100", "10")),
        );
        repo.commit("two");
        let heads = heads(&repo);
        let call = others
            .last()
            .unwrap()
            .1
            .lines()
            .rev()
            .find(|line| line.contains("(x)"))
            .unwrap();
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        let is_shown = brief
            .split("\n=== ")
            .any(|block| block.starts_with(&format!("{caller}:")) && block.contains(call.trim()));
        assert!(is_shown, "{edited} {caller}: {heads:?}");
        assert!(
            !has(&heads, "definition of `save`") || !has(&heads, "u.js:1-"),
            "{heads:?}"
        );
    }
}
