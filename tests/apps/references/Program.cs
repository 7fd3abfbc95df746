// Prints the target of every type reference of its loaded modules: which type in which module. The runtime's own
// loader resolves them, through reflection; the test compares the result with that of a profiler that loads nothing.
//
//     references.dll FOLDER… loads `plugin.dll` of each folder in a load context of its own, and lets it use
//     `lib.dll` beside it; a FOLDER that ends in .dll is an assembly for the default context.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;

namespace References;

/// <summary>A load context that finds `lib` in its own folder.</summary>
public sealed class Context : AssemblyLoadContext
{
    private readonly string folder;

    /// <summary>The context for a folder.</summary>
    public Context(string folder) => this.folder = folder;

    /// <inheritdoc/>
    protected override Assembly Load(AssemblyName name) =>
        name.Name == "lib" ? LoadFromAssemblyPath(Path.Combine(folder, "lib.dll")) : null;
}

/// <summary>Loads, resolves, prints.</summary>
public static class Program
{
    /// <summary>The entry point.</summary>
    public static int Main(string[] args)
    {
        var modules = new List<Module>();
        var plugins = new List<Type>();
        foreach (string arg in args)
        {
            Assembly assembly = arg.EndsWith(".dll")
                ? AssemblyLoadContext.Default.LoadFromAssemblyPath(arg)
                : new Context(arg).LoadFromAssemblyPath(Path.Combine(arg, "plugin.dll"));
            modules.Add(assembly.ManifestModule);
            if (assembly.GetName().Name == "plugin")
                plugins.Add(assembly.GetType("Plugin.User"));
        }
        // Each plugin loads its own lib only now: references are bound at their first use.
        foreach (Type plugin in plugins)
            plugin.GetMethod("Use").Invoke(null, null);
        modules.Add(typeof(Program).Module);
        // Facades: assemblies that only forward.
        foreach (string facade in new[] { "netstandard", "mscorlib", "System.Runtime" })
            Assembly.Load(facade);
        modules.Add(typeof(Enumerable).Module);
        using var output = new StreamWriter(Console.OpenStandardOutput());
        foreach (Module module in modules)
            Report(output, module);
        return 0;
    }

    private static void Report(TextWriter output, Module module)
    {
        for (int token = 0x01000001; ; token++)
        {
            Type type;
            try
            {
                type = module.ResolveType(token);
            }
            catch (ArgumentException)
            {
                return;
            }
            catch (Exception)
            {
                // A reference that the loader itself cannot resolve.
                continue;
            }
            output.Write($"{Id(module)} {token} {Id(type.Module)} {type.MetadataToken}\n");
        }
    }

    /// <summary>A module's file and the runtime's pointer to it, which is the profiler's id of it: one file
    /// may be loaded several times.</summary>
    private static string Id(Module module)
    {
        FieldInfo pointer = module.GetType().GetField("m_pData", BindingFlags.Instance | BindingFlags.NonPublic);
        return $"{pointer.GetValue(module)}:{module.FullyQualifiedName}";
    }
}
