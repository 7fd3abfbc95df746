using System;
using System.Globalization;
using System.Numerics;
using Report;

namespace Cases;

/// <summary>Primitives, similar types, strings, enums, nullables.</summary>
public static class Numbers
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Through.All(true);
        Through.All('x', '\ud800');
        Through.All(sbyte.MinValue, (sbyte)5);
        Through.All(byte.MaxValue);
        Through.All(short.MinValue);
        Through.All(ushort.MaxValue);
        Through.All(int.MinValue, 42);
        Through.All(uint.MaxValue);
        Through.All(long.MinValue, -1);
        Through.All(ulong.MaxValue);
        Through.All(new IntPtr(-2));
        Through.All(new UIntPtr(3));
        Through.All(1.5f, float.NaN);
        Through.All(double.Epsilon, double.NegativeInfinity);
        Through.All(-1.50m, decimal.MaxValue);
        Texts();
        Times();
        Through.All(Guid.Parse("ca761232-ed42-11ce-bacd-00aa0057b223"));
        Through.All(new Index(3, true), new Index(1));
        Through.All(1..^2);
        Through.All(new Complex(1.5, -2));
        Through.All(new BigInteger(-7), BigInteger.Pow(10, 30));
        Through.All(new Version(1, 2, 3));
        Enums();
        Nullables();
        call.Leave();
    }

    private static void Texts()
    {
        Call call = Self.Enter(null);
        Through.All("text", "");
        Through.All("embedded \0 and \u00e9 \u4e16 \U0001f600", null);
        Through.All("lone \ud83d and \ude00.", new string('q', 256));
        call.Leave();
    }

    private static void Times()
    {
        Call call = Self.Enter(null);
        Through.All(new DateTime(2024, 2, 29, 12, 30, 15, 123), DateTime.MaxValue);
        Through.All(new DateTime(1999, 12, 31, 23, 59, 59, DateTimeKind.Utc));
        // Local times, among them both occurrences of an ambiguous one.
        Through.All(new DateTime(2024, 1, 15, 12, 0, 0, DateTimeKind.Local), new DateTime(2024, 7, 15, 12, 0, 0, DateTimeKind.Local));
        DateTime twice = new DateTime(2024, 10, 27, 0, 30, 0, DateTimeKind.Utc);
        Through.All(twice.ToLocalTime(), twice.AddHours(1).ToLocalTime());
        Through.All(new DateTime(2024, 3, 31, 2, 30, 0, DateTimeKind.Local));
        Through.All(new DateTimeOffset(2024, 2, 29, 12, 30, 15, TimeSpan.FromHours(-9.5)));
        Through.All(TimeSpan.MinValue, TimeSpan.FromMilliseconds(1.5));
        call.Leave();
    }

    private static void Enums()
    {
        Call call = Self.Enter(null);
        Through.All(OfSByte.Min, (OfSByte)5);
        Through.All(OfByte.Max);
        Through.All(OfShort.Min);
        Through.All(OfUShort.Max);
        Through.All(OfInt.Minus, (OfInt)9);
        Through.All(OfUInt.Max);
        Through.All(OfLong.Min);
        Through.All(OfULong.Max);
        Through.All(Opts.A | Opts.C, Opts.AB);
        Through.All((Opts)8, Opts.None);
        Through.All(DayOfWeek.Friday);
        Through.All(NumberStyles.HexNumber);
        call.Leave();
    }

    private static void Nullables()
    {
        Call call = Self.Enter(null);
        Through.All<int?>(5, null);
        Through.All<bool?>(null, true);
        Through.All<decimal?>(1.20m);
        Through.All<DateTime?>(new DateTime(2024, 1, 2));
        Through.All<Guid?>(Guid.Empty);
        Through.All<OfInt?>(OfInt.Red, null);
        Through.All<Opts?>(Opts.A | Opts.B);
        Through.All<Mixed?>(new Mixed { A = 1, B = 2.5f, C = "three" }, null);
        Through.All<(int, string)?>((1, "two"));
        Through.All<Pair<byte, long>?>(new Pair<byte, long> { Left = 1, Right = 2 });
        Through.All<TimeSpan?>(TimeSpan.FromDays(1.5));
        call.Leave();
    }
}
