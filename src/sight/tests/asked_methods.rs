//! What a change asks of others without naming them: a method of every child, an error that is no longer wrapped, a row in
//! every table.

use super::read_settings::brief;

fn told(path: &str, sides: [&str; 2], files: &[(&str, &str)]) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    brief(path, sides, &files)
}

#[test]
fn a_child_that_lacks_a_new_abstract_method_is_shown() {
    const BASE: &str = "from abc import ABC, abstractmethod\n\n\nclass Exporter(ABC):\n    @abstractmethod\n    def write_rows(self, rows): ...\n";
    for decorator in [
        "@abstractmethod",
        "@abc.abstractmethod",
        "@property\n    @abstractmethod",
    ] {
        let now = format!("{BASE}\n    {decorator}\n    def close_file(self): ...\n");
        let found = told(
            "app/base.py",
            [BASE, &now],
            &[
                (
                    "app/csv.py",
                    "from app.base import Exporter\n\n\nclass CsvExporter(Exporter):\n    def write_rows(self, rows):\n        print(rows, 4040)\n",
                ),
                (
                    "app/pdf.py",
                    "from app.base import Exporter\n\n\nclass PdfExporter(Exporter):\n    def close_file(self):\n        print(5050)\n",
                ),
                (
                    "app/run.py",
                    "from app.base import Exporter\n\n\ndef run(e: Exporter):\n    return e.write_rows(5051)\n",
                ),
            ],
        );
        assert!(found.contains("class CsvExporter(Exporter):"), "{found}");
        assert!(found.contains("has no `close_file` of its own"), "{found}");
        let mut heads = found
            .lines()
            .filter(|line| line.starts_with("=== app/pdf.py"));
        let is_asked = heads.any(|head| head.contains("extends"));
        assert!(!is_asked && !found.contains("5051"), "{found}");
    }
}

#[test]
fn a_table_that_a_new_value_indexes_is_shown() {
    for (path, before, now, user) in [
        (
            "src/kind.ts",
            "export type Kind = 'card' | 'cash';\n",
            "export type Kind = 'card' | 'cash' | 'voucher';\n",
            "import type { Kind } from './kind';\n\nconst FEES: { [k: string]: number } = { card: 4040 };\n\nconst OTHER = { card: 5050 };\nFILL\nexport function fee(kind: Kind, n: number) {\n  return n * FEES[kind];\n}\n",
        ),
        (
            "src/kind.ts",
            "export enum Kind {\n  Card,\n}\n",
            "export enum Kind {\n  Card,\n  Cash,\n}\n",
            "import { Kind } from './kind';\n\nconst FEES = [4040];\n\nconst OTHER = [5050];\nFILL\nexport function fee(kind: Kind, n: number) {\n  return n * FEES[kind];\n}\n",
        ),
    ] {
        let user = user.replace("FILL", &"\n".repeat(20));
        let found = told(path, [before, now], &[("src/fees.ts", &user)]);
        assert!(found.contains("4040") && !found.contains("5050"), "{found}");
    }
}

#[test]
fn who_asks_for_an_error_that_is_no_longer_wrapped_is_shown() {
    let store = |verb: &str| {
        format!(
            "package store\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\nvar ErrNotFound = errors.New(\"none\")\n\nfunc Order(id string) error {{\n\treturn fmt.Errorf(\"order %s: %{verb}\", id, ErrNotFound)\n}}\n"
        )
    };
    let files = [
        ("go.mod", "module ex\n"),
        (
            "api/api.go",
            "package api\n\nimport (\n\t\"errors\"\n\n\t\"ex/store\"\n)\n\nfunc fail(err error) int {\n\tif errors.Is(err, store.ErrNotFound) {\n\t\treturn 4040\n\t}\n\treturn 500\n}\n",
        ),
        (
            "api/new.go",
            "package api\n\nimport \"ex/store\"\n\nfunc none() error {\n\tlog(5050)\n\treturn store.ErrNotFound\n}\n",
        ),
    ];
    let found = told("store/store.go", [&store("w"), &store("v")], &files);
    assert!(found.contains("4040") && !found.contains("5050"), "{found}");
    // What is still wrapped is found as before.
    let found = told(
        "store/store.go",
        [&store("w"), &store("w").replace("order", "the order")],
        &files,
    );
    assert!(!found.contains("4040"), "{found}");
}
