//! Who reads a key that a change takes from an answer, in other files and other languages.

use super::read_settings::brief;
use super::*;

/// Where an answer is made: the file with its two sides, in which KEY is the key that goes, and how clients spell it.
const SERVERS: [(&str, &str, &str, &str); 20] = [
    (
        "api/cart.js",
        "exports.get = (q, res) => {\n  res.json({ id: 1, KEY: q.total });\n};\n",
        "KEY: q",
        "price: q",
    ),
    (
        "api/cart.ts",
        "app.get('/', (q, reply) => {\n  reply.send({\n    id: 1,\n    KEY: q.total,\n  });\n});\n",
        "KEY:",
        "price:",
    ),
    (
        "api/cart.ts",
        "export const get = (q, res) => {\n  const KEY = q.sum();\n  res.json({ id: 1, KEY });\n};\n",
        ", KEY }",
        ", price: KEY }",
    ),
    (
        "api/cart.mjs",
        "export function get(q, res) {\n  res.end(JSON.stringify({ a: { KEY: q.KEY } }));\n}\n",
        "KEY: q",
        "price: q",
    ),
    (
        "api/cart.py",
        "@app.get('/')\ndef get(c):\n    return jsonify(id=c.id, KEY=c.total)\n",
        "KEY=",
        "price=",
    ),
    (
        "api/cart.py",
        "def get(c):\n    return JSONResponse(dict(\n        id=c.id,\n        KEY=c.total,\n    ))\n",
        "        KEY=c.total,\n",
        "",
    ),
    (
        "api/cart.py",
        "class Cart(BaseModel):\n    id: str\n    KEY: float\n",
        "KEY:",
        "price:",
    ),
    (
        "api/cart.py",
        "@dataclass\nclass Cart:\n    id: str\n    KEY: float = 0\n",
        "    KEY: float = 0\n",
        "",
    ),
    (
        "api/cart.py",
        "class CartSerializer(Serializer):\n    id = serializers.CharField()\n    KEY = serializers.FloatField()\n",
        "KEY =",
        "price =",
    ),
    (
        "j/Cart.java",
        "public class Cart {\n  public String id;\n  public long KEY;\n}\n",
        "KEY",
        "price",
    ),
    (
        "j/Cart.java",
        "@Data\npublic class Cart {\n  private String id;\n  private long KEY;\n}\n",
        "KEY",
        "price",
    ),
    (
        "j/Cart.java",
        "public record Cart(String id, long KEY) {}\n",
        "KEY",
        "price",
    ),
    (
        "j/Cart.java",
        "public record Cart(\n    String id,\n    @Min(0) long KEY\n) {}\n",
        "KEY",
        "price",
    ),
    (
        "k/Cart.kt",
        "data class Cart(val id: String, val KEY: Long)\n",
        "KEY",
        "price",
    ),
    (
        "k/Cart.kt",
        "@Serializable\ndata class Cart(\n    val id: String,\n    val KEY: Long,\n)\n",
        "KEY",
        "price",
    ),
    (
        "r/cart.rs",
        "#[derive(Serialize)]\npub struct Cart {\n    pub id: String,\n    pub KEY: f64,\n}\n",
        "KEY",
        "price",
    ),
    (
        "c/Carts.cs",
        "class Carts {\n  IResult Get(Cart c) {\n    return Ok(new { Id = c.Id, TotalPrice = c.Sum() });\n  }\n}\n",
        "TotalPrice =",
        "Price =",
    ),
    (
        "c/Cart.cs",
        "public class Cart\n{\n    public decimal TotalPrice { get; set; }\n}\n",
        "TotalPrice",
        "Price",
    ),
    (
        "c/Cart.cs",
        "public record Cart(string Id, decimal TotalPrice);\n",
        "TotalPrice",
        "Price",
    ),
    (
        "rb/carts.rb",
        "class Carts\n  def show\n    render json: { id: 1, KEY: cart.total }\n  end\nend\n",
        "KEY:",
        "price:",
    ),
];

/// Who reads it: the file, and its text, in which READ tells it apart.
const CLIENTS: [(&str, &str); 9] = [
    (
        "web/a.ts",
        "export const text = (o: any) => o.KEY.toFixed(READ);\n",
    ),
    (
        "web/b.js",
        "export async function text(id) {\n  const { id, KEY } = await load(READ);\n  return KEY;\n}\n",
    ),
    (
        "web/c.tsx",
        "export const Text = ({ cart }: P) => <b>{cart?.KEY ?? READ}</b>;\n",
    ),
    (
        "web/d.vue",
        "<template>\n  <b>{{ cart.KEY + READ }}</b>\n</template>\n",
    ),
    ("web/e.component.html", "<b>{{ cart.KEY | READ }}</b>\n"),
    (
        "ios/F.swift",
        "func text(_ o: Cart) -> String {\n    return READ(o.KEY)\n}\n",
    ),
    (
        "app/g.dart",
        "String text(Cart o) {\n  return READ(o.KEY);\n}\n",
    ),
    ("bot/h.py", "def text(o):\n    return READ(o[\"KEY\"])\n"),
    (
        "bot/i.go",
        "package bot\n\nfunc text(o map[string]any) any {\n\treturn READ(o[\"KEY\"])\n}\n",
    ),
];

fn clients_with(key: &str) -> Vec<(String, String)> {
    let all = CLIENTS.iter().enumerate();
    all.map(|(index, (path, text))| {
        let text = text
            .replace("KEY", key)
            .replace("READ", &format!("reading{index}"));
        ((*path).to_owned(), text)
    })
    .collect()
}

/// How the clients of a server spell its key.
fn key_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("py" | "rs" | "rb") => "total_price",
        _ => "totalPrice",
    }
}

#[test]
fn who_reads_a_key_that_an_answer_no_longer_has_is_shown() {
    let mut missing = Vec::new();
    for (path, text, from, to) in SERVERS {
        let key = key_of(path);
        let text = text.replace("KEY", key);
        let now = text.replacen(&from.replace("KEY", key), &to.replace("KEY", key), 1);
        assert_ne!(text, now, "{path}");
        // Whoever certainly reads it leaves those of the server's language little room.
        let (near, far): (Vec<_>, Vec<_>) = clients_with(key)
            .into_iter()
            .partition(|(path, _)| path.starts_with("web/"));
        let brief = [near, far]
            .map(|clients| brief(path, [&text, &now], &clients))
            .concat();
        let unread = CLIENTS.iter().enumerate();
        let unread = unread.filter(|(index, _)| !brief.contains(&format!("reading{index}")));
        missing.extend(unread.map(|(_, (client, _))| format!("{path} {from} {client}")));
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn fields_that_are_written_otherwise_are_looked_for_as_they_are_written() {
    for (path, text, from) in [
        (
            "r/cart.rs",
            "#[derive(Serialize)]\n#[serde(rename_all = \"camelCase\")]\npub struct Cart {\n    pub total_price: f64,\n}\n",
            "total_price",
        ),
        (
            "api/cart.py",
            "class Cart(BaseModel):\n    model_config = ConfigDict(alias_generator=to_camel)\n    total_price: float\n",
            "total_price",
        ),
    ] {
        let client = (
            "web/a.ts".to_owned(),
            "export const text = (o: any) => readHere(o.totalPrice);\n".to_owned(),
        );
        let brief = brief(path, [text, &text.replace(from, "price")], &[client]);
        assert!(brief.contains("readHere"), "{path}");
    }
}

/// A key that is still given, a word that any program has, and what no answer is made of have no readers elsewhere.
#[test]
fn what_is_no_lost_key_of_an_answer_has_no_readers() {
    let read = "export const text = (o: any) => readHere(o.KEY);\n";
    let cases = [
        // Still given, at another place, in quotes, or by another type.
        (
            "api/a.js",
            "f = (q, res) => {\n  res.json({ totalPrice: 1 });\n};\n",
            ("1 }", "2 }"),
            "totalPrice",
            read,
        ),
        (
            "api/a.js",
            "f = (q, res) => {\n  res.json({ totalPrice: 1 });\n};\n",
            ("totalPrice:", "\"totalPrice\":"),
            "totalPrice",
            read,
        ),
        (
            "api/a.py",
            "class A(BaseModel):\n    total_price: int\n",
            ("int", "float"),
            "total_price",
            read,
        ),
        (
            "api/a.py",
            "class A(BaseModel):\n    total_price: int\n",
            (
                "total_price: int",
                "price: int = Field(alias=\"total_price\")",
            ),
            "total_price",
            read,
        ),
        // One word.
        (
            "api/a.js",
            "f = (q, res) => {\n  res.json({ total: 1 });\n};\n",
            ("total:", "sum:"),
            "total",
            read,
        ),
        (
            "api/a.py",
            "class A(BaseModel):\n    total: int\n",
            ("total", "sum"),
            "total",
            read,
        ),
        // No answer.
        (
            "r/a.rs",
            "struct A {\n    total_price: u8,\n}\n",
            ("total_price", "price"),
            "total_price",
            read,
        ),
        (
            "j/A.java",
            "class A {\n  private int totalPrice;\n}\n",
            ("totalPrice", "price"),
            "totalPrice",
            read,
        ),
        (
            "k/A.kt",
            "class A(val totalPrice: Int)\n",
            ("totalPrice", "price"),
            "totalPrice",
            read,
        ),
        (
            "api/a.py",
            "def f():\n    return g(total_price=1)\n",
            ("total_price", "price"),
            "total_price",
            read,
        ),
        (
            "tests/test_a.py",
            "class A(BaseModel):\n    total_price: int\n",
            ("total_price", "price"),
            "total_price",
            read,
        ),
        // No reader.
        (
            "api/a.py",
            "class A(BaseModel):\n    total_price: int\n",
            ("total_price", "price"),
            "total_price",
            "class B {\n  f() {\n    return readHere(this.KEY);\n  }\n}\n",
        ),
        (
            "api/a.py",
            "class A(BaseModel):\n    total_price: int\n",
            ("total_price", "price"),
            "total_price",
            "function f(KEY) {\n  return readHere(KEY);\n}\n",
        ),
        (
            "api/a.py",
            "class A(BaseModel):\n    total_price: int\n",
            ("total_price", "price"),
            "total_price",
            "function f(o) {\n  o.KEY = readHere();\n}\n",
        ),
        (
            "api/a.py",
            "class A(BaseModel):\n    total_price: int\n",
            ("total_price", "price"),
            "total_price",
            "function f(o) {\n  // readHere o.KEY\n}\n",
        ),
    ];
    for (path, text, (from, to), key, reader) in cases {
        let reader = ("web/a.ts".to_owned(), reader.replace("KEY", key));
        let brief = brief(
            path,
            [text, &text.replace(from, to)],
            std::slice::from_ref(&reader),
        );
        assert!(
            !brief.contains("readHere"),
            "{path}: {text} {from} {to}: {}",
            reader.1
        );
    }
}

/// Law: where the code that makes an answer moves to another file as it is, nothing is taken away.
#[test]
fn an_answer_that_moves_keeps_its_readers() {
    for (path, text, ..) in SERVERS {
        let text = text.replace("KEY", key_of(path));
        let (folder, _) = path.split_once('/').unwrap();
        let (_, ending) = path.rsplit_once('.').unwrap();
        let home = format!("{folder}/home.{ending}");
        let client = (
            "web/a.ts".to_owned(),
            "export const text = (o: any) => readHere(o.KEY);\n".replace("KEY", key_of(path)),
        );
        let mut stream = String::new();
        write_commit(
            &mut stream,
            "one",
            &[
                client,
                (path.to_owned(), text.clone()),
                (home.clone(), "\n".to_owned()),
            ],
        );
        write_commit(
            &mut stream,
            "two",
            &[(path.to_owned(), "\n".to_owned()), (home, text)],
        );
        let repo = Repo::new();
        repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        let is_native = path.ends_with(".ts") || path.ends_with("js");
        assert!(is_native || !brief.contains("readHere"), "{path}: {brief}");
    }
}
