//! A network on a device that is not this CPU.

use crate::Scores;
use crate::device::{DeviceNetwork, DeviceState};
use crate::output::Lists;
use metaphrase_base::{Row, SentId, Sentence, Step, StepDemand, StepRow};

/// A network on a device, as one of a model's architectures.
pub(crate) struct OnDevice {
    pub(crate) network: Box<dyn DeviceNetwork>,
    /// The number of target words.
    pub(crate) words: usize,
}

/// The state of a network on a device.
#[derive(Debug)]
pub struct OnDeviceState {
    state: Box<dyn DeviceState>,
    lists: Lists,
}

impl OnDeviceState {
    pub(crate) fn lacks_memory(&self) -> bool {
        self.state.lacks_memory()
    }
}

impl OnDevice {
    pub(crate) fn new_state(&self) -> OnDeviceState {
        OnDeviceState { state: self.network.new_state(), lists: Lists::default() }
    }

    pub(crate) fn encode(&self, sentences: &[Sentence<'_>], state: &mut OnDeviceState) {
        state.lists.admit(sentences);
        state.state.encode(sentences);
    }

    pub(crate) fn release(&self, slot: SentId, state: &mut OnDeviceState) {
        state.lists.release(slot);
        state.state.release(slot);
    }

    pub(crate) fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut OnDeviceState,
        scores: &mut Scores,
    ) {
        let OnDeviceState { state, lists } = state;
        let new = rows.iter().map(|row| (lists.of(row.sentence), self.words));
        scores.compute_on_device(step, demand, new, |most, logits| state.step(step, rows, most, logits));
    }

    pub(crate) fn attention<'s>(&self, state: &'s OnDeviceState, row: Row) -> &'s [f32] {
        state.state.attention(row)
    }
}
