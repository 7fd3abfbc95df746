using System;
using System.Runtime.CompilerServices;

/// A method that gets other code: called as it is, inlined, inlined in what is inlined, and through a delegate.
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
        // In the chain it is the method in the middle that is asked for, and the whole chain that is compiled again.
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

    /// It is the program that has to behave so; the profiler has asked for it.
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
