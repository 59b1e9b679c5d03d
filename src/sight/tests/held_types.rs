//! Methods of one name in several types: the definition is that of the type which a field, a parameter, a variable or a
//! constructor says.

use proptest::prelude::*;

use super::*;

/// Who calls a method of a value whose type it declares.
struct Holder {
    /// The file of the holder, and that of the types where they lie apart.
    paths: [&'static str; 2],
    begin: &'static str,
    /// What brings the type `Own` from the other file.
    import: &'static str,
    /// A type with its method; `TYPE` and `VALUE` stand for what tells them apart.
    method: &'static str,
    /// What holds a value of `Own`: `FAR` stands for many lines, `CALL` for a call.
    holder: &'static str,
    call: &'static str,
}

const PYTHON: &str = "class TYPE:\n    def find(self):\n        return VALUE\n\n\n";
const SCRIPT: &str = "export class TYPE {\n\tfind() {\n\t\treturn VALUE;\n\t}\n}\n\n";
const GO: &str = "type TYPE struct{}\n\nfunc (t *TYPE) Find() int {\n\treturn VALUE\n}\n\n";
const RUST: &str =
    "pub struct TYPE;\n\nimpl TYPE {\n    pub fn find(&self) -> u32 {\n        VALUE\n    }\n}\n\n";
const JAVA: &str = "class TYPE {\n  int find() {\n    return VALUE;\n  }\n}\n\n";
const KOTLIN: &str = "class TYPE {\n    fun find(): Int {\n        return VALUE\n    }\n}\n\n";
const CSHARP: &str = "class TYPE {\n  public int Find() {\n    return VALUE;\n  }\n}\n\n";
const PHP: &str = "class TYPE {\n  public function find() {\n    return VALUE;\n  }\n}\n\n";

const PY_PATHS: [&str; 2] = ["app/user.py", "app/types.py"];
const TS_PATHS: [&str; 2] = ["app/user.ts", "app/types.ts"];

fn holders() -> Vec<Holder> {
    let holder = |paths, begin, import, method, holder, call| Holder {
        paths,
        begin,
        import,
        method,
        holder,
        call,
    };
    let python = |text, call| {
        holder(
            PY_PATHS,
            "",
            "from .types import Own\n\n",
            PYTHON,
            text,
            call,
        )
    };
    let script = |text, call| {
        holder(
            TS_PATHS,
            "",
            "import {Own} from \"./types.js\";\n\n",
            SCRIPT,
            text,
            call,
        )
    };
    vec![
        python(
            "class User:\n    def __init__(self, repo: Own):\n        self.repo = repo\n\nFAR    def total(self):\n        return CALL\n",
            "self.repo.find() + 5",
        ),
        python(
            "class User:\n    def __init__(self):\n        self.repo = Own()\n\nFAR    def total(self):\n        return CALL\n",
            "self.repo.find() + 5",
        ),
        python(
            "def total(repo: Own, n):\nFAR    return CALL\n",
            "repo.find() + 5",
        ),
        python(
            "def total(n):\n    repo = Own()\nFAR    return CALL\n",
            "repo.find() + 5",
        ),
        python("def total(n):\nFAR    return CALL\n", "Own().find() + 5"),
        python(
            "class User(Own):\n    size = 3\n\nFAR    def total(self):\n        return CALL\n",
            "self.find() + 5",
        ),
        script(
            "export class User {\n\tconstructor(private readonly repo: Own) {}\n\nFAR\ttotal() {\n\t\treturn CALL;\n\t}\n}\n",
            "this.repo.find() + 5",
        ),
        script(
            "export class User {\n\tprivate repo?: Own;\n\nFAR\ttotal() {\n\t\treturn CALL;\n\t}\n}\n",
            "this.repo?.find() + 5",
        ),
        script(
            "export function total() {\n\tconst repo = new Own();\nFAR\treturn CALL;\n}\n",
            "repo.find() + 5",
        ),
        script(
            "export function total() {\nFAR\treturn CALL;\n}\n",
            "new Own().find() + 5",
        ),
        script(
            "export class User extends Own {\nFAR\ttotal() {\n\t\treturn CALL;\n\t}\n}\n",
            "this.find() + 5",
        ),
        holder(
            ["app/user.go", "app/types.go"],
            "package app\n\n",
            "",
            GO,
            "type User struct {\n\trepo *Own\n}\n\nfunc (u *User) Total() int {\nFAR\treturn CALL\n}\n",
            "u.repo.Find() + 5",
        ),
        holder(
            ["app/user.go", "app/types.go"],
            "package app\n\n",
            "",
            GO,
            "func Total(n int, repo *Own) int {\nFAR\treturn CALL\n}\n",
            "repo.Find() + 5",
        ),
        holder(
            ["src/user.rs", "src/types.rs"],
            "",
            "use crate::types::Own;\n\n",
            RUST,
            "pub struct User {\n    repo: Own,\n}\n\nimpl User {\n    pub fn total(&self) -> u32 {\nFAR        CALL\n    }\n}\n",
            "self.repo.find() + 5",
        ),
        holder(
            ["app/User.java", "app/Types.java"],
            "package app;\n\n",
            "",
            JAVA,
            "class User {\n  private final Own repo;\n\n  int total() {\nFAR    return CALL;\n  }\n}\n",
            "repo.find() + 5",
        ),
        holder(
            ["app/User.kt", "app/Types.kt"],
            "package app\n\n",
            "",
            KOTLIN,
            "class User(private val repo: Own) {\n    fun total(): Int {\nFAR        return CALL\n    }\n}\n",
            "repo.find() + 5",
        ),
        holder(
            ["app/User.cs", "app/Types.cs"],
            "namespace App;\n\n",
            "",
            CSHARP,
            "class User {\n  private readonly Own repo;\n\n  int Total() {\nFAR    return CALL;\n  }\n}\n",
            "repo.Find() + 5",
        ),
        holder(
            ["app/user.php", "app/types.php"],
            "<?php\n\n",
            "",
            PHP,
            "class User {\n  public function __construct(private Own $repo) {}\n\n  public function total() {\nFAR    return CALL;\n  }\n}\n",
            "$this->repo->find() + 5",
        ),
    ]
}

impl Holder {
    /// The lines of the definitions of `find` in a brief of a change that adds the call.
    fn told(&self, (before, behind): (usize, usize), is_apart: bool) -> Vec<String> {
        let mark = if self.paths[0].ends_with(".py") {
            "#"
        } else {
            "//"
        };
        let one =
            |name: &str, value: &str| self.method.replace("TYPE", name).replace("VALUE", value);
        let other = |n: usize| one(&format!("Other{n}"), "1");
        let types: String = (0..before)
            .map(other)
            .chain([one("Own", "77")])
            .chain((before..before + behind).map(other))
            .collect();
        let far = format!("    {mark}\n").repeat(170);
        let user = |call: &str| self.holder.replace("FAR", &far).replace("CALL", call);
        let repo = Repo::new();
        repo.write("go.mod", "module ex\n");
        let text = |call: &str| match is_apart {
            true => format!("{}{}{}", self.begin, self.import, user(call)),
            false => format!("{}{types}{far}{}", self.begin, user(call)),
        };
        if is_apart {
            repo.write(self.paths[1], format!("{}{types}", self.begin));
            repo.write("src/lib.rs", "mod types;\nmod user;\n");
        }
        repo.write(self.paths[0], text("0")).commit("one");
        repo.write(self.paths[0], text(self.call)).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        let is_told = |block: &&str| {
            let head = block.lines().next().unwrap_or_default().to_lowercase();
            head.contains("definition of `find`")
        };
        let blocks = brief.split("\n=== ").skip(1).filter(is_told);
        let lines = blocks.flat_map(|block| block.lines().skip(1));
        let lines = lines.filter_map(|line| line.split_once("  "));
        let lines = lines.map(|(_, line)| line.trim().to_owned());
        lines
            .filter(|line| !line.is_empty() && !line.starts_with(mark))
            .collect()
    }
}

#[test]
fn every_form_of_a_held_value_tells_its_type() {
    let mut missing = Vec::new();
    for holder in holders() {
        for is_apart in [false, true] {
            let lines = holder.told((3, 1), is_apart);
            let is_told = lines.iter().any(|line| line.contains("77"));
            if !is_told || lines != holder.told((0, 0), is_apart) {
                missing.push((holder.paths[0], holder.call, is_apart, lines));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: of the methods of one name the definition is that of the declared type, however many other types there are,
    /// and whether they stand in the file or beside it.
    #[test]
    fn the_definition_is_that_of_the_declared_type(
        form in 0..holders().len(), others in (0usize..4, 0usize..3), is_apart in any::<bool>(),
    ) {
        let holder = &holders()[form];
        let lines = holder.told(others, is_apart);
        prop_assert!(lines.iter().any(|line| line.contains("77")), "{} {:?}", holder.call, lines);
        prop_assert_eq!(lines, holder.told((0, 0), is_apart), "{}", holder.call);
    }
}
