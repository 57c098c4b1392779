//! S-expressions as flat lists: a node knows where its last descendant ends, so that nothing recurses over
//! nesting. Commands are read one at a time; a text of any length needs the memory of its longest one.

use super::lexer::{Kind, Lexer, Word};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::source::Span;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    List,
    Symbol,
    Keyword,
    Constant,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    shape: Shape,
    span: Span,
    /// One past the last descendant.
    end: u32,
}

/// One expression; node 0 is the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// An expression of a text.
pub(super) struct Tree<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

impl<'t> Tree<'t> {
    pub(super) fn root(&self) -> NodeId {
        NodeId(0)
    }

    pub(super) fn shape(&self, node: NodeId) -> Shape {
        self.nodes[node.0 as usize].shape
    }

    pub(super) fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0 as usize].span
    }

    /// The text of a node as it is written.
    pub(super) fn text(&self, node: NodeId) -> &'t str {
        let span = self.span(node);
        &self.text[span.start as usize..span.end as usize]
    }

    /// The symbol that a node is, without bars.
    pub(super) fn symbol(&self, node: NodeId) -> Option<&'t str> {
        let text = self.text(node);
        let quoted = text.strip_prefix('|').and_then(|text| text.strip_suffix('|'));
        (self.shape(node) == Shape::Symbol).then(|| quoted.unwrap_or(text))
    }

    /// The parts of a list.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[node.0 as usize].end;
        let first = (node.0 + 1 < end).then_some(node.0 + 1);
        let next = move |&at: &u32| Some(self.nodes[at as usize].end).filter(|&next| next < end);
        std::iter::successors(first, next).map(NodeId)
    }
}

/// Reads the expressions of a text.
pub(super) struct Reader<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Reader<'t> {
        Reader { text, lexer: Lexer::new(text) }
    }

    /// The next expression, or none at the end of the text.
    pub(super) fn next_tree(&mut self) -> Result<Option<Tree<'t>>, Diagnostic> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        loop {
            let Word { kind, span } = self.lexer.next_word();
            let at = nodes.len() as u32;
            match (kind, open.first()) {
                (Kind::End, Some(&first)) => return Err(unclosed(nodes[first as usize].span)),
                (Kind::End, None) => return Ok(None),
                (Kind::Unclosed, _) => {
                    let start = Span::new(span.start, span.start + 1);
                    return Err(Diagnostic::error(start, "this is never closed", "no matching sign follows"));
                }
                (Kind::Other, _) => {
                    return Err(Diagnostic::error(span, "this is no word of SMT-LIB", "expected a command or term"));
                }
                (Kind::Open, _) => {
                    open.push(at);
                    nodes.push(Node { shape: Shape::List, span, end: at + 1 });
                }
                (Kind::Close, _) => match open.pop() {
                    Some(list) => {
                        let list = &mut nodes[list as usize];
                        (list.end, list.span) = (at, list.span.to(span));
                    }
                    None => return Err(Diagnostic::error(span, "this `)` closes nothing", "expected a command")),
                },
                (Kind::Symbol, _) => nodes.push(Node { shape: Shape::Symbol, span, end: at + 1 }),
                (Kind::Keyword, _) => nodes.push(Node { shape: Shape::Keyword, span, end: at + 1 }),
                (Kind::Constant, _) => nodes.push(Node { shape: Shape::Constant, span, end: at + 1 }),
            }
            if open.is_empty() {
                return Ok(Some(Tree { text: self.text, nodes }));
            }
        }
    }
}

fn unclosed(open: Span) -> Diagnostic {
    Diagnostic::error(open, "this parenthesis is never closed", "the file ends before its `)`")
}
