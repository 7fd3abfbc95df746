// Portable PDBs as System.Reflection.Metadata reads them: the independent reader that `clrnames` is held against.
//
//   pdboracle LIST OUT    the PDBs that LIST names: `.pdb` files, or assemblies with an embedded PDB
//
// OUT has `= PATH` for each file, then lines by subject: `id`, `document`, `points`, `scope`, `variable`, `constant`,
// `kickoff`, `custom`, `async`. Tokens and offsets are hexadecimal, blobs and GUIDs are bytes.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

internal static class Program
{
    private static readonly Guid AsyncStepping = new("54FD2AC5-E925-401A-9C2A-F94F171072F8");

    private static int Main(string[] args)
    {
        if (args.Length != 2)
        {
            Console.Error.WriteLine("usage: pdboracle LIST OUT");
            return 2;
        }
        using var output = new StreamWriter(args[1], false, new UTF8Encoding(false), 1 << 16) { NewLine = "\n" };
        foreach (string path in File.ReadAllLines(args[0]))
        {
            output.WriteLine($"= {path}");
            using FileStream file = File.OpenRead(path);
            if (path.EndsWith(".pdb", StringComparison.Ordinal))
            {
                using var provider = MetadataReaderProvider.FromPortablePdbStream(file);
                Write(provider.GetMetadataReader(), output);
                continue;
            }
            using var pe = new PEReader(file);
            foreach (DebugDirectoryEntry entry in pe.ReadDebugDirectory())
            {
                if (entry.Type != DebugDirectoryEntryType.EmbeddedPortablePdb)
                    continue;
                using MetadataReaderProvider provider = pe.ReadEmbeddedPortablePdbDebugDirectoryData(entry);
                Write(provider.GetMetadataReader(), output);
            }
        }
        return 0;
    }

    private static void Write(MetadataReader pdb, TextWriter output)
    {
        output.WriteLine($"id {Convert.ToHexString(pdb.DebugMetadataHeader!.Id.AsSpan())}");
        foreach (DocumentHandle handle in pdb.Documents)
        {
            Document document = pdb.GetDocument(handle);
            string algorithm = Bytes(pdb, document.HashAlgorithm), language = Bytes(pdb, document.Language);
            string hash = Bytes(pdb, document.Hash);
            output.WriteLine($"document {algorithm} [{hash}] {language} {pdb.GetString(document.Name)}");
        }
        foreach (MethodDebugInformationHandle handle in pdb.MethodDebugInformation)
        {
            int token = MetadataTokens.GetToken(handle.ToDefinitionHandle());
            MethodDebugInformation method = pdb.GetMethodDebugInformation(handle);
            Points(token, method, output);
            foreach (LocalScopeHandle scope in pdb.GetLocalScopes(handle))
                Scope(token, pdb, pdb.GetLocalScope(scope), output);
            MethodDefinitionHandle kickoff = method.GetStateMachineKickoffMethod();
            if (!kickoff.IsNil)
                output.WriteLine($"kickoff {token:X} {MetadataTokens.GetToken(kickoff):X}");
        }
        foreach (CustomDebugInformationHandle handle in pdb.CustomDebugInformation)
        {
            CustomDebugInformation custom = pdb.GetCustomDebugInformation(handle);
            int parent = MetadataTokens.GetToken(custom.Parent);
            output.WriteLine($"custom {parent:X} {Bytes(pdb, custom.Kind)} {Bytes(pdb, custom.Value)}");
            if (pdb.GetGuid(custom.Kind) == AsyncStepping)
                Async(parent, pdb.GetBlobReader(custom.Value), output);
        }
    }

    private static void Points(int token, MethodDebugInformation method, TextWriter output)
    {
        SequencePoint[] points = method.GetSequencePoints().ToArray();
        int locals = method.LocalSignature.IsNil ? 0 : MetadataTokens.GetToken(method.LocalSignature);
        var line = new StringBuilder($"points {token:X} {locals:X}");
        foreach (SequencePoint point in points)
        {
            line.Append($" {point.Offset:X}:{MetadataTokens.GetRowNumber(point.Document)}:");
            line.Append(point.IsHidden
                ? "hidden"
                : $"{point.StartLine},{point.StartColumn}-{point.EndLine},{point.EndColumn}");
        }
        output.WriteLine(line);
    }

    private static void Scope(int token, MetadataReader pdb, LocalScope scope, TextWriter output)
    {
        output.WriteLine($"scope {token:X} {scope.StartOffset:X} {scope.Length:X}");
        foreach (LocalVariableHandle handle in scope.GetLocalVariables())
        {
            LocalVariable variable = pdb.GetLocalVariable(handle);
            bool isHidden = (variable.Attributes & LocalVariableAttributes.DebuggerHidden) != 0;
            output.WriteLine($"variable {variable.Index} {(isHidden ? 1 : 0)} {pdb.GetString(variable.Name)}");
        }
        foreach (LocalConstantHandle handle in scope.GetLocalConstants())
        {
            LocalConstant constant = pdb.GetLocalConstant(handle);
            output.WriteLine($"constant {Bytes(pdb, constant.Signature)} {pdb.GetString(constant.Name)}");
        }
    }

    private static void Async(int token, BlobReader reader, TextWriter output)
    {
        var line = new StringBuilder($"async {token:X} {reader.ReadUInt32():X}");
        while (reader.RemainingBytes > 0)
        {
            line.Append($" {reader.ReadUInt32():X}>{reader.ReadUInt32():X}");
            line.Append($"@{0x06000000 | reader.ReadCompressedInteger():X}");
        }
        output.WriteLine(line);
    }

    private static string Bytes(MetadataReader pdb, BlobHandle blob) => Convert.ToHexString(pdb.GetBlobBytes(blob));

    private static string Bytes(MetadataReader pdb, GuidHandle guid) =>
        Convert.ToHexString(guid.IsNil ? new byte[16] : pdb.GetGuid(guid).ToByteArray());
}
