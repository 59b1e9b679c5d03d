//! Work on many files at once, on as many threads as there are processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The most threads: beyond, the disk and the object database are what is waited for.
const MAX_THREADS: usize = 8;

/// So many files are no work to share.
const FEW: usize = 8;

/// What `work` gives for each of the items, in their order.
pub fn map_parallel<T: Send, R: Send>(
    items: &mut [T],
    work: &(dyn Fn(&mut T) -> R + Sync),
) -> Vec<R> {
    // To be told how many processors there are, several files of the system are read.
    let processors = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if items.len() <= FEW { 1 } else { processors() };
    if threads == 1 {
        return items.iter_mut().map(work).collect();
    }
    let queue = Mutex::new(items.iter_mut().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        let mut done = Vec::new();
        while let Some((at, item)) = next() {
            done.push((at, work(item)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(MAX_THREADS))
            .map(|_| scope.spawn(take))
            .collect();
        let mut done = take();
        for other in others {
            done.append(&mut other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_stand_in_the_items_order() {
        for count in [0, 1, FEW, FEW + 1, 1000] {
            let mut items: Vec<usize> = (0..count).collect();
            let doubled = map_parallel(&mut items, &|item| {
                *item += 1;
                *item * 2
            });
            assert_eq!(doubled, (1..=count).map(|n| n * 2).collect::<Vec<_>>());
            assert_eq!(items, (1..=count).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "the ninth")]
    fn a_panic_of_any_thread_is_ours() {
        let mut items: Vec<usize> = (0..100).collect();
        map_parallel(&mut items, &|item| assert!(*item != 9, "the ninth"));
    }
}
