//! Methods of one name in several types of a file: which of them a change calls, and who calls the one that it edits.

use proptest::prelude::*;

use super::*;

/// A file with types that have a method `find`; `TYPE` and `VALUE` stand for what tells them apart, `CALL` for a call.
struct Form {
    path: &'static str,
    begin: &'static str,
    /// A type with its `find`.
    method: &'static str,
    /// A method far below in the same type, with a call.
    caller: &'static str,
    /// What ends a type.
    end: &'static str,
    mark: &'static str,
    call: &'static str,
}

const FORMS: [Form; 6] = [
    Form {
        path: "a.py",
        begin: "",
        method: "class TYPE:\n    def find(self):\n        return VALUE\n\n",
        caller: "    def total(self):\n        return CALL\n\n",
        end: "\n",
        mark: "#",
        call: "self.find() + 5",
    },
    Form {
        path: "a.ts",
        begin: "",
        method: "export class TYPE {\n\tfind() {\n\t\treturn VALUE;\n\t}\n",
        caller: "\ttotal() {\n\t\treturn CALL;\n\t}\n",
        end: "}\n",
        mark: "//",
        call: "this.find() + 5",
    },
    Form {
        path: "a.go",
        begin: "package a\n\n",
        method: "type TYPE struct{}\n\nfunc (c *TYPE) Find() int {\n\treturn VALUE\n}\n\n",
        caller: "func (c *TYPE) Total() int {\n\treturn CALL\n}\n\n",
        end: "",
        mark: "//",
        call: "c.Find() + 5",
    },
    Form {
        path: "src/a.rs",
        begin: "",
        method: "pub struct TYPE;\n\nimpl TYPE {\n    pub fn find() -> u32 {\n        VALUE\n    }\n",
        caller: "\n    pub fn total() -> u32 {\n        CALL\n    }\n",
        end: "}\n\n",
        mark: "//",
        call: "Self::find() + 5",
    },
    Form {
        path: "A.java",
        begin: "package a;\n\n",
        method: "class TYPE {\n    int find() {\n        return VALUE;\n    }\n",
        caller: "    int total() {\n        return CALL;\n    }\n",
        end: "}\n\n",
        mark: "//",
        call: "find() + 5",
    },
    Form {
        path: "a.py",
        begin: "",
        method: "class TYPE:\n    @staticmethod\n    def find():\n        return VALUE\n\n",
        caller: "    def total(self):\n        return CALL\n\n",
        end: "\n",
        mark: "#",
        call: "TYPE.find() + 5",
    },
];

impl Form {
    /// The file with these other types before and behind `Own`, whose `find` gives `value` and whose `total` gives `call`.
    fn text(&self, before: usize, behind: usize, value: &str, call: &str) -> String {
        let one = |name: &str, value: &str, call: &str| {
            let filling = format!("    {}\n\n", self.mark).repeat(120);
            let text = format!("{}{filling}{}{}", self.method, self.caller, self.end);
            let text = text.replace("CALL", call).replace("TYPE", name);
            text.replace("VALUE", value)
        };
        let other = |n: usize| one(&format!("Other{n}"), "1", self.call);
        let others = (0..before).map(other);
        let behind = (before..before + behind).map(other);
        let own = one("Own", value, call);
        let types: String = others.chain([own]).chain(behind).collect();
        format!("{}{types}", self.begin)
    }

    /// The lines of the blocks about `find` in a brief of a change from one text to another.
    fn told(&self, texts: [String; 2], kind: &str) -> Vec<String> {
        let repo = Repo::new();
        let [first, second] = texts;
        repo.write("go.mod", "module ex\n");
        repo.write(self.path, first).commit("one");
        repo.write(self.path, second).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        let blocks = brief.split("\n=== ").skip(1);
        let is_told = |block: &&str| {
            let head = block.lines().next().unwrap().to_lowercase();
            head.contains(kind) && head.contains("`find`")
        };
        let lines = blocks
            .filter(is_told)
            .flat_map(|block| block.lines().skip(1));
        let lines = lines.filter_map(|line| line.split_once("  "));
        let lines = lines.map(|(_, line)| line.trim().to_owned());
        lines
            .filter(|line| !line.is_empty() && !line.starts_with(self.mark))
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: of the methods of one name the definition is that of the type it is called on, however many others there are.
    #[test]
    fn the_definition_is_that_of_the_type_that_is_called(
        form in 0..FORMS.len(),
        before in 0usize..4,
        behind in 0usize..3,
    ) {
        let form = &FORMS[form];
        let told = |before, behind| {
            let text = |call: &str| form.text(before, behind, "77", call);
            form.told([text("0"), text(form.call)], "definition of")
        };
        let lines = told(before, behind);
        prop_assert!(lines.iter().any(|line| line.contains("77")), "{} {:?}", form.path, lines);
        prop_assert_eq!(lines, told(0, 0), "{}", form.path);
    }

    /// Law: who calls the methods of other types is no user of the edited one, however many there are.
    #[test]
    fn who_calls_the_method_of_another_type_is_no_user(
        form in 0..FORMS.len(),
        before in 0usize..14,
        behind in 0usize..3,
    ) {
        let form = &FORMS[form];
        let told = |before, behind| {
            let text = |value: &str| form.text(before, behind, value, form.call);
            form.told([text("77"), text("78")], "use of")
        };
        let lines = told(before, behind);
        prop_assert!(lines.iter().any(|line| line.contains("+ 5")), "{} {:?}", form.path, lines);
        prop_assert_eq!(lines, told(0, 0), "{}", form.path);
    }
}
