using System;
using System.IO;
using Report;

namespace Cases;

internal enum Color
{
    Red = 1,
    Green,
    Blue,
}

internal enum Tiny : sbyte
{
    Low = sbyte.MinValue,
    Zero = 0,
    High = sbyte.MaxValue,
}

internal enum OfByte : byte
{
    Max = byte.MaxValue,
}

internal enum OfShort : short
{
    Min = short.MinValue,
}

internal enum OfUShort : ushort
{
    Max = ushort.MaxValue,
}

internal enum OfUInt : uint
{
    Max = uint.MaxValue,
}

internal enum OfLong : long
{
    Min = long.MinValue,
}

internal enum OfULong : ulong
{
    Max = ulong.MaxValue,
}

[Flags]
internal enum Opt
{
    None = 0,
    A = 1,
    B = 2,
    C = 4,
    AB = A | B,
    High = 1 << 30,
}

[Flags]
internal enum NoZero : byte
{
    X = 1,
    Y = 128,
}

/// <summary>Enums of every base type, plain and flags, with and without a name for the value.</summary>
public static class Enums
{
    private enum Private
    {
        Here,
    }

    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Of(Color.Red);
        Of(Color.Blue);
        Of((Color)0);
        Of((Color)9);
        Of((Color)(-1));
        Of(Color.Red | Color.Green);
        Of(Tiny.Low);
        Of(Tiny.Zero);
        Of(Tiny.High);
        Of((Tiny)1);
        Of(OfByte.Max);
        Of(OfShort.Min);
        Of(OfUShort.Max);
        Of(OfUInt.Max);
        Of(OfLong.Min);
        Of(OfULong.Max);
        Of((OfULong)(ulong.MaxValue - 1));
        Of(Opt.None);
        Of(Opt.A);
        Of(Opt.A | Opt.C);
        Of(Opt.AB);
        Of(Opt.AB | Opt.C | Opt.High);
        Of(Opt.A | (Opt)64);
        Of((NoZero)0);
        Of(NoZero.X | NoZero.Y);
        Of(Private.Here);
        Of(Holder<int>.Inside.Second);
        Of(Holder<string>.Inside.First);
        Of(FileAttributes.Hidden | FileAttributes.ReadOnly);
        Plain(Color.Green, Opt.B | Opt.C);
        Boxed(Color.Green);
        call.Leave();
    }

    private static T Of<T>(T value)
        where T : Enum => Self.Enter(null, Generic.Method(typeof(T)), value).Leave(value);

    private static Opt Plain(Color color, Opt options) => Self.Enter(null, color, options).Leave(options);

    private static Enum Boxed(Enum value) => Self.Enter(null, value).Leave(value);
}

internal static class Holder<T>
{
    public enum Inside
    {
        First,
        Second,
    }
}
