// Method bodies by System.Reflection.Metadata: the contender that is a program of its own.
//
//   Reflection ASSEMBLY
//
// It reads one line for each turn, `decode` or `encode`, and answers with the nanoseconds of one pass over all bodies, how
// many of them it has not written as they were, and a sum of all that it has read or written.

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
    /// <summary>The operand of each opcode. The library has no table of its own.</summary>
    private static readonly Operand[] Operands = OperandKinds();

    private static int Main(string[] args)
    {
        byte[] file = File.ReadAllBytes(args[0]);
        using var pe = new PEReader(ImmutableArray.Create(file));
        var bodies = new List<Body>();
        MetadataReader metadata = pe.GetMetadataReader();
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions)
        {
            MethodDefinition method = metadata.GetMethodDefinition(handle);
            bool isIl = (method.ImplAttributes & MethodImplAttributes.CodeTypeMask) == MethodImplAttributes.IL;
            int address = method.RelativeVirtualAddress;
            if (address == 0 || !isIl)
                continue;
            SectionHeader section = pe.PEHeaders.SectionHeaders[pe.PEHeaders.GetContainingSectionIndex(address)];
            int offset = address - section.VirtualAddress + section.PointerToRawData;
            bodies.Add(new Body(pe.GetSectionData(address).GetReader(), offset));
        }
        // As often as the runtime needs to compile it with optimisations.
        for (int i = 0; i < 40; i++)
        {
            Decode(bodies, out _);
            Encode(bodies, file, out _);
        }
        while (Console.ReadLine() is { } what)
        {
            long begin = Stopwatch.GetTimestamp();
            ulong sum;
            int failed = what == "encode" ? Encode(bodies, file, out sum) : Decode(bodies, out sum);
            TimeSpan elapsed = Stopwatch.GetElapsedTime(begin);
            Console.WriteLine($"{(long)elapsed.TotalNanoseconds} {failed} {sum}");
        }
        return 0;
    }

    /// <summary>A reader at the start of a body, and the offset of the body in the file.</summary>
    private readonly record struct Body(BlobReader Reader, int Offset);

    /// <summary>
    /// Adds up the offset, the opcode and the operand of each instruction, and the fields of each clause. The targets of
    /// branches are IL offsets.
    /// </summary>
    private static int Decode(List<Body> bodies, out ulong result)
    {
        ulong sum = 0;
        foreach (Body source in bodies)
        {
            MethodBodyBlock body = MethodBodyBlock.Create(source.Reader);
            BlobReader il = body.GetILReader();
            while (il.RemainingBytes > 0)
            {
                sum += (ulong)il.Offset;
                int opcode = ReadOpCode(ref il);
                sum += (ulong)(opcode < 0x100 ? opcode : 0xFE00 | opcode - 0x100);
                switch (Operands[opcode])
                {
                    case Operand.None: break;
                    case Operand.Int8: sum += (ulong)il.ReadSByte(); break;
                    case Operand.UInt8: sum += il.ReadByte(); break;
                    case Operand.UInt16: sum += il.ReadUInt16(); break;
                    case Operand.Int32: sum += (ulong)il.ReadInt32(); break;
                    case Operand.UInt32: sum += il.ReadUInt32(); break;
                    case Operand.Int64: sum += il.ReadUInt64(); break;
                    case Operand.ShortTarget: sum += (ulong)(il.ReadSByte() + il.Offset); break;
                    case Operand.Target: sum += (ulong)(il.ReadInt32() + il.Offset); break;
                    case Operand.Switch:
                        int count = il.ReadInt32();
                        int end = il.Offset + 4 * count;
                        for (; count > 0; count--)
                            sum += (ulong)(il.ReadInt32() + end);
                        break;
                }
            }
            foreach (ExceptionRegion region in body.ExceptionRegions)
            {
                sum += (ulong)(region.TryOffset + region.TryLength + region.HandlerOffset + region.HandlerLength);
                sum += region.Kind switch
                {
                    ExceptionRegionKind.Catch => (ulong)MetadataTokens.GetToken(region.CatchType),
                    ExceptionRegionKind.Filter => (ulong)region.FilterOffset,
                    _ => 0,
                };
            }
        }
        result = sum;
        return 0;
    }

    /// <summary>
    /// Writes each body to a stream of its own, and compares its bytes with those in the file. Returns the number of
    /// bodies that differ; the result is the number of bytes of the others.
    /// </summary>
    private static int Encode(List<Body> bodies, byte[] file, out ulong result)
    {
        int failed = 0;
        ulong sum = 0;
        var stream = new BlobBuilder();
        var code = new BlobBuilder();
        foreach (Body source in bodies)
        {
            MethodBodyBlock body = MethodBodyBlock.Create(source.Reader);
            code.Clear();
            stream.Clear();
            var encoder = new InstructionEncoder(code);
            BlobReader il = body.GetILReader();
            while (il.RemainingBytes > 0)
            {
                int opcode = ReadOpCode(ref il);
                encoder.OpCode((ILOpCode)(opcode < 0x100 ? opcode : 0xFE00 | opcode - 0x100));
                switch (Operands[opcode])
                {
                    case Operand.None: break;
                    case Operand.Int8 or Operand.UInt8 or Operand.ShortTarget: code.WriteByte(il.ReadByte()); break;
                    case Operand.UInt16: code.WriteUInt16(il.ReadUInt16()); break;
                    case Operand.Int32 or Operand.UInt32 or Operand.Target: code.WriteInt32(il.ReadInt32()); break;
                    case Operand.Int64: code.WriteInt64(il.ReadInt64()); break;
                    case Operand.Switch:
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
            if (stream.Count == body.Size && IsEqual(stream, file.AsSpan(source.Offset, body.Size)))
                sum += (ulong)body.Size;
            else
                failed++;
        }
        result = sum;
        return failed;
    }

    private static bool IsEqual(BlobBuilder stream, ReadOnlySpan<byte> expected)
    {
        foreach (Blob blob in stream.GetBlobs())
        {
            ReadOnlySpan<byte> bytes = blob.GetBytes();
            if (!bytes.SequenceEqual(expected[..bytes.Length]))
                return false;
            expected = expected[bytes.Length..];
        }
        return expected.IsEmpty;
    }

    private static int ReadOpCode(ref BlobReader il)
    {
        int first = il.ReadByte();
        return first == 0xFE ? 0x100 | il.ReadByte() : first;
    }

    private static Operand[] OperandKinds()
    {
        var kinds = new Operand[0x200];
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var opcode = (OpCode)field.GetValue(null)!;
            int value = (ushort)opcode.Value;
            if (opcode.OpCodeType == OpCodeType.Nternal)
                continue;
            kinds[value < 0x100 ? value : 0x100 | value & 0xFF] = opcode.OperandType switch
            {
                OperandType.InlineNone => Operand.None,
                OperandType.ShortInlineI => Operand.Int8,
                OperandType.ShortInlineVar => Operand.UInt8,
                OperandType.InlineVar => Operand.UInt16,
                OperandType.InlineI => Operand.Int32,
                OperandType.InlineI8 or OperandType.InlineR => Operand.Int64,
                OperandType.ShortInlineBrTarget => Operand.ShortTarget,
                OperandType.InlineBrTarget => Operand.Target,
                OperandType.InlineSwitch => Operand.Switch,
                _ => Operand.UInt32,
            };
        }
        return kinds;
    }

    private enum Operand : byte
    {
        None,
        Int8,
        UInt8,
        UInt16,
        Int32,
        UInt32,
        Int64,
        ShortTarget,
        Target,
        Switch,
    }
}
