//! Variables that take the name of another one: a guard that is called like the lock that it is of.

use super::read_settings::brief;
const CART: &str = "pub struct Cart { pub lines: Vec<u32> }\n\nimpl Cart {\n    pub fn biggest_line(&self) -> Option<u32> {\n        self.lines.iter().max().copied()\n    }\n}\n";

/// Law: whoever calls an edited method on a guard or a reference is shown, whether or not it has the name of its parameter.
#[test]
fn a_guard_may_have_the_name_of_its_lock() {
    for (typed, opened) in [
        ("Arc<Mutex<Cart>>", "OLD.lock().unwrap()"),
        ("&Arc<RwLock<Cart>>", "OLD.read().unwrap()"),
        ("&HashMap<String, Cart>", "OLD.get(\"a\").unwrap()"),
        ("&RefCell<Cart>", "OLD.borrow_mut()"),
    ] {
        for (old, new) in [("cart", "cart"), ("c", "c"), ("c", "guard")] {
            let opened = opened.replace("OLD", old);
            let user = format!(
                "use crate::cart::Cart;\nuse std::cell::RefCell;\nuse std::collections::HashMap;\nuse std::sync::{{Arc, Mutex, RwLock}};\n\npub fn f({old}: {typed}) -> u32 {{\n    let mut {new} = {opened};\n    {new}.biggest_line().unwrap()\n}}\n"
            );
            let files = [
                (
                    "Cargo.toml",
                    "[package]\nname = \"r\"\nversion = \"0.1.0\"\n",
                ),
                ("src/lib.rs", "pub mod cart;\npub mod user;\n"),
                ("src/user.rs", user.as_str()),
            ];
            let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
            let now = CART.replace("max()", "min()");
            let told = brief("src/cart.rs", [CART, &now], &files);
            assert!(
                told.contains(&format!("{new}.biggest_line()")),
                "{user}: {told}"
            );
        }
    }
}
