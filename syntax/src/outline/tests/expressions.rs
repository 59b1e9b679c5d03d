//! Functions whose body is an expression are found from their heads to their ends.

use super::*;

/// A head, a line that may stand any number of times, an end, and the name.
struct Expression(
    Language,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const EXPRESSIONS: &[Expression] = &[
    Expression(
        Language::Script,
        "export const Code = ({n}) => (\n  <div>",
        "    <b>{n + 1}</b>",
        "  </div>\n);",
        "Code",
    ),
    Expression(
        Language::Script,
        "const Code: React.FC<Props> = ({ n, m }) =>\n  <div>",
        "    <b onClick={() => n(1)}>text, {m}</b>",
        "  </div>",
        "Code",
    ),
    Expression(
        Language::Script,
        "export const Code = memo(forwardRef(({n}, ref) => (\n  <div>",
        "    <b>{n}</b>",
        "  </div>\n)))",
        "",
    ),
    Expression(
        Language::Script,
        "export default ({n}) => (\n  <div>",
        "    <b>{n}</b>",
        "  </div>\n);",
        "",
    ),
    Expression(
        Language::Script,
        "export const code = async n =>\n  [n]",
        "    .map(x => { return x + 1; })\n    .filter(x => x)",
        "    .at(0)",
        "code",
    ),
    Expression(
        Language::Script,
        "const code = (\n  a: Map<string, number>,\n  b = 2,\n): Promise<number> =>\n  a",
        "    .get(1)",
        "    .then(b);",
        "code",
    ),
    Expression(
        Language::Script,
        "const code =\n  (store: Store) =>\n  (next: Next) =>\n  (action: Action) =>\n    next(",
        "      action,",
        "    )",
        "code",
    ),
    Expression(
        Language::Script,
        "class K {\n  code = (n) =>\n    n",
        "      + 1",
        "      + 2",
        "code",
    ),
    Expression(
        Language::Kotlin,
        "fun code(n: Int) =\n    listOf(n)",
        "        .map { it + 1 }",
        "        .first()",
        "code",
    ),
    Expression(
        Language::Kotlin,
        "private fun <K, V : Any> Map<K, V>.code(\n    n: Int = 3,\n): List<V> = values",
        "    .filter { it != n }",
        "    .toList()",
        "code",
    ),
    Expression(
        Language::Kotlin,
        "fun code(n: Int): Int = when (n) {",
        "    1 -> 2",
        "    else -> 3\n}",
        "code",
    ),
    Expression(
        Language::Scala,
        "def code(n: Int, m: Int = 3): Int =\n  List(n)",
        "    .map(_ + 1)",
        "    .head",
        "code",
    ),
    Expression(
        Language::CSharp,
        "public static int Code(int n) =>\n  n switch {",
        "    Small s =>\n      1,",
        "    _ => 0,\n  };",
        "Code",
    ),
    Expression(
        Language::CSharp,
        "public IEnumerable<int> Code<T>(T n, Func<int, int> f = null) => items",
        "  .Where(x => f(x) > 1)",
        "  .ToList();",
        "Code",
    ),
    Expression(
        Language::Dart,
        "Widget build(BuildContext context) => Column(",
        "  children: [Text('a', key: (x) => x)],",
        ");",
        "build",
    ),
];

/// What else a file of the language holds.
fn neighbour(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Script => ("const above = 1\n", "export const below = 2\n"),
        Language::Kotlin => ("val above: Int\n", "val below = 2\n"),
        Language::Scala => ("val above = 1\n", "val below = 2\n"),
        _ => ("int Above = 1;\n", "int Below = 2;\n"),
    }
}

proptest! {
    /// Law: such a function is found whole, however long it is, whatever stands around it.
    #[test]
    fn an_expression_is_found_from_its_head_to_its_end(
        index in 0..EXPRESSIONS.len(), count in 0usize..90, around in any::<[bool; 2]>(), blank in any::<bool>(),
    ) {
        let Expression(language, head, line, end, name) = &EXPRESSIONS[index];
        let (above, below) = neighbour(*language);
        let above = if around[0] { above } else { "" };
        let below = if around[1] { below } else { "" };
        let lines = format!("{line}\n").repeat(count);
        let gap = if blank { "\n" } else { "" };
        let text = format!("{above}{head}\n{lines}{end}\n{gap}{below}");
        let first = above.lines().count() + 1 + usize::from(head.starts_with("class"));
        let last = format!("{above}{head}\n{lines}{end}\n").lines().count();
        let found = outline(*language, &text);
        let expected = ((*name).to_owned(), first, last);
        prop_assert!(found.contains(&expected), "{expected:?}\n{text}\n{found:?}");
    }
}

#[test]
fn what_only_looks_like_an_expression_is_none() {
    for (language, text) in [
        (
            Language::Script,
            "type F = (a: number) =>\n  | string\n  | number\n",
        ),
        (
            Language::Script,
            "interface A {\n  on: (e: E) => void\n}\nconst a = b\n  .c\n",
        ),
        (Language::Script, "const a = x => x\nconst b =\n  2\n"),
        (
            Language::Kotlin,
            "interface A {\n  fun a(): Int\n  val b =\n    2\n}\n",
        ),
        (
            Language::Scala,
            "trait A {\n  def a: Int\n  val b =\n    2\n}\n",
        ),
        (
            Language::CSharp,
            "class A {\n  int a = n switch {\n    Small s =>\n      1,\n    _ => 2\n  };\n}\n",
        ),
        (
            Language::CSharp,
            "var a = list.Select(async b =>\n  b.c());\n",
        ),
    ] {
        let found = outline(language, text);
        assert!(found.is_empty(), "{language:?}\n{text}\n{found:?}");
    }
}

#[test]
fn an_accessor_is_found_whole() {
    let text = "class K {\n  val a: Int\n    get() = list\n      .map { it + 1 }\n      .first()\n  val b = 1\n}\n";
    assert_eq!(outline(Language::Kotlin, text), spans(&[("get", 3, 5)]));
}
