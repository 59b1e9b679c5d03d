//! What is assumed of judges: who finds what, and who says what of it when it is shown to them.

use std::fmt;

/// What a simulated council is made of. Shares are of 1000.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) judges: usize,
    /// Judges of one family err alike.
    pub(crate) families: usize,
    /// How often a judge takes over what others hold, or drops what nobody else holds, without looking.
    pub(crate) conformity: u32,
    /// How much of its luck a judge shares with its family.
    pub(crate) shared: u32,
    /// How often evidence that proves nothing is a line that exists.
    pub(crate) plausible: u32,
}

/// A judge sees a hard defect, and an easy one.
const SKILL: u32 = 350;
const EASY_SKILL: u32 = 800;
const EASY: u32 = 300;
/// Findings that a judge makes up, of 1000 changes; how many of them are candidates that a family may share.
const INVENTED: u32 = 600;
const CANDIDATES: u32 = 4;
/// A judge that looks at a true finding confirms it; one that looks at a false finding refutes it.
const CONFIRMS_TRUE: u32 = 700;
const REFUTES_FALSE: u32 = 500;
/// Evidence of a judge that looked comes from another place than the finding's own.
const ELSEWHERE: u32 = 500;
/// A made-up finding quotes what is not there.
const BAD_QUOTE: u32 = 100;
const CLEAN: u32 = 500;
const CRITICAL: u32 = 400;

impl Default for Setting {
    fn default() -> Self {
        Self {
            judges: 3,
            families: 2,
            conformity: 850,
            shared: 600,
            plausible: 250,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            judges,
            families,
            conformity,
            shared,
            plausible,
        } = self;
        write!(
            f,
            "{judges} judges of {families} families, conformity {conformity}, shared {shared}, plausible {plausible}"
        )
    }
}

impl Setting {
    /// Benches of two to seven, alike and mixed; judges that look and judges that follow; evidence easy and hard to come by.
    pub(crate) fn grid() -> Vec<Self> {
        let mut all = Vec::new();
        for (judges, families) in [
            (2, 1),
            (2, 2),
            (3, 1),
            (3, 2),
            (3, 3),
            (4, 2),
            (5, 3),
            (7, 3),
        ] {
            for conformity in [0, 200, 500, 850] {
                for shared in [200, 600] {
                    for plausible in [50, 250, 600] {
                        all.push(Self {
                            judges,
                            families,
                            conformity,
                            shared,
                            plausible,
                        });
                    }
                }
            }
        }
        all
    }

    pub(crate) fn words(&self) -> Vec<String> {
        let share = |n: u32| format!("0.{:02}", n / 10);
        let (conformity, shared, plausible) = (
            share(self.conformity),
            share(self.shared),
            share(self.plausible),
        );
        vec![
            self.judges.to_string(),
            self.families.to_string(),
            conformity,
            shared,
            plausible,
        ]
    }
}

/// A stream of numbers (SplitMix64): the same seed gives the same study.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// True in so many of 1000 cases.
    fn chance(&mut self, permille: u32) -> bool {
        self.next() % 1_000 < u64::from(permille)
    }
}

/// What a judge says in round 2 of a finding that it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Silent,
    /// Agrees, and names nothing, or a line that is not there.
    JoinsBare,
    /// Agrees, and names the finding's own line.
    AgreesHere,
    /// Agrees, and names a line elsewhere.
    AgreesElsewhere,
    RefutesBare,
    Refutes,
    /// Its own: takes it back with words alone.
    DropsBare,
    /// Its own: takes it back and names a line.
    Drops,
}

/// A defect, or a finding that is made up.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) real: bool,
    pub(crate) critical: bool,
    pub(crate) quote_exists: bool,
    pub(crate) found: Vec<bool>,
    pub(crate) replies: Vec<Reply>,
}

impl Item {
    /// Who holds it after a debate without rules: words count, evidence does not.
    pub(crate) fn held_after_debate(&self) -> usize {
        let holds = |(&found, &reply): (&bool, &Reply)| match reply {
            Reply::DropsBare | Reply::Drops => false,
            Reply::JoinsBare | Reply::AgreesHere | Reply::AgreesElsewhere => true,
            Reply::Silent | Reply::RefutesBare | Reply::Refutes => found,
        };
        self.found
            .iter()
            .zip(&self.replies)
            .filter(|&pair| holds(pair))
            .count()
    }
}

/// One change before one council.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) judges: usize,
    pub(crate) items: Vec<Item>,
}

impl Change {
    pub(crate) fn is_critical(&self) -> bool {
        self.items.iter().any(|item| item.real && item.critical)
    }

    pub(crate) fn draw(setting: &Setting, numbers: &mut Numbers) -> Self {
        let mut items = Vec::new();
        let defects = match numbers.chance(CLEAN) {
            true => 0,
            false => 1 + u32::from(numbers.chance(400)) + u32::from(numbers.chance(150)),
        };
        for _ in 0..defects {
            let critical = numbers.chance(CRITICAL);
            let skill = if numbers.chance(EASY) {
                EASY_SKILL
            } else {
                SKILL
            };
            let found = finders(setting, skill, numbers);
            items.push(Item {
                real: true,
                critical,
                quote_exists: true,
                found,
                replies: Vec::new(),
            });
        }
        for _ in 0..CANDIDATES {
            let critical = numbers.chance(CRITICAL * 6 / 10);
            let quote_exists = !numbers.chance(BAD_QUOTE);
            let found = finders(setting, INVENTED / CANDIDATES, numbers);
            if found.contains(&true) {
                items.push(Item {
                    real: false,
                    critical,
                    quote_exists,
                    found,
                    replies: Vec::new(),
                });
            }
        }
        for item in &mut items {
            item.replies = (0..setting.judges)
                .map(|judge| reply(setting, item, judge, numbers))
                .collect();
        }
        Self {
            judges: setting.judges,
            items,
        }
    }
}

/// Who hits upon something: partly by the luck of the family, partly by one's own.
fn finders(setting: &Setting, chance: u32, numbers: &mut Numbers) -> Vec<bool> {
    let luck: Vec<bool> = (0..setting.families)
        .map(|_| numbers.chance(chance))
        .collect();
    let finds = |judge: usize| match numbers.chance(setting.shared) {
        true => luck[judge % setting.families],
        false => numbers.chance(chance),
    };
    (0..setting.judges).map(finds).collect()
}

fn reply(setting: &Setting, item: &Item, judge: usize, numbers: &mut Numbers) -> Reply {
    let others = item
        .found
        .iter()
        .enumerate()
        .any(|(other, &found)| found && other != judge);
    if item.found[judge] {
        return match others {
            // Alone with it, a follower gives in every third time, with words only.
            false if numbers.chance(setting.conformity / 3) => Reply::DropsBare,
            _ if !item.real && numbers.chance(100) => Reply::Drops,
            _ => Reply::Silent,
        };
    }
    if !others {
        return Reply::Silent;
    }
    if numbers.chance(setting.conformity) {
        // A follower often names the line that it was shown.
        return if numbers.chance(setting.plausible) {
            Reply::AgreesHere
        } else {
            Reply::JoinsBare
        };
    }
    let agrees = |numbers: &mut Numbers| match numbers.chance(ELSEWHERE) {
        true => Reply::AgreesElsewhere,
        false => Reply::AgreesHere,
    };
    match item.real {
        true if numbers.chance(CONFIRMS_TRUE) => agrees(numbers),
        true if numbers.chance(setting.plausible) => Reply::Refutes,
        true => Reply::RefutesBare,
        false if numbers.chance(REFUTES_FALSE) => Reply::Refutes,
        false if numbers.chance(setting.plausible) => agrees(numbers),
        false => Reply::Silent,
    }
}
