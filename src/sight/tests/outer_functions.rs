//! What stands around a changed function that another one holds.

use proptest::prelude::*;

use super::read_settings::brief;
/// A function that holds another one: the file, how it begins with what it declares, the inner one, and how it ends.
struct Nest {
    path: &'static str,
    head: &'static str,
    inner: &'static str,
    foot: &'static str,
    /// A line on which nothing happens.
    filling: &'static str,
}

const NESTS: [Nest; 7] = [
    Nest {
        path: "src/Form.tsx",
        head: "export function Form({ id }) {\n  const busy = useRef(false); // TAKEN\n",
        inner: "  const save = async () => {\n    busy.current = true;\n    await api.save(id);\n    busy.current = ONE;\n  };\n",
        foot: "  return <form onSubmit={save} />; // END\n}\n",
        filling: "  note(NTH);\n",
    },
    Nest {
        path: "src/cart.ts",
        head: "export function useCart(id: string) {\n  let busy = false; // TAKEN\n",
        inner: "  async function load() {\n    if (busy) return;\n    busy = ONE;\n  }\n",
        foot: "  return { load }; // END\n}\n",
        filling: "  note(NTH);\n",
    },
    Nest {
        path: "src/store.js",
        head: "export function createStore(back) {\n  let busy = true; // TAKEN\n",
        inner: "  return {\n    get(key) {\n      if (busy) return ONE;\n      return back.read(key);\n    },\n  };\n",
        foot: "  // END\n}\n",
        filling: "  note(NTH);\n",
    },
    Nest {
        path: "make.py",
        head: "def make(db):\n    busy = {}  # TAKEN\n",
        inner: "    def get(key):\n        value = db.read(key)\n        busy[key] = ONE\n        return value\n",
        foot: "    return get  # END\n",
        filling: "    note(NTH)\n",
    },
    Nest {
        path: "src/Status.java",
        head: "class Status {\n  void show(Ui ui) {\n    Activity busy = ui.current(); // TAKEN\n",
        inner: "    ui.post(new Runnable() {\n      public void run() {\n        View view = busy.root();\n        view.apply(busy, ONE);\n      }\n    });\n",
        foot: "    ui.done(); // END\n  }\n}\n",
        filling: "    note(NTH);\n",
    },
    Nest {
        path: "src/Status.kt",
        head: "class Status(val ui: Ui) {\n    fun show() {\n        val busy = ui.current() // TAKEN\n",
        inner: "        ui.post(object : Runnable {\n            override fun run() {\n                val view = busy.root()\n                view.apply(busy, ONE)\n            }\n        })\n",
        foot: "        ui.done() // END\n    }\n}\n",
        filling: "        note(NTH)\n",
    },
    Nest {
        path: "src/lib.rs",
        head: "pub fn parse(text: &str) -> u32 {\n    const busy: u32 = 3; // TAKEN\n",
        inner: "    fn inner(n: u32) -> u32 {\n        let least = n.min(busy);\n        least + busy * ONE\n    }\n",
        foot: "    inner(1) // END\n}\n",
        filling: "    note(NTH);\n",
    },
];

impl Nest {
    fn text(&self, [above, below]: [usize; 2], value: &str) -> String {
        let filling = |count: usize| -> String {
            let lines = (0..count).map(|nth| self.filling.replace("NTH", &nth.to_string()));
            lines.collect()
        };
        let (inner, foot) = (self.inner.replace("ONE", value), self.foot);
        // Behind a small file all of it would be shown.
        let mark = if self.path.ends_with(".py") {
            "#"
        } else {
            "//"
        };
        let rest: String = (0..200).map(|nth| format!("{mark} rest {nth}\n")).collect();
        format!(
            "{}{}{inner}{}{foot}{rest}",
            self.head,
            filling(above),
            filling(below)
        )
    }

    fn brief(&self, lines: [usize; 2]) -> String {
        let sides = [self.text(lines, "1"), self.text(lines, "2")];
        brief(self.path, sides.each_ref().map(String::as_str), &[])
    }
}

/// The outer function is shown whole where it is short.
#[test]
fn the_function_around_a_changed_one_is_shown() {
    for nest in &NESTS {
        let brief = nest.brief([12, 40]);
        let head = nest.head.lines().find(|line| line.contains('(')).unwrap();
        for line in [head, "TAKEN", "note(39)", "END"] {
            assert!(brief.contains(line), "{}: {line}: {brief}", nest.path);
        }
    }
}

/// A long one that holds tests tells nothing of one of them.
#[test]
fn all_other_tests_of_a_file_do_not_come_along() {
    let test = |nth: usize, value: &str| {
        format!(
            "  it(\"does {nth}\", () => {{\n    const run = () => {{\n      expect({value}).toBe({nth});\n    }};\n    run();\n  }});\n"
        )
    };
    let text = |value: &str| {
        let others: String = (1..40).map(|nth| test(nth, "other")).collect();
        format!(
            "describe(\"all\", () => {{\n{}{others}}});\n",
            test(0, value)
        )
    };
    let brief = brief("src/a.test.ts", [&text("1"), &text("2")], &[]);
    assert!(
        brief.contains("does 0") && !brief.contains("toBe(20)"),
        "{brief}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: however long the outer function is, its head and what declares what the changed lines take from it are shown,
    /// and a long one is not shown whole before other things.
    #[test]
    fn what_an_inner_function_takes_from_around_it_is_shown(
        nest in 0..NESTS.len(),
        above in 0usize..400,
        below in 0usize..400,
    ) {
        let nest = &NESTS[nest];
        let brief = nest.brief([above, below]);
        let head = nest.head.lines().find(|line| line.contains('(')).unwrap();
        for line in [head, "TAKEN"] {
            prop_assert!(brief.contains(line), "{}: {}: {}", nest.path, line, brief);
        }
        let shown = brief.matches("note(").count();
        prop_assert!(above + below < 200 || shown < 60, "{}: {}", nest.path, shown);
    }
}
