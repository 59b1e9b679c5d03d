//! What a server says of its own context window: the numbers that it runs with, not those that its model could do.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::client::{ApiTarget, HttpEngine};

/// Where servers list the models that they run: the path, the list, and the field with the window.
const LISTS: [(&str, &str, &str); 3] = [
    // Ollama.
    ("/api/ps", "models", "context_length"),
    // LM Studio.
    ("/api/v0/models", "data", "loaded_context_length"),
    // vLLM.
    ("/v1/models", "data", "max_model_len"),
];

/// Where llama.cpp tells the window of one of its slots.
const SLOT: &str = "/props";

/// What servers were found to say of their windows, by server and model: they are asked once a run.
#[derive(Debug, Default)]
pub(super) struct ToldWindows(Mutex<HashMap<(String, String), Option<u64>>>);

impl HttpEngine {
    /// The smallest window that the server says it runs a model with.
    pub(super) async fn told_window(&self, target: &ApiTarget, model: &str) -> Option<u64> {
        let key = (target.server_url("").to_string(), model.to_owned());
        let known = self.lock_told().get(&key).copied();
        if let Some(told) = known {
            return told;
        }
        let ask = |path| self.get_json(target, target.server_url(path));
        let [(ps, ..), (studio, ..), (vllm, ..)] = LISTS;
        let (slot, ps, studio, vllm) = tokio::join!(ask(SLOT), ask(ps), ask(studio), ask(vllm));
        let listed = LISTS.iter().zip([ps, studio, vllm]);
        let listed = listed
            .filter_map(|((_, list, field), value)| listed_window(&value?[list], field, model));
        let told = slot
            .as_ref()
            .and_then(slot_window)
            .into_iter()
            .chain(listed);
        let told = told.filter(|&window| window > 0).min();
        self.lock_told().insert(key, told);
        told
    }

    fn lock_told(&self) -> MutexGuard<'_, HashMap<(String, String), Option<u64>>> {
        self.told.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn slot_window(value: &Value) -> Option<u64> {
    value["default_generation_settings"]["n_ctx"].as_u64()
}

/// The window of a model in a list: a server that runs several has one for each.
fn listed_window(list: &Value, field: &str, model: &str) -> Option<u64> {
    let tagged = format!("{model}:latest");
    let is_meant = |entry: &&Value| {
        let mut names = ["id", "model", "name"].iter();
        names.any(|name| matches!(entry[name].as_str(), Some(is) if is == model || is == tagged))
    };
    let entry = list.as_array()?.iter().find(is_meant)?;
    entry[field].as_u64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_window_of_each_kind_of_server_is_read() {
        let ollama = json!([{"name": "big:latest", "context_length": 9}, {"name": "m:latest", "context_length": 4096}]);
        assert_eq!(listed_window(&ollama, "context_length", "m"), Some(4_096));
        assert_eq!(listed_window(&ollama, "context_length", "other"), None);
        // What the model could do is not what it was loaded with.
        let studio =
            json!([{"id": "m", "max_context_length": 131_072, "loaded_context_length": 8_192}]);
        assert_eq!(
            listed_window(&studio, "loaded_context_length", "m"),
            Some(8_192)
        );
        assert_eq!(
            listed_window(&json!([{"id": "m"}]), "loaded_context_length", "m"),
            None
        );
        let llama = json!({"default_generation_settings": {"n_ctx": 10_922}});
        assert_eq!(slot_window(&llama), Some(10_922));
        assert_eq!(slot_window(&json!([])), None);
    }
}
