//! What a module from outside hands on though the tree has made it: values, and settings.

use super::read_settings::brief;
/// A type of the tree of which the change edits a method and a field.
const USER: &str = "from app.db import Base\n\n\nclass User(Base):\n    page_size: int = 3\n    rank: int = 3\n\n    def can_edit(self, post):\n        return post.locked\n\n    def rename(self, name):\n        return name.strip()\n";

fn files_of(users: &[(&str, String)]) -> Vec<(String, String)> {
    let fixed = [
        ("app/__init__.py", "".to_owned()),
        ("app/db.py", "class Base:\n    pass\n".to_owned()),
        (
            "app/users.py",
            "from app.models import User\n\n\ndef load_user(id):\n    return User.find(id)\n"
                .to_owned(),
        ),
    ];
    let all = fixed.into_iter().chain(users.iter().cloned());
    all.map(|(path, text)| (path.to_owned(), text)).collect()
}

/// How a value of the tree comes through modules from outside: imports, and how it is made in a function `f`.
const HANDED: [(&str, &str); 9] = [
    (
        "from flask import g",
        "def f(id):\n    return g.user.MEMBER",
    ),
    (
        "from django.core.cache import cache",
        "def f(token):\n    user = cache.get(token)\n    return user.MEMBER",
    ),
    (
        "from django.contrib.auth import authenticate",
        "def f(name, word):\n    user = authenticate(username=name, password=word)\n    return user.MEMBER",
    ),
    (
        "from django.contrib.auth import get_user",
        "def f(request):\n    user = get_user(request)\n    return user.MEMBER",
    ),
    (
        "from fastapi import Depends\nfrom app.users import load_user",
        "def f(id: int, user=Depends(load_user)):\n    return user.MEMBER",
    ),
    (
        "import asyncio\nfrom app.users import load_user",
        "async def f(id):\n    found = await asyncio.to_thread(load_user, id)\n    return found.MEMBER",
    ),
    (
        "from werkzeug.local import LocalProxy\nfrom app.users import load_user\n\ncurrent = LocalProxy(load_user)",
        "def f(id):\n    return current.MEMBER",
    ),
    (
        "import asyncio\n\n\ndef load(id):\n    return find(id)",
        "async def f(id):\n    found = await asyncio.to_thread(load, id)\n    return found.MEMBER",
    ),
    (
        "from pool import call\nfrom app.users import load_user",
        "def f(id):\n    return call(load_user).MEMBER",
    ),
];

/// Law: whoever asks a value of the tree for an edited method or field is shown, whatever module handed the value on.
#[test]
fn a_value_of_the_tree_is_one_through_whatever_module_it_comes() {
    let changes = [
        (
            "page_size: int = 3",
            "page_size: int | None = None",
            "page_size + 1",
        ),
        ("return post.locked", "return None", "can_edit(1)"),
        ("return name.strip()", "return None", "rename(\"a\")"),
    ];
    for (was, is, member) in changes {
        let mut missing = Vec::new();
        for (imports, function) in HANDED {
            let user = format!("{imports}\n\n\n{}\n", function.replace("MEMBER", member));
            let files = files_of(&[("app/use.py", user.clone())]);
            let now = USER.replace(was, is);
            if !brief("app/models.py", [USER, &now], &files).contains(&format!(".{member}")) {
                missing.push(user);
            }
        }
        assert_eq!(missing, Vec::<String>::new(), "{member}");
    }
}

/// A function that is handed to one from outside is used there, and what it is is shown where the change hands it on.
#[test]
fn a_function_that_is_handed_on_is_used_and_defined() {
    let call = "from fastapi import Depends\nfrom app.users import load_user\n\n\ndef f(id: int, user=Depends(load_user)):\n    return user  # HANDED\n";
    let files = files_of(&[("app/use.py", call.to_owned())]);
    let users = "from app.models import User\n\n\ndef load_user(id):\n    return User.find(id)\n";
    let told = brief(
        "app/users.py",
        [users, &users.replace("find", "seek")],
        &files,
    );
    assert!(told.contains("HANDED"), "{told}");
    let before = call.replace("user=Depends(load_user)", "user=None");
    let told = brief("app/use.py", [&before, call], &files);
    assert!(told.contains("return User.find(id)"), "{told}");
}

/// What a module from outside makes itself is none of the tree's, unless it is called so.
#[test]
fn a_value_from_outside_is_still_no_value_of_the_tree() {
    for (imports, function) in [
        (
            "import sqlite3",
            "def f(path):\n    con = sqlite3.connect(path)\n    return con.rename(1)",
        ),
        (
            "import sqlite3",
            "def f(path, con: sqlite3.Connection):\n    return con.rename(1)",
        ),
        (
            "from threading import Thread",
            "def f(path):\n    con = Thread(path)\n    return con.rename(1)",
        ),
        (
            "import shutil",
            "def f(path):\n    return shutil.rename(path)",
        ),
    ] {
        let files = files_of(&[("app/use.py", format!("{imports}\n\n\n{function}\n"))]);
        let now = USER.replace("return name.strip()", "return None");
        let told = brief("app/models.py", [USER, &now], &files);
        assert!(!told.contains(".rename("), "{told}");
    }
}

const READER: &str = "from django.conf import settings\n\n\ndef upload(data):\n    return len(data) > settings.MAX_MB  # READ\n";

/// Settings of the tree are read through the framework, wherever they lie.
#[test]
fn who_reads_a_setting_through_a_framework_is_shown() {
    for path in [
        "mysite/settings.py",
        "mysite/settings/base.py",
        "settings.py",
    ] {
        for name in ["MAX_MB", "DEBUG"] {
            let settings = format!("import os\n\n{name} = 10\nOTHER_DAYS = 30\n");
            let reader = READER.replace("MAX_MB", name);
            let files = [("shop/views.py".to_owned(), reader)];
            for now in [format!("{name} = None"), String::new()] {
                let now = settings.replace(&format!("{name} = 10"), &now);
                let told = brief(path, [&settings, &now], &files);
                assert!(told.contains("READ"), "{path} {name}: {told}");
            }
        }
    }
}

#[test]
fn a_setting_that_a_change_reads_through_a_framework_is_shown() {
    for path in ["mysite/settings.py", "mysite/settings/base.py"] {
        let files = [(path.to_owned(), "MAX_MB = 10  # SET\n".to_owned())];
        let before = READER.replace("settings.MAX_MB", "9");
        let told = brief("shop/views.py", [&before, READER], &files);
        assert!(told.contains("SET"), "{path}: {told}");
    }
    // What no file of the tree is called after is the module's own.
    let files = [(
        "mysite/limits.py".to_owned(),
        "MAX_MB = 10  # SET\n".to_owned(),
    )];
    let told = brief(
        "shop/views.py",
        [&READER.replace("MAX_MB", "MIN_MB"), READER],
        &files,
    );
    assert!(!told.contains("SET"), "{told}");
}
