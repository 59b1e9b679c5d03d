//! The fake model server as a program: `council-fake-models --port 0 --port-file p.txt --log req.jsonl --script s.json`.
//!
//! `GET /__stats` tells the numbers, `POST /__script` takes other rules, `POST /__shutdown` ends it; it ends itself after
//! `--max-seconds` (1800).

use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Script};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut port, mut port_file, mut log, mut script) = (0, None, None, Script::default());
    let mut most = Duration::from_secs(1800);
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--port" => port = value.parse()?,
            "--port-file" => port_file = Some(value),
            "--log" => log = Some(File::create(value)?),
            "--script" => script = serde_json::from_str(&fs::read_to_string(value)?)?,
            "--max-seconds" => most = Duration::from_secs(value.parse()?),
            other => return Err(format!("there is no flag {other}").into()),
        }
    }
    let models = FakeModels::listen(port, script, log)?;
    writeln!(std::io::stdout(), "{}", models.url())?;
    if let Some(path) = port_file {
        // Renamed into place: whoever sees the file sees the whole port.
        let beside = format!("{path}.tmp");
        fs::write(&beside, models.port().to_string())?;
        fs::rename(beside, path)?;
    }
    let until = Instant::now() + most;
    while !models.is_over() && Instant::now() < until {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
