//! What a council at work writes into the folder of its run: the journal, the plan, the log of calls.

use council_protocol::Millis;

use super::super::error::SessionError;
use super::super::journal::{
    JOURNAL_VERSION, JournalHeader, JournalLine, JournalWriter, PlanRef, RunJournal,
};
use super::super::purse::{CALLS_FILE, LoggedCall};
use super::super::stored;
use super::super::world::WriteDurability;
use super::{SessionState, has_paid, is_paid, unkept_notice};
use crate::council::Input;
use crate::packet;

impl SessionState<'_> {
    /// Into the journal.
    pub(super) fn journal_inputs(
        &mut self,
        now: Millis,
        batch: &[Input],
    ) -> Result<(), SessionError> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let paid = batch.iter().any(|input| is_paid(&self.plan, input));
        match journal.append_inputs(now, batch, paid) {
            Err(error) if !has_paid(&self.plan) => {
                self.journal = None;
                self.log_line(unkept_notice(&error));
                Ok(())
            }
            written => written,
        }
    }

    /// Writes a call into the run's log of calls. The journal has what came of it: a full disk costs the line only.
    pub(in crate::session) fn write_call(&mut self, call: &LoggedCall) {
        let Some(path) = self.setting.run.file_path(CALLS_FILE) else {
            return;
        };
        if self.calls.is_none() {
            self.calls = self.world.disk().open_append(&path).ok();
        }
        if let (Some(calls), Ok(mut line)) = (&mut self.calls, serde_json::to_vec(call)) {
            line.push(b'\n');
            let _ = calls.append_bytes(&line);
        }
    }

    pub(super) fn begin_journal(&mut self) -> Result<(), SessionError> {
        let Some(folder) = &self.setting.run.folder else {
            return Ok(());
        };
        // Judges may read this file from R1 on: the authors' words are not in it, they are in the plan.
        let packet = packet::bytes_for_judges(&self.setting.packet);
        self.packet_digest = packet::digest_beside(&self.setting.packet, &packet);
        self.store_file(packet::PACKET_FILE, &packet)?;
        let header = JournalHeader {
            journal: JOURNAL_VERSION,
            run: self.setting.run.name.clone(),
            started: self.setting.run.started.clone(),
            target: self.setting.packet.target.clone(),
            backend: self.backend.clone(),
            packet: Some(packet::sha256(&packet)),
            max_usd: self.setting.money.most_usd,
            plan: self.store_plan("plan.json")?,
        };
        self.journal = Some(JournalWriter::create(self.world, folder, &header)?);
        Ok(())
    }

    /// Writes on behind the last whole line of a journal.
    pub(in crate::session) fn continue_journal(
        &mut self,
        journal: &RunJournal,
    ) -> Result<(), SessionError> {
        let Some(folder) = &self.setting.run.folder else {
            return Ok(());
        };
        let plan = self.store_changed_plan(&journal.plan)?;
        let resumed = JournalLine::Resumed {
            at: journal.entries.last().map_or(0, |entry| entry.at),
            resumed: self.world.read_calendar().rfc3339,
            kept: journal.entries.len(),
            max_usd: self.setting.money.most_usd,
            plan,
        };
        let writer = JournalWriter::reopen(self.world, folder, journal, &resumed)?;
        self.journal = Some(writer);
        Ok(())
    }

    /// Stores the plan where the run goes on with another one than it had: with more time. Whoever reads the journal up to
    /// here finds the one before as it was.
    fn store_changed_plan(&self, before: &PlanRef) -> Result<Option<PlanRef>, SessionError> {
        let bytes = stored::plan_to_bytes(&self.plan);
        let named = PlanRef::for_bytes(&before.file, &bytes);
        if named == *before {
            return Ok(None);
        }
        let file = format!("plan-{}.json", &named.sha256[..12]);
        self.store_plan(&file).map(Some)
    }

    pub(super) fn store_plan(&self, file: &str) -> Result<PlanRef, SessionError> {
        let bytes = stored::plan_to_bytes(&self.plan);
        self.store_file(file, &bytes)?;
        Ok(PlanRef::for_bytes(file, &bytes))
    }

    /// Writes a file of the run's folder; durable when somebody will be paid on the strength of it.
    fn store_file(&self, file: &str, bytes: &[u8]) -> Result<(), SessionError> {
        let Some(path) = self.setting.run.file_path(file) else {
            return Ok(());
        };
        let durability = if has_paid(&self.plan) {
            WriteDurability::Synced
        } else {
            WriteDurability::Cheap
        };
        let written = self.world.disk().write_file(&path, bytes, durability);
        written.map_err(SessionError::disk("write", &path))
    }
}
