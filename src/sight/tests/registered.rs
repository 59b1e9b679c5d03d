//! Types whose methods a framework calls: the line that hands one to it is shown where nobody calls the edited method.

use super::read_settings::brief;

/// A file with a type whose `77` is edited, and one that hands the type on, on its line with `4040`.
const HANDED: [[(&str, &str); 2]; 10] = [
    [
        (
            "api/perms.py",
            "from rest import Base\n\n\nclass IsOwner(Base):\n    def has_object_permission(self, r, o):\n        return o.n == 77\n",
        ),
        (
            "api/views.py",
            "from rest import views\nfrom api.perms import IsOwner\n\n\nclass DocView(views.View):\n    queryset = 1\n    permission_classes = [IsOwner]  # 4040\n\n    def destroy(self, r):\n        return r\n",
        ),
    ],
    [
        (
            "shop/TenantInterceptor.java",
            "package shop;\n\npublic class TenantInterceptor implements HandlerInterceptor {\n    public boolean preHandle(Request r) {\n        return r.n == 77;\n    }\n}\n",
        ),
        (
            "shop/WebConfig.java",
            "package shop;\n\npublic class WebConfig implements Configurer {\n    public void addInterceptors(Registry r) {\n        r.addInterceptor(new TenantInterceptor()).on(4040);\n    }\n}\n",
        ),
    ],
    [
        (
            "Middleware/TenantMiddleware.cs",
            "namespace Shop;\npublic class TenantMiddleware\n{\n    public async Task InvokeAsync(Context c)\n    {\n        await next(c, 77);\n    }\n}\n",
        ),
        (
            "Program.cs",
            "using Shop;\n\nvar app = Make();\napp.UseMiddleware<TenantMiddleware>(4040);\napp.Run();\n",
        ),
    ],
    [
        (
            "app/RequireAdmin.php",
            "<?php\nnamespace App;\n\nclass RequireAdmin\n{\n    public function handle($r, $next)\n    {\n        return $next($r, 77);\n    }\n}\n",
        ),
        (
            "app/Kernel.php",
            "<?php\nnamespace App;\n\nclass Kernel extends Http\n{\n    protected $routes = [\n        'admin' => \\App\\RequireAdmin::class, // 4040\n    ];\n}\n",
        ),
    ],
    [
        (
            "lib/tenant_guard.rb",
            "class TenantGuard\n  def perform_check(env)\n    env[77]\n  end\nend\n",
        ),
        (
            "config/application.rb",
            "class Application\n  config.middleware.use TenantGuard # 4040\nend\n",
        ),
    ],
    [
        (
            "web/handler.go",
            "package web\n\ntype OrderHandler struct{ n int }\n\nfunc (h *OrderHandler) ServeOrder(r int) int {\n\treturn r + 77\n}\n",
        ),
        (
            "web/routes.go",
            "package web\n\nfunc routes(m *Mux) {\n\tm.Handle(4040, &OrderHandler{n: 1})\n}\n",
        ),
    ],
    [
        (
            "src/cart.service.ts",
            "export class CartService {\n  constructor(private readonly n = 77) {}\n\n  add(id: string) {\n    return id;\n  }\n}\n",
        ),
        (
            "src/cart.module.ts",
            "import { CartService } from './cart.service';\n\n@Module({ providers: [CartService], n: 4040 })\nexport class CartModule {}\n",
        ),
    ],
    [
        (
            "src/CartService.cs",
            "namespace Shop;\n\npublic class CartService : ICart\n{\n    public CartService(Log log)\n    {\n        Use(log, 77);\n    }\n}\n",
        ),
        (
            "src/Program.cs",
            "using Shop;\n\nvar builder = Make();\nbuilder.AddSingleton<ICart, CartService>(4040);\n",
        ),
    ],
    [
        (
            "app/Mailer.php",
            "<?php\nnamespace App;\n\nclass Mailer\n{\n    public function __construct(private int $from = 77) {}\n}\n",
        ),
        (
            "app/Provider.php",
            "<?php\nnamespace App;\n\nclass Provider extends Base\n{\n    public function register(): void\n    {\n        $this->app->singleton(Mailer::class, 4040);\n    }\n}\n",
        ),
    ],
    [
        (
            "app/Audit.kt",
            "package app\n\nclass Audit : Listener {\n    fun onRow(n: Int): Int {\n        return n + 77\n    }\n}\n",
        ),
        (
            "app/Setup.kt",
            "package app\n\nfun setup(bus: Bus) {\n    bus.register(4040, Audit())\n}\n",
        ),
    ],
];

fn told([edited, user]: &[(&str, &str); 2], more: &[(&str, &str)]) -> String {
    let files = [*user, ("go.mod", "module ex\n")];
    let files = files.iter().chain(more);
    let files: Vec<_> = files
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    brief(edited.0, [edited.1, &edited.1.replace("77", "78")], &files)
}

/// Law: in every language the line that hands the type to its framework is shown.
#[test]
fn where_a_type_is_handed_to_its_framework_is_shown() {
    let told = HANDED.iter().map(|pair| (pair[1].0, told(pair, &[])));
    let missing: Vec<_> = told.filter(|(_, told)| !told.contains("4040")).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Where somebody calls the method, and where a type of the same name is another one, the line says nothing.
#[test]
fn who_hands_on_a_type_whose_method_is_called_or_another_type_is_not_shown() {
    let caller = (
        "api/call.py",
        "from api.perms import IsOwner\n\n\ndef check(p: IsOwner):\n    return p.has_object_permission(1, 2) + 6060\n",
    );
    let found = told(&HANDED[0], &[caller]);
    assert!(found.contains("6060") && !found.contains("4040"), "{found}");
    let other = (
        "shop/other.py",
        "from shop.perms import IsOwner\n\n\nCLASSES = [IsOwner, 5050]\n",
    );
    let same = ("shop/perms.py", "class IsOwner:\n    size = 1\n");
    let found = told(&HANDED[0], &[other, same]);
    assert!(found.contains("4040") && !found.contains("5050"), "{found}");
}
