using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

/// The rows that the images of loaded modules have, as System.Reflection.Metadata reads them in the files.
internal static class Rows
{
    public static void Run()
    {
        // A module without an image.
        AssemblyBuilder made = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("made"), AssemblyBuilderAccess.Run);
        made.DefineDynamicModule("made").DefineType("Made").CreateType();
        // One that was loaded from bytes, under a name of its own.
        string own = typeof(Rows).Assembly.Location;
        Assembly.Load(File.ReadAllBytes(typeof(System.Text.Json.JsonDocument).Assembly.Location));
        string[] files = { own, typeof(object).Assembly.Location, typeof(Enumerable).Assembly.Location };
        foreach (string path in files)
        {
            using PEReader image = new PEReader(File.OpenRead(path));
            MetadataReader reader = image.GetMetadataReader();
            string name = "rows." + Path.GetFileName(path) + ".";
            Guid mvid = reader.GetGuid(reader.GetModuleDefinition().Mvid);
            Live.Says(name + "image", true);
            Live.Says(name + "mvid", mvid.ToString("N"));
            Live.Says(name + "types", reader.TypeDefinitions.Count - 1);
            int global = reader.GetTypeDefinition(reader.TypeDefinitions.First()).GetMethods().Count;
            Live.Says(name + "methods", reader.MethodDefinitions.Count - global);
            Live.Says(name + "fields", reader.FieldDefinitions.Count);
            Live.Says(name + "params", reader.MethodDefinitions.Sum(method => reader.GetMethodDefinition(method).GetParameters().Count));
        }
        Live.Says("rows.different", 0);
        Live.Says("rows.without image", 1);
        Live.Ask(new[] { "rows" }.Concat(files.Select(Path.GetFileName)).ToArray());
    }
}
