using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Text;

/// Metadata that the profiler has opened of an assembly that was unloaded afterwards.
internal static class Outlived
{
    public static void Run(string path)
    {
        Run(path + ".reading", "reading");
        Run(path + ".writing", "writing");
    }

    private static void Run(string path, string how)
    {
        File.Copy(typeof(Outlived).Assembly.Location, path, true);
        LoadAndUnload(path, how);
        for (int round = 0; Live.Token(Live.Ask("outlived", "unloaded"), "outlived.token.unloaded") == 0; round++)
        {
            if (round == 100)
            {
                throw new InvalidOperationException("the context does not go");
            }
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        // Pages of the image that are still mapped show what the file has now: metadata that is read from there is wrong.
        byte[] bytes = File.ReadAllBytes(path);
        using (FileStream file = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            file.Write(new byte[bytes.Length], 0, bytes.Length);
        }
        // The memory of an image that is mapped no more is reused, or unmapped.
        byte[][] others = Enumerable.Range(0, 64).Select(_ => new byte[1 << 20]).ToArray();
        Live.Ask("outlived", "read", how);
        GC.KeepAlive(others);

        using PEReader image = new PEReader(new MemoryStream(bytes));
        MetadataReader reader = image.GetMetadataReader();
        StringBuilder methods = new StringBuilder();
        StringBuilder signatures = new StringBuilder();
        // The global type is not listed by the profiling API.
        foreach (TypeDefinitionHandle type in reader.TypeDefinitions.Skip(1))
        {
            foreach (MethodDefinitionHandle handle in reader.GetTypeDefinition(type).GetMethods())
            {
                MethodDefinition method = reader.GetMethodDefinition(handle);
                methods.Append(reader.GetString(method.Name)).Append(',');
                signatures.Append(Tables.Convert(reader.GetBlobBytes(method.Signature)));
            }
        }
        Live.Says("outlived." + how + ".methods", methods);
        Live.Says("outlived." + how + ".signatures", signatures);
        Live.Says("outlived." + how + ".mvid", reader.GetGuid(reader.GetModuleDefinition().Mvid).ToString("B").ToUpperInvariant());
        Live.Says("outlived." + how + ".assembly", reader.GetString(reader.GetAssemblyDefinition().Name));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LoadAndUnload(string path, string how)
    {
        AssemblyLoadContext context = new AssemblyLoadContext("outlived", true);
        // A file that nothing else has loaded: its mapping ends with the context.
        Assembly copy = context.LoadFromAssemblyPath(path);
        copy.GetType(nameof(Counted)).GetMethod("Set").Invoke(null, new object[] { 1 });
        Live.Ask("outlived", "open", how);
        context.Unload();
    }
}
