//! Who reaches a service by its name in a compose file, or a program at its port, where the change gives it another one.

use super::read_settings::brief;

/// Who listens at PORT or goes there: of each the file and its text, with READ to tell it by.
const PLACES: [(&str, &str); 9] = [
    (
        "server.js",
        "const READ = require('http');\nREAD.createServer(() => {}).listen(process.env.PORT || PORT);\n",
    ),
    (
        "app/gunicorn.conf.py",
        "bind = \"0.0.0.0:PORT\"\nREAD = 30\n",
    ),
    ("Dockerfile", "FROM x\nEXPOSE PORT\nCMD [\"READ\"]\n"),
    (
        "docker-compose.yml",
        "services:\n  web:\n    image: READ\n    ports:\n      - \"80:PORT\"\n",
    ),
    (
        "compose.dev.yaml",
        "services:\n  web:\n    image: READ\n    ports:\n      - PORT:80\n",
    ),
    (
        "k8s/service.yaml",
        "kind: READ\nspec:\n  ports:\n    - port: 80\n      targetPort: PORT\n",
    ),
    ("nginx.conf", "upstream READ { server web:PORT; }\n"),
    (
        "src/main/resources/application.properties",
        "server.port=PORT\nserver.name=READ\n",
    ),
    (
        "main.go",
        "package main\n\nfunc READ() { http.ListenAndServe(\":PORT\", nil) }\n",
    ),
];

/// Law: wherever a port is edited, it is shown wherever else it stands; another port or another number is not.
#[test]
fn who_goes_to_an_edited_port_is_shown() {
    for (changed, (home, text)) in PLACES.iter().enumerate() {
        let others = PLACES.iter().enumerate();
        let others = others.filter(|(other, _)| *other != changed);
        let named = |number: usize| format!("reading{number}");
        let mut files: Vec<_> = others
            .clone()
            .map(|(other, (file, text))| {
                let text = text.replace("PORT", "8123").replace("READ", &named(other));
                ((*file).to_owned(), text)
            })
            .collect();
        files.extend(others.clone().map(|(_, (file, text))| {
            let text = text.replace("PORT", "8129").replace("READ", "ANOTHER");
            (format!("other/{file}"), text)
        }));
        let number = "def wait():\n    return ANOTHER(timeout=8123)\n";
        files.push(("app/wait.py".to_owned(), number.to_owned()));
        let sides = ["8123", "9000"].map(|port| text.replace("PORT", port).replace("READ", "x"));
        let found = brief(home, sides.each_ref().map(String::as_str), &files);
        for (other, (file, _)) in others {
            assert!(found.contains(&named(other)), "{home}: {file}: {found}");
        }
        assert!(!found.contains("ANOTHER"), "{home}: {found}");
    }
}

/// Law: a service that is called otherwise is shown wherever its name stands for a host, and not where it is a word.
#[test]
fn who_goes_to_a_renamed_service_is_shown() {
    let compose = |name: &str| format!("services:\n  {name}:\n    image: x\n");
    let sides = ["store", "depot"].map(compose);
    let hosts = [
        (
            "app/settings.py",
            "READ = \"postgres://shop@store:5432/shop\"\n",
        ),
        (
            "scripts/backup.sh",
            "#!/bin/sh\npg_dump -h store shop > READ\n",
        ),
        ("nginx.conf", "location READ { proxy_pass http://store; }\n"),
        ("config/app.yml", "READ: 1\ndb_host: store\n"),
        (".env.example", "READ=1\nREDIS_HOST=store\n"),
        ("src/db.ts", "export const READ = { host: 'store' };\n"),
    ];
    let words = [
        (
            "app/shop.py",
            "def READ(store):\n    return store.open(1)\n",
        ),
        ("config/other.yml", "READ: 1\nstore: true\n"),
        ("src/redux.ts", "export const READ = store.name;\n"),
    ];
    for (places, is_shown) in [(&hosts[..], true), (&words[..], false)] {
        for (file, text) in places {
            let text = text.replace("READ", "reading");
            let files = [((*file).to_owned(), text)];
            let found = brief(
                "docker-compose.yml",
                sides.each_ref().map(String::as_str),
                &files,
            );
            assert_eq!(found.contains("reading"), is_shown, "{file}: {found}");
        }
    }
}
