//! A backend that panics where its configuration says, for the tests of the host: `{"panic": "spawn"}`.

use council_sdk::protocol::message::{Ending, Hello, Manifest, Message};
use council_sdk::protocol::{
    Capability, CapabilitySet, Event, JudgeId, JudgeSpec, PROTOCOL_VERSION,
};
use council_sdk::{Backend, BackendError, Sink};

council_sdk::export_backend!(|| Panics::default());

#[derive(Default)]
struct Panics {
    place: String,
    sink: Option<Sink>,
}

impl Panics {
    fn at(&self, place: &str) {
        assert!(self.place != place, "on purpose");
    }

    fn emit(&self, event: Event) {
        if let Some(sink) = &self.sink {
            sink(event);
        }
    }
}

impl Backend for Panics {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "panics".into(),
            version: "1".into(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: CapabilitySet::from([
                Capability::Spawn,
                Capability::Message,
                Capability::Shutdown,
            ]),
            limits: Default::default(),
        }
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        self.place = hello.config["panic"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        self.at("open");
        self.sink = Some(sink);
        self.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.at("spawn");
        self.emit(Event::Started {
            judge: spec.seat.judge,
            pid: None,
        });
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.at("send");
        if let Message::Turn { judge, turn } = message {
            self.emit(Event::Answered {
                judge,
                turn: turn.id,
                raw: turn.key,
                usage: None,
            });
        }
        Ok(())
    }

    fn cancel(&mut self, _: &JudgeId) -> Result<(), BackendError> {
        self.at("cancel");
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, _: u64) -> Result<(), BackendError> {
        self.at("shutdown");
        self.emit(Event::Ended {
            judge: judge.clone(),
            ending: Ending::Graceful,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        self.at("close");
        self.emit(Event::Closed);
        Ok(())
    }
}

impl Drop for Panics {
    fn drop(&mut self) {
        self.at("drop");
    }
}
