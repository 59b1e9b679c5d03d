//! The forms in which a method is called by another type than the edited one.

type File = (&'static str, &'static str);

/// A change of `load` in the first file, and a line that calls it by another type.
pub(super) struct Form {
    pub(super) files: &'static [File],
    pub(super) line: &'static str,
}

const TRAIT_RS: File = (
    "src/store.rs",
    "pub trait Store {\n    fn load(&self, id: &str) -> Option<String>;\n}\n",
);
const MEM_RS: File = (
    "src/mem.rs",
    "use crate::store::Store;\n\npub struct Mem;\n\nimpl Store for Mem {\n    fn load(&self, id: &str) -> Option<String> {\n        find(id, 77)\n    }\n}\n",
);
const STORE_GO: File = (
    "s/store.go",
    "package s\n\ntype Store interface {\n\tLoad(id string) *Order\n\tSave(o *Order)\n}\n",
);
const MEM_GO: File = (
    "s/mem.go",
    "package s\n\ntype mem struct{ m map[string]*Order }\n\nfunc (s *mem) Load(id string) *Order {\n\treturn find(id, 77)\n}\n",
);
const SAVE_GO: File = (
    "s/save.go",
    "package s\n\nfunc (s *mem) Save(o *Order) {\n}\n",
);
const BASE_PY: File = (
    "app/base.py",
    "class Base:\n    def load(self, id):\n        return find(id, 77)\n",
);
const BASE_TS: File = (
    "src/base.ts",
    "export class Base<T> {\n  load(id: string): T {\n    return find(id, 77);\n  }\n}\n",
);
const BASE_JAVA: File = (
    "src/b/Base.java",
    "package b;\n\npublic abstract class Base<T> {\n    public T load(String id) {\n        return find(id, 77);\n    }\n}\n",
);

/// Calls on what the edited type implements or extends.
pub(super) const HELD: &[Form] = &[
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub fn show(s: &dyn Store) -> String {\n    s.load(\"x\").unwrap()\n}\n",
            ),
        ],
        line: "s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub fn show(s: impl Store) -> String {\n    s.load(\"x\").unwrap()\n}\n",
            ),
        ],
        line: "s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub fn show<S: Store>(s: &S) -> String {\n    s.load(\"x\").unwrap()\n}\n",
            ),
        ],
        line: "s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub fn show<S>(s: &S) -> String\nwhere\n    S: Store + Send,\n{\n    s.load(\"x\").unwrap()\n}\n",
            ),
        ],
        line: "s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub fn show(s: Box<dyn Store>) -> String {\n    s.load(\"x\").unwrap()\n}\n",
            ),
        ],
        line: "s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub struct Api {\n    s: Arc<dyn Store>,\n}\n\nimpl Api {\n    pub fn show(&self) -> String {\n        self.s.load(\"x\").unwrap()\n    }\n}\n",
            ),
        ],
        line: "self.s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_RS,
            TRAIT_RS,
            (
                "src/a.rs",
                "use crate::store::Store;\n\npub struct Api<S> {\n    s: S,\n}\n\nimpl<S: Store> Api<S> {\n    pub fn show(&self) -> String {\n        self.s.load(\"x\").unwrap()\n    }\n}\n",
            ),
        ],
        line: "self.s.load(\"x\").unwrap()",
    },
    Form {
        files: &[
            MEM_GO,
            SAVE_GO,
            STORE_GO,
            (
                "s/a.go",
                "package s\n\nfunc show(st Store) string {\n\treturn st.Load(\"x\").ID\n}\n",
            ),
        ],
        line: "st.Load(\"x\").ID",
    },
    Form {
        files: &[
            MEM_GO,
            SAVE_GO,
            STORE_GO,
            (
                "s/a.go",
                "package s\n\ntype api struct{ st Store }\n\nfunc (a *api) show() string {\n\treturn a.st.Load(\"x\").ID\n}\n",
            ),
        ],
        line: "a.st.Load(\"x\").ID",
    },
    Form {
        files: &[
            MEM_GO,
            SAVE_GO,
            (
                "api/a.go",
                "package api\n\nimport \"ex/s\"\n\ntype loader interface {\n\tLoad(id string) *s.Order\n}\n\nfunc show(l loader) string {\n\treturn l.Load(\"x\").ID\n}\n",
            ),
        ],
        line: "l.Load(\"x\").ID",
    },
    Form {
        files: &[
            (
                "S/Mem.cs",
                "namespace App.S;\n\npublic class Mem : IStore\n{\n    public Order Load(string id)\n    {\n        return Find(id, 77);\n    }\n}\n",
            ),
            (
                "S/IStore.cs",
                "namespace App.S;\n\npublic interface IStore\n{\n    Order Load(string id);\n}\n",
            ),
            (
                "W/Ctl.cs",
                "using App.S;\n\nnamespace App.W;\n\npublic class Ctl\n{\n    private readonly IStore _st;\n\n    public string Show(string id)\n    {\n        return _st.Load(id).Id;\n    }\n}\n",
            ),
        ],
        line: "return _st.Load(id).Id;",
    },
    Form {
        files: &[
            (
                "src/s/Mem.java",
                "package s;\n\npublic class Mem implements Store {\n    @Override\n    public Order load(String id) {\n        return find(id, 77);\n    }\n}\n",
            ),
            (
                "src/s/Store.java",
                "package s;\n\npublic interface Store {\n    Order load(String id);\n}\n",
            ),
            (
                "src/w/Ctl.java",
                "package w;\n\nimport s.Store;\n\npublic class Ctl {\n    String show(Store given, String id) {\n        return given.load(id).id;\n    }\n}\n",
            ),
        ],
        line: "return given.load(id).id;",
    },
    Form {
        files: &[
            (
                "src/mem.ts",
                "import type { Store } from \"./store\";\n\nexport class Mem implements Store {\n  load(id: string) {\n    return find(id, 77);\n  }\n}\n",
            ),
            (
                "src/store.ts",
                "export interface Store {\n  load(id: string): Order;\n}\n",
            ),
            (
                "src/ctl.ts",
                "import type { Store as Kept } from \"./store\";\n\nexport class Ctl {\n  constructor(private readonly given: Kept) {}\n\n  show(id: string) {\n    return this.given.load(id).id;\n  }\n}\n",
            ),
        ],
        line: "this.given.load(id).id",
    },
    Form {
        files: &[
            (
                "app/mem.py",
                "from app.ports import Store\n\n\nclass Mem(Store):\n    def load(self, id):\n        return find(id, 77)\n",
            ),
            (
                "app/ports.py",
                "class Store(ABC):\n    @abstractmethod\n    def load(self, id): ...\n",
            ),
            (
                "app/svc.py",
                "from app.ports import Store\n\n\nclass Svc:\n    def __init__(self, given: Store):\n        self.given = given\n\n    def name(self, id):\n        return self.given.load(id).name\n",
            ),
        ],
        line: "self.given.load(id).name",
    },
    Form {
        files: &[
            (
                "src/s/Mem.kt",
                "package s\n\nclass Mem : Store {\n    override fun load(id: String): Order {\n        return find(id, 77)\n    }\n}\n",
            ),
            (
                "src/s/Store.kt",
                "package s\n\ninterface Store {\n    fun load(id: String): Order\n}\n",
            ),
            (
                "src/w/Ctl.kt",
                "package w\n\nimport s.Store\n\nclass Ctl(private val given: Store) {\n    fun show(id: String): String {\n        return given.load(id).id\n    }\n}\n",
            ),
        ],
        line: "return given.load(id).id",
    },
    Form {
        files: &[
            (
                "src/Mem.php",
                "<?php\nnamespace App;\n\nclass Mem implements Store\n{\n    public function load($id)\n    {\n        return find($id, 77);\n    }\n}\n",
            ),
            (
                "src/Store.php",
                "<?php\nnamespace App;\n\ninterface Store\n{\n    public function load($id);\n}\n",
            ),
            (
                "src/Ctl.php",
                "<?php\nnamespace App;\n\nclass Ctl\n{\n    public function show(Store $given, $id)\n    {\n        return $given->load($id)->name;\n    }\n}\n",
            ),
        ],
        line: "$given->load($id)->name",
    },
];

/// Calls by the base class of what the edited type overrides.
pub(super) const HOOKS: &[Form] = &[
    Form {
        files: &[
            (
                "app/csv.py",
                "from app.base import Base\n\n\nclass Csv(Base):\n    def load(self, id):\n        return find(id, 77)\n",
            ),
            (
                "app/base.py",
                "class Base:\n    def run(self, id):\n        return self.load(id).strip()\n\n    def load(self, id):\n        raise NotImplementedError\n",
            ),
        ],
        line: "self.load(id).strip()",
    },
    Form {
        files: &[
            (
                "src/csv.ts",
                "import { Base } from \"./base\";\n\nexport class Csv extends Base {\n  load(id: string) {\n    return find(id, 77);\n  }\n}\n",
            ),
            (
                "src/base.ts",
                "export class Base {\n  run(id: string) {\n    return this.load(id).trim();\n  }\n\n  load(id: string): string {\n    return id;\n  }\n}\n",
            ),
        ],
        line: "this.load(id).trim()",
    },
    Form {
        files: &[
            (
                "src/c/Csv.java",
                "package c;\n\nimport b.Base;\n\npublic class Csv extends Base {\n    @Override\n    protected String load(String id) {\n        return find(id, 77);\n    }\n}\n",
            ),
            (
                "src/b/Base.java",
                "package b;\n\npublic abstract class Base {\n    public String run(String id) {\n        return load(id).trim();\n    }\n\n    protected String load(String id) {\n        return id;\n    }\n}\n",
            ),
        ],
        line: "return load(id).trim();",
    },
    Form {
        files: &[
            (
                "C/Csv.cs",
                "using App.B;\n\nnamespace App.C;\n\npublic class Csv : Base\n{\n    protected override string Load(string id)\n    {\n        return Find(id, 77);\n    }\n}\n",
            ),
            (
                "B/Base.cs",
                "namespace App.B;\n\npublic abstract class Base\n{\n    public string Run(string id)\n    {\n        return Load(id).Trim();\n    }\n\n    protected virtual string Load(string id)\n    {\n        return id;\n    }\n}\n",
            ),
        ],
        line: "return Load(id).Trim();",
    },
    Form {
        files: &[
            (
                "src/Csv.php",
                "<?php\n\nclass Csv extends Base\n{\n    protected function load($id)\n    {\n        return find($id, 77);\n    }\n}\n",
            ),
            (
                "src/Base.php",
                "<?php\n\nabstract class Base\n{\n    public function run($id)\n    {\n        return trim($this->load($id));\n    }\n\n    protected function load($id)\n    {\n        return $id;\n    }\n}\n",
            ),
        ],
        line: "trim($this->load($id))",
    },
    Form {
        files: &[
            MEM_RS,
            (
                "src/store.rs",
                "pub trait Store {\n    fn run(&self) -> String {\n        self.load(\"x\").unwrap()\n    }\n\n    fn load(&self, id: &str) -> Option<String> {\n        Some(id.to_owned())\n    }\n}\n",
            ),
        ],
        line: "self.load(\"x\").unwrap()",
    },
];

/// Calls on what inherits the edited method, and by what overrides it.
pub(super) const INHERITED: &[Form] = &[
    Form {
        files: &[
            BASE_PY,
            (
                "app/users.py",
                "from app.base import Base\n\n\nclass Users(Base):\n    table = 1\n",
            ),
            (
                "app/svc.py",
                "from app.users import Users\n\n\ndef top(given: Users, id):\n    return given.load(id)[\"name\"]\n",
            ),
        ],
        line: "given.load(id)[\"name\"]",
    },
    Form {
        files: &[
            BASE_PY,
            (
                "app/users.py",
                "from app.base import Base\n\n\nclass Users(Base):\n    def load(self, id):\n        return super().load(id)[\"name\"]\n",
            ),
        ],
        line: "super().load(id)[\"name\"]",
    },
    Form {
        files: &[
            BASE_TS,
            (
                "src/users.ts",
                "import { Base } from \"./base\";\n\nexport class Users extends Base<User> {}\n",
            ),
            (
                "src/svc.ts",
                "import { Users } from \"./users\";\n\nexport const name = (given: Users, id: string) => given.load(id).mail;\n",
            ),
        ],
        line: "given.load(id).mail",
    },
    Form {
        files: &[
            BASE_JAVA,
            (
                "src/u/Users.java",
                "package u;\n\nimport b.Base;\n\npublic class Users extends Base<String> {\n}\n",
            ),
            (
                "src/s/Svc.java",
                "package s;\n\nimport u.Users;\n\npublic class Svc {\n    static String up(Users given, String id) {\n        return given.load(id).trim();\n    }\n}\n",
            ),
        ],
        line: "return given.load(id).trim();",
    },
    Form {
        files: &[
            (
                "s/base.go",
                "package s\n\ntype base struct{ n int }\n\nfunc (b *base) Load(id string) *Order {\n\treturn find(id, 77)\n}\n",
            ),
            (
                "s/users.go",
                "package s\n\ntype users struct {\n\tbase\n}\n",
            ),
            (
                "s/svc.go",
                "package s\n\nfunc show(given *users, id string) string {\n\treturn given.Load(id).ID\n}\n",
            ),
        ],
        line: "given.Load(id).ID",
    },
    Form {
        files: &[
            (
                "B/Base.cs",
                "namespace App.B;\n\npublic abstract class Base<T>\n{\n    public T Load(string id)\n    {\n        return Find(id, 77);\n    }\n}\n",
            ),
            (
                "U/Users.cs",
                "using App.B;\n\nnamespace App.U;\n\npublic class Users : Base<string>\n{\n}\n",
            ),
            (
                "S/Svc.cs",
                "using App.U;\n\nnamespace App.S;\n\npublic static class Svc\n{\n    public static int Len(Users given, string id)\n    {\n        return given.Load(id).Length;\n    }\n}\n",
            ),
        ],
        line: "return given.Load(id).Length;",
    },
    Form {
        files: &[
            (
                "src/store.rs",
                "pub trait Store {\n    fn load(&self, id: &str) -> Option<String> {\n        find(id, 77)\n    }\n}\n",
            ),
            (
                "src/users.rs",
                "use crate::store::Store;\n\npub struct Users;\n\nimpl Store for Users {}\n",
            ),
            (
                "src/svc.rs",
                "use crate::store::Store;\nuse crate::users::Users;\n\npub fn mail(given: &Users) -> String {\n    given.load(\"x\").unwrap()\n}\n",
            ),
        ],
        line: "given.load(\"x\").unwrap()",
    },
];
