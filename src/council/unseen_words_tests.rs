use proptest::prelude::*;

use super::*;

fn unseen_part(text: &str) -> Option<UnseenPart> {
    UnseenWords::of("analysis", text).map(|words| words.part)
}

/// What models say that were shown nothing.
const NOTHING: &[&str] = &[
    "No diff was provided.",
    "No diff was included in the prompt",
    "The diff is empty, so there is nothing to review.",
    "No files were shown to me.",
    "I was unable to access the change.",
    "The change was not included in the prompt.",
    "I do not see any diff in the prompt. Nothing to review.",
    "Please paste the diff so that I can review it.",
    "Please paste the diff",
    "There is no diff in your message.",
    "I can't see the diff.",
    "I don't have access to the diff.",
    "I was not shown the change.",
    "I was shown no change.",
    "I have not been given any code.",
    "I received no diff.",
    "The diff appears to be missing.",
    "The patch wasn't attached.",
    "Unfortunately, the code was not provided, so I cannot judge it.",
    "I looked for the change, but no diff was provided.",
    "Could you please share the code changes?",
    "Note: no changes were provided for review.",
    "Nothing was shown to me.",
    "Es wurde kein Diff mitgeschickt.",
    "Mir wurde kein Diff gezeigt.",
    "Der Diff fehlt.",
    "Der Diff ist leer.",
    "Ich sehe keinen Diff im Prompt.",
    "Ich konnte die Änderung nicht sehen.",
    "Die Änderung war nicht im Prompt enthalten.",
    "Mir liegt kein Diff vor.",
    "Ich habe keinen Diff erhalten.",
    "Ich habe keinen Zugriff auf den Diff.",
    "Bitte füge den Diff ein.",
    "Leider wurden keine Änderungen übermittelt.",
    "I don't see a diff here.",
    "I wasn't given the diff to review.",
    "The provided diff is empty.",
    "The diff you provided is empty.",
    "It seems the diff is missing.",
    "It looks like no diff was attached.",
    "No code was provided to review.",
    "The diff was not provided to me.",
    "There was no diff to review.",
    "I have not seen the diff.",
    "I haven't received any changes to review.",
    "The actual change is not visible to me.",
    "Without the diff I cannot review anything.",
    "Cannot review: no diff provided.",
    "Nothing to review: no changes were included.",
    "The diff section is empty.",
    "No patch was sent.",
    "Der Diff wurde nicht mitgeschickt.",
    "Es ist kein Diff vorhanden.",
    "Ich kann den Diff nicht sehen.",
    "Mir wurde nichts gezeigt.",
    "Bitte den Diff einfügen.",
    "Bitte schick mir den Diff.",
    "There is no code in the message to review.",
    "The context does not include the changed file.",
    "The context doesn't include the changed files",
    "The prompt contains no diff.",
    "Your message does not include any code.",
    "The changed file was not included.",
    "This message contains no code changes, so I have nothing to object to.",
    "Der Prompt enthält keinen Diff.",
    "Der Kontext enthält leider keinen Code.",
];

/// What models say that were shown a part.
const PART: &[&str] = &[
    "The prompt appears to be cut off; I saw only the first part",
    "The prompt appears to be cut off; I saw only the first part of the diff.",
    "I saw only the first part of the diff.",
    "I could only see part of the change.",
    "I was shown only the first half of the prompt.",
    "The diff is truncated, so this covers what I saw.",
    "The diff was cut off at the end.",
    "Only part of the diff was shown.",
    "The rest of the diff was not included.",
    "I did not see the rest of the change.",
    "My input was truncated.",
    "The prompt ends abruptly.",
    "Ich habe nur den ersten Teil des Diffs gesehen.",
    "Mir wurde nur ein Teil der Änderung gezeigt.",
    "Der Prompt scheint abgeschnitten zu sein.",
    "Der Prompt ist abgeschnitten.",
    "Der Rest des Diffs fehlt.",
    "I only have the first 200 lines of the diff.",
    "The prompt was truncated before the end.",
    "I was only able to see part of the diff.",
    "The diff got cut off.",
    "The diff seems incomplete.",
    "Parts of the diff are missing.",
    "Der Prompt bricht ab.",
    "Der Prompt wurde gekürzt.",
];

/// What reviewers say who have read.
const READ: &[&str] = &[
    "The diff adds a null check and a test for it.",
    "I read the diff and found nothing.",
    "The context does not include the callers.",
    "The context does not include the file that defines f.",
    "The message does not include the code of the error.",
    "The commit message does not include the change.",
    "The request does not include files, so it is answered with 400.",
    "There is no code in the change that frees it twice.",
    "There is no file in the request, and the handler says so.",
    "The context contains no secrets.",
    "The input has no content type.",
    "The prompt shows no change in behaviour.",
    "The changed file was not renamed.",
    "The rest of the function was not shown to me, but the change does not depend on it.",
    "The callers were not included in the prompt; nothing in the change alters what they get.",
    "No tests were included.",
    "No tests were included in the change, and none are needed.",
    "There is no change in behaviour.",
    "There are no changes to the public interface.",
    "No files were deleted.",
    "No code was removed.",
    "No changes were made to the API.",
    "No changes are visible to users.",
    "I do not see any change in behaviour.",
    "I see no changes to the schema.",
    "I have no changes to suggest.",
    "I have no changes.",
    "If the diff is empty, it returns early.",
    "It returns early if no diff was provided.",
    "For binary files, no diff is shown.",
    "When the header is missing, no diff is shown.",
    "The command prints \"No diff was provided\" and ends.",
    "It raises an error: no diff was provided.",
    "The log message is truncated to 80 characters.",
    "The prompt is truncated to fit the window.",
    "The input is empty-safe now.",
    "The change is incomplete without a test, yet harmless.",
    "The change is missing tests.",
    "Only part of the change touches security.",
    "I only commented on part of the change.",
    "Please include the change in the changelog.",
    "Please share the code between both callers.",
    "Please include the file in the package.",
    "I could not access the repository, so I judged the diff alone.",
    "I was not shown the definition of `parse`, and trust its name.",
    "The file that defines f was not shown to me.",
    "I did not find any issues.",
    "I did not see the full file, only the hunks.",
    "I cannot see any problem in this change.",
    "No code changes were included in this release.",
    "The diff is small and clear.",
    "The patch is complete.",
    "There is no missing file.",
    "Es wurden keine Änderungen am Verhalten vorgenommen.",
    "Ich sehe keine Änderung am Verhalten.",
    "Die Änderung ist klein und richtig.",
    "Ich habe den ganzen Diff gelesen.",
    "Der Rest der Funktion wurde mir nicht gezeigt.",
    "Wenn der Diff leer ist, endet das Programm.",
    "Bitte teile den Code auf.",
    "The file is not sent.",
    "No file is sent when the queue is empty.",
    "The change was not submitted upstream.",
    "The patch is missing a test.",
    "The diff is missing the entry in the changelog.",
    "The change is not visible to callers.",
    "The patch is not applied to old releases.",
    "The changes are not sent to the server.",
    "There is no diff between both versions.",
    "No code is shared between them.",
    "I did not open the file that defines it.",
    "Part of the change is a rename.",
    "The first part of the diff renames, the rest adds a test.",
    "I read only the diff, and not the callers.",
    "The rest of the diff is tests.",
    "I looked at the whole change.",
    "Please provide the change with a test next time.",
];

/// The texts that are taken for something else than `wanted`.
fn mistaken(texts: &[&'static str], wanted: Option<UnseenPart>) -> Vec<&'static str> {
    let is_mistaken = |text: &&str| unseen_part(text) != wanted;
    texts.iter().copied().filter(is_mistaken).collect()
}

#[test]
fn who_was_shown_nothing_or_a_part_is_heard() {
    assert_eq!(mistaken(NOTHING, Some(UnseenPart::All)), Vec::<&str>::new());
    assert_eq!(mistaken(PART, Some(UnseenPart::Some)), Vec::<&str>::new());
}

#[test]
fn who_has_read_is_not_taken_for_somebody_who_has_not() {
    assert_eq!(mistaken(READ, None), Vec::<&str>::new());
}

#[test]
fn each_list_that_a_form_names_is_there() {
    let forms = [NOTHING_SHOWN, PART_SHOWN, IN_PROMPT].concat();
    let slots = forms.iter().flat_map(|form| form.split_whitespace());
    let named = slots.map(|slot| slot.trim_end_matches('*'));
    for name in named.filter(|slot| slot.starts_with(|c: char| c.is_ascii_uppercase())) {
        assert!(LISTS.iter().any(|(list, _)| *list == name), "{name}");
    }
}

fn any_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts.to_vec())
}

/// How words are written without saying anything else.
fn written(text: &str, how: usize) -> String {
    match how {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        2 => format!("**{text}**"),
        3 => format!("- {text}"),
        4 => text.replace('\'', "’"),
        _ => text.to_owned(),
    }
}

proptest! {
    /// What was not shown is heard wherever it stands, however it is written, and among whatever else.
    #[test]
    fn who_was_not_shown_the_change_is_heard_anywhere(
        said in prop_oneof![any_of(NOTHING), any_of(PART)],
        how in 0usize..6,
        before in prop::collection::vec(any_of(READ), 0..3),
        behind in prop::collection::vec(any_of(READ), 0..3),
        line in any::<bool>(),
    ) {
        let said = written(said, how);
        let mut texts = before.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        texts.push(format!("{}.", said.trim_end_matches('.')));
        texts.extend(behind.iter().map(|text| (*text).to_owned()));
        let text = texts.join(if line { "\n" } else { " " });
        prop_assert!(unseen_part(&text).is_some(), "{}", text);
    }

    /// Ordinary answers stay what they are, whatever they are made of.
    #[test]
    fn no_answer_of_ordinary_words_is_taken_for_unread(
        said in prop::collection::vec(any_of(READ), 0..6),
        how in 0usize..6,
        line in any::<bool>(),
    ) {
        let said: Vec<String> = said.iter().map(|text| written(text, how)).collect();
        let text = said.join(if line { "\n" } else { " " });
        prop_assert_eq!(unseen_part(&text), None);
    }
}
