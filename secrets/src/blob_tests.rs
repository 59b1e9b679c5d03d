//! What looks like a token within random base64 is one by accident: no finding. A token beside it is one.

use proptest::prelude::*;

use crate::SecretTable;
use crate::encoded_key::tests::encode;
use crate::samples::sample_secrets;

/// The kinds of a text that are reported as a provider's tokens.
fn reported(text: &str) -> Vec<&'static str> {
    let table = SecretTable::built_in();
    let found = text.lines().flat_map(|line| table.find_secrets(line));
    found
        .filter(|found| found.is_provider)
        .map(|found| found.kind)
        .collect()
}

/// Bytes that look drawn, the same ones for the same seed.
fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn wrapped(text: &str, width: usize) -> String {
    let lines = text.as_bytes().chunks(width.max(1));
    let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_base64_is_no_token(
        seed in any::<u64>(), kilobytes in 10..200_usize,
        width in prop::sample::select(vec![0, 60, 64, 76, 100]),
        name in prop::sample::select(vec!["", "x = \"", "src=\"data:font/woff2;base64,", "\"a\": \"sha512-", "KEY="]),
    ) {
        let blob = encode(&random_bytes(seed, kilobytes << 10));
        let text = if width == 0 { blob } else { wrapped(&blob, width) };
        prop_assert_eq!(reported(&format!("{name}{text}\"")), Vec::<&str>::new());
    }

    /// Whatever marks a token within base64, at whatever place of a line.
    #[test]
    fn what_marks_a_token_marks_none_within_base64(
        seed in any::<u64>(), at in 0..400_usize,
        marker in prop::sample::select(vec!["AzSe", "+ACR", "AZDO", "ACDb", "AzFu"]),
        width in prop::sample::select(vec![0, 60, 64, 76, 100]),
    ) {
        let mut blob = encode(&random_bytes(seed, 450));
        blob.replace_range(at..at + marker.len(), marker);
        let text = if width == 0 { blob } else { wrapped(&blob, width) };
        prop_assert_eq!(reported(&text), Vec::<&str>::new());
    }

    #[test]
    fn a_token_of_github_marks_none_within_base64_for_addresses(seed in any::<u64>(), at in 100..400_usize) {
        let mut blob = encode(&random_bytes(seed, 600)).replace('+', "-").replace('/', "_");
        blob.replace_range(at..at + 4, "ghp_");
        prop_assert_eq!(reported(&blob), Vec::<&str>::new());
    }

    #[test]
    fn every_token_among_base64_is_one(seed in any::<u64>(), width in prop::sample::select(vec![64, 76])) {
        let blob = wrapped(&encode(&random_bytes(seed, 300)), width);
        let long = encode(&random_bytes(seed ^ 7, 300));
        for sample in sample_secrets() {
            if !reported(&sample.line).contains(&sample.kind.as_str()) {
                continue;
            }
            let text = format!("{blob}\n{}\n{blob}", sample.line);
            prop_assert!(reported(&text).contains(&sample.kind.as_str()), "{sample:?}");
            // Some kinds are known at the beginning of a line alone, some at its end.
            let beside = [format!("{long} {}", sample.line), format!("{} {long}", sample.line)];
            let is_found = |text: &String| reported(text).contains(&sample.kind.as_str());
            prop_assert!(beside.iter().any(is_found), "{sample:?} beside");
        }
    }
}
