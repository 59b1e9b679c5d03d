//! Who asks for the route of a changed handler, wherever the parts of that route are said.

use super::read_settings::brief;

/// A service whose handler has ONE, and the route that leads to it.
const HANDLERS: [(&str, &str, &str); 11] = [
    (
        "src/main/java/a/Orders.java",
        "package a;\n\n@RestController\n@RequestMapping(\"/api/orders\")\npublic class Orders {\n    @GetMapping(\"/{id}\")\n    public int read(@PathVariable int id) {\n        return id + ONE;\n    }\n}\n",
        "/api/orders/ID",
    ),
    (
        "src/main/java/a/Orders.java",
        "package a;\n\n@RestController\n@RequestMapping(\"/api/orders\")\npublic class Orders {\n    @GetMapping\n    public int all() {\n        return ONE;\n    }\n}\n",
        "/api/orders",
    ),
    (
        "api/orders.controller.ts",
        "@Controller('orders')\nexport class OrdersController {\n  @Get(':id/summary')\n  summary(@Param('id') id: string) {\n    return { id, n: ONE };\n  }\n}\n",
        "/orders/ID/summary",
    ),
    (
        "Controllers/OrdersController.cs",
        "namespace Shop;\n\n[ApiController]\n[Route(\"api/[controller]\")]\npublic class OrdersController : ControllerBase\n{\n    [HttpGet(\"{id}\")]\n    public int Read(int id)\n    {\n        return id + ONE;\n    }\n}\n",
        "/api/orders/ID",
    ),
    (
        "app/orders.py",
        "from fastapi import APIRouter\n\nrouter = APIRouter(prefix=\"/orders\")\n\n\n@router.get(\"/{order_id}\")\nasync def read_order(order_id: int):\n    return order_id < ONE\n",
        "/orders/ID",
    ),
    (
        "src/server.js",
        "const app = make();\n\napp.get(\"/orders/:id\", (req, res) => {\n  res.json({ id: ONE });\n});\n",
        "/orders/ID",
    ),
    (
        "api/routes.go",
        "package api\n\nfunc Routes() Handler {\n\tmux := NewMux()\n\tmux.HandleFunc(\"GET /orders/{id}\", readOrder)\n\treturn mux\n}\n\nfunc readOrder(w Writer, r *Request) {\n\tw.WriteHeader(ONE)\n}\n",
        "/orders/ID",
    ),
    (
        "app/api/orders/[id]/route.ts",
        "export async function GET() {\n  return Response.json({ n: ONE });\n}\n",
        "/api/orders/ID",
    ),
    (
        "pages/api/orders.js",
        "export default function handler(req, res) {\n  res.status(200).json([ONE]);\n}\n",
        "/api/orders",
    ),
    (
        "server/api/orders.get.ts",
        "export default defineEventHandler(async () => {\n  return [ONE];\n});\n",
        "/api/orders",
    ),
    (
        "src/routes/api/orders/+server.ts",
        "export function GET() {\n  return json([ONE]);\n}\n",
        "/api/orders",
    ),
];

/// Who asks for PATH, with READ beside it, and what stands there in the place of a parameter.
const CLIENTS: [(&str, &str, &str); 9] = [
    (
        "web/a.ts",
        "export const load = (id: string) =>\n  fetch(`PATH`).then((r) => r.READ());\n",
        "${id}",
    ),
    (
        "web/b.tsx",
        "export function B() {\n  const r = useQuery(() => axios.get('PATH'), READ);\n  return r;\n}\n",
        "7",
    ),
    (
        "web/c.vue",
        "<script setup lang=\"ts\">\nconst { data } = await useFetch('PATH', READ);\n</script>\n",
        "7",
    ),
    (
        "web/d.ts",
        "export const d = () => http.post(`${host}/vPATH`.READ());\n",
        "${d}",
    ),
    (
        "app/client.py",
        "def load(oid):\n    return requests.get(f\"{HOST}PATH\").READ()\n",
        "{oid}",
    ),
    (
        "a/OrderClient.java",
        "package a;\n\n@FeignClient(\"orders\")\npublic interface OrderClient {\n    @GetMapping(\"PATH\")\n    int READ(@PathVariable long id);\n}\n",
        "{id}",
    ),
    (
        "a/Shop.kt",
        "package a\n\ninterface Shop {\n    @GET(\"PATH\")\n    suspend fun READ(@Path(\"id\") id: Int): Int\n}\n",
        "{id}",
    ),
    (
        "client/client.go",
        "package client\n\nfunc Load(id string) {\n\thttp.Get(fmt.Sprintf(\"%sPATH\", base, READ))\n}\n",
        "%s",
    ),
    (
        "pages/cart.html",
        "<p>a</p>\n<form action=\"PATH\">READ</form>\n",
        "7",
    ),
];

fn told((path, text): (&str, &str), files: &[(String, String)]) -> String {
    let sides = ["1", "2"].map(|value| text.replace("ONE", value));
    brief(path, sides.each_ref().map(String::as_str), files)
}

/// The clients below a folder that ask for a route, each with a word of its own.
fn clients_of(folder: &str, route: &str) -> Vec<(String, String)> {
    let clients = CLIENTS.iter().zip(1..);
    let client = |((file, asking, value), number): (&(&str, &str, &str), usize)| {
        let asking = asking
            .replace("/vPATH", "/v1PATH")
            .replace("PATH", &route.replace("ID", value))
            .replace("READ", &format!("{folder}{number}"));
        (format!("{folder}/{file}"), asking)
    };
    clients.map(client).collect()
}

fn told_clients(folder: &str, told: &str) -> Vec<&'static str> {
    let clients = CLIENTS.iter().zip(1..);
    let told = clients.filter(|(_, number)| told.contains(&format!("{folder}{number}")));
    told.map(|((file, ..), _)| *file).collect()
}

/// Law: however a route is put together, and in whatever language it is asked for, whoever does is shown; who asks for
/// another one is not.
#[test]
fn who_asks_for_the_route_of_a_changed_handler_is_shown() {
    for (path, text, route) in HANDLERS {
        let found = told((path, text), &clients_of("asking", route));
        assert_eq!(
            told_clients("asking", &found).len(),
            CLIENTS.len(),
            "{path}: {found}"
        );
        for other in [
            route.replace("orders", "users"),
            format!("{route}/lines"),
            format!("/users{route}"),
        ] {
            let found = told((path, text), &clients_of("other", &other));
            assert_eq!(
                told_clients("other", &found),
                [""; 0],
                "{path}: {other}: {found}"
            );
        }
    }
}

/// A service that declares such a route of its own asks for none.
#[test]
fn who_declares_the_same_route_is_not_shown() {
    for (file, text) in [
        (
            "app/users.py",
            "@router.get(\"/orders/{id}\")\ndef read(id):\n    return READ\n",
        ),
        ("src/other.js", "router.get('/orders/:id', READ);\n"),
        (
            "src/main/java/a/Other.java",
            "package a;\n\n@RestController\nclass Other {\n    @GetMapping(\"/orders/{id}\")\n    int READ(int id) {\n        return 1;\n    }\n}\n",
        ),
        (
            "src/other.ts",
            "@Controller('a')\nexport class Other {\n  @Get('orders/:id')\n  READ() {}\n}\n",
        ),
    ] {
        for handler in [4, 5] {
            let (path, code, _) = HANDLERS[handler];
            let found = told((path, code), &[(file.to_owned(), text.to_owned())]);
            assert!(!found.contains("READ"), "{path}: {file}: {found}");
        }
    }
}
