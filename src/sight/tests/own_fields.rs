//! What another method of the same type does with a field that a change takes from one.

use super::*;

/// Two methods of one type, far from each other: what the first takes, and what the second gives up.
struct Pair {
    path: &'static str,
    head: &'static str,
    taking: &'static str,
    giving: &'static str,
    foot: &'static str,
}

const PAIRS: [Pair; 6] = [
    Pair {
        path: "q.go",
        head: "package q\n\ntype Queue struct {\n\tFIELD Thing\n\tn int\n}\n",
        taking: "func (q *Queue) begin() {\n\tq.FIELD.Take() // taken\n}\n",
        giving: "func (q *Queue) end() {\n\tq.n++\n\tq.FIELD.Give()\n}\n",
        foot: "",
    },
    Pair {
        path: "q.py",
        head: "class Queue:\n    limit = 3\n",
        taking: "    def begin(self):\n        self.FIELD.take()  # taken\n",
        giving: "    def end(self):\n        self.n += 1\n        self.FIELD.give()\n",
        foot: "",
    },
    Pair {
        path: "q.js",
        head: "export class Queue {\n",
        taking: "  begin() {\n    this.FIELD = take(() => this.tick(), 5); // taken\n  }\n",
        giving: "  end() {\n    this.n = 0;\n    give(this.FIELD);\n  }\n",
        foot: "}\n",
    },
    Pair {
        path: "q.rs",
        head: "pub struct Queue {\n    FIELD: Thing,\n}\n\nimpl Queue {\n",
        taking: "    fn begin(&self) {\n        self.FIELD.take(); // taken\n    }\n",
        giving: "    fn end(&self) {\n        self.count();\n        self.FIELD.give();\n    }\n",
        foot: "}\n",
    },
    Pair {
        path: "Queue.java",
        head: "class Queue {\n  private Thing FIELD;\n",
        taking: "  void begin() {\n    this.FIELD.take(); // taken\n  }\n",
        giving: "  void end() {\n    n++;\n    this.FIELD.give();\n  }\n",
        foot: "}\n",
    },
    Pair {
        path: "q.rb",
        head: "class Queue\n",
        taking: "  def begin\n    @FIELD.take # taken\n  end\n",
        giving: "  def finish\n    @n += 1\n    @FIELD.give\n  end\n",
        foot: "end\n",
    },
];

impl Pair {
    fn text(&self, field: &str, giving: &str) -> String {
        let mark = if self.path.ends_with("py") || self.path.ends_with("rb") {
            "#"
        } else {
            "//"
        };
        let indent = if self.foot.is_empty() && self.path.ends_with("go") {
            ""
        } else {
            "    "
        };
        let filling: String = (0..220)
            .map(|n| format!("{indent}{mark} filling {n}\n"))
            .collect();
        let Self {
            head, taking, foot, ..
        } = self;
        format!("{head}{taking}\n{filling}\n{giving}{foot}").replace("FIELD", field)
    }

    /// The brief of the change that removes the last line of the second method that names the field, or adds it.
    fn brief(&self, field: &str, removes: bool) -> String {
        let less: String = self
            .giving
            .lines()
            .filter(|line| !line.contains("FIELD"))
            .map(|line| format!("{line}\n"))
            .collect();
        let mut sides = [self.text(field, self.giving), self.text(field, &less)];
        if !removes {
            sides.reverse();
        }
        let repo = Repo::new();
        repo.write(
            "other.py",
            "class Other:\n    def begin(self):\n        self.mu = self.lock = other_taken()\n",
        );
        repo.write(self.path, &sides[0]).commit("one");
        repo.write(self.path, &sides[1]).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        render(&packet, &look(&change, &packet))
    }
}

/// Law: where a method loses or gets what it does with a field, the other method of its type that has the field is shown,
/// however the field is called; another type's is not.
#[test]
fn the_other_method_with_the_field_is_shown() {
    for pair in &PAIRS {
        // Each repository takes a second where others build beside it.
        for (field, removes) in [
            ("mu", true),
            ("lock", false),
            ("subscriptions", true),
            ("state_lock", true),
        ] {
            let brief = pair.brief(field, removes);
            assert!(brief.contains(" taken\n"), "{} {field}: {brief}", pair.path);
            assert!(
                !brief.contains("other_taken"),
                "{} {field}: {brief}",
                pair.path
            );
        }
    }
}
