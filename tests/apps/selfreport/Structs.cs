using System;
using System.Runtime.InteropServices;
using Report;

namespace Cases;

internal struct OneInt
{
    public int A;
}

internal struct TwoInts
{
    public int A, B;
}

internal struct ThreeBytes
{
    public byte A, B, C;
}

internal struct TwoLongs
{
    public long A, B;
}

internal struct IntFloat
{
    public int A;
    public float B;
}

internal struct LongDouble
{
    public long A;
    public double B;
}

internal struct DoubleLong
{
    public double A;
    public long B;
}

internal struct TwoFloats
{
    public float A, B;
}

internal struct ThreeFloats
{
    public float A, B, C;
}

internal struct FourFloats
{
    public float A, B, C, D;
}

internal struct TwoDoubles
{
    public double A, B;
}

internal struct FourDoubles
{
    public double A, B, C, D;
}

internal struct TextAndDouble
{
    public string A;
    public double B;
}

internal struct Large
{
    public long A, B, C;
    public string D;
    public byte E;
}

internal struct Nesting
{
    public TwoFloats A;
    public IntFloat B;
}

internal struct Empty
{
}

[StructLayout(LayoutKind.Explicit)]
internal struct Union
{
    [FieldOffset(0)]
    public int A;
    [FieldOffset(0)]
    public float B;
    [FieldOffset(8)]
    public double C;
}

/// <summary>Structs that are passed in one register, in two of one or both kinds, on the stack, and returned
/// likewise or in a hidden buffer; alone and among scalars.</summary>
public static class Structs
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Alone();
        Together();
        call.Leave();
    }

    private static void Alone()
    {
        Call call = Self.Enter(null);
        Of(new OneInt { A = -1 });
        Of(new TwoInts { A = 1, B = -2 });
        Of(new ThreeBytes { A = 1, B = 2, C = 255 });
        Of(new TwoLongs { A = long.MinValue, B = long.MaxValue });
        Of(new IntFloat { A = 1, B = 2.5f });
        Of(new LongDouble { A = 1, B = 2.5 });
        Of(new DoubleLong { A = 1.5, B = 2 });
        Of(new TwoFloats { A = 1.5f, B = -0f });
        Of(new ThreeFloats { A = 1.5f, B = 2.5f, C = 3.5f });
        Of(new FourFloats { A = 1.5f, B = 2.5f, C = 3.5f, D = float.NaN });
        Of(new TwoDoubles { A = 1.5, B = double.NaN });
        Of(new FourDoubles { A = 1.5, B = 2.5, C = 3.5, D = 4.5 });
        Of(new TextAndDouble { A = "text", B = 1.5 });
        Of(new Large { A = 1, B = 2, C = 3, D = "four", E = 5 });
        Of(new Nesting { A = new TwoFloats { A = 1.5f }, B = new IntFloat { A = 3 } });
        Of(default(Empty));
        Of(new Union { A = 1, C = 2.5 });
        Of(new ArraySegment<int>(new[] { 1, 2, 3 }, 1, 2));
        call.Leave();
    }

    private static void Together()
    {
        Call call = Self.Enter(null);
        var twoLongs = new TwoLongs { A = 1, B = 2 };
        var mixed = new LongDouble { A = 3, B = 4.5 };
        var floats = new FourFloats { A = 5.5f, B = 6.5f, C = 7.5f, D = 8.5f };
        var large = new Large { A = 9, B = 10, C = 11, D = "twelve", E = 13 };
        Interleaved(1, floats, 2.5, mixed, "three", twoLongs, 4.5f, large, 5);
        DoubleFirst(1.5, mixed);
        Exhausted(1, 2, 3, 4, 5, twoLongs, 6, 7);
        FloatsExhausted(1, 2, 3, 4, 5, 6, 7, floats, 8, 9);
        new Receiver().Instance(mixed, 1.5, large);
        call.Leave();
    }

    private static OneInt Of(OneInt value) => Self.Enter(null, value).Leave(value);

    private static TwoInts Of(TwoInts value) => Self.Enter(null, value).Leave(value);

    private static ThreeBytes Of(ThreeBytes value) => Self.Enter(null, value).Leave(value);

    private static TwoLongs Of(TwoLongs value) => Self.Enter(null, value).Leave(value);

    private static IntFloat Of(IntFloat value) => Self.Enter(null, value).Leave(value);

    private static LongDouble Of(LongDouble value) => Self.Enter(null, value).Leave(value);

    private static DoubleLong Of(DoubleLong value) => Self.Enter(null, value).Leave(value);

    private static TwoFloats Of(TwoFloats value) => Self.Enter(null, value).Leave(value);

    private static ThreeFloats Of(ThreeFloats value) => Self.Enter(null, value).Leave(value);

    private static FourFloats Of(FourFloats value) => Self.Enter(null, value).Leave(value);

    private static TwoDoubles Of(TwoDoubles value) => Self.Enter(null, value).Leave(value);

    private static FourDoubles Of(FourDoubles value) => Self.Enter(null, value).Leave(value);

    private static TextAndDouble Of(TextAndDouble value) => Self.Enter(null, value).Leave(value);

    private static Large Of(Large value) => Self.Enter(null, value).Leave(value);

    private static Nesting Of(Nesting value) => Self.Enter(null, value).Leave(value);

    private static Empty Of(Empty value) => Self.Enter(null, value).Leave(value);

    private static Union Of(Union value) => Self.Enter(null, value).Leave(value);

    private static ArraySegment<int> Of(ArraySegment<int> value) => Self.Enter(null, value).Leave(value);

    private static double Interleaved(int a, FourFloats b, double c, LongDouble d, string e, TwoLongs f, float g, Large h, byte i) =>
        Self.Enter(null, a, b, c, d, e, f, g, h, i).Leave(a + b.D + c + d.B + e.Length + f.B + g + h.C + i);

    // On 3.1 reading the arguments of such a method can destroy the double.
    private static double DoubleFirst(double value, LongDouble pair) => Self.Enter(null, value, pair).Leave(value + pair.B);

    // One integer register is left for a struct that needs two: it goes to the stack, and `f` does not.
    private static long Exhausted(long a, int b, short c, byte d, ulong e, TwoLongs pair, int f, int g) =>
        Self.Enter(null, a, b, c, d, e, pair, f, g).Leave(a + b + c + d + pair.A + pair.B + f + g);

    private static double FloatsExhausted(double a, float b, double c, float d, double e, float f, double g, FourFloats four, double h, float i) =>
        Self.Enter(null, a, b, c, d, e, f, g, four, h, i).Leave(a + b + c + d + e + f + g + four.A + h + i);

    private sealed class Receiver
    {
        public LongDouble Instance(LongDouble pair, double value, Large large)
        {
            Call call = Self.Enter(this, pair, value, large);
            pair.B += value + large.E;
            return call.Leave(pair);
        }
    }
}
