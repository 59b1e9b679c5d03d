//! One look at a change for all judges that sit over it.
//!
//! Five judges of five perspectives apply one table of rules to the same lines. The last change that was looked at is
//! remembered, so that the lines are read once and not five times.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, Packet};

use crate::review::ReviewedRules;

/// A change that was looked at, or is being looked at.
struct KnownChange {
    /// What tells the change from another one as long as it is held here: its place in memory.
    packet: Weak<Packet>,
    blobs: Weak<dyn BlobSource>,
    settings: RuleSettings,
    rules: Arc<OnceLock<ReviewedRules>>,
}

impl KnownChange {
    fn is_of(
        &self,
        packet: &Arc<Packet>,
        blobs: &Arc<dyn BlobSource>,
        settings: &RuleSettings,
    ) -> bool {
        std::ptr::eq(self.packet.as_ptr(), Arc::as_ptr(packet))
            && std::ptr::addr_eq(self.blobs.as_ptr(), Arc::as_ptr(blobs))
            && self.settings == *settings
    }
}

static LAST: Mutex<Option<KnownChange>> = Mutex::new(None);

/// Asks what all rules say of a change. Who asks first looks; who asks meanwhile waits for it.
pub(crate) fn with_all_rules<T>(
    packet: &Arc<Packet>,
    blobs: &Arc<dyn BlobSource>,
    settings: &RuleSettings,
    ask: impl FnOnce(&ReviewedRules) -> T,
) -> T {
    let place = place_of(packet, blobs, settings);
    ask(place.get_or_init(|| ReviewedRules::of_change(packet, &**blobs, settings)))
}

/// Where it stands, or will stand as soon as somebody has looked.
fn place_of(
    packet: &Arc<Packet>,
    blobs: &Arc<dyn BlobSource>,
    settings: &RuleSettings,
) -> Arc<OnceLock<ReviewedRules>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = last.as_ref().filter(|k| k.is_of(packet, blobs, settings)) {
        return Arc::clone(&known.rules);
    }
    let rules = Arc::default();
    *last = Some(KnownChange {
        packet: Arc::downgrade(packet),
        blobs: Arc::downgrade(blobs),
        settings: settings.clone(),
        rules: Arc::clone(&rules),
    });
    rules
}
