using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using Report;

namespace Cases;

/// <summary>Tuples, structs, classes, arrays, interfaces, delegates.</summary>
public static class Composed
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Tuples();
        Structs();
        Classes();
        Arrays();
        Delegates();
        call.Leave();
    }

    private static void Tuples()
    {
        Call call = Self.Enter(null);
        Through.All((1, "two"));
        Through.All((byte.MaxValue, long.MinValue, 2.5));
        Through.All((1, 2, 3, 4, 5, 6, 7, "eight", 9));
        Through.All(((1, 'a'), (OfInt.Red, new[] { 1, 2 })));
        Through.All(ValueTuple.Create(1));
        Through.All(Tuple.Create(1, "two", 3.5m));
        Through.All(new KeyValuePair<string, int>("key", 1));
        call.Leave();
    }

    private static unsafe void Structs()
    {
        Call call = Self.Enter(null);
        Through.All(new Small { A = 1 });
        Through.All(new Mixed { A = 1, B = 2.5f, C = "three" });
        Through.All(new Wide { A = 1, B = 2, C = 3, D = "four", E = new Small { A = 5 } });
        Through.All(new Pair<int, string> { Left = 1, Right = "two" });
        Through.All(new Pair<Pair<byte, Guid>, OfLong> { Right = OfLong.Two });
        Through.All(new Pair<object, double?> { Left = 1.5, Right = 2.5 });
        Through.All(new Overlaid { Whole = 0x10002, Apart = 2.5 });
        // Reflection, by which the report reads fields, loads them with acquire semantics. If they are not aligned, arm64 raises
        // SIGBUS, at least up to ARMv8.3; `passing` has such structs, too, and does not read them by reflection.
        if (RuntimeInformation.ProcessArchitecture != Architecture.Arm64)
            Through.All(new Packed { A = 1, B = 2, C = 3 });
        var buffers = new Buffers { Between = 9 };
        for (int i = 0; i < 3; i++)
            buffers.Numbers[i] = i + 1;
        for (int i = 0; i < 5; i++)
            buffers.Bytes[i] = (byte)(i + 10);
        buffers.Doubles[1] = 1.5;
        Through.All(buffers);
        Through.All(new ArraySegment<int>(new[] { 1, 2, 3 }, 1, 2));
        Through.All(default(System.Threading.CancellationToken));
        Through.All(default(GCHandle));
        Through.All(new Shape { Sides = 3 });
        call.Leave();
    }

    private static void Classes()
    {
        Call call = Self.Enter(null);
        var shared = new Base { Name = "base" };
        Through.All(shared);
        Through.All<Base>(new Derived { Name = "derived", Sides = 4, Other = shared }, shared);
        Through.All(new GenericClass<string> { Item = "item", Items = new[] { "a", null } });
        Through.All(new GenericClass<Pair<int, byte>> { Item = new Pair<int, byte> { Left = 1 } });
        Through.All<IShape>(new Derived(), new Shape { Sides = 5 });
        Through.All<IComparable>(5, "text");
        Through.All<ValueType>(OfInt.Green, new Small { A = 9 });
        Through.All<object>(1.5f, 'c');
        Through.All<object>(new int?(7), new Mixed { C = "boxed" });
        Through.All<IEnumerable<int>>(new[] { 1, 2 });
        Through.All(new { Name = "anonymous", Count = 3 });
        var ring = new Ring { Label = "one", Next = new Ring { Label = "two" } };
        ring.Next.Next = ring;
        Through.All(ring);
        // The same object twice is no cycle.
        Through.All(new object[] { shared, shared, null }, new object[1]);
        var itself = new object[1];
        itself[0] = itself;
        Through.All(itself);
        Through.All(new Derived { Other = new Derived { Other = shared, Name = "inner" } });
        call.Leave();
    }

    private static void Arrays()
    {
        Call call = Self.Enter(null);
        Through.All(new[] { true, false });
        Through.All(new byte[] { 0, 255 }, Array.Empty<byte>());
        Through.All(new[] { 'a', '\ud800' });
        Through.All(new[] { new IntPtr(-1) });
        Through.All(new[] { 1.5, double.NaN });
        Through.All(new[] { 1.5m });
        Through.All(new[] { OfSByte.Min, OfSByte.Max });
        Through.All(new[] { Opts.A | Opts.B });
        Through.All(new int?[] { 1, null });
        Through.All(new[] { Guid.Empty });
        Through.All(new[] { new DateTime(2024, 1, 1) });
        Through.All(new[] { "a", null, "\0" });
        Through.All(new[] { new Mixed { A = 1 }, default });
        Through.All(new[] { new Pair<int, string> { Right = "r" } });
        Through.All(new object[] { 1, "two", null, 3.5, OfInt.Red, new[] { 1 } });
        Through.All(new[] { new[] { 1, 2 }, null, Array.Empty<int>() });
        Through.All(new[] { new[] { new Small { A = 1 } }, null });
        Through.All(new[] { (1, "two") });
        Through.All(new[,] { { 1, 2 }, { 3, 4 } });
        Through.All(new string[2, 1, 2]);
        Through.All(new[,] { { new Small { A = 1 } } });
        Through.All((int[,])Array.CreateInstance(typeof(int), new[] { 2, 1 }, new[] { 5, -1 }));
        Through.All((string[,])Array.CreateInstance(typeof(string), new[] { 1, 2 }, new[] { 0, 7 }));
        Through.All(new[] { new[,] { { 1 } } });
        Through.All(new Action[] { Nothing, null });
        Through.All(new IShape[] { new Shape { Sides = 1 }, new Derived() });
        Through.All(Enumerable.Range(0, 90).ToArray());
        call.Leave();
    }

    private static void Delegates()
    {
        Call call = Self.Enter(null);
        Through.All<Action>(Nothing, null);
        Through.All<Func<string, int>>(new Things { Number = 1 }.Method);
        int captured = 5;
        Through.All<Func<int>>(() => captured);
        Through.All<Func<int, int>>(x => x + 1);
        Through.All<Action>((Action)Nothing + Nothing2);
        Through.All<Func<string, int>>((Func<string, int>)new Things { Number = 2 }.Method + new Things { Text = "t" }.Method + Static);
        Through.All<Delegate>((Action)Nothing);
        Through.All<Comparison<Small>>((a, b) => a.A - b.A);
        Through.All<Func<Base>>(new GenericClass<string>.Nested<int>().Make<byte>);
        call.Leave();
    }

    private static void Nothing()
    {
    }

    private static void Nothing2()
    {
    }

    private static int Static(string text) => text.Length;
}
