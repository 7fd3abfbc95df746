/*
 * CIL opcodes: the enumeration, and the names that describe an opcode in cilopcode_list.h.
 *
 * Written for this project from the facts of the format; see README.md.
 */
#ifndef CORPROF_CILOPCODE_H
#define CORPROF_CILOPCODE_H

#include "corprof_base.h"

CORPROF_BEGIN_DECLS

/** Position of an opcode in the table, in the order of cilopcode_list.h. Not its encoding. */
typedef enum OPCODE {
#define CIL_OPCODE(id, name, length, byte1, byte2, pop, push, operand, kind, flow) id,
#include "cilopcode_list.h"
#undef CIL_OPCODE
    /** The number of opcodes. */
    CEE_COUNT
} OPCODE;

/** What follows the opcode bytes in the method body. */
typedef enum CilOperand {
    CIL_OPERAND_InlineNone          = 0,
    CIL_OPERAND_ShortInlineVar      = 1,
    CIL_OPERAND_InlineVar           = 2,
    CIL_OPERAND_ShortInlineI        = 3,
    CIL_OPERAND_InlineI             = 4,
    CIL_OPERAND_InlineI8            = 5,
    CIL_OPERAND_ShortInlineR        = 6,
    CIL_OPERAND_InlineR             = 7,
    CIL_OPERAND_ShortInlineBrTarget = 8,
    CIL_OPERAND_InlineBrTarget      = 9,
    CIL_OPERAND_InlineSwitch        = 10,
    CIL_OPERAND_InlineMethod        = 11,
    CIL_OPERAND_InlineField         = 12,
    CIL_OPERAND_InlineType          = 13,
    CIL_OPERAND_InlineString        = 14,
    CIL_OPERAND_InlineSig           = 15,
    CIL_OPERAND_InlineTok           = 16
} CilOperand;

/** What sort of instruction an opcode is. */
typedef enum CilKind {
    CIL_KIND_IPrimitive = 0,
    CIL_KIND_IMacro     = 1,
    CIL_KIND_IObjModel  = 2,
    CIL_KIND_IInternal  = 3,
    CIL_KIND_IPrefix    = 4
} CilKind;

/** Where control goes after an instruction. */
typedef enum CilFlow {
    CIL_FLOW_NEXT        = 0,
    CIL_FLOW_BREAK       = 1,
    CIL_FLOW_CALL        = 2,
    CIL_FLOW_RETURN      = 3,
    CIL_FLOW_BRANCH      = 4,
    CIL_FLOW_COND_BRANCH = 5,
    CIL_FLOW_THROW       = 6,
    CIL_FLOW_META        = 7
} CilFlow;

/** One item popped from or pushed on the evaluation stack: any type, a size of number, a reference,
 *  or (`Var`) a number of items that depends on the operand. */
typedef enum CilStack {
    CIL_STACK_1   = 0,
    CIL_STACK_I   = 1,
    CIL_STACK_I8  = 2,
    CIL_STACK_R4  = 3,
    CIL_STACK_R8  = 4,
    CIL_STACK_Ref = 5,
    CIL_STACK_Var = 6
} CilStack;

CORPROF_END_DECLS

#endif /* CORPROF_CILOPCODE_H */
