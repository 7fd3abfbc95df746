using System;
using System.Collections.Generic;
using Report;

namespace Cases;

/// <summary>Arrays of every shape, and a few composed objects.</summary>
public static class Collections
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Primitives();
        Shapes();
        Objects();
        call.Leave();
    }

    private static void Primitives()
    {
        Call call = Self.Enter(null);
        Of(new int[0]);
        Of((int[])null);
        Of(new[] { int.MinValue, 0, int.MaxValue });
        Of(new byte[] { 0, 127, 255 });
        Of(new sbyte[] { -128, 127 });
        Of(new short[] { -1 });
        Of(new ushort[] { 65535 });
        Of(new uint[] { uint.MaxValue });
        Of(new[] { long.MinValue });
        Of(new[] { ulong.MaxValue });
        Of(new[] { true, false });
        Of(new[] { 'a', 'é', '\ud800' });
        Of(new[] { 1.5f, float.NaN, -0f });
        Of(new[] { 2.5, double.NegativeInfinity });
        Of(new[] { new IntPtr(-1) });
        call.Leave();
    }

    private static void Shapes()
    {
        Call call = Self.Enter(null);
        Of(new[] { "one", null, "drei: ü" });
        Of(new[] { Color.Red, (Color)9 });
        Of(new[] { Opt.A | Opt.C });
        Of(new int?[] { 1, null });
        Of(new[] { 1.50m });
        Of(new[] { new TwoInts { A = 1, B = 2 }, default });
        Of(new object[] { 1, "two", null, 3.5, Color.Blue });
        Of(new[] { new[] { 1, 2 }, null, new int[0] });
        Of(new[] { new int[1, 2] });
        Of(new[,] { { 1, 2, 3 }, { 4, 5, 6 } });
        Of(new[,] { { "a" }, { null } });
        Of(new byte[2, 1, 2]);
        Of(new int[0, 3]);
        Based((int[,])Array.CreateInstance(typeof(int), new[] { 2, 1 }, new[] { 5, -1 }));
        call.Leave();
    }

    private static void Objects()
    {
        Call call = Self.Enter(null);
        var first = new Node { Label = "first", Weight = 1.5 };
        var second = new Node { Label = "second", Next = first };
        Of(first);
        Of(second);
        first.Next = first;
        Of(first);
        first.Next = second;
        Of(first);
        Of<object>(new DerivedNode { Label = "derived", Extra = new[] { 1 } });
        Of(new List<int> { 1, 2 });
        Of(new Dictionary<string, Node>());
        Of<IEnumerable<int>>(new[] { 4, 5 });
        Of(new object());
        Of<object>(7);
        Of<object>('x');
        Of<object>(true);
        Of<object>(2.5);
        Of<object>(3.50m);
        Of<IComparable>(8L);
        Of<ValueType>(new TwoInts { A = 9 });
        Of(new { Name = "anonymous", Count = 3 });
        Of(new Version(1, 2, 3));
        Of(new Untouched());
        TypeOf(typeof(int));
        call.Leave();
    }

    private static T Of<T>(T value) => Self.Enter(null, Generic.Method(typeof(T)), value).Leave(value);

    private static int Based(int[,] array) => Self.Enter(null, array).Leave(array.GetLowerBound(0));

    private static void TypeOf(Type type)
    {
        Call call = Self.Enter(null, Described.TypeOnly(type.GetType()));
        call.Leave();
    }

    private class Node
    {
        public string Label;
        public double Weight;
        public Node Next;
    }

    private sealed class DerivedNode : Node
    {
        public int[] Extra;
    }

    // Structs as fields that no code touches: the runtime need not have finished loading their types.
    private sealed class Untouched
    {
        public bool? Maybe;
        public Nothing One;
        public Pair<short, Nothing> Two;
        public ulong? Number;
    }

    private struct Nothing
    {
        public byte Small;
        public long Large;
    }

    private struct Pair<TLeft, TRight>
    {
        public TLeft Left;
        public TRight Right;
    }
}
