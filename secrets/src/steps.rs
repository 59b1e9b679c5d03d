//! How much text is looked at. Each value of a line looks around itself, and a line may hold a million of them: a law
//! counts that the work grows with the line, and not with its square.

#[cfg(test)]
thread_local! {
    static LOOKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The text, all of which may be looked at now.
#[inline(always)]
pub(crate) fn looked_at(text: &str) -> &str {
    #[cfg(test)]
    LOOKED.with(|looked| looked.set(looked.get() + text.len()));
    text
}

/// The bytes that are looked at meanwhile.
#[cfg(test)]
pub(crate) fn count_looked(run: impl FnOnce()) -> usize {
    let before = LOOKED.with(std::cell::Cell::get);
    run();
    LOOKED.with(std::cell::Cell::get) - before
}
