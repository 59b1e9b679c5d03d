//! Characters that deceive a reader (UTS 39, UTR 36, Trojan Source).

/// Whether a character changes the order in which text is shown: embeddings, overrides, isolates.
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A name for a person.
pub(crate) fn name(c: char) -> &'static str {
    match c {
        '\u{00ad}' => "soft hyphen",
        '\u{061c}' | '\u{200e}' | '\u{200f}' => "direction mark",
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
