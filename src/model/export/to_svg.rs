//! A picture as SVG, drawn here: no other program is needed, and the same model gives the same bytes.
//!
//! A procedure is a column of its nodes and boxes, in the order in which control comes to them (reverse postorder), as a listing is. A node's transitions stand below it, one in a line;
//! an arrow leads from the line, through a lane of its own on the right, to the node it goes to, or straight down if that comes next. Lanes are handed out
//! like rooms to guests: the lowest that is free. So nothing lies on anything else, and the time is that of sorting.

use super::drawing::{Arrow, Drawing, Picture, Shape, Subject};
use crate::model::Vertex;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt::Write;

/// Of a line of text, in pixels.
const LINE: usize = 18;
/// Where the text of a transition begins, behind that of its node.
const INDENT: usize = 14;
/// Between blocks.
const GAP: usize = 16;
/// Between lanes.
const LANE: usize = 9;
const MARGIN: usize = 16;
/// Columns go on in a new row behind this.
const WIDEST: usize = 1500;

const STYLE: &str = "text{font:12px monospace;fill:#1b1f24}.title{font-weight:bold}.edge{fill:#57606a}\
rect{fill:#fff;stroke:#57606a}.box rect{fill:#eaf2ff}.exit rect{stroke-width:3}.entry rect{fill:#e6f6e6}.env rect{stroke-dasharray:5 3}\
.failure rect{fill:#ffb3b3;stroke:#c00}.dead rect{fill:#e8ebee;stroke:#8c959f}.dead text{fill:#57606a}path{fill:none;stroke:#57606a}.head{fill:#57606a;stroke:none}.back{stroke:#0550ae}svg{background:#fff}\
@media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}.edge{fill:#9da7b1}rect{fill:#161b22;stroke:#9da7b1}.box rect{fill:#12233f}\
.entry rect{fill:#12301a}.failure rect{fill:#5c1519;stroke:#ff7b72}.failure text{fill:#fff}.dead rect{fill:#2d333b;stroke:#6e7681}.dead text{fill:#a4adb7}path{stroke:#9da7b1}.back{stroke:#79c0ff}.head{fill:#9da7b1}}";

/// The picture as an SVG file.
///
/// ```
/// use epitome::{model::{build_rsm, export::{Drawing, to_svg}}, syntax::{Source, rsm}};
/// let (machines, _) = rsm::parse(&Source::new("a.rsm", "machine M { entry e; e -> e; } init M.e;")).unwrap();
/// let svg = to_svg(&Drawing::new(&build_rsm(&machines).0, &|_, _| None));
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn to_svg(drawing: &Drawing) -> String {
    let columns: Vec<Column> = drawing.procedures.iter().map(|picture| Column::new(drawing, picture)).collect();
    let mut body = String::new();
    let (mut x, mut y, mut tallest, mut widest) = (MARGIN, MARGIN, 0, 0);
    for column in &columns {
        if x > MARGIN && x + column.width > WIDEST {
            (x, y, tallest) = (MARGIN, y + tallest + 2 * MARGIN, 0);
        }
        let _ = writeln!(body, "<g transform=\"translate({x} {y})\">\n{}</g>", column.body);
        x += column.width + 2 * MARGIN;
        tallest = tallest.max(column.height);
        widest = widest.max(x);
    }
    let (width, height) = (widest.max(2 * MARGIN), y + tallest + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{}\">\n<style>{STYLE}</style>\n{body}</svg>\n",
        match drawing.subject {
            Subject::Flow => "control flow",
            Subject::Calls => "call graph",
        }
    )
}

/// A procedure that is laid out.
struct Column {
    width: usize,
    height: usize,
    body: String,
}

/// A node or box with its lines.
struct Block {
    class: &'static str,
    is_dead: bool,
    /// Where it stands in the source.
    position: Option<String>,
    lines: Vec<String>,
    /// What it is; the rest are transitions.
    own: usize,
    /// By transition that has a line: the place that it goes to, in the order of places.
    arrows: Vec<Exit>,
    top: usize,
}

/// A transition that leaves a block.
struct Exit {
    /// The line where it begins, if it has one.
    line: Option<usize>,
    to: usize,
}

impl Block {
    fn height(&self) -> usize {
        self.lines.len() * LINE + 6
    }

    /// The height at which arrows come in; those that have no line go out a little below.
    fn middle(&self) -> usize {
        self.top + 3 + LINE / 2
    }
}

/// The number of a vertex among nodes and boxes.
fn place(picture: &Picture, vertex: Vertex) -> usize {
    match vertex {
        Vertex::Node(node) => node.index(),
        Vertex::Call(site, _) | Vertex::Return(site, _) => picture.nodes.len() + site.index(),
    }
}

/// Nodes and boxes in reverse postorder from the entries, then those that control does not come to.
fn order(picture: &Picture) -> Vec<usize> {
    let count = picture.nodes.len() + picture.boxes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for arrow in &picture.arrows {
        next[place(picture, arrow.from)].push(place(picture, arrow.to));
    }
    let entries = (0..picture.nodes.len()).filter(|&node| picture.nodes[node].shape == Shape::Entry);
    let mut seen = vec![false; count];
    let mut reached: Vec<usize> = Vec::new();
    let mut unreached: Vec<usize> = Vec::new();
    for (is_start, start) in entries.map(|entry| (true, entry)).chain((0..count).map(|place| (false, place))) {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let done = if is_start { &mut reached } else { &mut unreached };
        let first = done.len();
        let mut open = vec![(start, next[start].len())];
        while let Some((place, left)) = open.last_mut() {
            if *left == 0 {
                done.push(*place);
                open.pop();
                continue;
            }
            *left -= 1;
            let successor = next[*place][*left];
            if !std::mem::replace(&mut seen[successor], true) {
                open.push((successor, next[successor].len()));
            }
        }
        done[first..].reverse();
    }
    reached.extend(unreached);
    reached
}

impl Column {
    fn new(drawing: &Drawing, picture: &Picture) -> Column {
        let order = order(picture);
        let mut number = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &place)| number[place] = at);
        let mut blocks: Vec<Block> = order.iter().map(|&place| block(drawing, picture, place)).collect();
        for arrow in &picture.arrows {
            let [from, to] = [arrow.from, arrow.to].map(|vertex| number[place(picture, vertex)]);
            let mut text = says(drawing, picture, arrow);
            // What a statement says once is enough.
            if blocks[from].lines[..blocks[from].own].iter().any(|own| own.ends_with(&text)) {
                text.clear();
            }
            let line = (!text.is_empty()).then_some(blocks[from].lines.len());
            blocks[from].lines.extend((!text.is_empty()).then_some(text));
            blocks[from].arrows.push(Exit { line, to });
        }
        let mut top = LINE + GAP;
        for block in &mut blocks {
            block.top = top;
            top += block.height() + GAP;
        }
        let letters = |block: &Block| block.lines.iter().map(|line| line.chars().count() + 2).max();
        let longest = blocks.iter().filter_map(letters).chain([picture.title.chars().count(), 8]).max().unwrap_or(8);
        // A letter is 7.25 pixels wide, or a little less.
        let right = longest * 29 / 4 + 16;
        let mut body = String::new();
        let _ = writeln!(body, "<text class=\"title\" x=\"0\" y=\"{}\">{}</text>", LINE - 4, escaped(&picture.title));
        blocks.iter().for_each(|block| write_block(&mut body, block, right));
        let lanes = write_arrows(&mut body, &blocks, right);
        Column { width: right + (lanes + 2) * LANE, height: top, body }
    }
}

/// What an arrow says. Arrows to many procedures are hard to follow: those of calls say to which.
fn says(drawing: &Drawing, picture: &Picture, arrow: &Arrow) -> String {
    let said = picture.says(arrow);
    let Some(callee) = picture.nodes.get(place(picture, arrow.to)).filter(|_| drawing.subject == Subject::Calls) else {
        return said;
    };
    let name = callee.label.trim_end_matches(" ↻");
    if said.is_empty() { format!("→ {name}") } else { format!("→ {name}: {said}") }
}

fn block(drawing: &Drawing, picture: &Picture, place: usize) -> Block {
    let (class, is_dead, position, lines) = match picture.nodes.get(place) {
        Some(shown) => {
            let is_start =
                drawing.starts.iter().any(|(procedure, node)| (*procedure, node.index()) == (picture.id, place));
            let (class, sign) = match shown.shape {
                Shape::Plain => ("node", ""),
                Shape::Entry => ("entry", "▸ "),
                Shape::Exit => ("exit", "◂ "),
                Shape::Environment => ("env", "◇ "),
                Shape::Failure => ("failure", "✗ "),
            };
            let [start, dead] = [(is_start, "● "), (shown.is_dead, "∅ ")].map(|(is, sign)| if is { sign } else { "" });
            let lines = format!("{start}{sign}{dead}{}", shown.label).lines().map(str::to_owned).collect();
            (class, shown.is_dead, shown.position.clone(), lines)
        }
        None => {
            let shown = &picture.boxes[place - picture.nodes.len()];
            let dead = if shown.is_dead { "∅ " } else { "" };
            ("box", shown.is_dead, shown.position.clone(), vec![format!("{dead}{}", shown.text)])
        }
    };
    let lines: Vec<String> = if lines.is_empty() { vec![String::new()] } else { lines };
    Block { class, is_dead, position, own: lines.len(), lines, arrows: Vec::new(), top: 0 }
}

fn write_block(out: &mut String, block: &Block, right: usize) {
    let position = block.position.as_ref().map_or(String::new(), |at| format!(" data-at=\"{}\"", escaped(at)));
    let dead = if block.is_dead { " dead" } else { "" };
    let _ = writeln!(
        out,
        "<g class=\"{}{dead}\"{position}><rect x=\"0\" y=\"{}\" width=\"{right}\" height=\"{}\" rx=\"5\"/>",
        block.class,
        block.top,
        block.height()
    );
    for (number, line) in block.lines.iter().enumerate() {
        let (class, indent) = if number < block.own { ("", 6) } else { (" class=\"edge\"", 6 + INDENT) };
        let baseline = block.top + number * LINE + LINE - 2;
        let _ = writeln!(out, "<text{class} x=\"{indent}\" y=\"{baseline}\">{}</text>", escaped(line));
    }
    out.push_str("</g>\n");
}

/// Writes the arrows; how many lanes there are.
fn write_arrows(out: &mut String, blocks: &[Block], right: usize) -> usize {
    // Those that go through a lane: from which height to which.
    let mut long: Vec<(usize, usize)> = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for exit in &block.arrows {
            let is_last = exit.line.is_none_or(|line| line + 1 == block.lines.len());
            if exit.to == number + 1 && is_last {
                let (x, y) = (INDENT / 2, block.top + block.height());
                let _ = writeln!(out, "<path d=\"M{x} {y}v{}\"/>", GAP - 5);
                let _ = writeln!(out, "<path class=\"head\" d=\"M{x} {}l-4 -6h8z\"/>", y + GAP);
                continue;
            }
            let begin = exit.line.map_or(block.middle() + 5, |line| block.top + 3 + line * LINE + LINE / 2 + 3);
            long.push((begin, blocks[exit.to].middle() - 2));
        }
    }
    long.sort_unstable_by_key(|&(begin, end)| (begin.min(end), begin.max(end)));
    long.dedup();
    let mut free: BTreeSet<usize> = BTreeSet::new();
    let mut taken: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut lanes = 0;
    for (begin, end) in long {
        while let Some(&Reverse((until, lane))) = taken.peek()
            && until < begin.min(end)
        {
            taken.pop();
            free.insert(lane);
        }
        let lane = free.pop_first().unwrap_or_else(|| {
            lanes += 1;
            lanes - 1
        });
        taken.push(Reverse((begin.max(end), lane)));
        let x = right + (lane + 1) * LANE;
        let class = if end < begin { " class=\"back\"" } else { "" };
        let _ = writeln!(out, "<path{class} d=\"M{right} {begin}H{x}V{end}H{}\"/>", right + 5);
        let _ = writeln!(out, "<path class=\"head\" d=\"M{right} {end}l6 -4v8z\"/>");
    }
    lanes
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
