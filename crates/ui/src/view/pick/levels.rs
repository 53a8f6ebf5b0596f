//! Both levels of a pick in groups of tasks, one above the other: the root queue, in which groups
//! wait like tasks, and the queue inside the group whose turn it is.

use super::plan::Plan;
use crate::scene::{Ink, Scene};
use crate::view::Look;
use crate::view::pen::{Pen, plain};
use schedscope_session::update::{Check, PickPicture};

/// Room that a level needs besides its lanes, in lanes.
const AROUND: usize = 3;

/// Draws each level with its title. Of a pick, what is inside the group shows from the check on
/// that goes there; its place is kept free before.
pub(in crate::view) fn stack(
    picture: &PickPicture,
    checks: Option<&[Check]>,
    look: &Look,
    draw: impl Fn(&PickPicture, Option<&[Check]>, &Look) -> Scene,
) -> Scene {
    let size = if look.present { 20.0 } else { 12.0 };
    let heading = size * 1.8;
    let levels = 1 + picture.inside.len();
    let lines = |picture: &PickPicture| Plan::of(picture, look.check, false).lines() + AROUND;
    let all: usize = picture.inside.iter().chain([picture]).map(lines).sum();
    let room = (look.height - levels as f32 * heading).max(0.0);
    let part = |picture: &PickPicture| Look {
        height: (room * lines(picture) as f32 / all as f32).floor(),
        ..look.clone()
    };
    let title = |words: &str| {
        let mut pen = Pen::new(look.width, heading).floor(size);
        let style = plain(size, Ink::TextSoft).weight(600);
        pen.text("title", 0.0, heading / 2.0, words, style);
        pen.done()
    };
    // The root's part is decided where the way goes into the group.
    let since = picture.inside.first().map(|inside| usize::from(inside.since));
    let since = since.filter(|since| picture.decided && *since > 0);
    let (root_checks, root_check) = match (checks, since) {
        (Some(checks), Some(since)) => (checks.get(..since), look.check.min(since - 1)),
        _ => (checks, look.check),
    };
    let above = Look { check: root_check, ..part(picture) };
    let mut scene = title(&picture.title).above(draw(picture, root_checks, &above), "");
    for (i, inside) in picture.inside.iter().enumerate() {
        let key = format!("level/{i}/");
        let look = part(inside);
        let begun = since.is_none_or(|since| look.check >= since);
        scene = if begun {
            let level = title(&inside.title).above(draw(inside, checks, &look), "");
            scene.above(level, &key)
        } else {
            let mut free = title("Then: inside the group whose turn it is");
            free.height += look.height;
            scene.above(free, &key)
        };
    }
    scene
}
