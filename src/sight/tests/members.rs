//! Declarations of members without a body that a change begins to use: fields, and methods of traits and interfaces.

use super::read_settings::brief;

const STORE: &str = "pub trait Store: Send + Sync {\n    /// What it PROMISES.\n    fn METHOD(&self, key: &str) -> usize;\n}\n\npub struct Mem;\n\nimpl Store for Mem {\n    fn METHOD(&self, key: &str) -> usize {\n        key.len()\n    }\n}\n";

/// Law: however the value of a trait is held, what its method promises is shown where the change calls it.
#[test]
fn the_method_of_a_trait_is_shown_by_its_declaration() {
    for method in ["purge_expired", "remove"] {
        for (held, inner) in [
            ("pub struct Svc { store: Arc<dyn Store> }", "Svc"),
            ("pub struct Svc {\n    store: Box<dyn Store>,\n}", "Svc"),
            ("pub struct Svc<S: Store> { store: S }", "<S: Store> Svc<S>"),
            (
                "pub struct Svc<S> { store: S }",
                "<S> Svc<S>\nwhere\n    S: Store,\n",
            ),
        ] {
            let blank = if inner.starts_with('<') { "" } else { " " };
            let end = if inner.ends_with('\n') { "" } else { " " };
            let head = format!("impl{blank}{inner}{end}");
            let text = |value: &str| {
                format!(
                    "use crate::store::Store;\nuse std::sync::Arc;\n\n{held}\n\n{head}{{\n    pub fn go(&self, key: &str) -> bool {{\n        {value}\n    }}\n}}\n"
                )
            };
            let files = [
                (
                    "Cargo.toml",
                    "[package]\nname = \"x\"\nversion = \"0.1.0\"\n".to_owned(),
                ),
                ("src/lib.rs", "pub mod store;\npub mod svc;\n".to_owned()),
                ("src/store.rs", STORE.replace("METHOD", method)),
            ];
            let files = files.map(|(path, text)| (path.to_owned(), text));
            let now = text(&format!("self.store.{method}(key) == 0"));
            let told = brief("src/svc.rs", [&text("!key.is_empty()"), &now], &files);
            assert!(told.contains("PROMISES"), "{held}: {told}");
        }
    }
}

/// A field is shown by the line that declares it, through however many values it is asked for.
#[test]
fn the_field_of_a_struct_of_go_is_shown() {
    let conf = "package a\n\nimport \"time\"\n\ntype Conf struct {\n\t// Zero PROMISES nothing.\n\tDialTimeout time.Duration\n\tAddr        string\n}\n";
    for [head, value] in [
        [
            "func (c *Client) Do() error {\n\tENTRY",
            "c.conf.DialTimeout",
        ],
        [
            "func Do() error {\n\tconf := Load()\n\tENTRY",
            "conf.DialTimeout",
        ],
        ["func Do(all []Conf) error {\n\tENTRY", "all[0].DialTimeout"],
    ] {
        let text = |entry: &str| {
            let head = head.replace("ENTRY", entry);
            format!(
                "package a\n\ntype Client struct {{\n\tconf *Conf\n}}\n\n{head}\n\treturn nil\n}}\n"
            )
        };
        let files = [
            ("go.mod", "module ex.com/a\n\ngo 1.22\n"),
            ("conf.go", conf),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let now = text(&format!("wait({value})"));
        let told = brief("client.go", [&text("wait(0)"), &now], &files);
        assert!(told.contains("PROMISES"), "{value}: {told}");
    }
    // What a package from outside has is none of the tree's.
    let text =
        |value: &str| format!("package a\n\nimport \"net\"\n\nfunc Do() {{\n\twait({value})\n}}\n");
    let files = [("conf.go".to_owned(), conf.to_owned())];
    let told = brief("client.go", [&text("0"), &text("net.DialTimeout")], &files);
    assert!(!told.contains("PROMISES"), "{told}");
}

#[test]
fn the_method_of_an_interface_is_shown_by_its_declaration() {
    let files = [
        (
            "src/a/Store.java",
            "package a;\n\npublic interface Store {\n    /** What it PROMISES. */\n    int purgeExpired(String key);\n}\n",
        ),
        (
            "src/store.ts",
            "export interface Store {\n  // What it PROMISES.\n  purgeExpired(key: string): number;\n}\n",
        ),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let java = |value: &str| {
        format!(
            "package a;\n\nclass Svc {{\n    private final Store store;\n\n    boolean go(String key) {{\n        return {value};\n    }}\n}}\n"
        )
    };
    let told = brief(
        "src/a/Svc.java",
        [&java("true"), &java("store.purgeExpired(key) == 0")],
        &files,
    );
    assert!(told.contains("PROMISES"), "{told}");
    let script = |value: &str| {
        format!(
            "import type {{ Store }} from \"./store\";\n\nexport class Svc {{\n  constructor(private readonly store: Store) {{}}\n\n  go(key: string) {{\n    return {value};\n  }}\n}}\n"
        )
    };
    let told = brief(
        "src/svc.ts",
        [
            &script("true"),
            &script("this.store.purgeExpired(key) === 0"),
        ],
        &files,
    );
    assert!(told.contains("PROMISES"), "{told}");
}
