//! Writes expressions with the fewest parentheses that read back as the same expression. Works from
//! the postfix form with an explicit stack.

use super::expr::{Expr, Exprs, Op, Owner, Var};

/// What is still to be written.
enum Task {
    Node(usize),
    Text(&'static str),
}

/// Writes an expression; `name` gives the text of a variable.
pub fn write_expr<'n>(out: &mut String, exprs: &Exprs, expr: Expr, name: impl Fn(Var) -> &'n str) {
    let ops = exprs.ops(expr);
    let operands = operands(ops);
    let mut tasks = vec![Task::Node(ops.len() - 1)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(text) => out.push_str(text),
            Task::Node(at) => write_node(out, ops, &operands, at, &name, &mut tasks),
        }
    }
}

fn write_node<'n>(
    out: &mut String,
    ops: &[Op],
    operands: &[[usize; 2]],
    at: usize,
    name: &impl Fn(Var) -> &'n str,
    tasks: &mut Vec<Task>,
) {
    let [left, right] = operands[at];
    match ops[at] {
        Op::Const(value) => out.push(if value { '1' } else { '0' }),
        Op::Choice(Owner::System) => out.push('*'),
        Op::Choice(Owner::Environment) => out.push_str("env"),
        Op::Var(var) => out.push_str(name(var)),
        Op::Next(var) => {
            out.push('\'');
            out.push_str(name(var));
        }
        Op::Not => {
            out.push('!');
            push_operand(tasks, left, matches!(ops[left], Op::Binary(_)));
        }
        Op::Choose => {
            out.push_str("schoose[");
            tasks.extend([Task::Text("]"), Task::Node(right), Task::Text(", "), Task::Node(left)]);
        }
        Op::Binary(op) => {
            let nested = |child: usize, same_side: bool| match ops[child] {
                Op::Binary(inner) => {
                    inner.strength() < op.strength() || (inner.strength() == op.strength() && !same_side)
                }
                _ => false,
            };
            push_operand(tasks, right, nested(right, op.right_associative()));
            tasks.extend([Task::Text(" "), Task::Text(op.sign()), Task::Text(" ")]);
            push_operand(tasks, left, nested(left, !op.right_associative()));
        }
    }
}

/// Tasks are taken from the end, so the closing parenthesis is pushed first.
fn push_operand(tasks: &mut Vec<Task>, at: usize, parenthesised: bool) {
    if parenthesised {
        tasks.extend([Task::Text(")"), Task::Node(at), Task::Text("(")]);
    } else {
        tasks.push(Task::Node(at));
    }
}

/// For each operator the places of its operands (the left one twice where there is only one).
fn operands(ops: &[Op]) -> Vec<[usize; 2]> {
    let mut stack = Vec::new();
    let mut operands = Vec::with_capacity(ops.len());
    for (at, op) in ops.iter().enumerate() {
        let right = if op.arity() >= 1 { stack.pop().unwrap_or(0) } else { 0 };
        let left = if op.arity() == 2 { stack.pop().unwrap_or(0) } else { right };
        operands.push([left, right]);
        stack.push(at);
    }
    operands
}
