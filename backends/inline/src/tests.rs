use super::*;

#[test]
fn everything_but_spawn_is_offered() {
    let offered = inline_backend(AgentTable::from_agents(Vec::new())).manifest();
    assert_eq!(offered.name, "inline");
    let missing: Vec<_> = Capability::known()
        .filter(|c| !offered.capabilities.has(c))
        .collect();
    assert_eq!(missing, [Capability::Spawn]);
}
