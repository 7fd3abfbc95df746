using System;
using System.Runtime.InteropServices;

namespace Cases;

internal enum OfSByte : sbyte { Min = sbyte.MinValue, Zero = 0, Max = sbyte.MaxValue }

internal enum OfByte : byte { Zero, One, Max = byte.MaxValue }

internal enum OfShort : short { Min = short.MinValue, One = 1 }

internal enum OfUShort : ushort { One = 1, Max = ushort.MaxValue }

internal enum OfInt { Minus = -1, Zero, Red, Green }

internal enum OfUInt : uint { One = 1, Max = uint.MaxValue }

internal enum OfLong : long { Min = long.MinValue, Two = 2 }

internal enum OfULong : ulong { Two = 2, Max = ulong.MaxValue }

[Flags]
internal enum Opts { None = 0, A = 1, B = 2, C = 4, AB = 3 }

internal struct Small { public byte A; }

internal struct Mixed { public int A; public float B; public string C; }

internal struct Wide { public long A, B, C; public string D; public Small E; }

internal struct Pair<TLeft, TRight> { public TLeft Left; public TRight Right; }

[StructLayout(LayoutKind.Explicit)]
internal struct Overlaid
{
    [FieldOffset(0)] public int Whole;
    [FieldOffset(0)] public short Low;
    [FieldOffset(2)] public short High;
    [FieldOffset(8)] public double Apart;
}

[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct Packed { public byte A; public long B; public short C; }

internal unsafe struct Buffers
{
    public fixed int Numbers[3];
    public byte Between;
    public fixed byte Bytes[5];
    public fixed double Doubles[2];
}

internal interface IShape { int Sides { get; } }

internal class Base
{
    private readonly int hidden = 1;
    public string Name { get; set; }

    public int Hidden() => hidden;
}

internal class Derived : Base, IShape
{
    private readonly int hidden = 2;
    public int Sides { get; set; }
    public Base Other;

    public int OwnHidden() => hidden;
}

internal sealed class GenericClass<T> : Base
{
    public T Item { get; set; }
    public T[] Items;

    internal sealed class Nested<TInner>
    {
        public Base Make<TMethod>() => new GenericClass<TMethod>();
    }
}

internal struct Shape : IShape { public int Sides { get; set; } }

internal sealed class Ring { public Ring Next; public string Label; }

internal sealed class OrderException : Exception
{
    public readonly int Order;

    public OrderException(int order, Exception inner)
        : base($"order {order}", inner) => Order = order;
}

internal class Things
{
    public int Number;

    public event EventHandler Happened;

    public string Text { get; set; }

    public int Method(string text) => text.Length;

    public T Generic<T>(T value) => value;

    public void Raise() => Happened?.Invoke(this, EventArgs.Empty);
}
