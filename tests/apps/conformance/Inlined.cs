using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

/// A method that has a frame of its own, or none because it is inlined. It detects which.
internal static class Inlined
{
    public static void Run()
    {
        Says("Inlining", false, Inlining());
        Says("BlockInlining", true, BlockInlining());
        Says("NoResponse", false, NoResponse());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Inlinee() => new StackTrace().GetFrame(0).GetMethod().Name == "Inlinee";

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Inlining() => Inlinee();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool BlockInlining() => Inlinee();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool NoResponse() => Inlinee();

    private static void Says(string caller, bool expected, bool hasFrame)
    {
        if (hasFrame != expected)
        {
            throw new InvalidOperationException(caller + ": the method has " + (hasFrame ? "a" : "no") + " frame of its own");
        }
        Profiler.Says("entered." + caller, hasFrame ? 1 : 0);
    }

    /// The same code in three contexts, compiled while the profiler allows inlining, forbids it, and allows it again.
    public static void Switched(string plugin)
    {
        Func<bool> first = Compiled(plugin);
        Expect(false, first());
        Profiler.Tell("inlining off");
        Expect(true, Compiled(plugin)());
        Profiler.Tell("inlining on");
        Expect(false, Compiled(plugin)());
        // From .NET 10 on the flags may be changed: dotnet/runtime#113924.
        bool changes = Environment.Version.Major >= 10;
        foreach (string flag in new[] { "DISABLE_OPTIMIZATIONS", "DISABLE_INLINING" })
        {
            Profiler.Tell("set " + flag);
            Profiler.Says("flag.set " + flag, changes ? "taken" : "E_FAIL");
            Profiler.Says("flag.is_set " + flag, changes);
            if (changes)
            {
                Expect(true, Compiled(plugin)());
                Profiler.Tell("clear " + flag);
                Profiler.Says("flag.clear " + flag, "taken");
                Profiler.Says("flag.is_set " + flag, false);
            }
            // Before and afterwards the default applies, and so it does to code that was compiled before.
            Expect(false, Compiled(plugin)());
            Expect(false, first());
        }
    }

    /// The code in a context of its own, compiled when it is called first.
    private static Func<bool> Compiled(string plugin)
    {
        Assembly assembly = new AssemblyLoadContext("plugin", isCollectible: true).LoadFromAssemblyPath(plugin);
        MethodInfo method = assembly.GetType("Plugin.Caller").GetMethod("HasFrame");
        return (Func<bool>)method.CreateDelegate(typeof(Func<bool>));
    }

    private static void Expect(bool expected, bool hasFrame)
    {
        if (hasFrame != expected)
        {
            throw new InvalidOperationException("the method has " + (hasFrame ? "a" : "no") + " frame of its own");
        }
    }
}
