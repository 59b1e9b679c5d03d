//! Characters that deceive a reader (UTS 39, UTR 36, Trojan Source).

/// Whether a character changes the order in which text is shown: embeddings, overrides, isolates.
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The first character of a text that cannot be seen and has no business there. Emoji sequences, flags, scripts that
/// join their letters, and (in prose) direction marks and soft hyphens are no such thing.
pub(crate) fn find_invisible(text: &str, prose: bool) -> Option<char> {
    let chars: Vec<char> = text.chars().collect();
    (0..chars.len())
        .find(|&at| is_deceptive(&chars, at, prose))
        .map(|at| chars[at])
}

/// The first character of a line at which a compiler may begin another one, while a diff shows one line: rules that look at
/// lines, and readers, take what follows for the rest of it.
pub(crate) fn hidden_line_end(text: &str) -> Option<char> {
    let ends = |c: char| matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.trim_end_matches('\r').chars().find(|&c| ends(c))
}

/// Whether a carriage return stands elsewhere than at the end of a line.
pub(crate) fn has_carriage_return(text: &str) -> bool {
    text.trim_end_matches('\r').contains('\r')
}

fn is_deceptive(chars: &[char], at: usize, prose: bool) -> bool {
    let before = at.checked_sub(1).map(|i| chars[i]);
    let after = chars.get(at + 1).copied();
    match chars[at] {
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{180e}' | '\u{feff}' => true,
        '\u{00ad}' | '\u{061c}' | '\u{200e}' | '\u{200f}' => !prose,
        '\u{200c}' | '\u{200d}' => !joins_letters(before) && !joins_letters(after),
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => true,
        // One selector behind a character chooses its picture; more of them carry data.
        '\u{fe00}'..='\u{fe0f}' => before.is_none_or(is_selector),
        '\u{e0100}'..='\u{e01ef}' => before.is_none_or(|c| c.is_ascii() || is_selector(c)),
        '\u{e0000}'..='\u{e007f}' => !in_flag(&chars[..at]),
        _ => false,
    }
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a zero-width joiner has work to do beside a character: emoji, and scripts with joined or stacked letters.
fn joins_letters(c: Option<char>) -> bool {
    c.is_some_and(|c| {
        matches!(c,
            '\u{0600}'..='\u{08ff}' | '\u{0900}'..='\u{0dff}' | '\u{0f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
            | '\u{fb50}'..='\u{fdff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{fe0f}'
            | '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}')
    })
}

/// Whether tag characters stand where they spell a flag: behind a black flag, with nothing but tags between.
fn in_flag(before: &[char]) -> bool {
    let flag = before
        .iter()
        .rev()
        .find(|c| !matches!(c, '\u{e0000}'..='\u{e007f}'));
    let tags = before
        .iter()
        .rev()
        .take_while(|c| matches!(c, '\u{e0000}'..='\u{e007f}'))
        .count();
    flag == Some(&'\u{1f3f4}') && tags < 7
}

/// The script of a letter, as far as the confusion with Latin goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LetterScript {
    Latin,
    Cyrillic,
    Greek,
    Other,
}

/// The script of a letter; none for what is no letter.
pub(crate) fn script_of(c: char) -> Option<LetterScript> {
    Some(match c {
        'a'..='z' | 'A'..='Z' | '\u{00c0}'..='\u{024f}' => LetterScript::Latin,
        '\u{0400}'..='\u{052f}' | '\u{1c80}'..='\u{1c8f}' => LetterScript::Cyrillic,
        '\u{0370}'..='\u{03ff}' => LetterScript::Greek,
        '\u{0530}'..='\u{058f}' | '\u{13a0}'..='\u{13ff}' | '\u{ff21}'..='\u{ff5a}' => {
            LetterScript::Other
        }
        _ => return None,
    })
}

/// Whether a Greek letter is easily read as a Latin one; the others serve as symbols, as in `Δx`.
pub(crate) fn looks_latin(c: char) -> bool {
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονυκϲϳ".contains(c)
}

/// The letter of another script in a word that also has Latin letters.
pub(crate) fn look_alike(word: &str) -> Option<char> {
    if !word
        .chars()
        .any(|c| script_of(c) == Some(LetterScript::Latin))
    {
        return None;
    }
    word.chars().find(|&c| match script_of(c) {
        Some(LetterScript::Cyrillic | LetterScript::Other) => true,
        Some(LetterScript::Greek) => looks_latin(c),
        Some(LetterScript::Latin) | None => false,
    })
}

/// A name for a person.
pub(crate) fn character_name(c: char) -> &'static str {
    match c {
        '\u{00ad}' => "soft hyphen",
        '\u{061c}' | '\u{200e}' | '\u{200f}' => "direction mark",
        '\r' => "carriage return",
        '\u{85}' => "next line",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{180e}' => "Mongolian vowel separator",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{202a}' | '\u{202b}' => "directional embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' | '\u{202e}' => "directional override",
        '\u{2060}' => "word joiner",
        '\u{2061}'..='\u{2064}' => "invisible operator",
        '\u{2066}'..='\u{2069}' => "directional isolate",
        '\u{feff}' => "zero width no-break space",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{e0000}'..='\u{e007f}' => "tag character",
        _ => "invisible character",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_flags_and_joining_scripts_are_left_alone() {
        for text in [
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "1\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(find_invisible(text, false), None, "{text}");
        }
    }

    #[test]
    fn what_hides_or_carries_text_is_found() {
        assert_eq!(find_invisible("ad\u{200b}min", true), Some('\u{200b}'));
        assert_eq!(find_invisible("user\u{200d}name", false), Some('\u{200d}'));
        assert_eq!(
            find_invisible("ok\u{e0069}\u{e0067}", false),
            Some('\u{e0069}')
        );
        assert_eq!(
            find_invisible("👍\u{fe0f}\u{fe01}\u{fe02}", false),
            Some('\u{fe01}')
        );
        assert_eq!(find_invisible("x\u{e0101}", false), Some('\u{e0101}'));
        assert_eq!(find_invisible("soft\u{00ad}hyphen", true), None);
    }
}
