using System;
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

/// <summary>Constructors, static constructors, finalizers.</summary>
public static class Lifetimes
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        _ = new Chain();
        RuntimeHelpers.RunClassConstructor(typeof(Precise).TypeHandle);
        Precise.Read();
        RuntimeHelpers.RunClassConstructor(typeof(Lazy<string>).TypeHandle);
        RuntimeHelpers.RunClassConstructor(typeof(Lazy<int>).TypeHandle);
        RuntimeHelpers.RunClassConstructor(typeof(Lazy<Chain>).TypeHandle);
        Abandon();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        call.Leave();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Abandon()
    {
        Call call = Self.Enter(null);
        _ = new Mortal();
        call.Leave();
    }

    private sealed class Chain
    {
        public Chain()
            : this(Self.Enter(null).Depth + 1, "chained") => Self.Innermost.Leave();

        private Chain(int depth, string text) => Self.Enter(this, depth, text).Leave();
    }

    private static class Precise
    {
        private static readonly int Value;

        static Precise()
        {
            Call call = Self.Enter(null);
            Value = 42;
            call.Leave();
        }

        public static int Read() => Self.Enter(null).Leave(Value);
    }

    private static class Lazy<T>
    {
        static Lazy() => Self.Enter(null, Generic.Class(typeof(T))).Leave();
    }

    private sealed class Mortal
    {
        ~Mortal() => Self.Enter(this).Leave();
    }
}
