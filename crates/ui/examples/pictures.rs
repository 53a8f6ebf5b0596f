//! Writes the pictures of the views as SVG files, to be looked at: `cargo run -p schedscope-ui
//! --example pictures -- DIRECTORY [FILTER]`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;

use schedscope_sim::machines::Machine as Preset;
use schedscope_ui::paint::svg;
use schedscope_ui::scene::Scene;
use schedscope_ui::theme::Theme;
use schedscope_ui::view::{Drag, Look, Roster, machine};
use support::World;

fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().expect("a directory to write to");
    let filter = args.next().unwrap_or_default();
    fs::create_dir_all(&out).expect("can make the directory");
    let mut gallery = Gallery { out, filter };
    machines(&mut gallery);
}

struct Gallery {
    out: String,
    filter: String,
}

impl Gallery {
    fn show(&mut self, name: &str, draw: impl FnOnce() -> Scene) {
        if !name.contains(&self.filter) {
            return;
        }
        let scene = draw();
        for (suffix, theme) in [("light", Theme::light()), ("dark", Theme::dark())] {
            let path = Path::new(&self.out).join(format!("{name}-{suffix}.svg"));
            fs::write(path, svg(&scene, &theme, name)).expect("can write");
        }
    }
}

fn machine_scene(world: &World, look: &Look) -> Scene {
    let roster = Roster { loaded: &world.loaded, moment: &world.moment };
    machine::layout(&world.loaded.machine, &world.moment, roster, look)
}

fn machines(gallery: &mut Gallery) {
    for preset in Preset::ALL {
        let world = support::filled(support::preset(preset));
        for (w, h) in [(376.0, 460.0), (688.0, 460.0), (1344.0, 800.0), (358.0, 480.0)] {
            let coarse = w == 358.0;
            let name = format!("machine-{}-{w}x{h}", preset.id());
            let look = Look { coarse, ..Look::new(w, h) };
            gallery.show(&name, || machine_scene(&world, &look));
        }
        let look = Look { load: true, ..Look::new(688.0, 460.0) };
        gallery.show(&format!("load-{}", preset.id()), || machine_scene(&world, &look));
        let look = Look { present: true, ..Look::new(1328.0, 560.0) };
        gallery.show(&format!("present-{}", preset.id()), || machine_scene(&world, &look));
    }
    let world = support::desktop();
    let look = Look {
        focus_cpu: 2,
        drag: Some(Drag { row: 3, over: Some(12), pin: true }),
        ..Look::new(376.0, 460.0)
    };
    gallery.show("drag-desktop16", || machine_scene(&world, &look));
}
