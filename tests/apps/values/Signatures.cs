using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Report;

namespace Cases;

/// <summary>Methods that name each type themselves, so that nothing is generic: static, of a class and of a struct.</summary>
public static class Signatures
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Statics();
        new Receiver { Count = 3 }.All();
        new Value { Weight = 2.5, Label = "label" }.All();
        call.Leave();
    }

    private static void Statics()
    {
        Call call = Self.Enter(null);
        Of((byte)1, 'c', 2.5f, -1.5, 1.5m);
        Of(new Mixed { A = 1, B = 2.5f, C = "three" }, new Small { A = 2 }, new Wide { D = "wide" });
        Of(new DateTime(2024, 1, 2), TimeSpan.FromSeconds(5), Guid.Empty, OfInt.Red);
        Of((int?)5, (OfInt?)OfInt.Green, (Mixed?)null, (1, "two"));
        Of(new List<int> { 1 }, new Dictionary<string, int> { ["a"] = 1 }, new HashSet<string> { "x" });
        Of(new Memory<int>(new[] { 1 }), new ValueTask<int>(5), Task.FromResult("x"));
        Of(typeof(int), new InvalidOperationException("m"), (Action)Statics);
        // Static fields are in the heap: no collection may happen in between.
        GC.Collect();
        ByReference(in Fixed, ref Changed, out _, ref Text);
        Of(1, 2, 3, 4, 5, 6, 7, 8, 9);
        Of(1.5, 2f, 3.5, 4f, 5.5, 6f, 7.5, 8f, 9.5, 10f);
        call.Leave();
    }

    private static readonly Mixed Fixed = new Mixed { A = 1, C = "fixed" };
    private static Pair<int, string> Changed = new Pair<int, string> { Left = 1, Right = "one" };
    private static string Text = "text";

    private static decimal Of(byte a, char b, float c, double d, decimal e) => Self.Enter(null, a, b, c, d, e).Leave(e);

    private static Wide Of(Mixed a, Small b, Wide c) => Self.Enter(null, a, b, c).Leave(c);

    private static DateTime Of(DateTime a, TimeSpan b, Guid c, OfInt d) => Self.Enter(null, a, b, c, d).Leave(a);

    private static (int, string) Of(int? a, OfInt? b, Mixed? c, (int, string) d) => Self.Enter(null, a, b, c, d).Leave(d);

    private static List<int> Of(List<int> a, Dictionary<string, int> b, HashSet<string> c) => Self.Enter(null, a, b, c).Leave(a);

    private static ValueTask<int> Of(Memory<int> a, ValueTask<int> b, Task<string> c) => Self.Enter(null, a, b, c).Leave(b);

    private static Exception Of(Type a, Exception b, Action c) => Self.Enter(null, a, b, c).Leave(b);

    private static long Of(int a, long b, short c, byte d, uint e, ulong f, sbyte g, ushort h, int i) =>
        Self.Enter(null, a, b, c, d, e, f, g, h, i).Leave(a + b + i);

    private static double Of(double a, float b, double c, float d, double e, float f, double g, float h, double i, float j) =>
        Self.Enter(null, a, b, c, d, e, f, g, h, i, j).Leave(a + j);

    private static void ByReference(in Mixed read, ref Pair<int, string> changed, out Wide made, ref string text)
    {
        Call call = Self.Enter(null, read, changed, Self.Out, text);
        changed.Left++;
        made = new Wide { A = 5, D = "made" };
        text = null;
        call.Outs(changed, made, text).Leave();
    }

    private sealed class Receiver
    {
        public int Count;

        public void All()
        {
            Call call = Self.Enter(this);
            Scaled(1.5);
            Take(new Mixed { A = 1 }, "text");
            Sum(out int sum, 5);
            Last(1, 2, 3);
            call.Leave();
        }

        private double Scaled(double by) => Self.Enter(this, by).Leave(Count * by);

        private Mixed Take(Mixed mixed, string text)
        {
            Call call = Self.Enter(this, mixed, text);
            mixed.C = text;
            return call.Leave(mixed);
        }

        private int Sum(out int sum, int more)
        {
            Call call = Self.Enter(this, Self.Out, more);
            sum = Count + more;
            return call.Outs(sum).Leave(sum);
        }

        private int Last(params int[] items) => Self.Enter(this, items).Leave(items[^1]);
    }

    private struct Value
    {
        public double Weight;
        public string Label;

        public void All()
        {
            Call call = Self.Enter(this);
            Scaled(2);
            Pair(new Pair<float, long> { Left = 1, Right = 2 });
            Change("changed");
            Frozen(1);
            call.Leave();
        }

        private double Scaled(double by)
        {
            Call call = Self.Enter(this, by);
            return call.Leave(Weight * by);
        }

        private Pair<float, long> Pair(Pair<float, long> pair)
        {
            Call call = Self.Enter(this, pair);
            return call.Leave(pair);
        }

        private string Change(string label)
        {
            Call call = Self.Enter(this, label);
            Label = label;
            return call.Leave(Label);
        }

        private readonly string Frozen(byte number)
        {
            Call call = Self.Enter(this, number);
            return call.Leave(Label + number);
        }
    }
}
