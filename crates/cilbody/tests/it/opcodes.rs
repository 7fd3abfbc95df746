//! The opcode table against the runtime's own.

use cilbody::{Flow, Opcode, OperandKind, StackItem};
use serde_json::Value;

/// The runtime's table.
fn facts() -> Vec<Value> {
    serde_json::from_str(include_str!("../../facts/opcodes.json")).unwrap()
}

fn stack(text: &str) -> Vec<StackItem> {
    let item = |item: &str| match item {
        "VarPop" | "VarPush" => Some(StackItem::Var),
        item => match item.trim_start_matches("Pop").trim_start_matches("Push") {
            "0" => None,
            "1" => Some(StackItem::Any),
            "I" => Some(StackItem::I),
            "I8" => Some(StackItem::I8),
            "R4" => Some(StackItem::R4),
            "R8" => Some(StackItem::R8),
            "Ref" => Some(StackItem::Ref),
            other => panic!("{other}"),
        },
    };
    text.split('+').filter_map(item).collect()
}

fn operand(name: &str, text: &str) -> OperandKind {
    match text {
        "InlineNone" => OperandKind::None,
        // The same size, but read as unsigned.
        "ShortInlineI" if name == "unaligned." => OperandKind::U1,
        "ShortInlineI" => OperandKind::I1,
        "InlineI" => OperandKind::I4,
        "InlineI8" => OperandKind::I8,
        "ShortInlineR" => OperandKind::R4,
        "InlineR" => OperandKind::R8,
        "ShortInlineVar" => OperandKind::ShortVariable,
        "InlineVar" => OperandKind::Variable,
        "ShortInlineBrTarget" => OperandKind::ShortTarget,
        "InlineBrTarget" => OperandKind::Target,
        "InlineSwitch" => OperandKind::Switch,
        "InlineMethod" => OperandKind::Method,
        "InlineField" => OperandKind::Field,
        "InlineType" => OperandKind::Type,
        "InlineTok" => OperandKind::Token,
        "InlineSig" => OperandKind::Signature,
        "InlineString" => OperandKind::String,
        other => panic!("{other}"),
    }
}

fn flow(text: &str) -> Flow {
    match text {
        "NEXT" => Flow::Next,
        "BREAK" => Flow::Break,
        "CALL" => Flow::Call,
        "RETURN" => Flow::Return,
        "BRANCH" => Flow::Branch,
        "COND_BRANCH" => Flow::Conditional,
        "THROW" => Flow::Throw,
        "META" => Flow::Prefix,
        other => panic!("{other}"),
    }
}

#[test]
fn every_opcode_is_as_the_runtime_has_it() {
    let mut compared = 0;
    for fact in facts() {
        let text = |field: &str| fact[field].as_str().unwrap_or_default();
        let byte = |field: &str| u16::from_str_radix(text(field).trim_start_matches("0x"), 16).unwrap();
        let opcode = match text("length") {
            "1" => Opcode(byte("byte2")),
            "2" => Opcode(byte("byte1") << 8 | byte("byte2")),
            _ => continue,
        };
        let name = text("name");
        // Gaps between opcodes, and bytes that tools give a meaning.
        if name == "unused" || text("kind") == "IInternal" {
            // `no.` has been specified (III.2.2), and the runtime refuses it.
            assert_eq!(opcode.info().map(|info| info.name), (opcode == Opcode::NO).then_some("no."));
            continue;
        }
        let info = opcode.info().unwrap_or_else(|| panic!("{name} is not there"));
        assert_eq!((info.opcode, info.name), (opcode, name));
        assert_eq!(info.pops, stack(text("pop")), "{name}");
        assert_eq!(info.pushes, stack(text("push")), "{name}");
        assert_eq!(info.operand, operand(name, text("operand")), "{name}");
        assert_eq!(info.flow, flow(text("flow")), "{name}");
        assert_eq!(opcode.size().to_string(), text("length"), "{name}");
        assert_eq!(Opcode::from_name(name), Some(opcode));
        compared += 1;
    }
    assert_eq!(compared + 1, Opcode::all().len());
}

#[test]
fn branch_forms_are_each_others_counterpart() {
    for info in Opcode::all() {
        let (opcode, is_short) = (info.opcode, info.operand == OperandKind::ShortTarget);
        assert_eq!(opcode.is_short_branch(), is_short, "{opcode}");
        assert_eq!(opcode.is_long_branch(), info.operand == OperandKind::Target, "{opcode}");
        if is_short {
            let long = opcode.to_long_branch();
            assert_eq!(long.to_string(), info.name.trim_end_matches(".s"));
            assert_eq!(long.to_short_branch(), opcode);
        }
        assert_eq!(opcode.is_prefix(), info.flow == Flow::Prefix, "{opcode}");
    }
}
