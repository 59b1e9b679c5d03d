//! Names that files of another kind have: classes of CSS modules, features of Cargo, statements of MyBatis, tasks,
//! loggers, arguments of services.

use super::read_settings::brief;

type Sides = (&'static str, [&'static str; 2]);
type Place = (&'static str, &'static str);

/// A change, who has the name that it edits, and who has the same name of something else.
const NAMED: [(Sides, Place, &[Place]); 10] = [
    (
        (
            "src/Button.module.css",
            [
                ".primary { color: white; }\n.danger-zone { color: red; }\n",
                ".primary { color: white; }\n",
            ],
        ),
        (
            "src/Delete.tsx",
            "import styles from './Button.module.css';\n\nexport const D = () => <b className={styles.dangerZone}>READ</b>;\n",
        ),
        &[
            (
                "src/A.tsx",
                "import styles from './Other.module.css';\n\nexport const A = () => <b className={styles.dangerZone}>READ</b>;\n",
            ),
            (
                "src/B.tsx",
                "import styles from './Button.module.css';\n\nexport const B = () => <b className={styles.primary}>READ</b>;\n",
            ),
            (
                "src/C.tsx",
                "import styles from './Button.module.css';\n\nexport const C = (p) => <b className={styles.primary}>{READ(p.dangerZone)}</b>;\n",
            ),
            (
                "src/deep/D.tsx",
                "import styles from './Button.module.css';\n\nexport const D = () => <b className={styles.dangerZone}>READ</b>;\n",
            ),
        ],
    ),
    (
        (
            "src/Button.module.scss",
            [
                ".danger {\n  color: red;\n}\n",
                ".warning {\n  color: red;\n}\n",
            ],
        ),
        (
            "src/Delete.jsx",
            "import s from './Button.module.scss';\n\nexport const D = () => <b className={s['danger']}>READ</b>;\n",
        ),
        &[],
    ),
    (
        (
            "Cargo.toml",
            [
                "[package]\nname = \"a\"\n\n[features]\ndefault = [\"tls\", \"log\"]\ntls = []\nlog = []\n",
                "[package]\nname = \"a\"\n\n[features]\ndefault = [\"log\"]\ntls = []\nlog = []\n",
            ],
        ),
        (
            "src/lib.rs",
            "#[cfg(feature = \"tls\")]\npub fn connect() -> u8 {\n    READ\n}\n",
        ),
        &[
            (
                "src/a.rs",
                "#[cfg(feature = \"log\")]\npub fn connect() -> u8 {\n    READ\n}\n",
            ),
            (
                "src/b.rs",
                "pub fn connect(tls: u8) -> u8 {\n    tls + READ\n}\n",
            ),
        ],
    ),
    (
        (
            "net/Cargo.toml",
            [
                "[features]\ndefault = [\"net\"]\nnet = [\n  \"tls\",\n  \"dep:hyper\",\n]\ntls = []\n",
                "[features]\ndefault = [\"net\"]\nnet = [\n  \"dep:hyper\",\n]\ntls = []\n",
            ],
        ),
        (
            "net/src/lib.rs",
            "#[cfg(all(unix, not(feature = \"tls\")))]\npub fn connect() -> u8 {\n    READ\n}\n",
        ),
        &[
            (
                "src/lib.rs",
                "#[cfg(feature = \"tls\")]\npub fn connect() -> u8 {\n    READ\n}\n",
            ),
            (
                "net/src/lib.rs",
                "#[cfg(feature = \"log\")]\npub fn connect() -> u8 {\n    READ\n}\n",
            ),
        ],
    ),
    (
        (
            "Cargo.toml",
            [
                "[features]\ndefault = []\ntls = []\n\n[lib]\n",
                "[features]\ndefault = [\"tls\"] # or \"log\"\ntls = []\n\n[lib]\n",
            ],
        ),
        (
            "src/lib.rs",
            "pub fn connect() -> u8 {\n    if cfg!(feature = \"tls\") { READ } else { 0 }\n}\n",
        ),
        &[(
            "src/lib.rs",
            "pub fn connect() -> u8 {\n    if cfg!(feature = \"log\") { READ } else { 0 }\n}\n",
        )],
    ),
    (
        (
            "Cargo.toml",
            [
                "[features]\ntls = []\nlog = []\n",
                "[features]\nssl = []\nlog = []\n",
            ],
        ),
        (
            "src/lib.rs",
            "#[cfg_attr(feature = \"tls\", doc = \"READ\")]\npub struct Net;\n",
        ),
        &[],
    ),
    (
        (
            "src/main/java/shop/OrderMapper.java",
            [
                "package shop;\n\npublic interface OrderMapper {\n    List<Order> findOpen(String customer);\n}\n",
                "package shop;\n\npublic interface OrderMapper {\n    List<Order> findOpen(@Param(\"name\") String customer);\n}\n",
            ],
        ),
        (
            "src/main/resources/OrderMapper.xml",
            "<mapper namespace=\"shop.OrderMapper\">\n  <select id=\"findOpen\">\n    select READ\n  </select>\n</mapper>\n",
        ),
        &[(
            "src/main/resources/UserMapper.xml",
            "<mapper namespace=\"shop.UserMapper\">\n  <select id=\"findOpen\">\n    select READ\n  </select>\n</mapper>\n",
        )],
    ),
    (
        (
            "lib/tasks/orders.rake",
            [
                "namespace :orders do\n  task purge_old: :environment do\n    Order.old.delete_all\n  end\nend\n",
                "namespace :orders do\n  task purge: :environment do\n    Order.old.delete_all\n  end\nend\n",
            ],
        ),
        (
            "config/schedule.rb",
            "every 1.day do\n  rake \"orders:purge_old\", at: READ\nend\n",
        ),
        &[(
            "config/schedule.rb",
            "every 1.day do\n  rake \"users:purge_old\", at: READ\nend\n",
        )],
    ),
    (
        (
            "src/main/java/shop/Audit.java",
            [
                "package shop;\n\npublic class Audit {\n    static final Logger LOG = LoggerFactory.getLogger(\"shop.audit\");\n}\n",
                "package shop;\n\npublic class Audit {\n    static final Logger LOG = LoggerFactory.getLogger(Audit.class);\n}\n",
            ],
        ),
        (
            "src/main/resources/logback.xml",
            "<configuration>\n  <logger name=\"shop.audit\" level=\"READ\"/>\n</configuration>\n",
        ),
        &[(
            "src/main/resources/logback.xml",
            "<configuration>\n  <logger name=\"shop.audit.more\" level=\"READ\"/>\n</configuration>\n",
        )],
    ),
    (
        (
            "src/Mailer.php",
            [
                "<?php\nnamespace App;\n\nclass Mailer\n{\n    public function __construct(private string $fromAddress)\n    {\n    }\n}\n",
                "<?php\nnamespace App;\n\nclass Mailer\n{\n    public function __construct(private string $sender)\n    {\n    }\n}\n",
            ],
        ),
        (
            "config/services.yaml",
            "services:\n  App\\Mailer:\n    arguments:\n      $fromAddress: 'READ'\n",
        ),
        &[(
            "config/services.yaml",
            "services:\n  App\\Mailer:\n    arguments:\n      $from: 'READ'\n      $toAddress: '$fromAddress'\n",
        )],
    ),
];

/// Law: whoever has the very name is shown, and whoever has it of something else is not.
#[test]
fn who_has_the_name_of_an_entry_is_shown() {
    for ((path, sides), user, others) in NAMED {
        let told = |(file, text): Place| {
            brief(path, sides, &[(file.to_owned(), text.to_owned())]).contains("READ")
        };
        assert!(told(user), "{user:?}");
        for other in others {
            assert!(!told(*other), "{other:?}");
        }
    }
}
