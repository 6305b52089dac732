//! What is rendered: the blocks of the chapters, and the codec's constants.
//!
//! A block stands in a chapter between `<!-- generated: NAME -->` and `<!-- /generated -->`:
//!
//! | NAME | block |
//! |---|---|
//! | `opcodes`, `messages`, `sys-commands` | what there is, with links to the chapters' sections |
//! | `layout X` | diagram and fields of the opcode, message or SYS command X |
//! | `opcode-map` | the 256 first bytes |
//! | `error-classes`, `closes`, `limits` | those tables |
//! | `clauses` | the index of clauses |

mod codec;
mod layout;
mod opcode_map;
mod table;
mod tables;
mod text;

pub use codec::codec;

use crate::chapter::Chapter;
use crate::clauses::Clause;
use crate::problem::Problem;
use crate::regions::RegionKind;
use crate::registry::{Frame, Kind, Registry};

/// A chapter's text with its blocks rendered anew. Blocks that cannot be rendered stay as they are and are told.
pub fn chapter(registry: &Registry, chapters: &[Chapter], chapter: &Chapter) -> (String, Vec<Problem>) {
    let context = Context { registry, chapters };
    let (mut out, mut problems, mut done) = (String::new(), Vec::new(), 0);
    for region in &chapter.regions {
        let RegionKind::Generated(words) = &region.kind else { continue };
        match context.block(words) {
            Ok(block) => {
                out.push_str(chapter.text.get(done..region.inner.start).unwrap_or_default());
                out.push_str(&format!("\n{}\n", block));
                done = region.inner.end;
            }
            Err(text) => problems.push(Problem::new(format!("spec/{}:{}", chapter.file, region.line), text)),
        }
    }
    out.push_str(chapter.text.get(done..).unwrap_or_default());
    // A chapter is a text file: it ends with the end of a line.
    out.truncate(out.trim_end().len());
    out.push('\n');
    (out, problems)
}

/// What the renderers of blocks look things up in.
struct Context<'a> {
    registry: &'a Registry,
    chapters: &'a [Chapter],
}

impl<'a> Context<'a> {
    fn block(&self, words: &[String]) -> Result<String, String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Ok(match words.as_slice() {
            ["opcodes"] => tables::coded(self, Kind::Opcode),
            ["messages"] => tables::messages(self),
            ["sys-commands"] => tables::coded(self, Kind::SysCommand),
            ["opcode-map"] => opcode_map::opcode_map(self),
            ["error-classes"] => tables::error_classes(self),
            ["closes"] => tables::closes(self),
            ["limits"] => tables::limits(self),
            ["clauses"] => tables::clauses(self),
            ["layout", name] => match self.registry.frames().find(|frame| frame.name == *name) {
                Some(frame) => layout::layout(self, &frame),
                None => return Err(format!("the registry has nothing that is named {name}")),
            },
            _ => return Err(format!("`generated: {}` is nothing that is rendered", words.join(" "))),
        })
    }

    fn clauses(&self) -> impl Iterator<Item = &'a Clause> {
        self.chapters.iter().flat_map(|chapter| &chapter.clauses)
    }

    /// A link to the clause, or its bare id where there is none.
    fn clause_link(&self, id: &str) -> String {
        let found = self.clauses().find(|clause| clause.id == id);
        found.map_or_else(|| id.to_owned(), |clause| format!("[{id}]({})", clause.link()))
    }

    /// Where a layout is rendered: chapter and section.
    fn frame_link(&self, frame: &Frame<'_>) -> String {
        let chapter = self.chapters.iter().find(|chapter| chapter.file == frame.chapter);
        let section = chapter.and_then(|chapter| {
            let region = chapter.layout_region(frame.name)?;
            chapter.section(region.inner.start)
        });
        section.map_or_else(
            || frame.chapter.to_owned(),
            |section| format!("{}#{}", frame.chapter, section.anchor),
        )
    }
}
