//! Long functions of which the change edits a line far from where they begin.

use super::*;

/// Law: however far above a removed line its lock is taken, the beginning of the function is shown, and all of it where
/// there is room; what is far takes no place from a caller.
#[test]
fn the_beginning_of_a_changed_function_is_shown_and_the_rest_where_there_is_room() {
    for lines in [100, 301, 421, 900] {
        let repo = Repo::new();
        let steps: String = (0..lines).map(|nth| format!("\tstep{nth}()\n")).collect();
        let put = |end: &str| {
            format!("package a\n\nfunc (s *S) Put(k string) {{\n\ts.mu.Lock()\n{steps}{end}}}\n")
        };
        repo.write("a.go", put("\ts.mu.Unlock()\n"));
        repo.write("b.go", "package a\n\nfunc all(s *S) {\n\ts.Put(\"k\")\n}\n");
        repo.commit("one");
        repo.write("a.go", put("")).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let gathered = look(&change, &packet);
        for (context_bytes, is_ample) in [(60_000, true), (6_000, false)] {
            let around = ChangeContext {
                blocks: &gathered.blocks,
                gaps: &gathered.gaps,
            };
            let class = BriefClass {
                context_bytes,
                ..BriefClass::default()
            };
            let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
            let brief = prompter
                .render_filled_brief(&packet, around, &class)
                .unwrap()
                .text;
            assert!(
                brief.contains("  func (s *S) Put(k string) {"),
                "{lines} {context_bytes}"
            );
            assert!(brief.contains("s.mu.Lock()"), "{lines} {context_bytes}");
            assert!(brief.contains("s.Put(\"k\")"), "{lines} {context_bytes}");
            let shown = (0..lines)
                .filter(|nth| brief.contains(&format!("step{nth}()")))
                .count();
            assert!(!is_ample || shown == lines, "{shown} of {lines}");
        }
    }
}
