//! By which names a file says that it is text: what people write, and programs run or obey.

/// Whether a file of this name, in small letters, is one that people write. The settings of a shell or a tool (`.bashrc`,
/// `.profile`) have no other name than that, and whatever begins with a dot and ends with `rc` is one.
pub(super) fn is_text_name(name: &str, extension: &str) -> bool {
    let is_settings = name.strip_prefix('.').is_some_and(|rest| {
        !rest.contains('.')
            && (rest.ends_with("rc") || rest.contains("profile") || rest.starts_with("env"))
    });
    let stands_in = |list: &str, word: &str| list.split(' ').any(|listed| listed == word);
    is_settings || stands_in(EXTENSIONS, extension) || stands_in(NAMES, name)
}

/// Extensions of files that people write and that programs run or obey, in order.
const EXTENSIONS: &str = "\
    ada adb adoc ads applescript asax asciidoc ascx ashx asm asmx asp aspx awk babelrc bas bash bashrc bat bats \
    bazel bib bicep bzl c cabal cc cfc cfg cfm cgi cjs clj cljc cljs cmake cmd coffee command conf config \
    containerfile cpp cs csh cshtml cson csproj css csv ctp cu cuh curlrc cxx cypher d dart dbk desktop dhall \
    diff dockerfile dpr dtd dts dtsi ebuild editorconfig edn ejs el elm eml env erb erl escript eslintrc ex exs \
    f f03 f08 f77 f90 f95 fcgi feature filters fish frag fs fsi fsproj fsx ftl fxml gawk gd gemspec \
    gitattributes gitignore gitmodules glsl go gql gradle graphql graphqls groovy gsp gv gyp gypi h haml \
    handlebars hbs hcl hh hjson hlsl hpp hs hta htaccess htm html htpasswd http hx hxx idl iml inc ini inl ino \
    install ipynb irb iss j2 jade java jbuilder jenkinsfile jinja jinja2 jl jnlp js jshintrc jsm json json5 \
    jsonc jsonl jsonnet jsp jspf jsproj jspx jsx kql ksh kshrc kt kts latte ldif lds less libsonnet liquid lisp \
    lock lua m m4 make mako markdown md mdc mdx minizinc mjs mk ml ml4 mli mll mly mm module mpp mtml mts \
    mustache ndjson nim nimble nims nix njk njs npmrc nsh nsi nu nuspec org ovpn pas patch pde pgsql php php3 \
    php4 php5 php6 php7 php8 phps phpt pht phtml pig pl pl6 plsql pm po pod podspec postinst postrm pp preinst \
    prerm prisma pro profile properties proto ps1 ps1xml psd1 psgi psm1 pth pug purs pxd pxi py pyi pyw pyx qbs \
    qmd qml qss r rabl rake raku rb rdf re reg rego rei resx rkt rmd rnc rng robot rpy rq rs rst ru rules s sass \
    sbt scala scm scss sdc sed service sgml sh shtml sitemap sjs sld slim sln sls smali smarty sol spec sql srt \
    star sty styl sv svelte svg svh swift targets tcl template tera tex tf tfvars thrift tmpl toml topojson tpl \
    trigger ts tsv tsx ttl twig txt ui v vala vapi vb vba vbe vbproj vbs vcl vcxproj vert vh vhd vhdl vim vm vtl \
    vtt vue wat webmanifest wgsl wsdl wsf wsh xaml xhtml xib xlf xliff xmi xml xonsh xproj xq xquery xsd xsl \
    xslt xul y yaml yang yar yara yml zig zone zsh zshrc";

/// Whole names of such files, in order.
const NAMES: &str = "\
    appfile berksfile brewfile build buildfile capfile cartfile codeowners configure containerfile crontab \
    dockerfile fastfile gemfile gnumakefile go.mod go.sum go.work gradlew guardfile jenkinsfile justfile \
    makefile mvnw pipfile podfile procfile rakefile sconscript sconstruct snakefile thorfile tiltfile \
    vagrantfile workspace wscript";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_once_and_in_its_place() {
        for list in [EXTENSIONS, NAMES] {
            let words: Vec<&str> = list.split(' ').collect();
            assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
            assert!(
                words
                    .iter()
                    .all(|word| !word.is_empty() && word.to_ascii_lowercase() == *word)
            );
        }
    }
}
