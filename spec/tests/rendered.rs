//! What the small specification is rendered to.

mod common;

use common::{FRAMES, INDEX, registry};
use roomwire_spec::chapter::Chapter;
use roomwire_spec::render;

#[test]
fn small_specification() {
    let registry = registry();
    let chapters = [Chapter::parse("01-frames.md", FRAMES), Chapter::parse("02-index.md", INDEX)];
    for (name, chapter) in ["frames", "index"].into_iter().zip(&chapters) {
        let (text, problems) = render::chapter(&registry, &chapters, chapter);
        assert_eq!(problems, []);
        insta::assert_snapshot!(name, text);

        // Rendering what is rendered changes nothing.
        let again = Chapter::parse(&chapter.file, &text);
        assert_eq!(render::chapter(&registry, &chapters, &again).0, text);
    }
    let clauses = chapters.iter().flat_map(|chapter| &chapter.clauses);
    insta::assert_snapshot!("codec", render::codec(&registry, clauses));
}
