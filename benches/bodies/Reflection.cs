// Method bodies by System.Reflection.Metadata: the contender that is a program of its own.
//
//   Reflection ASSEMBLY
//
// It reads one line for each turn, `decode` or `encode`, and answers with the nanoseconds of one pass over all bodies, and how
// many of them it has not written as they were.

using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

internal static class Program
{
    /// <summary>The number of bytes of each opcode's operand; -1 for `switch`. The library has none of its own.</summary>
    private static readonly sbyte[] Sizes = OperandSizes();

    private static long sink;

    private static int Main(string[] args)
    {
        using var pe = new PEReader(ImmutableArray.Create(File.ReadAllBytes(args[0])));
        var addresses = new List<int>();
        MetadataReader metadata = pe.GetMetadataReader();
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions)
        {
            MethodDefinition method = metadata.GetMethodDefinition(handle);
            bool isIl = (method.ImplAttributes & MethodImplAttributes.CodeTypeMask) == MethodImplAttributes.IL;
            if (method.RelativeVirtualAddress != 0 && isIl)
                addresses.Add(method.RelativeVirtualAddress);
        }
        // As often as the runtime needs to compile it with optimisations.
        for (int i = 0; i < 40; i++)
            sink += Decode(pe, addresses) + Encode(pe, addresses);
        while (Console.ReadLine() is { } what)
        {
            long begin = Stopwatch.GetTimestamp();
            long failed = what == "encode" ? Encode(pe, addresses) : Decode(pe, addresses);
            TimeSpan elapsed = Stopwatch.GetElapsedTime(begin);
            Console.WriteLine($"{(long)elapsed.TotalNanoseconds} {failed}");
        }
        return sink == 1 ? 1 : 0;
    }

    private static long Decode(PEReader pe, List<int> addresses)
    {
        long sum = 0;
        foreach (int address in addresses)
        {
            MethodBodyBlock body = pe.GetMethodBody(address);
            BlobReader il = body.GetILReader();
            while (il.RemainingBytes > 0)
            {
                int opcode = ReadOpCode(ref il);
                sum += opcode;
                switch (Sizes[opcode])
                {
                    case 0: break;
                    case 1: sum += il.ReadByte(); break;
                    case 2: sum += il.ReadUInt16(); break;
                    case 4: sum += il.ReadInt32(); break;
                    case 8: sum += il.ReadInt64(); break;
                    default:
                        for (int count = il.ReadInt32(); count > 0; count--)
                            sum += il.ReadInt32();
                        break;
                }
            }
            foreach (ExceptionRegion region in body.ExceptionRegions)
                sum += region.HandlerOffset;
        }
        sink += sum;
        return 0;
    }

    /// <summary>Writes each body to a stream of its own, and compares the bytes of the code and the length of the rest.</summary>
    private static long Encode(PEReader pe, List<int> addresses)
    {
        long failed = 0;
        var stream = new BlobBuilder();
        var code = new BlobBuilder();
        foreach (int address in addresses)
        {
            MethodBodyBlock body = pe.GetMethodBody(address);
            code.Clear();
            stream.Clear();
            var encoder = new InstructionEncoder(code);
            BlobReader il = body.GetILReader();
            while (il.RemainingBytes > 0)
            {
                int opcode = ReadOpCode(ref il);
                encoder.OpCode((ILOpCode)(opcode < 0x100 ? opcode : 0xFE00 | opcode - 0x100));
                switch (Sizes[opcode])
                {
                    case 0: break;
                    case 1: code.WriteByte(il.ReadByte()); break;
                    case 2: code.WriteUInt16(il.ReadUInt16()); break;
                    case 4: code.WriteInt32(il.ReadInt32()); break;
                    case 8: code.WriteInt64(il.ReadInt64()); break;
                    default:
                        int count = il.ReadInt32();
                        code.WriteInt32(count);
                        for (; count > 0; count--)
                            code.WriteInt32(il.ReadInt32());
                        break;
                }
            }
            ImmutableArray<ExceptionRegion> regions = body.ExceptionRegions;
            bool isSmall = ExceptionRegionEncoder.IsSmallRegionCount(regions.Length);
            foreach (ExceptionRegion region in regions)
            {
                isSmall &= ExceptionRegionEncoder.IsSmallExceptionRegion(region.TryOffset, region.TryLength)
                    && ExceptionRegionEncoder.IsSmallExceptionRegion(region.HandlerOffset, region.HandlerLength);
            }
            MethodBodyAttributes attributes = body.LocalVariablesInitialized ? MethodBodyAttributes.InitLocals : 0;
            MethodBodyStreamEncoder.MethodBody written = new MethodBodyStreamEncoder(stream).AddMethodBody(
                code.Count, body.MaxStack, regions.Length, isSmall, body.LocalSignature, attributes);
            new BlobWriter(written.Instructions).WriteBytes(code);
            ExceptionRegionEncoder clauses = written.ExceptionRegions;
            foreach (ExceptionRegion region in regions)
            {
                clauses.Add(region.Kind, region.TryOffset, region.TryLength, region.HandlerOffset, region.HandlerLength,
                    region.CatchType, region.FilterOffset);
            }
            if (stream.Count != body.Size)
                failed++;
        }
        return failed;
    }

    private static int ReadOpCode(ref BlobReader il)
    {
        int first = il.ReadByte();
        return first == 0xFE ? 0x100 | il.ReadByte() : first;
    }

    private static sbyte[] OperandSizes()
    {
        var sizes = new sbyte[0x200];
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var opcode = (OpCode)field.GetValue(null)!;
            int value = (ushort)opcode.Value;
            if (opcode.OpCodeType == OpCodeType.Nternal)
                continue;
            sizes[value < 0x100 ? value : 0x100 | value & 0xFF] = opcode.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => -1,
                _ => 4,
            };
        }
        return sizes;
    }
}
