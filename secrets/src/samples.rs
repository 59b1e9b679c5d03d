//! A made-up secret of every kind of the table, made from its pattern, so that a new row is tested wherever text leaves
//! the program. Nothing here is ever written to a file that a scanner reads.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::matcher::SecretMatch;
use crate::table::SecretTable;

/// A line that holds one made-up secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSample {
    /// The kind, as the placeholder names it.
    pub kind: String,
    pub line: String,
    /// The secret in it.
    pub secret: String,
}

/// At least one sample for each row of the built-in table, one for each of its alternatives.
pub fn sample_secrets() -> Vec<SecretSample> {
    let table = SecretTable::built_in();
    let mut samples: Vec<SecretSample> = Vec::new();
    for (row, rule) in table.rules.iter().enumerate() {
        for variant in 0..8 {
            let Ok(pattern) = regex_syntax::parse(rule.pattern.as_str()) else {
                continue;
            };
            let mut maker = SampleMaker {
                variant,
                // No two rows have the same secret: what one shows openly must not be another's.
                state: 0x2545_f491_4f6c_dd1d ^ (variant as u64) << 7 ^ (row as u64) << 24,
                out: String::new(),
                is_plain: false,
            };
            maker.push(&pattern);
            let line = maker.out;
            let found = table.find_secrets(&line);
            if let Some(own) = found.iter().find(|found| found.kind == rule.id) {
                let secret = line[own.span.clone()].to_owned();
                // Where an earlier row matches, too, that one names it.
                let names_it = |other: &&SecretMatch<'_>| {
                    other.span.start < own.span.end && own.span.start < other.span.end
                };
                let kind = found
                    .iter()
                    .find(names_it)
                    .map_or(own.kind, |first| first.kind);
                let kind = kind.to_owned();
                samples.push(SecretSample { kind, line, secret });
            }
        }
    }
    samples.dedup_by(|a, b| a.kind == b.kind && a.line.len() == b.line.len());
    samples
}

struct SampleMaker {
    variant: usize,
    state: u64,
    out: String,
    /// Whether every sign is drawn from all that may stand there, digits or not.
    is_plain: bool,
}

impl SampleMaker {
    fn draw(&mut self, below: usize) -> usize {
        // Knuth's MMIX generator: the same samples each time.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % below
    }

    fn push(&mut self, pattern: &Hir) {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.out += &String::from_utf8_lossy(&literal.0),
            HirKind::Class(class) => self.push_member(class),
            HirKind::Repetition(repetition) => {
                let least = repetition.min as usize;
                let open = repetition.max.is_none() && least > 0;
                for _ in 0..if open { least.max(24) } else { least } {
                    self.push(&repetition.sub);
                }
            }
            HirKind::Capture(capture) => self.push(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.push(part)),
            HirKind::Alternation(parts) => self.push(&parts[self.variant % parts.len()]),
        }
    }

    fn push_member(&mut self, class: &Class) {
        let is_member = |c: char| match class {
            Class::Unicode(class) => class.iter().any(|r| (r.start()..=r.end()).contains(&c)),
            Class::Bytes(class) => class
                .iter()
                .any(|r| (r.start()..=r.end()).contains(&(c as u8))),
        };
        let mut members: Vec<char> = ('!'..='~')
            .filter(|&c| {
                (c.is_ascii_alphanumeric() || self.is_plain && "+/_-~".contains(c)) && is_member(c)
            })
            .collect();
        if members.is_empty() {
            members = (' '..='~').filter(|&c| is_member(c)).collect();
        }
        // Letters alone may be a word: what is drawn has digits among them.
        if !self.is_plain && self.out.len() % 5 == 4 && members.iter().any(char::is_ascii_digit) {
            members.retain(char::is_ascii_digit);
        }
        if !members.is_empty() {
            let drawn = self.draw(members.len());
            self.out.push(members[drawn]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretShape;
    use crate::filler::is_filler;

    /// Drawn as a provider draws it: each sign from all that its pattern allows.
    fn draw_plainly(pattern: &Hir, maker: &mut SampleMaker) {
        maker.is_plain = true;
        maker.out.clear();
        maker.push(pattern);
    }

    /// Law: of every kind in the table, every drawn token is worth a finding, however often a sign of it comes again. More of
    /// each kind are drawn with COUNCIL_DRAWS=100000.
    #[test]
    fn whatever_a_provider_draws_is_a_token() {
        let draws = std::env::var("COUNCIL_DRAWS").map_or(300, |text| text.parse().unwrap_or(300));
        let table = SecretTable::built_in();
        let tokens = |rule: &&crate::table::SecretRule| rule.shape == SecretShape::Token;
        let mut missed: Vec<String> = Vec::new();
        for (row, rule) in table
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| tokens(rule))
        {
            let pattern = regex_syntax::parse(rule.pattern.as_str()).unwrap();
            let mut maker = SampleMaker {
                variant: 0,
                state: 0x9e37_79b9_7f4a_7c15 ^ (row as u64) << 32,
                out: String::new(),
                is_plain: true,
            };
            for draw in 0..draws {
                maker.variant = draw;
                draw_plainly(&pattern, &mut maker);
                let found = rule.pattern.captures(&maker.out);
                let Some(random) = found.as_ref().and_then(|found| rule.secret_of(found)) else {
                    continue;
                };
                if is_filler(random.as_str()) {
                    missed.push(format!("{}: {}", rule.id, random.as_str()));
                }
            }
        }
        assert_eq!(missed, Vec::<String>::new());
    }
}
