using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

/// Methods that get other code.
internal static class Rewritten
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Answer() => 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Inlined() => 2;
}

/// The visible behaviour of recompiled methods.
internal static class Recompiled
{
    public static void Run(string path)
    {
        Expect("Answer", 1, Rewritten.Answer());
        Live.Ask("rejit", "request", "Answer");
        Expect("Answer", 42, Rewritten.Answer());
        Live.Ask("rejit", "revert", "Answer");
        Live.Says("rejit.revert.Answer", "true");
        Expect("Answer", 1, Rewritten.Answer());

        Expect("Inlined", 2, Caller());
        Live.Ask("rejit", "inlined", "Inlined");
        Expect("Inlined", 42, Caller());
        Live.Ask("rejit", "revert", "Inlined");
        Live.Says("rejit.revert.Inlined", "true");
        Expect("Inlined", 2, Caller());

        Live.Ask("rejit", "outcome", "Answer");
        Live.Says("rejit.compiled", "true");
        Live.Says("rejit.maps", "taken");
        Live.Says("rejit.errors", "");

        // A method that has been called, of a module that can be unloaded: .NET Core 3.1 would not return from its next call.
        Func<int> copied = Copied(path);
        Expect("Answer", 1, copied());
        Live.Ask("rejit", "unloadable", "Answer");
        Live.Says("rejit.unloadable", Environment.Version.Major < 5 ? "refused" : "Ok(())");
        Expect("Answer", 1, copied());
    }

    /// The method `Answer` of a copy of this program.
    private static Func<int> Copied(string path)
    {
        File.Copy(typeof(Rewritten).Assembly.Location, path, true);
        Type type = new AssemblyLoadContext("copy", true).LoadFromAssemblyPath(path).GetType(nameof(Rewritten));
        return (Func<int>)type.GetMethod(nameof(Rewritten.Answer)).CreateDelegate(typeof(Func<int>));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Caller() => Rewritten.Inlined();

    /// The program's behaviour; the profiler has requested the ReJIT.
    private static void Expect(string name, int expected, int found)
    {
        if (expected != found)
        {
            throw new InvalidOperationException(name + " returns " + found + " and not " + expected);
        }
    }
}
