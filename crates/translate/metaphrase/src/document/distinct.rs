//! Requests without the repeated ones: a model gives the same translation for the same request.

use crate::Request;
use std::collections::HashMap;

/// The distinct requests of a document.
pub(crate) struct Distinct {
    /// Each request once, in the order in which they first come.
    pub(crate) requests: Vec<Request>,
    /// By request of the document: its place among the distinct ones.
    pub(crate) places: Vec<usize>,
}

impl Distinct {
    /// Leaves each request once.
    pub(crate) fn new(all: Vec<Request>) -> Self {
        let (mut requests, mut places): (Vec<Request>, Vec<usize>) = (Vec::new(), Vec::with_capacity(all.len()));
        // By source: the places of its requests, which may differ in their terms.
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for request in all {
            let same = known.entry(request.source.clone()).or_default();
            let place = same.iter().copied().find(|&place| requests[place] == request).unwrap_or(requests.len());
            if place == requests.len() {
                same.push(place);
                requests.push(request);
            }
            places.push(place);
        }
        Self { requests, places }
    }

    /// Keeps all requests.
    pub(crate) fn all(requests: Vec<Request>) -> Self {
        let places = (0..requests.len()).collect();
        Self { requests, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_differ_in_anything_stay() {
        let with_term = || Request::translate("a").require(["b"]);
        let all =
            vec![Request::translate("a"), with_term(), Request::translate("a"), Request::translate("c"), with_term()];
        let distinct = Distinct::new(all);
        assert_eq!(distinct.requests, [Request::translate("a"), with_term(), Request::translate("c")]);
        assert_eq!(distinct.places, [0, 1, 0, 2, 1]);
    }
}
