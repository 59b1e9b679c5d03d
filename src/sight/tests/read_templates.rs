//! Who includes, extends, imports or renders a template that takes something else than before.

use super::read_settings::brief;

/// A template that takes OLD, and one that takes it, with READ on the line that does.
const TEMPLATES: [[(&str, &str); 2]; 17] = [
    [
        ("app/views/orders/_line.html.erb", "<li>\n<%= OLD %></li>\n"),
        (
            "app/views/carts/show.html.erb",
            "<ul>\n<%= render \"orders/line\", line: READ %>\n</ul>\n",
        ),
    ],
    [
        ("app/views/orders/_line.html.erb", "<li>\n<%= OLD %></li>\n"),
        (
            "app/views/orders/show.html.erb",
            "<ul>\n<%= render partial: 'line', locals: { a: READ } %>\n</ul>\n",
        ),
    ],
    [
        ("app/views/orders/_line.html.erb", "<li>\n<%= OLD %></li>\n"),
        (
            "app/controllers/carts_controller.rb",
            "class CartsController\n  def show\n    render partial: \"orders/line\", locals: READ\n  end\nend\n",
        ),
    ],
    [
        ("templates/_row.html", "<tr><td>{{ OLD }}</td></tr>\n"),
        (
            "templates/cart.html",
            "{% with price=READ %}\n{% include \"_row.html\" %}\n{% endwith %}\n",
        ),
    ],
    [
        (
            "shop/templates/shop/row.html",
            "<tr><td>{{ OLD }}</td></tr>\n",
        ),
        (
            "cart/templates/cart/all.html",
            "{% include 'shop/row.html' with price=READ %}\n",
        ),
    ],
    [
        (
            "app/templates/cart/row.html",
            "<tr><td>{{ OLD }}</td></tr>\n",
        ),
        (
            "app/views.py",
            "def row(c):\n    return render_template(\n        \"cart/row.html\", price=READ\n    )\n",
        ),
    ],
    [
        (
            "templates/macros.html",
            "{% macro money(cents) %}\n{{ OLD / 100 }}\n{% endmacro %}\n",
        ),
        (
            "templates/cart.html",
            "{% from \"macros.html\" import money %}\n<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>\n<p>e</p>\n<p>f</p>\n<p>g</p>\n<p>{{ money(total) }} READ</p>\n",
        ),
    ],
    [
        (
            "templates/base.html",
            "<html>\n{% block OLD %}{% endblock %}\n</html>\n",
        ),
        (
            "templates/cart.html",
            "{% extends \"base.html\" %}\n{% block content %}a\n\n\n\n\n\n\n{% endblock %}\n{% block OLD %}READ{% endblock %}\n",
        ),
    ],
    [
        ("views/partials/row.ejs", "<tr><td><%= OLD %></td></tr>\n"),
        (
            "views/cart.ejs",
            "<%- include('partials/row', { price: READ }) %>\n",
        ),
    ],
    [
        ("views/partials/row.ejs", "<tr><td><%= OLD %></td></tr>\n"),
        (
            "views/shop/cart.ejs",
            "<%- include('../partials/row.ejs', { price: READ }) %>\n",
        ),
    ],
    [
        ("resources/views/shop/row.blade.php", "<b>{{ $OLD }}</b>\n"),
        (
            "resources/views/cart.blade.php",
            "@include('shop.row', ['price' => READ])\n",
        ),
    ],
    [
        (
            "resources/views/components/price.blade.php",
            "@props([\n  'OLD',\n])\n<b>b</b>\n",
        ),
        (
            "resources/views/cart.blade.php",
            "<x-price :cents=\"$READ\" />\n",
        ),
    ],
    [
        ("views/partials/row.hbs", "<b>{{OLD}}</b>\n"),
        ("views/cart.hbs", "<p>{{> row price=READ}}</p>\n"),
    ],
    [
        ("views/mixins/row.pug", "b= OLD\n"),
        ("views/cart.pug", "p READ\ninclude mixins/row\n"),
    ],
    [
        ("Views/Shared/_Row.cshtml", "<b>@Model.OLD</b>\n"),
        (
            "Views/Orders/Index.cshtml",
            "<partial name=\"_Row\" model=\"READ\" />\n",
        ),
    ],
    [
        (
            "res/templates/fragments/row.html",
            "<b th:text=\"${OLD}\">b</b>\n",
        ),
        (
            "res/templates/cart.html",
            "<div th:replace=\"~{fragments/row :: row(READ)}\"></div>\n",
        ),
    ],
    [
        (
            "tmpl/row.tmpl",
            "{{ define \"row\" }}\n<b>{{ .OLD }}</b>\n{{ end }}\n",
        ),
        ("tmpl/cart.tmpl", "<p>{{ template \"row\" READ }}</p>\n"),
    ],
];

fn told([(path, text), (user, using)]: [(&str, &str); 2], [old, new]: [&str; 2]) -> bool {
    let sides = [old, new].map(|name| text.replace("OLD", name));
    let sides = sides.each_ref().map(String::as_str);
    let using = using.replace("OLD", old);
    brief(path, sides, &[(user.to_owned(), using)]).contains("READ")
}

/// Law: in every language of templates whoever takes the very file is shown where a name in its code changes.
#[test]
fn who_takes_a_template_that_takes_something_else_is_shown() {
    for pair in TEMPLATES {
        assert!(told(pair, ["price", "cost"]), "{pair:?}");
    }
}

/// Law: nobody is shown where only the text of the page changes, or where another template is taken.
#[test]
fn who_takes_another_template_or_one_with_another_text_is_not_shown() {
    for pair in TEMPLATES {
        let (path, text) = pair[0];
        let edited = text.replace("OLD", "price");
        let sides = [
            format!("{edited}<p>one</p>\n"),
            format!("{edited}<p>two</p>\n"),
        ];
        let has_macro = ["macro", "define"].iter().any(|word| text.contains(word));
        let is_page = !path.ends_with(".pug") && !has_macro;
        let using = pair[1].1.replace("OLD", "price");
        let files = [(pair[1].0.to_owned(), using)];
        let found = brief(path, sides.each_ref().map(String::as_str), &files);
        assert!(!is_page || !found.contains("READ"), "{pair:?}: {found}");
        let other = pair[1]
            .1
            .replace("row", "rows")
            .replace("line\"", "lines\"");
        let other = other.replace("line'", "lines'").replace("Row", "Rows");
        let other = other
            .replace("base", "bases")
            .replace("macros.", "macro.")
            .replace("x-price", "x-prices");
        assert!(
            !told([pair[0], (pair[1].0, &other)], ["price", "cost"]),
            "{other}"
        );
    }
    for pair in [
        [
            ("templates/shop/_row.html", "<b>{{ OLD }}</b>\n"),
            TEMPLATES[3][1],
        ],
        [
            (
                "app/views/admin/orders/_line.html.erb",
                "<b><%= OLD %></b>\n",
            ),
            TEMPLATES[0][1],
        ],
        [
            ("templates/_row.html", "<b>{{ OLD }}</b>\n"),
            ("web/a.py", "NAMES = [\"_row.html\", \"READ\"]\n"),
        ],
        [
            ("templates/_row.html", "<b>{{ OLD }}</b>\n"),
            ("templates/a.html", "<a href=\"_row.html\">READ</a>\n"),
        ],
    ] {
        assert!(!told(pair, ["price", "cost"]), "{pair:?}");
    }
}
