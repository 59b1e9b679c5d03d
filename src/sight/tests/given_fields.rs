//! Who reads a field that gets another value where values of its type are made.

use proptest::prelude::*;

use super::read_settings::brief;

/// A type whose field FIELD gets the value ONE where it is made, and a file that reads it.
struct Given {
    path: &'static str,
    text: &'static str,
    reader: (&'static str, &'static str),
}

const GIVEN: [Given; 9] = [
    Given {
        path: "app/client.py",
        text: "class Client:\n    def __init__(self, base):\n        self.base = base\n        self.FIELD = ONE\n",
        reader: (
            "app/fetch.py",
            "from app.client import Client\n\n\ndef fetch(client: Client, get):\n    return get(client.FIELD)  # READ\n",
        ),
    },
    Given {
        path: "app/client.py",
        text: "class Client:\n    def __init__(self, base):\n        self.base = base\n        self.FIELD: int = ONE\n",
        reader: (
            "app/fetch.py",
            "def fetch(client, get):\n    return get(client.FIELD)  # READ\n",
        ),
    },
    Given {
        path: "src/client.ts",
        text: "export class Client {\n  readonly FIELD: number;\n  constructor(readonly base: string) {\n    this.FIELD = ONE;\n  }\n}\n",
        reader: (
            "src/fetch.ts",
            "import type { Client } from \"./client\";\n\nexport function fetchAll(client: Client) {\n  return client.FIELD; // READ\n}\n",
        ),
    },
    Given {
        path: "src/a/Client.java",
        text: "package a;\n\npublic class Client {\n    final int FIELD;\n\n    public Client() {\n        this.FIELD = ONE;\n    }\n}\n",
        reader: (
            "src/a/Fetcher.java",
            "package a;\n\nclass Fetcher {\n    int fetch(Client client) {\n        return client.FIELD; // READ\n    }\n}\n",
        ),
    },
    Given {
        path: "config/config.go",
        text: "package config\n\ntype Config struct {\n\tAddr  string\n\tFIELD int\n}\n\nfunc Load() Config {\n\treturn Config{Addr: addr(), FIELD: ONE}\n}\n",
        reader: (
            "pool/pool.go",
            "package pool\n\nimport \"ex.com/c/config\"\n\nfunc Start(cfg config.Config) {\n\trun(cfg.FIELD) // READ\n}\n",
        ),
    },
    Given {
        path: "pool/pool.go",
        text: "package pool\n\ntype Pool struct {\n\tfree  []string\n\tFIELD map[string]int\n}\n\nfunc New(names []string) *Pool {\n\treturn &Pool{\n\t\tfree: names,\n\t\tFIELD: ONE,\n\t}\n}\n",
        reader: (
            "pool/count.go",
            "package pool\n\nfunc (p *Pool) Count(s string) {\n\tp.FIELD[s]++ // READ\n}\n",
        ),
    },
    Given {
        path: "src/pool.rs",
        text: "pub struct Pool {\n    pub FIELD: usize,\n    size: u32,\n}\n\nimpl Pool {\n    pub fn new(size: u32) -> Self {\n        Self { FIELD: ONE, size }\n    }\n}\n",
        reader: (
            "src/user.rs",
            "use crate::pool::Pool;\n\npub fn run(pool: &Pool) -> usize {\n    pool.FIELD / 2 // READ\n}\n",
        ),
    },
    Given {
        path: "ctx.c",
        text: "#include \"ctx.h\"\n\nvoid ctx_init(struct ctx *c)\n{\n    c->fd = -1;\n    c->FIELD = ONE;\n}\n",
        reader: (
            "read.c",
            "#include \"ctx.h\"\n\nint ctx_read(struct ctx *c)\n{\n    return c->FIELD[0]; // READ\n}\n",
        ),
    },
    Given {
        path: "src/a/Shop.java",
        text: "package a;\n\npublic class Shop {\n    private final int FIELD;\n\n    public Shop() {\n        this.FIELD = ONE;\n    }\n\n    public int getFIELD() { return FIELD; }\n}\n",
        reader: (
            "src/a/Fetcher.java",
            "package a;\n\nclass Fetcher {\n    int fetch(Shop shop) {\n        return shop.getFIELD(); // READ\n    }\n}\n",
        ),
    },
];

impl Given {
    fn told(&self, field: &str, values: [&str; 2]) -> String {
        let (path, reader) = self.reader;
        let files = [
            ("go.mod", "module ex.com/c\n\ngo 1.22\n".to_owned()),
            (
                "ctx.h",
                format!("struct ctx {{ int fd; char *{field}; }};\n"),
            ),
            (path, reader.replace("FIELD", field)),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text));
        let sides = values.map(|value| self.text.replace("FIELD", field).replace("ONE", value));
        brief(self.path, sides.each_ref().map(String::as_str), &files)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: whatever a field is called and whatever other value it gets, who reads it is shown.
    #[test]
    fn who_reads_a_field_that_gets_another_value_is_shown(
        field in "q[a-z]{4,7}",
        now in "[1-9][0-9]{1,3}",
    ) {
        for given in &GIVEN {
            let told = given.told(&field, ["1", &now]);
            prop_assert!(told.contains("READ"), "{} {}: {}", given.path, field, told);
        }
    }
}

/// A field that gets the same value on another line is read as before, and so is one that only a method sets.
#[test]
fn a_field_that_keeps_its_value_has_no_readers_to_see() {
    let text = |set: &str, other: &str| {
        format!(
            "class Client:\n    def __init__(self, base):\n        {set}\n\n    def stop(self):\n        {other}\n"
        )
    };
    let reader = (
        "web/fetch.py".to_owned(),
        "def fetch(client, get):\n    return get(client.last_pause)  # READ\n".to_owned(),
    );
    for [before, now] in [
        [
            text("self.last_pause = 1", "pass"),
            text("self.last_pause  =  1  # why", "pass"),
        ],
        [
            text("self.base = base", "self.last_pause = 1"),
            text("self.base = base", "self.last_pause = 2"),
        ],
    ] {
        let told = brief(
            "app/client.py",
            [&before, &now],
            std::slice::from_ref(&reader),
        );
        assert!(!told.contains("READ"), "{told}");
    }
}
