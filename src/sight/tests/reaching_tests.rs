//! Tests that reach a changed function without its name: by its route, or by what they import of its file.

use super::read_settings::brief;

/// A service with a handler that compares with ONE, and the route that leads to it.
const HANDLERS: [(&str, &str, &str); 8] = [
    (
        "app/main.py",
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get(\"/orders/{order_id}\")\ndef read_order(order_id: int):\n    return order_id < ONE\n",
        "/orders/0",
    ),
    (
        "app/orders.py",
        "from fastapi import APIRouter\n\nrouter = APIRouter(prefix=\"/orders\")\n\n\n@router.get(\"/{order_id}\")\nasync def read_order(order_id: int):\n    return order_id < ONE\n",
        "/api/orders/0",
    ),
    (
        "shop/views.py",
        "def read_order(request, order_id):\n    return order_id < ONE\n\n\nurlpatterns = [path(\"/orders/<int:order_id>/\", read_order)]\n",
        "/orders/0/",
    ),
    (
        "src/server.js",
        "const app = make();\n\napp.get(\"/orders/:id\", (req, res) => {\n  if (Number(req.params.id) < ONE) return res.status(400).end();\n  res.json({ id: req.params.id });\n});\n",
        "/orders/0",
    ),
    (
        "api/routes.go",
        "package api\n\nfunc Routes() Handler {\n\tmux := NewMux()\n\tmux.HandleFunc(\"GET /orders/{id}\", readOrder)\n\treturn mux\n}\n\nfunc readOrder(w Writer, r *Request) {\n\tw.WriteHeader(ONE)\n}\n",
        "/orders/0",
    ),
    (
        "src/main/java/a/Orders.java",
        "package a;\n\n@RestController\n@RequestMapping(\"/orders\")\nclass Orders {\n    @GetMapping(\"/{id}\")\n    boolean read(@PathVariable int id) {\n        return id < ONE;\n    }\n}\n",
        "/orders/0",
    ),
    (
        "src/main/java/a/Orders.java",
        "package a;\n\n@RestController\nclass Orders {\n    @GetMapping(\"/orders/{id}\")\n    boolean read(@PathVariable int id) {\n        return id < ONE;\n    }\n}\n",
        "/v1/orders/0",
    ),
    (
        "src/orders.rs",
        "async fn read(id: u32) -> bool {\n    id < ONE\n}\n\npub fn routes() -> Router {\n    Router::new().route(\"/orders/{id}\", get(read))\n}\n",
        "/orders/0",
    ),
];

fn test_of(path: &str, asked: &str) -> (String, String) {
    let (path, text) = match path.rsplit('.').next().unwrap_or_default() {
        "py" => (
            "tests/api/test_web.py",
            "def test_zero(client):\n    assert client.get(\"PATH\").status_code == 400  # READ\n",
        ),
        "js" => (
            "test/web.spec.js",
            "it(\"rejects 0\", async () => {\n  await client.get(\"PATH\").expect(400); // READ\n});\n",
        ),
        "go" => (
            "api/web_test.go",
            "package api\n\nfunc TestZero(t *T) {\n\tif ask(\"GET\", \"PATH\") != 400 { // READ\n\t\tt.Fatal()\n\t}\n}\n",
        ),
        "java" => (
            "src/test/java/a/WebIT.java",
            "package a;\n\nclass WebIT {\n    @Test\n    void zero() {\n        mvc.perform(get(\"PATH\")).andExpect(bad()); // READ\n    }\n}\n",
        ),
        _ => (
            "tests/web.rs",
            "#[test]\nfn zero() {\n    assert_eq!(ask(\"PATH\"), 400); // READ\n}\n",
        ),
    };
    (path.to_owned(), text.replace("PATH", asked))
}

fn told(path: &str, text: &str, files: &[(String, String)]) -> String {
    let sides = ["1", "2"].map(|value| text.replace("ONE", value));
    brief(path, sides.each_ref().map(String::as_str), files)
}

/// Law: a test that asks for the route of a changed handler is shown, and one that asks for another is not.
#[test]
fn a_test_that_asks_for_a_route_is_shown() {
    for (path, text, asked) in HANDLERS {
        let shown = told(path, text, &[test_of(path, asked)]);
        assert!(shown.contains("READ"), "{path}: {shown}");
        for other in ["/users/0", "/orders/0/lines/1"] {
            let shown = told(path, text, &[test_of(path, other)]);
            assert!(!shown.contains("READ"), "{path} {other}: {shown}");
        }
    }
}

/// A test that imports the changed file is shown where no other test of it is.
#[test]
fn a_test_that_imports_a_changed_file_is_shown_where_no_other_is() {
    let code = "from web import serve\n\n\ndef _least(n):\n    return n < ONE\n\n\ndef _ask(n):\n    return _least(n)\n\n\napp = serve(_ask)\n";
    let test = ("tests/api/test_web.py".to_owned(), "from web import Client\nfrom app.start import app\n\n\ndef test_zero():\n    assert Client(app).ask(0) == 400  # READ\n".to_owned());
    let shown = told("app/start.py", code, std::slice::from_ref(&test));
    assert!(shown.contains("READ"), "{shown}");
    assert!(
        shown.contains("a test that imports `app/start.py`"),
        "{shown}"
    );
    let other = (
        "tests/api/test_other.py".to_owned(),
        test.1.replace("app.start", "app.stop"),
    );
    let shown = told("app/start.py", code, &[other]);
    assert!(!shown.contains("READ"), "{shown}");
    let named = (
        "tests/test_start.py".to_owned(),
        "def test_start():\n    assert least(1)\n".to_owned(),
    );
    let shown = told("app/start.py", code, &[test, named]);
    assert!(
        shown.contains("=== tests/test_start.py") && !shown.contains("READ"),
        "{shown}"
    );
}
