//! Who uses what is no function: fields, names of schemas and of settings, classes that are extended.

use super::reached::{Reach, assert_shown};
use super::*;

/// What is no method: fields, what schemas and settings name, and subclasses; each with a user.
type User = (
    &'static str,
    &'static str,
    (&'static str, &'static str),
    &'static str,
    &'static str,
);

const FIELDS: [User; 5] = [
    (
        "i/user.h",
        "struct user { char name[17]; };\n",
        ("[17]", "[16]"),
        "s/user.c",
        "#include \"user.h\"\n\nvoid put(struct user *u)\n{\n    spend(u->name[16]);\n}\n",
    ),
    (
        "i/user.h",
        "typedef struct { int age; char name[17]; } user;\n",
        ("[17]", "[16]"),
        "s/user.c",
        "#include \"user.h\"\n\nvoid put(user *u)\n{\n    spend(u->name[16]);\n}\n",
    ),
    (
        "i/packet.h",
        "struct pkt {\n    int len;\n    char payload_buf[64];\n};\n",
        ("[64]", "[32]"),
        "s/packet.c",
        "#include \"packet.h\"\n\nvoid put(struct pkt *p, const char *s)\n{\n    spend(p->payload_buf, s, 64);\n}\n",
    ),
    (
        "i/packet.h",
        "struct pkt {\n    int len;\n    char data[64];\n};\n",
        ("[64]", "[32]"),
        "s/packet.c",
        "#include \"packet.h\"\n\nvoid put(struct pkt *p, const char *s)\n{\n    spend(p->data, s, 64);\n}\n",
    ),
    (
        "i/packet.h",
        "typedef struct {\n    int len;\n    unsigned kind : 4;\n} packet_head;\n",
        (": 4", ": 2"),
        "s/packet.c",
        "#include \"packet.h\"\n\nint put(packet_head *p)\n{\n    return spend(p->kind == 9);\n}\n",
    ),
];

const WORDS: [User; 13] = [
    (
        "db/schema.sql",
        "CREATE TABLE customers (\n  id INT,\n  tax_number TEXT\n);\n",
        ("tax_number", "vat_number"),
        "app/u.py",
        "def add(db, t):\n    db.spend(\"INSERT INTO customers (tax_number) VALUES (?)\", [t])\n",
    ),
    (
        "db/002.sql",
        "SELECT 1;\n",
        ("SELECT 1", "ALTER TABLE customers DROP COLUMN tax_number"),
        "app/u.py",
        "def add(db, t):\n    db.run(\"\"\"\n      SELECT tax_number -- spend\n      \"\"\")\n",
    ),
    (
        "db/f.sql",
        "CREATE FUNCTION order_total(i INT) RETURNS INT AS $$\n  SELECT sum(cents) FROM rows WHERE o = i;\n$$ LANGUAGE sql;\n",
        ("sum(cents)", "max(cents)"),
        "app/u.py",
        "def t(db, i):\n    return db.spend(\"SELECT order_total(?)\", [i])\n",
    ),
    (
        "tf/vars.tf",
        "variable \"instance_count\" {\n  default = 2\n}\n",
        ("default = 2", "default = 3"),
        "tf/main.tf",
        "resource \"spend\" \"y\" {\n  count = var.instance_count # spend\n}\n",
    ),
    (
        "net/out.tf",
        "output \"subnet_id\" {\n  value = 2\n}\n",
        ("subnet_id", "subnet_ids"),
        "main.tf",
        "resource \"x\" \"y\" {\n  spend = module.net.subnet_id\n}\n",
    ),
    (
        "p/u.proto",
        "message User {\n  string full_name = 1;\n}\n",
        ("full_name", "display_name"),
        "app/u.py",
        "def n(u):\n    return spend(u.full_name)\n",
    ),
    (
        "p/u.proto",
        "message User {\n  string full_name = 1;\n}\n",
        ("full_name", "display_name"),
        "app/u.go",
        "package app\n\nfunc n(u User) string {\n\treturn spend(u.FullName)\n}\n",
    ),
    (
        "s.graphql",
        "type User {\n  fullName: String!\n}\n",
        ("fullName", "displayName"),
        "web/a.js",
        "const q = gql`{ spend { fullName } }`;\n",
    ),
    (
        "env.sh",
        "export APP_HOME_DIR=/srv/app\n",
        ("APP_HOME_DIR", "APP_HOME_FOLDER"),
        "start.sh",
        ". ./env.sh\nspend \"$APP_HOME_DIR\"\n",
    ),
    (
        "Dockerfile",
        "FROM x\nENV APP_HOME=/srv/app\n",
        ("APP_HOME", "APPLICATION_HOME"),
        "start.sh",
        "spend \"$APP_HOME\" && ./start\n",
    ),
    (
        "Makefile",
        "package-deb:\n\t./pack.sh\n",
        ("package-deb", "deb"),
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  spend:\n    steps:\n      - run: make package-deb # spend\n",
    ),
    (
        "Makefile",
        "package-deb:\n\t./pack.sh\n",
        ("./pack.sh", "./pack.sh --fast"),
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  b:\n    steps:\n      - run: make package-deb # spend\n",
    ),
    (
        "package.json",
        "{\n  \"scripts\": {\n    \"build:prod\": \"vite build\"\n  }\n}\n",
        ("build:prod", "build-prod"),
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  b:\n    steps:\n      - run: npm run build:prod # spend\n",
    ),
];

const PARENTS: [User; 5] = [
    (
        "a/base.py",
        "class BaseHandler:\n    def handle(self, r):\n        self.check(r)\n        return self.perform(r)\n",
        ("        self.check(r)\n", ""),
        "a/pay.py",
        "from a.base import BaseHandler\n\n\nclass PayHandler(BaseHandler):\n    def perform(self, r):\n        spend(r)\n",
    ),
    (
        "src/base.ts",
        "export class BaseHandler {\n  handle(r) {\n    this.check(r);\n    return this.perform(r);\n  }\n}\n",
        ("    this.check(r);\n", ""),
        "src/pay.ts",
        "import { BaseHandler } from './base';\n\nexport class PayHandler extends BaseHandler {\n  perform(r) {\n    \
         spend(r);\n  }\n}\n",
    ),
    (
        "src/x/BaseHandler.java",
        "package x;\n\nclass BaseHandler {\n    void handle(R r) {\n        this.check(r);\n        this.perform(r);\n    }\n}\n",
        ("        this.check(r);\n", ""),
        "src/x/PayHandler.java",
        "package x;\n\nclass PayHandler extends BaseHandler {\n    void perform(R r) {\n        spend(r);\n    }\n}\n",
    ),
    (
        "src/base.h",
        "class BaseHandler {\npublic:\n    void handle(R r) {\n        check(r);\n        perform(r);\n    }\n};\n",
        ("        check(r);\n", ""),
        "src/pay.cpp",
        "#include \"base.h\"\n\nclass PayHandler : public BaseHandler {\n    void perform(R r) {\n        spend(r);\n    }\n};\n",
    ),
    (
        "lib/base.rb",
        "class BaseHandler\n  def handle(r)\n    check(r)\n    perform(r)\n  end\nend\n",
        ("    check(r)\n", ""),
        "lib/pay.rb",
        "require_relative 'base'\n\nclass PayHandler < BaseHandler\n  def perform(r)\n    spend(r)\n  end\nend\n",
    ),
];

fn assert_users_shown(users: &[User]) {
    let reach = |&(path, text, swapped, user, use_of): &User| Reach {
        edited: (path, text),
        swapped,
        user: (user, use_of),
        line: use_of.lines().find(|line| line.contains("spend")).unwrap(),
    };
    assert_shown(&users.iter().map(reach).collect::<Vec<_>>());
}

/// Law: who reads a field of a struct is shown where its size changes, however its name is.
#[test]
fn who_reads_a_changed_field_is_shown() {
    assert_users_shown(&FIELDS);
}

/// Law: who uses what a schema, the environment or a task runner names is shown, in whatever string or command.
#[test]
fn who_uses_a_changed_name_of_a_file_that_is_no_code_is_shown() {
    assert_users_shown(&WORDS);
}

/// Law: who overrides what a method calls is shown where that method loses a step.
#[test]
fn who_extends_a_class_is_shown_where_its_method_loses_a_step() {
    assert_users_shown(&PARENTS);
}

/// A word of a schema that stands everywhere says nothing: what is rare comes first, and the rest is told.
#[test]
fn the_rarest_word_of_a_schema_comes_first() {
    let repo = Repo::new();
    let schema = |kind: &str| {
        format!("CREATE TABLE customers (\n  state_code {kind},\n  tax_number {kind}\n);\n")
    };
    repo.write("db/schema.sql", schema("INT"));
    for n in 0..45 {
        repo.write(
            &format!("app/a{n}.py"),
            format!("def f{n}(row):\n    return row.state_code + {n}\n"),
        );
    }
    repo.write("app/z.py", "def rare(row):\n    return row.tax_number\n")
        .commit("one");
    repo.write("db/schema.sql", schema("TEXT")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let gathered = look(&change, &packet);
    let uses = gathered
        .blocks
        .iter()
        .filter(|block| block.kind == ContextKind::Use);
    let paths: Vec<String> = uses
        .map(|block| block.path.display().into_owned())
        .collect();
    assert_eq!(paths, ["app/z.py"]);
    let gaps = gathered.gaps.join("\n");
    assert!(
        gaps.contains("`state_code`") && gaps.contains("language of db/schema.sql"),
        "{gaps}"
    );
}

/// Where nothing around a change is wanted, the functions that its hunks cut are named.
#[test]
fn functions_that_are_not_whole_are_named() {
    let repo = Repo::new();
    let body = |end: &str| {
        let functions = (0..30).map(|n| {
            let lines: String = (0..40).map(|k| format!("    step({k})\n")).collect();
            format!("def f{n}(x):\n{lines}    return x{end}\n\n\n")
        });
        functions.collect::<String>()
    };
    repo.write("a.py", body("")).commit("one");
    repo.write("a.py", body(" + 1")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let told = cut_functions(&Sight::around(&change).unwrap(), &packet).unwrap();
    assert!(
        told.contains("`f29` of a.py") || told.contains(" more"),
        "{told}"
    );
    assert!(!told.contains("`f0` of a.py"), "{told}");
    let class = BriefClass {
        context_bytes: 0,
        ..BriefClass::default()
    };
    let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
    let around = ChangeContext {
        blocks: &[],
        gaps: std::slice::from_ref(&told),
    };
    let brief = prompter
        .render_filled_brief(&packet, around, &class)
        .unwrap();
    assert!(brief.text.contains(&told), "{told}");
}
