using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

/// Assemblies that are loaded and unloaded.
internal static class Loading
{
    public static void Loads(string plugin)
    {
        Assembly.LoadFrom(plugin).CreateInstance("Plugin.TestClass");
        foreach (string what in new[] { "assembly_loads", "module_loads" })
        {
            Profiler.Says(what + ".some", true);
            Profiler.Says(what + ".started_is_finished", true);
            Profiler.Says(what + ".failed", 0);
        }
        Profiler.Says("plugin.assembly_loads", 1);
        Profiler.Says("plugin.module_loads", 1);
    }

    public static void Unloads(string plugin)
    {
        Gone(Use(plugin, _ => { }), Use(plugin, _ => { }));
#if NET8
        Profiler.Says("assembly_unloads", "2 started, 2 finished, 0 failed");
        Profiler.Says("unloaded.conformanceplugin", 2);
#else
        // .NET Core 3.1 reports the end alone, when the assembly can no longer be queried.
        Profiler.Says("assembly_unloads", "0 started, 2 finished, 0 failed");
#endif
    }

    public static void Classes(string plugin)
    {
        var names = new List<string>();
        Gone(Use(plugin, assembly => Instantiate(assembly.GetType("Plugin.TestClass"), names)));
        Profiler.Says("begun_and_not_ended", 0);
        Profiler.Says("wrong", "");
        // Up to .NET 9 the unload of classes that another module defines is not reported: dotnet/runtime#114068.
        int instances = Environment.Version.Major < 10 ? 0 : 1;
        names.ForEach(name => Profiler.Says(
            "class." + name, "loaded 1, unloaded " + (name == "Plugin.TestClass" ? 1 : instances)));
    }

    /// Creates a list of it. The class itself, that list and its interfaces for this class have to be loaded.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Instantiate(Type type, List<string> names)
    {
        Type list = typeof(List<>).MakeGenericType(type);
        Activator.CreateInstance(list);
        names.Add(type.FullName);
        names.Add(Name(list, type));
        names.AddRange(list.GetInterfaces().Where(one => one.IsGenericType).Select(one => Name(one, type)));
    }

    private static string Name(Type generic, Type argument)
    {
        string name = generic.GetGenericTypeDefinition().FullName;
        return name.Substring(0, name.IndexOf('`')) + "<" + argument.FullName + ">";
    }

    /// Loads the assembly into a context of its own, and unloads the context.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static WeakReference Use(string plugin, Action<Assembly> use)
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        Assembly assembly = context.LoadFromAssemblyPath(plugin);
        object made = assembly.CreateInstance("Plugin.TestClass");
        if ((int)made.GetType().GetField("Number").GetValue(made) != 42)
        {
            throw new InvalidOperationException("this is not the plugin");
        }
        use(assembly);
        var life = new WeakReference(context, trackResurrection: true);
        context.Unload();
        return life;
    }

    /// Waits for the end of contexts, and of the data that the runtime frees afterwards, which takes several collections.
    public static void Gone(params WeakReference[] lives)
    {
        DateTime until = DateTime.UtcNow.AddSeconds(30);
        while (Array.Exists(lives, life => life.IsAlive))
        {
            if (DateTime.UtcNow > until)
            {
                throw new InvalidOperationException("a context is not unloaded");
            }
            Collect();
        }
        for (int turn = 0; turn < 5; turn++)
        {
            Collect();
        }
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Thread.Sleep(5);
    }
}
