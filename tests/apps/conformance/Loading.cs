using System;
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
#if NET9
        Profiler.Says("assembly_unloads", "2 started, 2 finished, 0 failed");
        Profiler.Says("unloaded.conformanceplugin", 2);
#else
        // .NET Core 3.1 reports the end alone, when it is too late to ask for the assembly.
        Profiler.Says("assembly_unloads", "0 started, 2 finished, 0 failed");
#endif
    }

    /// Loads the assembly into a context of its own, and gives that up.
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

    /// Waits for the end of contexts, and of what the runtime frees afterwards, which takes it several collections.
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
