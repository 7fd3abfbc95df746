using System;
using System.Runtime.CompilerServices;

/// A method that gets other code: called directly, inlined, inlined in an inlined method, and through a delegate.
internal static class Recompiled
{
    public static void Run()
    {
        Expect(1);
        Profiler.Tell("rejit");
        Expect(42);
        Profiler.Tell("revert");
        Profiler.Says("reverted", true);
        Expect(1);
        // In the chain, ReJIT is requested for the method in the middle, and the whole chain is recompiled.
        Profiler.Says("inliners", "Direct Link");
        Profiler.Says("rejitted", "Chain Direct Target");
        Profiler.Says("rejits_are_inliners_and_one", true);
        Profiler.Says("addresses.some", true);
        Profiler.Says("addresses.null", 0);
        Profiler.Says("errors", "");
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Target() => 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Direct() => Target();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Link() => Target();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Chain() => Link();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Delegated()
    {
        Func<int> target = Target;
        return target();
    }

    /// The program's behaviour; the profiler has requested the ReJIT.
    private static void Expect(int expected)
    {
        int direct = Direct();
        int chain = Chain();
        int delegated = Delegated();
        if (direct != expected || chain != expected || delegated != expected)
        {
            throw new InvalidOperationException(
                direct + " directly, " + chain + " in a chain, " + delegated + " by a delegate, and not " + expected);
        }
    }
}
