//! Which function each line of a file belongs to, when many lines are asked for.

use super::FunctionSpan;

/// No line, and no function.
const NONE: u32 = u32::MAX;

/// The functions of one file by line: what [`enclosing`](super::enclosing) says, without a search for each line. A file of
/// ten thousand functions with a finding in each took minutes.
#[derive(Debug, Clone, Default)]
pub struct FunctionIndex {
    functions: Vec<FunctionSpan>,
    /// The index of the function that holds a line, by the line's number.
    by_line: Vec<u32>,
}

impl FunctionIndex {
    /// The index of a file's functions.
    pub fn new(functions: Vec<FunctionSpan>) -> Self {
        let last = functions.iter().map(|function| function.end).max();
        let lines = last.map_or(0, |last| last.saturating_add(1));
        let mut by_line = vec![NONE; lines];
        // The next line at or after each one that has no function yet: every line is written once, however deep the nesting.
        let mut unwritten: Vec<usize> = (0..=lines).collect();
        for index in in_order_of_choice(&functions) {
            let function = &functions[index];
            let mut line = next_unwritten(&mut unwritten, function.start.min(lines));
            while line < lines && line <= function.end {
                by_line[line] = u32::try_from(index).unwrap_or(NONE);
                unwritten[line] = line + 1;
                line = next_unwritten(&mut unwritten, line);
            }
        }
        Self { functions, by_line }
    }

    /// The smallest function with a name that holds a line, else the smallest without one.
    pub fn enclosing(&self, line: usize) -> Option<&FunctionSpan> {
        let index = *self.by_line.get(line)?;
        self.functions.get(usize::try_from(index).ok()?)
    }
}

/// The indices of functions: named ones first, then the small before the large.
fn in_order_of_choice(functions: &[FunctionSpan]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&index| {
        let function = &functions[index];
        (function.name.is_empty(), function.end - function.start)
    });
    order
}

fn next_unwritten(unwritten: &mut [usize], line: usize) -> usize {
    let mut end = line;
    while unwritten[end] != end {
        end = unwritten[end];
    }
    let mut at = line;
    while unwritten[at] != end {
        at = std::mem::replace(&mut unwritten[at], end);
    }
    end
}
