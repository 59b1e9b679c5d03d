//! Two types with a method of one name, in a file that knows both: who asks the other one uses nothing of the change.

use super::read_settings::brief;

/// Two types in a language, and who asks their methods; `NAME` and `VALUE` stand for what tells
/// them apart.
struct Asked {
    ending: &'static str,
    /// What the edited one and the other are called.
    names: [&'static str; 2],
    begin: &'static str,
    /// A type of such a name whose method gives such a value.
    typed: &'static str,
    /// What brings a type from its own file.
    import: &'static str,
    /// Who asks a value of this type, in function `ask_N`; its line has `MARK`.
    users: &'static [&'static str],
}

const TYPES: [&str; 2] = ["Cart", "Invoice"];

const ASKED: [Asked; 12] = [
    Asked {
        ending: "py",
        names: TYPES,
        begin: "",
        typed: "class NAME:\n    def net_total(self):\n        return VALUE\n\n\n",
        import: "from app.FILE import NAME\n",
        users: &[
            "def ask_N(x: NAME):\n    return x.net_total() + MARK\n\n\n",
            "def ask_N():\n    x = NAME()\n    return x.net_total() + MARK\n\n\n",
            "class UseN:\n    def __init__(self, x: NAME):\n        self.x = x\n\n    def ask(self):\n        return self.x.net_total() + MARK\n\n\n",
            "def ask_N():\n    return NAME().net_total() + MARK\n\n\n",
            "def ask_N(x):\n    return NAME.net_total(x) + MARK\n\n\n",
        ],
    },
    Asked {
        ending: "ts",
        names: TYPES,
        begin: "",
        typed: "export class NAME {\n  net_total() {\n    return VALUE;\n  }\n}\n\n",
        import: "import { NAME } from './FILE';\n",
        users: &[
            "export function ask_N(x: NAME) {\n  return x.net_total() + MARK;\n}\n\n",
            "export function ask_N() {\n  const x = new NAME();\n  return x.net_total() + MARK;\n}\n\n",
            "export class UseN {\n  private x: NAME;\n\n  ask() {\n    return this.x.net_total() + MARK;\n  }\n}\n\n",
        ],
    },
    Asked {
        ending: "go",
        names: TYPES,
        begin: "package app\n\n",
        typed: "type NAME struct{ n int }\n\nfunc (c *NAME) net_total() int {\n\treturn VALUE\n}\n\n",
        import: "",
        users: &[
            "func ask_N(x *NAME) int {\n\treturn x.net_total() + MARK\n}\n\n",
            "func ask_N() int {\n\tx := &NAME{n: 1}\n\treturn x.net_total() + MARK\n}\n\n",
            "type UseN struct {\n\tx *NAME\n}\n\nfunc (u *UseN) ask() int {\n\treturn u.x.net_total() + MARK\n}\n\n",
        ],
    },
    Asked {
        ending: "rs",
        names: TYPES,
        begin: "",
        typed: "pub struct NAME;\n\nimpl NAME {\n    pub fn net_total(&self) -> u32 {\n        VALUE\n    }\n}\n\n",
        import: "use crate::FILE::NAME;\n",
        users: &[
            "pub fn ask_N(x: &NAME) -> u32 {\n    x.net_total() + MARK\n}\n\n",
            "pub fn ask_N() -> u32 {\n    let x: NAME = open();\n    x.net_total() + MARK\n}\n\n",
            "pub fn ask_N(x: u8) -> u32 {\n    NAME::net_total(x) + MARK\n}\n\n",
        ],
    },
    Asked {
        ending: "java",
        names: TYPES,
        begin: "package app;\n\n",
        typed: "class NAME {\n  int net_total() {\n    return VALUE;\n  }\n}\n\n",
        import: "",
        users: &[
            "class UseN {\n  int ask(NAME x) {\n    return x.net_total() + MARK;\n  }\n}\n\n",
            "class UseN {\n  private final NAME x;\n\n  int ask() {\n    return x.net_total() + MARK;\n  }\n}\n\n",
        ],
    },
    Asked {
        ending: "kt",
        names: TYPES,
        begin: "package app\n\n",
        typed: "class NAME {\n    fun net_total(): Int {\n        return VALUE\n    }\n}\n\n",
        import: "",
        users: &[
            "fun ask_N(x: NAME): Int {\n    return x.net_total() + MARK\n}\n\n",
            "fun ask_N(): Int {\n    val x = NAME()\n    return x.net_total() + MARK\n}\n\n",
        ],
    },
    Asked {
        ending: "cs",
        names: TYPES,
        begin: "namespace App;\n\n",
        typed: "class NAME {\n  public int net_total() {\n    return VALUE;\n  }\n}\n\n",
        import: "",
        users: &[
            "class UseN {\n  int Ask(NAME x) {\n    return x.net_total() + MARK;\n  }\n}\n\n",
            "class UseN {\n  int Ask() {\n    var x = new NAME();\n    return x.net_total() + MARK;\n  }\n}\n\n",
        ],
    },
    Asked {
        ending: "php",
        names: TYPES,
        begin: "<?php\n\n",
        typed: "class NAME {\n  public static function net_total() {\n    return VALUE;\n  }\n}\n\n",
        import: "",
        users: &[
            "function ask_N(NAME $x) {\n  return $x->net_total() + MARK;\n}\n\n",
            "function ask_N() {\n  return NAME::net_total() + MARK;\n}\n\n",
        ],
    },
    Asked {
        ending: "rb",
        names: TYPES,
        begin: "",
        typed: "class NAME\n  def self.net_total\n    VALUE\n  end\nend\n\n",
        import: "",
        users: &[
            "def ask_N\n  NAME.net_total + MARK\nend\n\n",
            "def ask_N\n  x = NAME.new\n  x.net_total + MARK\nend\n\n",
        ],
    },
    Asked {
        ending: "rb",
        names: TYPES,
        begin: "",
        typed: "module NAME\n  def self.net_total\n    VALUE\n  end\nend\n\n",
        import: "",
        users: &["def ask_N\n  NAME.net_total + MARK\nend\n\n"],
    },
    Asked {
        ending: "ts",
        names: ["cartApi", "billApi"],
        begin: "",
        typed: "export const NAME = {\n  net_total() {\n    return VALUE;\n  },\n};\n\n",
        import: "import { NAME } from './FILE';\n",
        users: &["export function ask_N() {\n  return NAME.net_total() + MARK;\n}\n\n"],
    },
    Asked {
        ending: "ts",
        names: TYPES,
        begin: "",
        typed: "export namespace NAME {\n  export function net_total() {\n    return VALUE;\n  }\n}\n\n",
        import: "import { NAME } from './FILE';\n",
        users: &["export function ask_N() {\n  return NAME.net_total() + MARK;\n}\n\n"],
    },
];

impl Asked {
    /// The brief of a change of the first one's method, where one file asks that and another type; both in one file of types
    /// or each in its own.
    fn told(&self, user: usize, is_apart: bool) -> String {
        let path = |stem: &str| match self.ending {
            "rs" => format!("src/{stem}.rs"),
            ending => format!("app/{stem}.{ending}"),
        };
        let fill = |template: &str, name: &str, value: &str| {
            template.replace("NAME", name).replace("VALUE", value)
        };
        let typed = |name: &str, value: &str| fill(self.typed, name, value);
        let import = |name: &str, file: &str| fill(self.import, name, "").replace("FILE", file);
        let ask = |name: &str, mark: &str| {
            let user = fill(self.users[user], name, "").replace("MARK", mark);
            user.replace("ask_N", &format!("ask_{mark}"))
                .replace("UseN", &format!("Use{mark}"))
        };
        let [own, other] = self.names;
        let imports = match is_apart {
            true => [import(own, "cart"), import(other, "invoice")],
            false => [import(own, "cart"), import(other, "cart")],
        };
        let begin = self.begin;
        let users = format!(
            "{begin}{}\n{}{}",
            imports.concat(),
            ask(own, "4040"),
            ask(other, "5050")
        );
        let more = match is_apart {
            true => String::new(),
            // A small file is shown whole.
            false => format!("{}{}", "\n".repeat(170), typed(other, "999")),
        };
        let cart = |value: &str| format!("{begin}{}{more}", typed(own, value));
        let mut files = vec![
            (path("use"), users),
            ("go.mod".to_owned(), "module ex\n".to_owned()),
            (
                "src/lib.rs".to_owned(),
                "mod cart;\nmod invoice;\nmod r#use;\n".to_owned(),
            ),
        ];
        if is_apart {
            files.push((path("invoice"), format!("{begin}{}", typed(other, "999"))));
        }
        brief(&path("cart"), [&cart("77"), &cart("78")], &files)
    }
}

#[test]
fn who_asks_another_type_is_no_user_in_a_file_that_knows_both() {
    let mut wrong = Vec::new();
    for asked in &ASKED {
        for user in 0..asked.users.len() {
            for is_apart in [true, false] {
                let told = asked.told(user, is_apart);
                let place = (asked.ending, asked.users[user], is_apart);
                if !told.contains("4040") {
                    wrong.push(("the user is missing", place));
                }
                if told.contains("5050") {
                    wrong.push(("another's user is shown", place));
                }
                if told.contains("999") {
                    wrong.push(("another's method is shown", place));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Law: a member that a file sets is no function of a module that the file does not import, nor is the module itself one
/// of its variables.
#[test]
fn what_only_has_the_name_of_what_is_edited_is_no_use_of_it() {
    let edited = "def archive_row(s):\n    return s.strip()\n\n\nrates = connect(7)\n";
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = [
        file("app/__init__.py", ""),
        file(
            "app/b.py",
            "def other(x):\n    x.archive_row = 5050\n    return x\n",
        ),
        file(
            "app/c.py",
            "from app.rates import archive_row\n\n\ndef use(s):\n    return archive_row(s) + 4040\n",
        ),
        file(
            "app/d.py",
            "from app.rates import other\n\n\ndef use_d(s):\n    return other(s) + 5051\n",
        ),
        file(
            "app/e.py",
            "from app import rates\n\n\ndef use_e(s):\n    return rates.other(s) + 5052\n",
        ),
        file(
            "app/f.py",
            "from app.rates import rates\n\n\ndef use_f(s):\n    return rates.get(s) + 4041\n",
        ),
        file(
            "tests/test_a.py",
            "from app import rates\n\n\ndef test_it():\n    rates.archive_row = 4042\n",
        ),
    ];
    let now = edited
        .replace("strip()", "strip().lower()")
        .replace('7', "8");
    let told = brief("app/rates.py", [edited, &now], &files);
    for (line, is_shown) in [
        ("4040", true),
        ("4041", true),
        ("4042", true),
        ("5050", false),
        ("5051", false),
        ("5052", false),
    ] {
        assert_eq!(told.contains(line), is_shown, "{line}: {told}");
    }
}
