using System;
using Report;

namespace Cases;

/// <summary>Numbers of every width, at their extremes; characters; the formatted structs.</summary>
public static class Scalars
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Bools();
        Integers();
        Floats();
        Chars();
        Formatted();
        Nullables();
        call.Leave();
    }

    private static void Bools()
    {
        Call call = Self.Enter(null);
        Of(true);
        Of(false);
        call.Leave();
    }

    private static void Integers()
    {
        Call call = Self.Enter(null);
        Of(sbyte.MinValue, byte.MinValue);
        Of(sbyte.MaxValue, byte.MaxValue);
        Of(short.MinValue, ushort.MinValue);
        Of(short.MaxValue, ushort.MaxValue);
        Of(int.MinValue, uint.MinValue);
        Of(int.MaxValue, uint.MaxValue);
        Of(long.MinValue, ulong.MinValue);
        Of(long.MaxValue, ulong.MaxValue);
        Of(new IntPtr(long.MinValue), UIntPtr.Zero);
        Of(new IntPtr(-1), new UIntPtr(ulong.MaxValue));
        call.Leave();
    }

    private static void Floats()
    {
        Call call = Self.Enter(null);
        double[] doubles = { 0.0, -0.0, 1.5, 0.1, -1e300, double.Epsilon, double.MaxValue, double.NaN, double.PositiveInfinity, double.NegativeInfinity };
        foreach (double value in doubles)
            Of(value);
        float[] floats = { 0f, -0f, 1.5f, 0.1f, -1e30f, float.Epsilon, float.MaxValue, float.NaN, float.PositiveInfinity, float.NegativeInfinity };
        foreach (float value in floats)
            Of(value);
        Of(1e15, 1e15f, 16777217);
        call.Leave();
    }

    private static void Chars()
    {
        Call call = Self.Enter(null);
        foreach (char value in "a\"\\\0\n\u007fé€\ud800\udfff\uffff")
            Of(value);
        call.Leave();
    }

    private static void Formatted()
    {
        Call call = Self.Enter(null);
        Of(0m);
        Of(1.50m);
        Of(-0.0000000000000000000000000001m);
        Of(decimal.MaxValue);
        Of(new DateTime(2024, 2, 29, 13, 14, 15, DateTimeKind.Utc).AddTicks(1234567));
        Of(new DateTime(2024, 2, 29, 13, 14, 15, DateTimeKind.Unspecified));
        Of(DateTime.MinValue);
        Of(DateTime.MaxValue);
        Of(new DateTimeOffset(2024, 2, 29, 13, 14, 15, new TimeSpan(-3, -30, 0)));
        Of(TimeSpan.Zero);
        Of(new TimeSpan(-1, -2, -3, -4, -5));
        Of(TimeSpan.MaxValue);
        Of(Guid.Empty);
        Of(new Guid("7b2d7e44-3c0f-4c39-9e6a-5d1f0c6e2a11"));
        call.Leave();
    }

    private static void Nullables()
    {
        Call call = Self.Enter(null);
        Of((int?)null);
        Of((int?)-5);
        Of((bool?)true);
        Of((DateTime?)null);
        Of((decimal?)2.5m);
        Of((DayOfWeek?)DayOfWeek.Friday);
        Of((Point?)new Point(5, 6));
        call.Leave();
    }

    private static bool Of(bool value) => Self.Enter(null, value).Leave(!value);

    private static sbyte Of(sbyte signed, byte unsigned) => Self.Enter(null, signed, unsigned).Leave(signed);

    private static ushort Of(short signed, ushort unsigned) => Self.Enter(null, signed, unsigned).Leave(unsigned);

    private static int Of(int signed, uint unsigned) => Self.Enter(null, signed, unsigned).Leave(signed);

    private static ulong Of(long signed, ulong unsigned) => Self.Enter(null, signed, unsigned).Leave(unsigned);

    private static IntPtr Of(IntPtr signed, UIntPtr unsigned) => Self.Enter(null, signed, unsigned).Leave(signed);

    private static double Of(double value) => Self.Enter(null, value).Leave(value);

    private static float Of(float value) => Self.Enter(null, value).Leave(value);

    private static float Of(double wide, float narrow, int whole) => Self.Enter(null, wide, narrow, whole).Leave(narrow);

    private static char Of(char value) => Self.Enter(null, value).Leave(value);

    private static decimal Of(decimal value) => Self.Enter(null, value).Leave(-value);

    private static DateTime Of(DateTime value) => Self.Enter(null, value).Leave(value);

    private static DateTimeOffset Of(DateTimeOffset value) => Self.Enter(null, value).Leave(value);

    private static TimeSpan Of(TimeSpan value) => Self.Enter(null, value).Leave(value);

    private static Guid Of(Guid value) => Self.Enter(null, value).Leave(value);

    private static T? Of<T>(T? value)
        where T : struct => Self.Enter(null, Generic.Method(typeof(T)), value).Leave(value);
}
