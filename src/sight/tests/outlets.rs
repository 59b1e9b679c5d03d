//! What a file keeps to itself is edited: who has it through an exported function of the file is shown.

use super::read_settings::brief;

/// A file whose own `77` is edited, and another one that has it through a function.
struct Kept {
    path: &'static str,
    text: &'static str,
    /// A file with a line `4040`.
    user: (&'static str, &'static str),
}

const KEPT: [Kept; 13] = [
    Kept {
        path: "app/http.py",
        text: "_TIMEOUT = 77\n\n\ndef fetch_page(url):\n    return ask(url, _TIMEOUT)\n",
        user: (
            "app/web.py",
            "from app.http import fetch_page\n\n\ndef view(r):\n    return fetch_page(r) + 4040\n",
        ),
    },
    Kept {
        path: "app/http.py",
        text: "TIMEOUT = 77\n\n\ndef fetch_page(url):\n    return ask(url, TIMEOUT)\n",
        user: (
            "app/web.py",
            "from app.http import fetch_page\n\n\ndef view(r):\n    return fetch_page(r) + 4040\n",
        ),
    },
    Kept {
        path: "app/money.py",
        text: "def _round(x):\n    return cut(x, 77)\n\n\nclass Money:\n    def with_tax(self, x):\n        return _round(x * 2)\n",
        user: (
            "app/bill.py",
            "from app.money import Money\n\n\ndef lines(m: Money):\n    return m.with_tax(1) + 4040\n",
        ),
    },
    Kept {
        path: "src/auth.tsx",
        text: "const AuthContext = createContext<Auth>({ user: 77 });\n\nexport function useAuth() {\n  return useContext(AuthContext);\n}\n",
        user: (
            "src/head.tsx",
            "import { useAuth } from './auth';\n\nexport function Head() {\n  const { user } = useAuth();\n  return user + 4040;\n}\n",
        ),
    },
    Kept {
        path: "src/slug.ts",
        text: "const SEP = 77;\n\nfunction toSlug(s: string) {\n  return s + SEP;\n}\n\nexport { toSlug };\n",
        user: (
            "src/url.ts",
            "import { toSlug } from './slug';\n\nexport function idOf(t: string) {\n  return toSlug(t) + 4040;\n}\n",
        ),
    },
    Kept {
        path: "repo/repo.go",
        text: "package repo\n\nconst maxRows = 77\n\nfunc CapRows(n int) int {\n\treturn min(n, maxRows)\n}\n",
        user: (
            "api/list.go",
            "package api\n\nimport \"ex/repo\"\n\nfunc list(n int) int {\n\treturn repo.CapRows(n) + 4040\n}\n",
        ),
    },
    Kept {
        path: "src/rows.rs",
        text: "const MAX_ROWS: u32 = 77;\n\npub fn cap_rows(n: u32) -> u32 {\n    n.min(MAX_ROWS)\n}\n",
        user: (
            "src/list.rs",
            "use crate::rows::cap_rows;\n\npub fn list(n: u32) -> u32 {\n    cap_rows(n) + 4040\n}\n",
        ),
    },
    Kept {
        path: "app/Rows.java",
        text: "package app;\n\npublic class Rows {\n  private static final int MAX_ROWS = 77;\n\n  public static int capRows(int n) {\n    return Math.min(n, MAX_ROWS);\n  }\n}\n",
        user: (
            "app/Lister.java",
            "package app;\n\nclass Lister {\n  int list(int n) {\n    return Rows.capRows(n) + 4040;\n  }\n}\n",
        ),
    },
    Kept {
        path: "app/Rows.kt",
        text: "package app\n\nprivate const val MAX_ROWS = 77\n\nfun capRows(n: Int): Int {\n    return minOf(n, MAX_ROWS)\n}\n",
        user: (
            "app/Lister.kt",
            "package app\n\nfun list(n: Int): Int {\n    return capRows(n) + 4040\n}\n",
        ),
    },
    Kept {
        path: "App/Rows.cs",
        text: "namespace App;\n\npublic class Rows\n{\n    private const int MaxRows = 77;\n\n    public static int CapRows(int n)\n    {\n        return Math.Min(n, MaxRows);\n    }\n}\n",
        user: (
            "App/Lister.cs",
            "namespace App;\n\nclass Lister\n{\n    int List(int n)\n    {\n        return Rows.CapRows(n) + 4040;\n    }\n}\n",
        ),
    },
    Kept {
        path: "app/Rows.php",
        text: "<?php\n\nclass Rows\n{\n    private function roundRows($n)\n    {\n        return cut($n, 77);\n    }\n\n    public function capRows($n)\n    {\n        return $this->roundRows($n);\n    }\n}\n",
        user: (
            "app/lister.php",
            "<?php\n\nfunction list_rows(Rows $rows) {\n    return $rows->capRows(1) + 4040;\n}\n",
        ),
    },
    Kept {
        path: "lib/rows.rb",
        text: "class Rows\n  MAX_ROWS = 77\n\n  def self.cap_rows(n)\n    [n, MAX_ROWS].min\n  end\nend\n",
        user: (
            "lib/lister.rb",
            "class Lister\n  def list(n)\n    Rows.cap_rows(n) + 4040\n  end\nend\n",
        ),
    },
    Kept {
        path: "rows.c",
        text: "#include \"rows.h\"\n\nstatic const int max_rows = 77;\n\nint cap_rows(int n)\n{\n    return n < max_rows ? n : max_rows;\n}\n",
        user: (
            "list.c",
            "#include \"rows.h\"\n\nint list_all(int n)\n{\n    return cap_rows(n) + 4040;\n}\n",
        ),
    },
];

impl Kept {
    /// The brief of the edit, beside these files.
    fn told(&self, others: &[(&str, &str)]) -> String {
        let given = [
            ("go.mod", "module ex\n"),
            ("src/lib.rs", "mod rows;\nmod list;\n"),
            ("rows.h", "int cap_rows(int n);\n"),
        ];
        let files = given.iter().chain(others);
        let files: Vec<_> = files
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        brief(
            self.path,
            [self.text, &self.text.replace("77", "78")],
            &files,
        )
    }
}

/// Law: in every language who has it through a function of the file is shown, and said to.
#[test]
fn who_has_a_files_own_through_its_function_is_shown() {
    let mut missing = Vec::new();
    for kept in &KEPT {
        let told = kept.told(&[kept.user]);
        let mut heads = told.lines().filter(|line| line.starts_with("=== "));
        // Where the edit is one of its type, too, the users of the type are shown before.
        let is_told = heads.any(|head| head.contains(" through `") || head.contains("of `Rows`"));
        if !told.contains("4040") || !is_told {
            missing.push((kept.path, kept.text, told));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// One remove only, and where whoever has it directly is shown, those are all where the file does not say that it is its
/// own.
#[test]
fn no_second_remove_and_nothing_beside_direct_users_is_shown() {
    let kept = &KEPT[0];
    let far = (
        "app/far.py",
        "from app.web import view\n\n\ndef far(r):\n    return view(r) + 5050\n",
    );
    let told = kept.told(&[kept.user, far]);
    assert!(told.contains("4040") && !told.contains("5050"), "{told}");
    let open = &KEPT[1];
    let direct = (
        "app/direct.py",
        "from app.http import TIMEOUT\n\n\ndef wait_for(r):\n    return TIMEOUT + 6060\n",
    );
    let told = open.told(&[open.user, direct]);
    assert!(told.contains("6060") && !told.contains("4040"), "{told}");
}
