//! Who calls a method by another type than the edited one: what it is held as, what inherits it, and the base class that
//! calls what is overridden.

use proptest::prelude::*;

use super::kin_forms::{Form, HELD, HOOKS, INHERITED};
use super::*;

/// A type with such a method that has nothing to do with the edited one, in the same language, and who calls it.
fn other(path: &str, n: usize) -> Option<(String, String)> {
    let text = match path.rsplit_once('.')?.1 {
        "py" => {
            "class OTHER:\n    def load(self, id):\n        return id\n\n\ndef use(o: OTHER):\n    return o.load(\"foreign\")\n"
        }
        "ts" => {
            "export class OTHER {\n  load(id: string) {\n    return id;\n  }\n}\n\nexport function use(o: OTHER) {\n  return o.load(\"foreign\");\n}\n"
        }
        "rs" => {
            "pub struct OTHER;\n\nimpl OTHER {\n    pub fn load(&self, id: &str) -> u32 {\n        1\n    }\n}\n\npub fn use_it(o: &OTHER) -> u32 {\n    o.load(\"foreign\")\n}\n"
        }
        "go" => {
            "package other\n\ntype OTHER struct{ n int }\n\nfunc (o *OTHER) Load(id string, n int) int {\n\treturn 1\n}\n\nfunc Use(o *OTHER) int {\n\treturn o.Load(\"foreign\", 1)\n}\n"
        }
        "java" => {
            "package other;\n\nclass OTHER {\n    int load(String id) {\n        return 1;\n    }\n\n    static int use(OTHER o) {\n        return o.load(\"foreign\");\n    }\n}\n"
        }
        "cs" => {
            "namespace App.O;\n\nclass OTHER\n{\n    int Load(string id)\n    {\n        return 1;\n    }\n\n    static int Use(OTHER o)\n    {\n        return o.Load(\"foreign\");\n    }\n}\n"
        }
        _ => return None,
    };
    let ending = path.rsplit_once('.')?.1;
    let path = format!("other{n}/o{n}.{ending}");
    Some((path, text.replace("OTHER", &format!("Other{n}"))))
}

impl Form {
    /// The brief of the change, with so many other types of such a method in the repository.
    fn brief(&self, others: usize) -> String {
        let repo = Repo::new();
        repo.write("go.mod", "module ex\n");
        let (path, edited) = self.files[0];
        for n in 0..others {
            if let Some((path, text)) = other(path, n) {
                repo.write(&path, text);
            }
        }
        for (path, text) in self.files {
            repo.write(path, *text);
        }
        repo.commit("one");
        repo.write(path, edited.replace("77", "78")).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        render(&packet, &look(&change, &packet))
    }
}

fn assert_called(forms: &[Form]) {
    let missing = forms
        .iter()
        .filter(|form| !form.brief(0).contains(form.line));
    let missing: Vec<(&str, &str)> = missing
        .map(|form| (form.files.last().unwrap().1, form.line))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn who_calls_what_the_edited_type_is_held_as_is_shown() {
    assert_called(HELD);
}

#[test]
fn a_base_class_that_calls_what_is_overridden_is_shown() {
    assert_called(HOOKS);
}

#[test]
fn who_calls_what_inherits_the_edited_method_is_shown() {
    assert_called(INHERITED);
}

/// A method of Go that is called like a type has no uses where only the type is named.
#[test]
fn a_type_that_is_called_like_an_edited_method_is_no_use_of_it() {
    let form = Form {
        files: &[
            (
                "s/mux.go",
                "package s\n\nfunc (m *Mux) Routes() []string {\n\treturn find(m, 77)\n}\n",
            ),
            (
                "s/i.go",
                "package s\n\ntype Mux struct{ n int }\n\ntype Routes interface {\n\tRoutes() []string\n}\n",
            ),
            (
                "s/a.go",
                "package s\n\nfunc hold(n int) bool {\n\tvar all Routes\n\treturn all == nil\n}\n",
            ),
            (
                "s/b.go",
                "package s\n\nfunc walk(r Routes) {\n\tfor _, one := range r.Routes() {\n\t\tspend(one)\n\t}\n}\n",
            ),
        ],
        line: "range r.Routes()",
    };
    let brief = form.brief(0);
    assert!(brief.contains(form.line), "{brief}");
    assert!(!brief.contains("var all Routes"), "{brief}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: who calls a method by another type of its kin is shown, and who calls one of that name of any other type is
    /// not, however many there are.
    #[test]
    fn kin_is_told_from_other_types_with_such_a_method(
        form in 0..HELD.len() + HOOKS.len() + INHERITED.len(),
        others in 0usize..6,
    ) {
        let form = HELD.iter().chain(HOOKS).chain(INHERITED).nth(form).unwrap();
        let brief = form.brief(others);
        prop_assert!(brief.contains(form.line), "{}: {brief}", form.line);
        prop_assert!(!brief.contains("foreign"), "{}: {brief}", form.line);
    }
}
