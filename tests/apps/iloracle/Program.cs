// Method bodies as the .NET libraries read them: the independent decoder that `cilbody` is compared with.
//
//   iloracle LIST OUT    the bodies of the assemblies that LIST names
//   iloracle LIST OUT N  of these, the whole listing of the method with token N (hexadecimal)
//
// Headers and exception handling are read by System.Reflection.Metadata, instructions by the table in
// System.Reflection.Emit.OpCodes. OUT has `= PATH` for each assembly, and for each method body a line
// `TOKEN MAXSTACK INIT LOCALS SIZE HASH REGIONS`: the hash (FNV-1a, 64 bits) is of the listing, with a line for each
// instruction, and a region is `KIND:TRYSTART+LENGTH:HANDLERSTART+LENGTH:TOKEN or FILTER`.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

internal static class Program
{
    private static int Main(string[] args)
    {
        if (args.Length is not (2 or 3))
        {
            Console.Error.WriteLine("usage: iloracle LIST OUT [TOKEN]");
            return 2;
        }
        int? only = args.Length == 3 ? int.Parse(args[2], NumberStyles.HexNumber) : null;
        using var output = new StreamWriter(args[1], false, new UTF8Encoding(false), 1 << 16) { NewLine = "\n" };
        foreach (string path in File.ReadAllLines(args[0]))
        {
            using var pe = new PEReader(File.OpenRead(path));
            MetadataReader metadata = pe.GetMetadataReader(MetadataReaderOptions.None);
            output.WriteLine($"= {path}");
            foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions)
            {
                MethodDefinition method = metadata.GetMethodDefinition(handle);
                bool isIl = (method.ImplAttributes & MethodImplAttributes.CodeTypeMask) == MethodImplAttributes.IL;
                if (method.RelativeVirtualAddress == 0 || !isIl)
                    continue;
                int token = metadata.GetToken(handle);
                MethodBodyBlock body = pe.GetMethodBody(method.RelativeVirtualAddress);
                if (only is null)
                    output.WriteLine(Line(token, body));
                else if (only == token)
                    output.Write(Listing.Of(body.GetILBytes()!));
            }
        }
        return 0;
    }

    private static string Line(int token, MethodBodyBlock body)
    {
        byte[] il = body.GetILBytes()!;
        int locals = body.LocalSignature.IsNil ? 0 : MetadataTokens.GetToken(body.LocalSignature);
        var line = new StringBuilder();
        line.Append($"{token:X8} {body.MaxStack} {(body.LocalVariablesInitialized ? 1 : 0)} {locals:X8} {il.Length} ");
        line.Append($"{Hash(Listing.Of(il)):X16}");
        foreach (ExceptionRegion region in body.ExceptionRegions)
        {
            (string kind, int last) = region.Kind switch
            {
                ExceptionRegionKind.Catch => ("catch", MetadataTokens.GetToken(region.CatchType)),
                ExceptionRegionKind.Filter => ("filter", region.FilterOffset),
                ExceptionRegionKind.Finally => ("finally", 0),
                _ => ("fault", 0),
            };
            line.Append($" {kind}:{region.TryOffset}+{region.TryLength}:{region.HandlerOffset}+{region.HandlerLength}:{last:X}");
        }
        return line.ToString();
    }

    private static ulong Hash(string text)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (char c in text) // ASCII only
            hash = unchecked((hash ^ c) * 0x100000001B3);
        return hash;
    }
}

/// <summary>Code as text, a line for each instruction.</summary>
internal static class Listing
{
    private static readonly Dictionary<int, OpCode> OpCodes = ReadOpCodes();

    private static Dictionary<int, OpCode> ReadOpCodes()
    {
        var opcodes = new Dictionary<int, OpCode>();
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var opcode = (OpCode)field.GetValue(null)!;
            if (opcode.OpCodeType != OpCodeType.Nternal)
                opcodes.Add((ushort)opcode.Value, opcode);
        }
        return opcodes;
    }

    public static string Of(byte[] il)
    {
        var text = new StringBuilder(il.Length * 12);
        using var reader = new BinaryReader(new MemoryStream(il));
        while (reader.BaseStream.Position < il.Length)
        {
            long offset = reader.BaseStream.Position;
            int value = reader.ReadByte();
            if (value == 0xFE)
                value = value << 8 | reader.ReadByte();
            OpCode opcode = OpCodes[value];
            text.Append(CultureInfo.InvariantCulture, $"{offset} {opcode.Name}{Operand(opcode, reader)}\n");
        }
        return text.ToString();
    }

    private static string Operand(OpCode opcode, BinaryReader reader)
    {
        switch (opcode.OperandType)
        {
            case OperandType.InlineNone:
                return "";
            case OperandType.ShortInlineI:
                return opcode.Value == System.Reflection.Emit.OpCodes.Unaligned.Value
                    ? $" {reader.ReadByte()}"
                    : $" {reader.ReadSByte()}";
            case OperandType.InlineI:
                return $" {reader.ReadInt32()}";
            case OperandType.InlineI8:
                return $" {reader.ReadInt64()}";
            case OperandType.ShortInlineR:
                return $" {reader.ReadUInt32():X}";
            case OperandType.InlineR:
                return $" {reader.ReadUInt64():X}";
            case OperandType.ShortInlineVar:
                return $" {reader.ReadByte()}";
            case OperandType.InlineVar:
                return $" {reader.ReadUInt16()}";
            case OperandType.ShortInlineBrTarget:
                sbyte near = reader.ReadSByte();
                return $" >{reader.BaseStream.Position + near}";
            case OperandType.InlineBrTarget:
                int far = reader.ReadInt32();
                return $" >{reader.BaseStream.Position + far}";
            case OperandType.InlineSwitch:
                var distances = new int[reader.ReadInt32()];
                for (int i = 0; i < distances.Length; i++)
                    distances[i] = reader.ReadInt32();
                long end = reader.BaseStream.Position;
                var targets = new StringBuilder();
                foreach (int distance in distances)
                    targets.Append(" >").Append(end + distance);
                return targets.ToString();
            default: // tokens
                return $" {reader.ReadUInt32():X8}";
        }
    }
}
