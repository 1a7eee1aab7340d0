//! Sentences that come again: within a job, and in the cache.

use super::{Item, Job, Lane, Scheduler};
use crate::cache::CacheKey;
use metaphrase::{Error, Request, Translation};
use std::collections::HashMap;
use std::sync::Arc;

impl Scheduler {
    /// The sentences that have to be translated, and the numbers of the others: equal to an earlier one of the job, or
    /// with a translation in the cache, which is sent at once.
    pub(super) fn distinct(&self, job: &Arc<Job>, requests: Vec<(usize, Request)>) -> (Vec<Item>, Vec<usize>) {
        let context = |lane: &Lane| self.cache.context(lane.engine.models()?, &lane.options);
        let contexts: Vec<Option<u64>> = job.lanes.iter().map(context).collect();
        let (mut items, mut repeated): (Vec<Item>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut places: HashMap<CacheKey, usize> = HashMap::new();
        for (index, (lane, request)) in requests.into_iter().enumerate() {
            let key = self.cache.key(contexts.get(lane).copied().flatten(), &request);
            if let Some(place) = key.as_ref().and_then(|key| places.get(key)) {
                items[*place].equal.push(index);
                repeated.push(index);
            } else if let Some(translation) = key.as_ref().and_then(|key| self.cache.get(key)) {
                // The receiver is this job's.
                let _ = job.results.send((index, Ok(translation)));
                repeated.push(index);
            } else {
                if let Some(key) = &key {
                    places.insert(key.clone(), items.len());
                }
                items.push(Item { job: Arc::clone(job), index, lane, request, key, equal: Vec::new(), again: false });
            }
        }
        (items, repeated)
    }

    /// Sends a result to the job, for the sentence and for those equal to it.
    pub(super) fn send(&self, item: Item, result: Result<Translation, Error>) {
        let Item { job, index, key, equal, .. } = item;
        match result {
            Ok(translation) => {
                // The client may have left.
                equal.into_iter().for_each(|index| _ = job.results.send((index, Ok(translation.clone()))));
                if let Some(key) = key {
                    self.cache.put(key, &translation);
                }
                let _ = job.results.send((index, Ok(translation)));
            }
            // One error ends the work.
            Err(error) => _ = job.results.send((index, Err(error))),
        }
    }
}
