//! Makes a failing program small.
//!
//! Greedy: an edit that leaves a program that parses and still fails is kept, any other is undone;
//! the passes are repeated until none helps. Edits of lines work on the printed form, one statement
//! a line; edits of expressions work on the syntax tree. Every edit makes the program smaller in
//! lines, operators, variables in expressions, or names in lists, so that the end is reached.

use super::try_parse;
use epitome::syntax::bp::{Kind, Program, print};
use epitome::syntax::{Expr, Op};

/// The `k`-th edit of a kind: `None` when there is no such edit, `Some(None)` when it does not apply.
type Edit = fn(&str, usize) -> Option<Option<String>>;

const EDITS: [Edit; 11] = [
    remove_half,
    remove_procedure,
    remove_block,
    remove_line,
    unwrap_block,
    remove_label,
    remove_item,
    simplify_expression,
    remove_initial_value,
    remove_parameter,
    remove_result,
];

/// The smallest program found that still fails; `fails` is asked only about programs that parse. A
/// text that does not fail is given back as it is.
pub fn shrink(text: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut accepts = |candidate: &str, best: &str| {
        let printed = print(&try_parse(candidate).ok()?);
        (printed != best && fails(&printed)).then_some(printed)
    };
    let Some(mut best) = accepts(text, "") else { return text.to_owned() };
    loop {
        let before = best.clone();
        for edit in EDITS {
            let mut k = 0;
            while let Some(candidate) = edit(&best, k) {
                match candidate.and_then(|text| accepts(&text, &best)) {
                    Some(smaller) => best = smaller,
                    None => k += 1,
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The text without the lines for which `gone` holds.
fn without(lines: &[&str], gone: impl Fn(usize) -> bool) -> String {
    let kept = lines.iter().enumerate().filter(|(index, _)| !gone(*index));
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

/// Runs of 32, 16, … 2 lines.
fn remove_half(text: &str, k: usize) -> Option<Option<String>> {
    let lines = lines(text);
    let mut k = k;
    for size in [32, 16, 8, 4, 2] {
        let runs = lines.len().div_ceil(size);
        if k < runs {
            return Some(Some(without(&lines, |index| index / size == k)));
        }
        k -= runs;
    }
    None
}

/// A procedure with all calls of it.
fn remove_procedure(text: &str, k: usize) -> Option<Option<String>> {
    let lines = lines(text);
    let start = (0..lines.len()).filter(|&index| is_head(lines[index])).nth(k)?;
    let length = lines[start..].iter().position(|line| *line == "end")?;
    let name = lines[start].split('(').next()?.split(' ').next_back()?;
    let calls = |line: &str| line.ends_with(';') && find_call(line, name).is_some();
    Some(Some(without(&lines, |index| (start..=start + length).contains(&index) || calls(lines[index]))))
}

fn is_head(line: &str) -> bool {
    line.ends_with(" begin")
}

/// Where the arguments of a call of `name` begin, if the line has one.
fn find_call(line: &str, name: &str) -> Option<usize> {
    let call = format!("{name}(");
    let at = line.find(&call)?;
    let whole = line[..at].chars().next_back().is_none_or(char::is_whitespace);
    whole.then_some(at + call.len())
}

/// The lines of the `k`-th block: `if … fi` or `while … od`, its words and everything between.
fn block(lines: &[&str], k: usize) -> Option<(usize, usize, Vec<usize>)> {
    let opens = |line: &str| line.ends_with(" do") || line.ends_with(" then") && !line.trim().starts_with("elsif ");
    let start = (0..lines.len()).filter(|&index| opens(lines[index])).nth(k)?;
    let (mut depth, mut words) = (0, Vec::new());
    for (index, &line) in lines.iter().enumerate().skip(start) {
        let word = line.trim();
        let closes = word == "fi" || word == "od";
        depth += usize::from(opens(line));
        if depth == 1 && (index == start || closes || word == "else" || word.starts_with("elsif ")) {
            words.push(index);
        }
        depth -= usize::from(closes);
        if depth == 0 {
            return Some((start, index, words));
        }
    }
    None
}

fn remove_block(text: &str, k: usize) -> Option<Option<String>> {
    let lines = lines(text);
    let (start, end, _) = block(&lines, k)?;
    Some(Some(without(&lines, |index| (start..=end).contains(&index))))
}

/// Leaves what is inside a block.
fn unwrap_block(text: &str, k: usize) -> Option<Option<String>> {
    let lines = lines(text);
    let (_, _, words) = block(&lines, k)?;
    Some(Some(without(&lines, |index| words.contains(&index))))
}

fn remove_line(text: &str, k: usize) -> Option<Option<String>> {
    let lines = lines(text);
    (k < lines.len()).then(|| Some(without(&lines, |index| index == k)))
}

fn remove_label(text: &str, k: usize) -> Option<Option<String>> {
    let mut program = try_parse(text).ok()?;
    let mut k = k;
    for procedure in &mut program.procedures {
        if k < procedure.labels.len() {
            let named = |kind: &Kind| matches!(kind, Kind::Goto(labels) if labels.contains(&(k as u32)));
            if procedure.body.iter().any(|statement| named(&statement.kind)) {
                return Some(None);
            }
            procedure.labels.remove(k);
            for statement in &mut procedure.body {
                if let Kind::Goto(labels) = &mut statement.kind {
                    labels.iter_mut().filter(|label| **label as usize > k).for_each(|label| *label -= 1);
                }
            }
            return Some(Some(print(&program)));
        }
        k -= procedure.labels.len();
    }
    None
}

/// One name of a list that has several: a label of `goto`, a variable of an assignment or of `dead`,
/// the condition of `constrain`, the targets of a call.
fn remove_item(text: &str, k: usize) -> Option<Option<String>> {
    let mut program = try_parse(text).ok()?;
    let mut k = k;
    for statement in program.procedures.iter_mut().flat_map(|procedure| &mut procedure.body) {
        let items = items(&statement.kind);
        if k < items {
            drop_item(&mut statement.kind, k);
            return Some(Some(print(&program)));
        }
        k -= items;
    }
    None
}

fn items(kind: &Kind) -> usize {
    let unless_single = |n: usize| if n > 1 { n } else { 0 };
    match kind {
        Kind::Goto(labels) => unless_single(labels.len()),
        Kind::Dead(variables) => unless_single(variables.len()),
        Kind::Assign { targets, constrain, .. } => unless_single(targets.len()) + usize::from(constrain.is_some()),
        Kind::Call { targets, .. } => usize::from(!targets.is_empty()),
        _ => 0,
    }
}

fn drop_item(kind: &mut Kind, k: usize) {
    match kind {
        Kind::Goto(labels) => drop_nth(labels, k),
        Kind::Dead(variables) => drop_nth(variables, k),
        Kind::Assign { targets, values, .. } if targets.len() > 1 && k < targets.len() => {
            drop_nth(targets, k);
            drop_nth(values, k);
        }
        Kind::Assign { constrain, .. } => *constrain = None,
        Kind::Call { targets, .. } => *targets = Box::default(),
        _ => {}
    }
}

fn drop_nth<T>(list: &mut Box<[T]>, k: usize) {
    let mut items = std::mem::take(list).into_vec();
    items.remove(k);
    *list = items.into();
}

/// An expression becomes 0, 1, or one of its operands.
fn simplify_expression(text: &str, k: usize) -> Option<Option<String>> {
    let mut program = try_parse(text).ok()?;
    let expr = **expressions(&mut program).get(k / 4)?;
    let ops = program.exprs.ops(expr).to_vec();
    let simpler = match (k % 4, ops.split_last()) {
        (_, None | Some((Op::Const(_), []))) => return Some(None),
        (0, _) => vec![Op::Const(false)],
        (1, _) => vec![Op::Const(true)],
        (_, Some((op, _))) if op.arity() == 0 => return Some(None),
        (2, Some((_, operands))) => operands[last_operand(operands)..].to_vec(),
        (_, Some((op, _))) if op.arity() == 1 => return Some(None),
        (_, Some((_, operands))) => operands[..last_operand(operands)].to_vec(),
    };
    let simpler = program.exprs.add(simpler);
    *expressions(&mut program)[k / 4] = simpler;
    Some(Some(print(&program)))
}

/// Where the last operand of a postfix list begins.
fn last_operand(ops: &[Op]) -> usize {
    let (mut at, mut missing) = (ops.len(), 1);
    while missing > 0 {
        at -= 1;
        missing = missing - 1 + ops[at].arity();
    }
    at
}

fn expressions(program: &mut Program) -> Vec<&mut Expr> {
    let mut all = Vec::new();
    for procedure in &mut program.procedures {
        all.extend(&mut procedure.enforce);
        for statement in &mut procedure.body {
            match &mut statement.kind {
                Kind::Print(values) | Kind::Return(values) => all.extend(values),
                Kind::Assign { values, constrain, .. } => all.extend(values.iter_mut().chain(constrain)),
                Kind::Call { arguments, .. } => all.extend(arguments),
                Kind::Assert(condition) | Kind::Assume(condition) => all.push(condition),
                Kind::If { condition, .. } | Kind::Elsif { condition, .. } | Kind::While { condition, .. } => {
                    all.push(condition);
                }
                _ => {}
            }
        }
    }
    all
}

/// `decl x := 0;` becomes `decl x;`.
fn remove_initial_value(text: &str, k: usize) -> Option<Option<String>> {
    let mut program = try_parse(text).ok()?;
    let globals = program.globals.iter_mut();
    let mut all = globals.chain(program.procedures.iter_mut().flat_map(|procedure| &mut procedure.locals));
    all.nth(k)?.initial = None;
    Some(Some(print(&program)))
}

/// A parameter becomes a local variable, and every call loses the argument.
fn remove_parameter(text: &str, k: usize) -> Option<Option<String>> {
    let mut program = try_parse(text).ok()?;
    let mut k = k;
    for index in 0..program.procedures.len() {
        let parameters = program.procedures[index].parameters;
        if k < parameters {
            drop_parameter(&mut program, index);
            return Some(Some(print(&program)));
        }
        k -= parameters;
    }
    None
}

/// Drops the last parameter: the numbers of all variables stay as they are.
fn drop_parameter(program: &mut Program, index: usize) {
    program.procedures[index].parameters -= 1;
    let parameter = program.procedures[index].parameters;
    for statement in program.procedures.iter_mut().flat_map(|procedure| &mut procedure.body) {
        match &mut statement.kind {
            Kind::Call { callee, arguments, .. } if *callee as usize == index => drop_nth(arguments, parameter),
            _ => {}
        }
    }
}

/// A procedure loses its last result, and every call the target.
fn remove_result(text: &str, k: usize) -> Option<Option<String>> {
    let mut program = try_parse(text).ok()?;
    let result = match program.procedures.get_mut(k)? {
        procedure if procedure.results == 0 => return Some(None),
        procedure => procedure.results - 1,
    };
    program.procedures[k].results = result;
    for (index, procedure) in program.procedures.iter_mut().enumerate() {
        for statement in &mut procedure.body {
            match &mut statement.kind {
                Kind::Return(values) if index == k => drop_nth(values, result),
                Kind::Call { callee, targets, .. } if *callee as usize == k && !targets.is_empty() => {
                    drop_nth(targets, result);
                }
                _ => {}
            }
        }
    }
    Some(Some(print(&program)))
}
