//! Who listens to an event of a type, where the change publishes one with other arguments.

use super::read_settings::brief;

/// Who publishes an event with ONE, and who listens to it with READ.
const EVENTS: [[(&str, &str); 2]; 11] = [
    [
        (
            "shop/Orders.java",
            "package shop;\n\nclass Orders {\n    void pay(long id) {\n        events.publishEvent(new OrderPaid(id, ONE));\n    }\n}\n",
        ),
        (
            "shop/Mailer.java",
            "package shop;\n\nclass Mailer {\n    @EventListener\n    public void mail(OrderPaid e) {\n        READ(e.amount());\n    }\n}\n",
        ),
    ],
    [
        (
            "shop/Orders.java",
            "package shop;\n\nclass Orders {\n    void pay(long id) {\n        OrderPaid paid = new OrderPaid(\n            id,\n            ONE);\n        events.publishEvent(paid);\n    }\n}\n",
        ),
        (
            "shop/Mailer.java",
            "package shop;\n\nclass Mailer {\n    @TransactionalEventListener(OrderPaid.class)\n    public void mail() {\n        READ();\n    }\n}\n",
        ),
    ],
    [
        (
            "shop/Orders.kt",
            "package shop\n\nclass Orders {\n    fun pay(id: Int) {\n        events.publishEvent(OrderPaid(id, ONE))\n    }\n}\n",
        ),
        (
            "shop/Mailer.kt",
            "package shop\n\nclass Mailer {\n    @EventListener\n    fun mail(paid: OrderPaid) {\n        READ(paid.amount)\n    }\n}\n",
        ),
    ],
    [
        (
            "app/Checkout.php",
            "<?php\nnamespace App;\n\nclass Checkout\n{\n    public function pay(int $id): void\n    {\n        event(new OrderPaid($id, ONE));\n    }\n}\n",
        ),
        (
            "app/SendReceipt.php",
            "<?php\nnamespace App;\n\nclass SendReceipt\n{\n    public function handle(OrderPaid $event): void\n    {\n        READ($event->amount);\n    }\n}\n",
        ),
    ],
    [
        (
            "app/Checkout.php",
            "<?php\nnamespace App;\n\nclass Checkout\n{\n    public function pay(int $id): void\n    {\n        OrderPaid::dispatch($id, ONE);\n    }\n}\n",
        ),
        (
            "app/Receipt.php",
            "<?php\nnamespace App;\n\nclass Receipt\n{\n    public function __invoke(OrderPaid $event): void\n    {\n        READ($event->amount);\n    }\n}\n",
        ),
    ],
    [
        (
            "Shop/Orders.cs",
            "namespace Shop;\npublic class Orders\n{\n    public void Pay(int id)\n    {\n        _bus.Publish(new OrderPaid(id, ONE));\n    }\n}\n",
        ),
        (
            "Shop/Mailer.cs",
            "namespace Shop;\npublic class Mailer : INotificationHandler<OrderPaid>\n{\n    public void Handle(OrderPaid paid)\n    {\n        READ(paid.Amount);\n    }\n}\n",
        ),
    ],
    [
        (
            "Shop/Feed.cs",
            "namespace Shop;\npublic class Feed\n{\n    public event EventHandler<int>? Changed;\n    public void Push(int v)\n    {\n        Changed?.Invoke(this, v + ONE);\n    }\n}\n",
        ),
        (
            "Shop/View.cs",
            "namespace Shop;\npublic class View\n{\n    public View(Feed f)\n    {\n        f.Changed += READ;\n    }\n}\n",
        ),
    ],
    [
        (
            "Shop/Feed.cs",
            "namespace Shop;\npublic class Feed\n{\n    public event Action<int> Changed;\n    public void Push(int v)\n    {\n        Changed(v + ONE);\n    }\n}\n",
        ),
        (
            "Shop/View.cs",
            "namespace Shop;\npublic class View\n{\n    public View(Feed f) { f.Changed += new Action<int>(Redraw); }\n    private void Redraw(int v)\n    {\n        READ(v);\n    }\n}\n",
        ),
    ],
    [
        (
            "shop/orders.py",
            "def pay(bus, oid):\n    bus.publish(OrderPaid(oid, ONE))\n",
        ),
        (
            "shop/mail.py",
            "@bus.subscribe(OrderPaid)\ndef mail(paid):\n    return READ(paid.amount)\n",
        ),
    ],
    [
        (
            "src/orders.ts",
            "export function pay(bus: Bus, id: string) {\n  bus.emit(new OrderPaid(id, ONE));\n}\n",
        ),
        (
            "src/mail.ts",
            "export class Mail {\n  @OnEvent('paid')\n  mail(paid: OrderPaid) {\n    return READ(paid.amount);\n  }\n}\n",
        ),
    ],
    [
        (
            "shop/orders.go",
            "package shop\n\nfunc Pay(b *Bus, id int) {\n\tb.Publish(OrderPaid{ID: id, N: ONE})\n}\n",
        ),
        (
            "shop/mail.go",
            "package shop\n\nfunc onPaid(p OrderPaid) {\n\tREAD(p.N)\n}\n",
        ),
    ],
];

fn told([(path, text), (file, listener)]: [(&str, &str); 2]) -> bool {
    let sides = ["1", "2"].map(|value| text.replace("ONE", value));
    let sides = sides.each_ref().map(String::as_str);
    let files = [
        (file.to_owned(), listener.to_owned()),
        ("go.mod".to_owned(), "module ex\n".to_owned()),
    ];
    brief(path, sides, &files).contains("READ")
}

/// Law: in every language whoever listens to the type of a published event is shown, and nobody who listens to another.
#[test]
fn who_listens_to_the_type_of_a_published_event_is_shown() {
    for pair in EVENTS {
        assert!(told(pair), "{pair:?}");
        let other = pair[1]
            .1
            .replace("OrderPaid", "OrderLost")
            .replace("Changed", "Closed");
        assert!(!told([pair[0], (pair[1].0, &other)]), "{other}");
    }
}

/// A function that only takes such a value hears nothing, nor is a value an event that nobody publishes; another type may
/// have an event of the same name.
#[test]
fn who_only_takes_a_value_of_the_type_is_not_shown() {
    for name in ["sum", "once"] {
        let plain = format!(
            "package shop;\n\nclass Sum {{\n    long {name}(OrderPaid paid) {{\n        return READ(paid);\n    }}\n}}\n"
        );
        assert!(!told([EVENTS[0][0], ("shop/Sum.java", &plain)]), "{plain}");
    }
    let unpublished = EVENTS[0][0].1.replace("events.publishEvent(", "rows.add(");
    assert!(!told([(EVENTS[0][0].0, &unpublished), EVENTS[0][1]]));
    for [feed, view] in EVENTS
        .into_iter()
        .filter(|pair| pair[0].0.ends_with("Feed.cs"))
    {
        let other = view.1.replace("Feed", "Clock");
        assert!(!told([feed, (view.0, &other)]), "{other}");
    }
}
