using System;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;
using System.Text;

[assembly: TypeForwardedTo(typeof(System.Text.StringBuilder))]

/// Assemblies, as System.Reflection.Metadata reads them.
internal static class Tables
{
    private static readonly string Literal = "a literal with \u00E9, \u4E2D and a \u0001";

    public static void Run()
    {
        string own = typeof(Tables).Assembly.Location;
        string core = typeof(object).Assembly.Location;
        string facade = Path.Combine(Path.GetDirectoryName(core), "System.Runtime.dll");
        foreach (string how in new[] { "module", "file", "memory" })
        {
            Compare(how, own, rows: true);
            Compare(how, core, rows: false);
            Compare(how, facade, rows: false);
        }
        GC.KeepAlive(Literal);
    }

    private static void Compare(string how, string path, bool rows)
    {
        Live.Ask("tables", how, path, rows ? "rows" : "manifest");
        using FileStream file = File.OpenRead(path);
        using PEReader image = new PEReader(file);
        MetadataReader reader = image.GetMetadataReader();
        Live.Says(how + ".mvid", reader.GetGuid(reader.GetModuleDefinition().Mvid).ToString("B").ToUpperInvariant());
        // A loaded module's tables are not read: others may edit them.
        bool opened = how != "module";
        if (opened)
        {
            Sizes(how, reader);
        }
        Manifest(how, reader);
        if (rows)
        {
            Rows(how, reader);
        }
        if (rows && opened)
        {
            Heaps(how, reader);
        }
    }

    private static unsafe void Sizes(string how, MetadataReader reader)
    {
        for (int table = 0; table < 45; table++)
        {
            Live.Says(how + ".rows." + table, reader.GetTableRowCount((TableIndex)table));
            Live.Says(how + ".rowsize." + table, reader.GetTableRowSize((TableIndex)table));
        }
        Live.Says(how + ".heap.strings", Words(reader.GetHeapSize(HeapIndex.String)));
        Live.Says(how + ".heap.blobs", Words(reader.GetHeapSize(HeapIndex.Blob)));
        Live.Says(how + ".heap.guids", reader.GetHeapSize(HeapIndex.Guid));
        Live.Says(how + ".heap.userstrings", Words(reader.GetHeapSize(HeapIndex.UserString)));
        Live.Says(how + ".storage", reader.MetadataLength);
        Live.Says(how + ".streams", Streams(reader.MetadataPointer));
        // ECMA-335 II.24.2.6, and two tokens whose tables the standard specifies.
        Live.Says(how + ".coded", "TypeDefOrRef [2, 1, 27]");
        Live.Says(how + ".tableof", "Some(10)");
        Live.Says(how + ".tableof.string", "None");
    }

    private static int Words(int bytes) => (bytes + 3) / 4 * 4;

    /// The headers of the streams (ECMA-335 II.24.2.1 and 2).
    private static unsafe string Streams(byte* metadata)
    {
        int at = 16 + *(int*)(metadata + 12);
        int count = *(short*)(metadata + at + 2);
        at += 4;
        StringBuilder text = new StringBuilder();
        for (int stream = 0; stream < count; stream++)
        {
            int size = *(int*)(metadata + at + 4);
            string name = new string((sbyte*)(metadata + at + 8));
            text.Append(stream == 0 ? "" : ", ").Append(name).Append(' ').Append(size);
            at += 8 + Words(name.Length + 1);
        }
        return text.ToString();
    }

    private static void Manifest(string how, MetadataReader reader)
    {
        foreach (AssemblyReferenceHandle handle in reader.AssemblyReferences)
        {
            AssemblyReference reference = reader.GetAssemblyReference(handle);
            Live.Says(how + ".assemblyref." + MetadataTokens.GetRowNumber(handle),
                reader.GetString(reference.Name) + " " + reference.Version);
        }
        foreach (ExportedTypeHandle handle in reader.ExportedTypes)
        {
            ExportedType exported = reader.GetExportedType(handle);
            string space = reader.GetString(exported.Namespace);
            Live.Says(how + ".exported." + MetadataTokens.GetRowNumber(handle),
                (space.Length == 0 ? "" : space + ".") + reader.GetString(exported.Name) + " "
                + MetadataTokens.GetToken(exported.Implementation).ToString("X8"));
        }
        foreach (ManifestResourceHandle handle in reader.ManifestResources)
        {
            ManifestResource resource = reader.GetManifestResource(handle);
            bool isPublic = (resource.Attributes & System.Reflection.ManifestResourceAttributes.VisibilityMask)
                == System.Reflection.ManifestResourceAttributes.Public;
            Live.Says(how + ".resource." + MetadataTokens.GetRowNumber(handle),
                reader.GetString(resource.Name) + " " + resource.Offset + " " + (isPublic ? "true" : "false"));
        }
        Live.Says(how + ".files", reader.AssemblyFiles.Count);
    }

    private static void Rows(string how, MetadataReader reader)
    {
        foreach (TypeDefinitionHandle handle in reader.TypeDefinitions)
        {
            TypeDefinition type = reader.GetTypeDefinition(handle);
            int extends = type.BaseType.IsNil ? 0x02000000 : MetadataTokens.GetToken(type.BaseType);
            Live.Says(how + ".type." + MetadataTokens.GetRowNumber(handle),
                reader.GetString(type.Namespace) + "|" + reader.GetString(type.Name) + "|"
                + ((int)type.Attributes).ToString("X") + "|" + extends.ToString("X8"));
        }
        foreach (MethodDefinitionHandle handle in reader.MethodDefinitions)
        {
            MethodDefinition method = reader.GetMethodDefinition(handle);
            Live.Says(how + ".method." + MetadataTokens.GetRowNumber(handle),
                reader.GetString(method.Name) + "|" + method.RelativeVirtualAddress.ToString("X") + "|"
                + ((int)method.ImplAttributes).ToString("X") + "|" + ((int)method.Attributes).ToString("X") + "|"
                + Convert(reader.GetBlobBytes(method.Signature)));
        }
        int literals = 0;
        for (UserStringHandle handle = reader.GetNextHandle(MetadataTokens.UserStringHandle(0)); !handle.IsNil;
            handle = reader.GetNextHandle(handle))
        {
            string text = reader.GetUserString(handle);
            // The padding of the heap is no literal, and the empty string is one with a byte of its own.
            if (text.Length > 0)
            {
                literals++;
                Live.Says(how + ".literal." + MetadataTokens.GetHeapOffset(handle), text);
            }
        }
        Live.Says(how + ".literals", literals);
    }

    private static void Heaps(string how, MetadataReader reader)
    {
        int strings = 0;
        for (StringHandle handle = reader.GetNextHandle(MetadataTokens.StringHandle(0)); !handle.IsNil;
            handle = reader.GetNextHandle(handle))
        {
            strings += reader.GetString(handle).Length > 0 ? 1 : 0;
        }
        Live.Says(how + ".strings", strings);
        int blobs = 0;
        for (BlobHandle handle = reader.GetNextHandle(MetadataTokens.BlobHandle(0)); !handle.IsNil;
            handle = reader.GetNextHandle(handle))
        {
            blobs += reader.GetBlobBytes(handle).Length > 0 ? 1 : 0;
        }
        Live.Says(how + ".blobs", blobs);
        Live.Says(how + ".guids", reader.GetHeapSize(HeapIndex.Guid) / 16);
    }

    public static string Convert(byte[] bytes) => BitConverter.ToString(bytes).Replace("-", "");
}
