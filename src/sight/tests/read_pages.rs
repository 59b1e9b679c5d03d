//! Which pages name a value or a route that a change no longer gives to them.

use super::read_settings::brief;

/// Who gives a value: the file, its text, and what is swapped in it, with KEY for the value's name.
const GIVERS: [(&str, &str, (&str, &str)); 9] = [
    (
        "app/v.py",
        "def cart(c):\n    return render_template(\"cart.html\", KEY=c.total, more=1)\n",
        ("KEY=", "price="),
    ),
    (
        "app/v.py",
        "def cart(c):\n    return render_template(\n        \"cart.html\",\n        KEY=c.total,\n    )\n",
        ("        KEY=c.total,\n", ""),
    ),
    (
        "app/v.py",
        "def cart(c):\n    return env.get_template(\"cart.html\").render(KEY=c.total)\n",
        ("KEY=", "price="),
    ),
    (
        "app/v.py",
        "def cart(r, c):\n    return render(r, \"cart.html\", dict(KEY=c.total))\n",
        ("KEY=", "price="),
    ),
    (
        "src/v.js",
        "exports.cart = (q, res) => {\n  res.render(\"cart\", { KEY: q.total, more: 1 });\n};\n",
        ("KEY:", "price:"),
    ),
    (
        "src/v.ts",
        "export const cart = (q, res) => {\n  res.render('cart', {\n    more,\n    KEY,\n  });\n};\n",
        ("    KEY,\n", ""),
    ),
    (
        "src/v.ts",
        "export const cart = (q, reply) => {\n  return reply.view(`cart`, { KEY: q.KEY });\n};\n",
        ("KEY: q", "price: q"),
    ),
    (
        "app/v.rb",
        "class Carts\n  def show\n    render :show, locals: { KEY: cart.total }\n  end\nend\n",
        ("KEY:", "price:"),
    ),
    (
        "app/v.rb",
        "class Carts\n  def show\n    render partial: \"cart\", locals: {\n      KEY: cart.total\n    }\n  end\nend\n",
        ("KEY:", "price:"),
    ),
];

const PAGES: [(&str, &str); 8] = [
    ("t/a.html", "<b>{{ KEY | READ }}</b>\n"),
    ("t/b.jinja2", "{% if KEY > READ %}<p>x</p>{% endif %}\n"),
    ("t/c.ejs", "<b><%= READ(KEY) %></b>\n"),
    ("t/d.hbs", "{{#if KEY}}READ{{/if}}\n"),
    ("t/e.pug", "b= KEY + READ\n"),
    ("t/f.njk", "<b>{{ KEY + READ }}</b>\n"),
    ("t/g.html.erb", "<b><%= KEY.READ %></b>\n"),
    ("t/h.twig", "<b>{{ KEY|READ }}</b>\n"),
];

fn pages_with(key: &str) -> Vec<(String, String)> {
    let all = PAGES.iter().enumerate();
    all.map(|(index, (path, text))| {
        let text = text
            .replace("KEY", key)
            .replace("READ", &format!("reading{index}"));
        ((*path).to_owned(), text)
    })
    .collect()
}

#[test]
fn pages_that_name_a_value_which_they_no_longer_get_are_shown() {
    let mut missing = Vec::new();
    for (path, text, (from, to)) in GIVERS {
        for key in ["total_price", "totalPrice"] {
            let text = text.replace("KEY", key);
            let now = text.replacen(&from.replace("KEY", key), &to.replace("KEY", key), 1);
            assert_ne!(text, now);
            let brief = brief(path, [&text, &now], &pages_with(key));
            let unread = PAGES.iter().enumerate();
            let unread = unread.filter(|(index, _)| !brief.contains(&format!("reading{index}")));
            missing.extend(unread.map(|(_, (page, _))| format!("{path} {from} {key} {page}")));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_value_that_pages_still_get_or_never_got_leads_to_none() {
    for (text, from, to) in [
        (
            "def cart(c):\n    return render_template(\"cart.html\", total_price=1)\n",
            "=1",
            "=2",
        ),
        (
            "def cart(c):\n    return render_template(\"cart.html\", total_price=1)\n",
            "total_price=1",
            "**{\"total_price\": 1}",
        ),
        (
            "def cart(c):\n    return count(total_price=1)\n",
            "total_price",
            "price",
        ),
        (
            "def render(c, total_price=1):\n    return count(c)\n",
            "total_price",
            "price",
        ),
        (
            "def cart(c):\n    return render_template(\"cart.html\", more=count(total_price=1))\n",
            "total_price",
            "price",
        ),
    ] {
        let brief = brief(
            "app/v.py",
            [text, &text.replace(from, to)],
            &pages_with("total_price"),
        );
        assert!(!brief.contains("reading"), "{text} {to}");
    }
}

#[test]
fn pages_that_name_a_route_with_a_hyphen_are_shown() {
    let urls =
        "urlpatterns = [\n    path(\"cart/<int:pk>/\", views.cart, name=\"cart-detail\"),\n]\n";
    let now = urls.replace("cart-detail", "cart-show");
    for (page, is_one) in [
        (
            "<a href=\"{% url 'cart-detail' c.pk %}\">readHere</a>\n",
            true,
        ),
        (
            "<a href=\"{% url \"shop:cart-detail\" c.pk %}\">readHere</a>\n",
            true,
        ),
        ("<a href=\"{{ url('cart-detail') }}\">readHere</a>\n", true),
        ("<a class=\"cart-detail\">readHere</a>\n", false),
        (
            "<a href=\"{% url 'cart-detail-more' %}\">readHere</a>\n",
            false,
        ),
        ("<p>The cart-detail of readHere</p>\n", false),
    ] {
        let reader = [("t/a.html".to_owned(), page.to_owned())];
        let brief = brief("shop/urls.py", [urls, &now], &reader);
        assert_eq!(brief.contains("readHere"), is_one, "{page}");
    }
}
