//! A comparison of councils as people read it: tables of text, and the same as a page.

use crate::eval::compare::{Comparison, CouncilDifference, CouncilFigures};
use crate::eval::knowledge::TrainingKnowledge;
use crate::eval::measures::Measure;
use crate::eval::statistics::Estimate;
use crate::report::html::tables::{PageTable, TablePage};
use crate::text::{Columns, Untrusted};

/// The whole comparison as a person reads it.
pub(crate) fn describe_comparison(comparison: &Comparison) -> String {
    let mut text = columns(&council_rows(&comparison.councils), "");
    for difference in &comparison.differences {
        text.push_str(&format!("\n{}\n", difference_title(difference)));
        text.push_str(&columns(&difference_rows(difference), "  "));
    }
    text.push_str(&format!("\n{}\n", notes(comparison).join("\n")));
    text
}

/// The same as a page.
pub(crate) fn comparison_page(comparison: &Comparison) -> TablePage {
    let mut rows = council_rows(&comparison.councils);
    let head = rows.remove(0);
    let councils = PageTable {
        caption: "Councils".to_owned(),
        head,
        rows,
    };
    let differences = comparison.differences.iter().map(|difference| PageTable {
        caption: difference_title(difference),
        head: ["", "difference", ""].map(str::to_owned).to_vec(),
        rows: difference_rows(difference),
    });
    TablePage {
        title: "Councils on your own history".to_owned(),
        tables: std::iter::once(councils).chain(differences).collect(),
        notes: notes(comparison),
    }
}

fn columns(rows: &[Vec<String>], indent: &str) -> String {
    let mut columns = Columns::default();
    for row in rows {
        columns.push(row);
    }
    columns.render(indent)
}

fn difference_title(difference: &CouncilDifference) -> String {
    let changes = match difference.changes {
        1 => "one change".to_owned(),
        many => format!("{many} changes"),
    };
    format!(
        "{} less {}, on the {changes} that both saw",
        difference.one, difference.other
    )
}

/// One line a measure.
fn difference_rows(difference: &CouncilDifference) -> Vec<Vec<String>> {
    let row = |(measure, estimate): (&Measure, &Estimate)| {
        let says = if estimate.excludes_zero() {
            ""
        } else {
            "no difference shown"
        };
        let shown = show(*measure, *estimate, true);
        vec![measure.describe().to_owned(), shown, says.to_owned()]
    };
    difference.measures.iter().map(row).collect()
}

/// What a reader must know of the numbers.
fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = vec![
        format!(
            "Intervals are for 95 % (bootstrap over changes, wider for a few). {} changes with a defect of a known place \
             were reviewed; it takes about {} to tell 30 % from 40 %.",
            comparison.located_defects, comparison.needed_defects
        ),
        "A review without a verdict counts as a miss where more is better, whatever it found, and not at all where less is."
            .to_owned(),
        "A label is a label: fixes blame the wrong change at times.".to_owned(),
    ];
    notes.extend(label_note(comparison.labelled_findings));
    notes.extend(comparison.councils.iter().filter_map(verdict_note));
    notes.extend(comparison.councils.iter().filter_map(training_note));
    notes
}

/// That people's words are in the numbers.
fn label_note(labelled: usize) -> Option<String> {
    let findings = match labelled {
        0 => return None,
        1 => "One finding counts".to_owned(),
        many => format!("{many} findings count"),
    };
    Some(format!(
        "{findings} as a person said (`git council eval label`), and not by the distance to the defect."
    ))
}

/// That reviews came to no verdict, and what would have them held again.
fn verdict_note(council: &CouncilFigures) -> Option<String> {
    let (name, all) = (&council.name, council.trials);
    let trouble = match council.trouble.as_str() {
        "" => String::new(),
        trouble => format!(", e.g. because of {}", Untrusted::new(trouble).line()),
    };
    (council.without_verdict > 0).then(|| {
        format!(
            "{name}: {} of {all} reviews came to no verdict{trouble}. Once the cause is mended, `git council eval run --again` \
             holds them again.",
            council.without_verdict
        )
    })
}

/// What the models of a council may remember instead of finding it.
fn training_note(council: &CouncilFigures) -> Option<String> {
    let training = &council.training;
    let (name, all) = (&council.name, council.trials);
    let dated = (training.older > 0).then(|| {
        format!(
            "{name}: {} of {all} trials are of changes older than a model of its judges; it may know the later fix.",
            training.older
        )
    });
    let undated: Vec<&str> = training.undated.iter().map(String::as_str).collect();
    let undated = (!undated.is_empty()).then(|| {
        let models = undated.join(", ");
        format!(
            "{name}: how old {models} is cannot be told from the name; any change may be known."
        )
    });
    let told: Vec<String> = dated.into_iter().chain(undated).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// One column a council, one line a measure.
fn council_rows(councils: &[CouncilFigures]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let line = |name: &str, cell: &dyn Fn(&CouncilFigures) -> String| -> Vec<String> {
        std::iter::once(name.to_owned())
            .chain(councils.iter().map(cell))
            .collect()
    };
    rows.push(line("", &|council| council.name.clone()));
    rows.push(line("changes reviewed", &|council| {
        council.changes.to_string()
    }));
    rows.push(line("reviews", &|council| council.trials.to_string()));
    for measure in Measure::ALL {
        let cell = |council: &CouncilFigures| {
            let estimate = council.measures.get(&measure);
            let shown = estimate.map_or("–".to_owned(), |&found| show(measure, found, false));
            if measure.is_dollars() {
                dollars(council, shown)
            } else {
                shown
            }
        };
        rows.push(line(measure.describe(), &cell));
        if measure == Measure::DefectsShown {
            rows.push(line("  as many lines at random", &|council| {
                share(council.random_lines)
            }));
        }
        if measure == Measure::GuiltyFiles {
            rows.push(line("  the file with most added lines", &|council| {
                share(council.largest_file)
            }));
        }
    }
    rows.push(line("dollars in all", &|council| {
        dollars(council, plain_number(council.dollars))
    }));
    let kappa = |council: &CouncilFigures| {
        council
            .kappa
            .map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.2}"))
    };
    rows.push(line("agreement of judges (kappa)", &kappa));
    rows.push(line("trials of changes older than a model", &|council| {
        older_trials(&council.training, council.trials)
    }));
    rows
}

/// How many trials are of changes that a model may know, as far as the models' names say.
fn older_trials(training: &TrainingKnowledge, all: usize) -> String {
    let older = training.older;
    match (older, training.undated.is_empty()) {
        (_, true) => format!("{older} of {all}"),
        (0, false) => "unknown".to_owned(),
        (_, false) => format!("at least {older} of {all}"),
    }
}

/// What a council costs, as far as that is known.
fn dollars(council: &CouncilFigures, shown: String) -> String {
    if council.is_cost_unknown {
        "unknown".to_owned()
    } else if council.unpriced.is_empty() || shown == "–" {
        shown
    } else {
        format!("at least {shown}")
    }
}

fn share(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "–".to_owned(),
        |estimate| show(Measure::DefectsShown, estimate, false),
    )
}

/// A value with its interval; differences have a sign.
fn show(measure: Measure, estimate: Estimate, signed: bool) -> String {
    let Estimate { value, low, high } = estimate;
    let shown = match (measure.is_share(), signed) {
        (true, true) => format!(
            "{:+.0} points ({:+.0} to {:+.0})",
            value * 100.0,
            low * 100.0,
            high * 100.0
        ),
        (true, false) => format!(
            "{:.0} % ({:.0}–{:.0})",
            value * 100.0,
            low * 100.0,
            high * 100.0
        ),
        (false, true) => {
            let [value, low, high] = [value, low, high].map(signed_number);
            format!("{value} ({low} to {high})")
        }
        (false, false) => {
            let [value, low, high] = [value, low, high].map(plain_number);
            format!("{value} ({low}–{high})")
        }
    };
    shown.replace("inf", "∞")
}

/// A number with two places, or with two digits where those would be zeros: what small models cost.
fn plain_number(number: f64) -> String {
    let size = number.abs();
    if !(1e-9..0.095).contains(&size) {
        // A zero has no sign.
        return format!("{:.2}", if size < 1e-9 { 0.0 } else { number });
    }
    let places = (1.0 - size.log10().floor()) as usize;
    format!("{number:.places$}")
}

fn signed_number(number: f64) -> String {
    let sign = if number > 0.0 { "+" } else { "" };
    format!("{sign}{}", plain_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_little_costs_is_shown_with_its_digits() {
        let shown = [
            0.0007,
            0.0034,
            -0.00012,
            0.05,
            0.099,
            0.5,
            12.345,
            0.0,
            -0.0,
            f64::INFINITY,
        ];
        let shown = shown.map(plain_number);
        let told = [
            "0.00070", "0.0034", "-0.00012", "0.050", "0.10", "0.50", "12.35", "0.00", "0.00",
            "inf",
        ];
        assert_eq!(shown, told);
        assert_eq!(
            [0.0, 0.002, -0.002].map(signed_number),
            ["0.00", "+0.0020", "-0.0020"]
        );
    }

    #[test]
    fn where_no_model_says_its_age_nothing_is_known_of_the_trials() {
        let told = |older: usize, undated: &[&str]| {
            let undated = undated.iter().map(|name| (*name).to_owned()).collect();
            older_trials(&TrainingKnowledge { older, undated }, 7)
        };
        assert_eq!(told(0, &["m"]), "unknown");
        assert_eq!(told(2, &["m"]), "at least 2 of 7");
        assert_eq!(told(0, &[]), "0 of 7");
    }
}
