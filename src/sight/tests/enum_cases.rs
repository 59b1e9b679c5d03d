//! Switches over an enum that gets a member: they name its members, and often not its type.

use super::read_settings::brief;

const JAVA: [&str; 2] = [
    "package com.acme;\n\npublic enum Status {\n    NEW,\n    PAID,\n    SHIPPED\n}\n",
    "package com.acme;\n\npublic enum Status {\n    NEW,\n    PAID,\n    REFUNDED,\n    SHIPPED\n}\n",
];

fn java(body: &str) -> String {
    format!(
        "package com.acme;\n\nclass User {{\n    String f(Order order) {{\n        {body}\n    }}\n}}\n"
    )
}

/// Law: whoever has a case for the members that were there is shown, however the cases are written.
#[test]
fn a_switch_over_the_members_is_shown() {
    let missing: Vec<String> = [
        java("switch (order.getStatus()) {\n            case NEW: return \"a\";\n            case PAID: return \"b\";\n            default: throw new Error(); // READ\n        }"),
        java("return switch (order.getStatus()) {\n            case NEW -> \"a\";\n            case PAID, SHIPPED -> \"b\";\n            default -> throw new Error(); // READ\n        };"),
        java("return order.getStatus().ordinal(); // READ"),
        java("Status status = order.getStatus();\n        return status.ordinal(); // READ"),
    ]
    .into_iter()
    .filter(|user| {
        let files = [("src/com/acme/User.java".to_owned(), user.clone())];
        !brief("src/com/acme/Status.java", JAVA, &files).contains("READ")
    })
    .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_switch_of_swift_and_one_of_kotlin_are_shown() {
    let swift = [
        "enum State {\n    case idle\n    case loading\n    case done\n}\n",
        "enum State {\n    case idle\n    case loading\n    case done\n    case failed\n}\n",
    ];
    let user = "struct Row {\n    let model: Model\n    func text() -> String {\n        switch model.state {\n        case .loading: return \"a\"\n        case .done: return \"b\"\n        default: fatalError() // READ\n        }\n    }\n}\n";
    let files = [("Sources/App/Row.swift".to_owned(), user.to_owned())];
    let told = brief("Sources/App/State.swift", swift, &files);
    assert!(told.contains("READ"), "{told}");
    let kotlin = [
        "package a\n\nenum class State {\n    IDLE,\n    DONE,\n}\n",
        "package a\n\nenum class State {\n    IDLE,\n    DONE,\n    FAILED,\n}\n",
    ];
    let user = "package a\n\nimport a.State.*\n\nfun text(row: Row): String = when (row.state) {\n    IDLE -> \"a\"\n    DONE -> \"b\" // READ\n    else -> error(row)\n}\n";
    let files = [("src/Row.kt".to_owned(), user.to_owned())];
    let told = brief("src/State.kt", kotlin, &files);
    assert!(told.contains("READ"), "{told}");
}

/// A switch with a case for something else is one over another enum, and a last member moves none of the others.
#[test]
fn a_switch_over_another_enum_is_not_shown() {
    let other = java(
        "switch (order.getKind()) {\n            case NEW: return \"a\";\n            case PAID: return \"b\";\n            case OLD: return \"c\"; // READ\n        }",
    );
    let files = [("src/com/acme/User.java".to_owned(), other)];
    let told = brief("src/com/acme/Status.java", JAVA, &files);
    assert!(!told.contains("READ"), "{told}");
    let last = JAVA[0].replace("SHIPPED\n", "SHIPPED,\n    LOST\n");
    let files = [(
        "src/com/acme/User.java".to_owned(),
        java("return order.getStatus().ordinal(); // READ"),
    )];
    let told = brief("src/com/acme/Status.java", [JAVA[0], &last], &files);
    assert!(!told.contains("READ"), "{told}");
}
