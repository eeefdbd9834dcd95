//! Long pastes and images.

use super::*;

fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

fn image(data: &str) -> ImageData {
    ImageData { data: data.to_owned(), mime_type: "image/png".to_owned() }
}

#[test]
fn a35_what_is_pasted_is_text_and_sends_nothing() {
    let mut composer = composer("");
    assert_eq!(composer.paste("one\r\ntwo\rthree\n\u{1b}[201~x\u{7}\t!"), Outcome::Changed);
    assert_eq!(composer.text(), "one\ntwo\nthree\n[201~x\t!");
    assert_eq!(composer.paste("\u{1b}"), Outcome::Nothing);
    assert_eq!(press(&mut composer, "ctrl+_"), Outcome::Changed);
    assert!(composer.is_empty(), "a paste is one step");
}

#[test]
fn a35_a_long_paste_folds_to_one_unit_and_is_sent_whole() {
    let mut composer = composer("see |!");
    let pasted = lines(240);
    composer.paste(&pasted);
    assert_eq!(shown(&mut composer, 40, 9), ["> see [paste 1: 240 lines]!"]);
    assert_eq!(composer.text(), format!("see {pasted}!"));
    composer.paste(&"x".repeat(1_001));
    assert_eq!(
        shown(&mut composer, 80, 9),
        ["> see [paste 1: 240 lines][paste 2: 1001 characters]!"]
    );
    press(&mut composer, "left left x");
    assert_eq!(
        shown(&mut composer, 80, 9),
        ["> see x[paste 1: 240 lines][paste 2: 1001 characters]!"]
    );
    press(&mut composer, "delete ctrl+e backspace");
    assert_eq!(shown(&mut composer, 80, 9), ["> see x[paste 1: 1001 characters]"]);
    press(&mut composer, "backspace");
    assert_eq!(composer.text(), "see x");
    press(&mut composer, "ctrl+_ ctrl+_");
    assert!(composer.text() == format!("see x{pasted}{}!", "x".repeat(1_001)));
    let Outcome::Send(submission) = press(&mut composer, "enter") else { panic!("not sent") };
    assert_eq!(submission.text.len(), "see x!".len() + pasted.len() + 1_001);
}

#[test]
fn a_short_paste_stays_as_it_is() {
    let mut composer = composer("");
    composer.paste(&lines(10));
    assert_eq!(composer.edited(), lines(10));
}

#[test]
fn text_that_looks_like_a_fold_is_text() {
    let mut composer = composer("");
    type_text(&mut composer, "[paste 1: 240 lines]\u{e01f0}");
    assert_eq!(composer.text(), "[paste 1: 240 lines]");
    press(&mut composer, "backspace");
    assert_eq!(composer.text(), "[paste 1: 240 lines");
}

#[test]
fn a_fold_is_cut_and_put_back_also_in_the_next_message() {
    let mut composer = composer("");
    composer.paste(&lines(20));
    composer.paste(&lines(30));
    press(&mut composer, "ctrl+w x enter ctrl+y");
    assert_eq!(shown(&mut composer, 40, 9), ["> [paste 1: 30 lines]"]);
    assert_eq!(composer.text(), lines(30));
    composer.paste(&lines(40));
    assert_eq!(composer.text(), format!("{}{}", lines(30), lines(40)));
}

#[test]
fn a35_ten_megabytes_are_never_laid_out() {
    let mut composer = composer("");
    let pasted = "0123456789\n".repeat(1_000_000);
    composer.paste(&pasted);
    assert_eq!(composer.edited().chars().count(), 1);
    assert_eq!(shown(&mut composer, 40, 9), ["> [paste 1: 1000000 lines]"]);
    press(&mut composer, "a left left ctrl+_");
    let Outcome::Send(submission) = press(&mut composer, "enter") else { panic!("not sent") };
    assert_eq!(submission.text, pasted);
    press(&mut composer, "up");
    assert_eq!(composer.edited().chars().count(), 1, "nor when it comes from the history");
}

#[test]
fn a_fold_that_takes_the_place_of_one_that_was_sent_is_laid_out_anew() {
    let mut composer = composer("");
    composer.paste(&lines(20));
    assert_eq!(shown(&mut composer, 23, 9), ["> [paste 1: 20 lines]"]);
    press(&mut composer, "enter");
    composer.paste(&format!("{}!", "x\n".repeat(20_000)));
    type_text(&mut composer, "!");
    assert_eq!(shown(&mut composer, 23, 9), ["> [paste 1: 20001 line", "  !"]);
}

#[test]
fn images_go_with_the_text_that_names_them() {
    let mut composer = composer("compare | with ");
    composer.insert_image(image("a"));
    press(&mut composer, "ctrl+e");
    composer.insert_image(image("b"));
    assert_eq!(shown(&mut composer, 60, 9), ["> compare [image 1] with [image 2]"]);
    let Outcome::Send(submission) = press(&mut composer, "enter") else { panic!("not sent") };
    assert_eq!(submission.text, "compare [image 1] with [image 2]");
    assert_eq!(submission.images, [image("a"), image("b")]);

    type_text(&mut composer, "later");
    composer.put_back(submission);
    assert_eq!(composer.text(), "compare [image 1] with [image 2]\nlater");
    press(&mut composer, "ctrl+home ctrl+right ctrl+right backspace");
    let left = composer.take();
    assert_eq!(left.images, [image("b")], "{left:?}");
    assert_eq!(left.text, "compare  with [image 1]\nlater");
}

#[test]
fn an_editor_keeps_the_images_that_it_leaves_in_the_text() {
    let mut composer = composer("");
    composer.insert_image(image("a"));
    composer.insert_image(image("b"));
    composer.set_text("only [image 2] is left, [image 3] never was");
    let left = composer.take();
    assert_eq!(left.images, [image("b")]);
    assert_eq!(left.text, "only [image 1] is left, [image 3] never was");
}
