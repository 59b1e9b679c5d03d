//! What is shown whole where not everything fits.

use proptest::prelude::*;

use super::*;
use crate::prompt::choose::{choose_hunks, whole_sizes};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// In the order given, every file is shown whole that fits into what those before it leave; code may take all of
    /// it, and anything else at most a half.
    #[test]
    fn what_comes_first_is_shown_whole_where_it_fits(
        files in prop::collection::vec((1_usize..120, any::<bool>()), 1..12), room in 500_usize..8_000,
    ) {
        let files = files.iter().enumerate().map(|(at, &(lines, is_code))| {
            let kind = if is_code { "rs" } else { "md" };
            added(&format!("src/f{at:02}.{kind}"), &"a line of code\n".repeat(lines))
        });
        let packet = packet(files.collect(), framing());
        let order: Vec<usize> = (0..packet.files.len()).collect();
        let chosen = choose_hunks(&packet, &order, room, 1_000, &Redactor::default());
        let sizes = whole_sizes(&packet, room, 1_000);
        let blocks: Vec<&str> = chosen.text.split("=== ").collect();
        let mut left = room;
        for (index, covered) in chosen.coverage.files.iter().enumerate() {
            let size = sizes[index];
            let is_code = covered.path.display().ends_with(".rs");
            let most = if is_code { room } else { room / 2 };
            prop_assert!(size.is_none_or(|size| size <= most));
            if size.is_some_and(|size| size <= left) {
                prop_assert_eq!(&covered.state, &CoverageState::Reviewed, "file {}", index);
                let block = blocks.iter().find(|block| block.contains(&*covered.path.display()));
                left -= block.map_or(0, |block| block.len() + 4);
            }
        }
        prop_assert!(chosen.text.len() <= room);
    }
}
