//! The shapes in which people write functions, and what only looks like one.

use super::{Language, outline};

/// A function that must be found whole: its head, its end and its name.
struct Shape(Language, &'static str, &'static str, &'static str);

/// What people write in each language: a head, an end, and the name of the function.
const SHAPES: &[Shape] = &[
    // Types that a TypeScript function returns, and the types of its parameters.
    Shape(
        SCRIPT,
        "function a(): Map<string, { n: number }> {",
        "}",
        "a",
    ),
    Shape(
        SCRIPT,
        "export function a(): Record<string, { n: number; s: string }> {",
        "}",
        "a",
    ),
    Shape(
        SCRIPT,
        "class K {\n  a(): Either<Error, { n: number }> {",
        "  }\n}",
        "a",
    ),
    Shape(
        SCRIPT,
        "class K {\n  private async a(): Promise<Map<string, { n: number }[]>> {",
        "  }\n}",
        "a",
    ),
    Shape(
        SCRIPT,
        "class K {\n  a(): Map<\n    string,\n    { n: number }\n  > {",
        "  }\n}",
        "a",
    ),
    Shape(SCRIPT, "class K {\n  a(): () => { n: 1 } {", "  }\n}", "a"),
    Shape(SCRIPT, "function a(): (x: string) => void {", "}", "a"),
    Shape(
        SCRIPT,
        "function a(x: unknown): x is { n: number } {",
        "}",
        "a",
    ),
    Shape(
        SCRIPT,
        "function a<T extends { n: number }>(x: T) {",
        "}",
        "a",
    ),
    Shape(
        SCRIPT,
        "function a<T extends (x: string) => void>(x: T) {",
        "}",
        "a",
    ),
    Shape(SCRIPT, "function a(): { n: 1 } | { s: 2 } {", "}", "a"),
    Shape(
        SCRIPT,
        "const a = (x: string): Map<string, { n: number }> => {",
        "}",
        "a",
    ),
    Shape(
        SCRIPT,
        "const o = {\n  z: 1,\n  a(): Either<Error, { n: number }> {",
        "  },\n}",
        "a",
    ),
    Shape(SCRIPT, "const less = b < c\nconst a = () => {", "}", "a"),
    Shape(SCRIPT, "const less = b < c\nfunction a() {", "}", "a"),
    // Names that are words elsewhere.
    Shape(SCRIPT, "class K {\n  catch(f: F) {", "  }\n}", "catch"),
    Shape(
        SCRIPT,
        "class K extends L<A> {\n  return(v: V): R {",
        "  }\n}",
        "return",
    ),
    Shape(SCRIPT, "class K {\n  for(key: string) {", "  }\n}", "for"),
    Shape(SCRIPT, "class K {\n  if(x) {", "  }\n}", "if"),
    Shape(SCRIPT, "const o = {\n  return(v) {", "  },\n}", "return"),
    Shape(SCRIPT, "class K {\n  a?(): void {", "  }\n}", "a"),
    Shape(SCRIPT, "class K {\n  static {", "  }\n}", "static"),
    Shape(SCRIPT, "class K {\n  @On('x', ['y']) a(e) {", "  }\n}", "a"),
    // Functions that a variable or a field holds.
    Shape(
        Language::Go,
        "var c = &cobra.Command{\n\tUse: \"x\",\n\tRunE: func(c *C, a []string) error {",
        "\t},\n}",
        "RunE",
    ),
    Shape(
        Language::Go,
        "var h = func(w http.ResponseWriter) {",
        "}",
        "h",
    ),
    Shape(
        Language::Go,
        "var h func(int) error\n\nvar g = func() func() error {",
        "}",
        "g",
    ),
    Shape(Language::Go, "var _ = Describe(\"x\", func() {", "})", ""),
    Shape(
        Language::Go,
        "var fs = map[string]func(){\n\t\"x\": func() {",
        "\t},\n}",
        "",
    ),
    Shape(
        Language::Java,
        "class K {\n  Handler h = (r) -> {",
        "  };\n}",
        "h",
    ),
    Shape(
        Language::Java,
        "class K {\n  final Supplier<X> s = () -> {",
        "  };\n}",
        "s",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  Func<int> f = (x) => {",
        "  };\n}",
        "f",
    ),
    Shape(
        Language::Rust,
        "static X: LazyLock<M> = LazyLock::new(|| {",
        "});",
        "",
    ),
    Shape(
        Language::Php,
        "<?php\n$app->get('/', function ($r) use ($x) {",
        "});",
        "",
    ),
    Shape(
        Language::Swift,
        "struct V: View {\n  let a = 1\n  var body: some View {",
        "  }\n}",
        "body",
    ),
    Shape(
        Language::Swift,
        "class K {\n  lazy var x: T = {",
        "  }()\n}",
        "x",
    ),
    Shape(
        Language::Swift,
        "class K {\n  let x: T = {",
        "  }()\n}",
        "x",
    ),
    Shape(
        Language::Swift,
        "struct K {\n  subscript(i: Int) -> T {",
        "  }\n}",
        "subscript",
    ),
    Shape(
        Language::Kotlin,
        "package p\nval a = 1\nval x by lazy {",
        "}",
        "x",
    ),
    Shape(C, "auto f = [](int x) {", "};", "f"),
    // Constructors, initializers, accessors and operators.
    Shape(
        Language::Java,
        "record P(int a) {\n  public P {",
        "  }\n}",
        "P",
    ),
    Shape(
        Language::Java,
        "class K {\n  int a;\n  static {",
        "  }\n}",
        "static",
    ),
    Shape(Language::Java, "class K {\n  int a;\n  {", "  }\n}", ""),
    Shape(
        Language::Kotlin,
        "class K(val a: Int) {\n  init {",
        "  }\n}",
        "init",
    ),
    Shape(
        Language::Kotlin,
        "class K {\n  constructor(a: Int) : this() {",
        "  }\n}",
        "constructor",
    ),
    Shape(
        Language::Kotlin,
        "class K {\n  val x: Int\n    get() {",
        "    }\n}",
        "get",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  int X {\n    get {",
        "    }\n  }\n}",
        "",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  public static K operator +(K a, K b) {",
        "  }\n}",
        "operator",
    ),
    Shape(Language::Dart, "class K {\n  int get x {", "  }\n}", "x"),
    Shape(C, "K operator+(const K &a, const K &b) {", "}", "operator"),
    Shape(C, "K::K(int a) : x{a}, y(2) {", "}", "K"),
    Shape(C, "K::K(int a) : x(a), y{2} {", "}", "K"),
    Shape(C, "auto f(int a) const -> decltype(a + 1) {", "}", "f"),
    Shape(C, "bool K::operator==(const K &o) const {", "}", "operator"),
    Shape(
        Language::CSharp,
        "class K {\n  public async Task<T> F<T>(int a) where T : class, new() {",
        "  }\n}",
        "F",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  public T F<T, U>(int a)\n    where T : struct\n    where U : IList<(int, T)>\n  {",
        "  }\n}",
        "F",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  public (int A, string B) F(int a) {",
        "  }\n}",
        "F",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  public Task<(int, T)> F((int, int) a) {",
        "  }\n}",
        "F",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  int IFoo<T>.F(int a) {",
        "  }\n}",
        "F",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  void N.M.IFoo.F() {",
        "  }\n}",
        "F",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  public K(int a) : base(a, f(a)) {",
        "  }\n}",
        "K",
    ),
    Shape(
        Language::CSharp,
        "class K {\n  public K(int a)\n    : this(a, 1)\n  {",
        "  }\n}",
        "K",
    ),
    Shape(
        Language::C,
        "#import \"K.h\"\n\n@implementation K\n\n- (int)m:(int)a with:(NSString *)b {",
        "}\n\n@end",
        "m",
    ),
    Shape(
        Language::C,
        "@interface K ()\n@property int n;\n@end\n@implementation K\n+ (id)m\n{",
        "}",
        "m",
    ),
    // What is a function in all but its keyword.
    Shape(
        Language::Rust,
        "#[macro_export]\nmacro_rules! m {",
        "}",
        "m",
    ),
    Shape(
        Language::Rust,
        "macro_rules! m {\n  ($a:expr) => {{\n  }};",
        "}",
        "m",
    ),
    Shape(Language::Shell, "f() (", ")", "f"),
    Shape(
        Language::Shell,
        "f()\n(\n  case $1 in\n  a) x ;;\n  (b) y ;;\n  esac",
        ")",
        "f",
    ),
    Shape(
        Language::Ruby,
        "class K\n  test \"it's a do\" do",
        "  end\nend",
        "",
    ),
    Shape(Language::Ruby, "it 'works', :slow do |page|", "end", ""),
    Shape(
        Language::Ruby,
        "class K\n  define_method(:name) do |a|",
        "  end\nend",
        "name",
    ),
    // The old style of C, and code that no compiler reads.
    Shape(C, "int kr(a, b)\n  int a; char *b;\n{", "}", "kr"),
    Shape(
        C,
        "int x;\nstatic int kr(a)\n  struct s a[3];\n{",
        "}",
        "kr",
    ),
    Shape(C, "int q(void) {\n#if 0\n }\n#endif", "}", "q"),
    Shape(
        C,
        "int q(void) {\n# if 0\n#if A\n {\n#endif\n }}\n#else\n  if (x) {\n  }\n#endif",
        "}",
        "q",
    ),
];

const SCRIPT: Language = Language::Script;
const C: Language = Language::C;

/// The line of the head that opens the function: the one that holds its name and its bracket.
fn opening_line(Shape(language, head, _, name): &Shape) -> usize {
    let lines: Vec<&str> = head.lines().collect();
    let names = |line: &&str| !name.is_empty() && line.contains(name);
    // In K&R C and below `#if 0` the head is not the last line.
    let at = match *language {
        Language::C => lines
            .iter()
            .position(|line| names(line) && line.contains('(')),
        Language::Script if head.contains("Map<\n") => Some(1),
        _ => None,
    };
    at.map_or(lines.len(), |at| at + 1)
}

/// A function is found from its head to its end, whatever stands in it, above it and below it.
#[test]
fn every_shape_of_a_function_is_found_whole() {
    let bodies = [
        "",
        "    f(1);\n",
        "    if (a) {\n      g(b, { c: 1 });\n    } else {\n    }\n",
    ];
    for shape @ Shape(language, head, end, name) in SHAPES {
        for body in bodies {
            for below in ["", "int other(void)\n", "x < y\n", "{ } ( ) {\n"] {
                let text = format!("{head}\n{body}{end}\n{below}");
                let first = opening_line(shape);
                let last = head.lines().count() + body.lines().count() + 1;
                let found = outline(*language, &text);
                let found_it = found
                    .iter()
                    .any(|(n, start, end)| n == name && *start <= first && *end == last);
                assert!(
                    found_it,
                    "{name} in lines {first} to {last} of {language:?}\n{text}\n{found:?}"
                );
            }
        }
    }
}

/// What looks like one of these shapes and is none: a block of a statement, a type, data.
#[test]
fn what_only_looks_like_a_function_is_none() {
    for (language, text) in [
        (
            SCRIPT,
            "object.x = 1\nif (a) {\n  for (const b of c) {\n  }\n  while (d) {\n  }\n}\n",
        ),
        (
            SCRIPT,
            "switch (a) {\n  case f(x): {\n    if (b) {\n    }\n  }\n  default: {\n    for (;;) {\n    }\n  }\n}\n",
        ),
        (
            SCRIPT,
            "type A = Map<string, { n: 1 }>\ninterface B { c: { d: 1 } }\nconst x = { a: 1, b: { c: 2 } }\n",
        ),
        (SCRIPT, "const x = a < b ? { c: 1 } : { d: 2 }\n"),
        (
            Language::Go,
            "var f func(int) error\n\nvar m = map[string]int{\n\t\"a\": 1,\n}\ntype T struct {\n\tf func()\n}\n",
        ),
        (
            Language::Java,
            "class K {\n  int[][] a = {{1}, {2}};\n  enum E { A { }, B }\n  @N({1, 2}) int b;\n}\n",
        ),
        (
            Language::Swift,
            "struct K {\n  var a: Int\n  struct L {\n  }\n  enum M { case b }\n}\n",
        ),
        (
            Language::Kotlin,
            "package p\nval a = 1\nclass K @Inject constructor(val b: Int) : L() {\n}\nval c = object : M {\n}\n",
        ),
        (
            Language::CSharp,
            "namespace N {\n  class K {\n    int[] a = { 1 };\n  }\n  struct S(int x) {\n  }\n  class L<T>(int x) : K(x) where T : struct {\n  }\n}\n",
        ),
        (Language::Shell, "list=()\n(\n  a\n)\n{\n  b\n}\n"),
        (
            Language::Ruby,
            "get_all.each do |x|\nend\nlist.test do\nend\nitem = 1\n",
        ),
        (
            C,
            "struct s { int a; };\nint t[] = { 1 };\nint x;\nextern \"C\" {\nint f(void);\n}\nenum e : int { A };\n",
        ),
    ] {
        let found = outline(language, text);
        assert!(found.is_empty(), "{language:?}\n{text}\n{found:?}");
    }
}
