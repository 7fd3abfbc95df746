using System;
using System.Runtime.CompilerServices;

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
    public static void Run()
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
