using System;
using Report;

namespace Cases;

/// <summary>Every kind of method: overloads, static, instance, virtual, interface, property, indexer,
/// operator, event, explicit implementation, on classes and on structs.</summary>
public static class Kinds
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Over(1);
        Over(2L);
        Over("three");
        Over(4, "four");
        Over(5, null);
        Many(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10.5f, "eleven", true);
        Optional(1);
        Params("a", "b", "c");
        Recurse(5);
        Animals();
        Members();
        Inner.Deep.Reach(7);
        StructMethods();
        call.Leave();
    }

    private static int Over(int value) => Self.Enter(null, value).Leave(value);

    private static long Over(long value) => Self.Enter(null, value).Leave(value);

    private static string Over(string value) => Self.Enter(null, value).Leave(value);

    private static bool Over(int number, string text) => Self.Enter(null, number, text).Leave(text != null);

    private static double Many(int a, long b, short c, byte d, uint e, ulong f, sbyte g, ushort h, double i, float j, string k, bool l)
    {
        Call call = Self.Enter(null, a, b, c, d, e, f, g, h, i, j, k, l);
        return call.Leave(a + b + c + d + e + (double)f + g + h + i + j + k.Length);
    }

    private static int Optional(int a, int b = 42, string c = "default") => Self.Enter(null, a, b, c).Leave(a + b);

    private static int Params(params string[] items) => Self.Enter(null, items).Leave(items.Length);

    private static int Recurse(int n)
    {
        Call call = Self.Enter(null, n);
        return call.Leave(n == 0 ? 0 : n + Recurse(n - 1));
    }

    private static void Animals()
    {
        Call call = Self.Enter(null);
        Animal animal = new Cat(9);
        animal.Speak();
        animal.Name();
        ((IWalks)animal).Legs();
        ((IWalks)animal).Walk(3);
        IWalks other = new Table();
        other.Legs();
        other.Describe();
        call.Leave();
    }

    private static void Members()
    {
        Call call = Self.Enter(null);
        var box = new Box { Size = 3 };
        _ = box.Size;
        box[1] = "one";
        _ = box[1];
        _ = box["key", 2];
        Box sum = box + new Box();
        _ = (int)sum;
        Box made = 7L;
        _ = made == sum;
        _ = -made;
        EventHandler handler = box.OnChanged;
        box.Changed += handler;
        box.Raise();
        box.Changed -= handler;
        call.Leave();
    }

    private static void StructMethods()
    {
        Call call = Self.Enter(null);
        var point = new Point(3, 4);
        point.Length();
        point.Move(1, 2);
        _ = point.Sum;
        object boxed = point;
        boxed.ToString();
        boxed.GetHashCode();
        ((IComparable<Point>)point).CompareTo(new Point(0, 0));
        call.Leave();
    }

    /// <summary>Outer of a nested type.</summary>
    public static class Inner
    {
        /// <summary>Two levels down.</summary>
        public static class Deep
        {
            /// <summary>A method of a nested type.</summary>
            public static int Reach(int value) => Self.Enter(null, value).Leave(value * 2);
        }
    }
}

internal interface IWalks
{
    int Legs();

    void Walk(int steps);

    /// <summary>A default implementation.</summary>
    string Describe()
    {
        Call call = Self.Enter(this);
        return call.Leave("walks on " + Legs());
    }
}

internal abstract class Animal
{
    private readonly int lives;

    protected Animal(Call derived, int lives)
    {
        Call call = Self.Enter(this, Described.TypeOnly(derived.GetType()), lives);
        this.lives = lives;
        call.Leave();
    }

    public abstract string Speak();

    public virtual string Name()
    {
        Call call = Self.Enter(this);
        return call.Leave("animal " + lives);
    }
}

internal sealed class Cat : Animal, IWalks
{
    // The report has to begin before the base constructor runs.
    public Cat(int lives)
        : base(Self.Enter(null, lives), lives) => Self.Innermost.Leave();

    public override string Speak() => Self.Enter(this).Leave("miau");

    public override string Name()
    {
        Call call = Self.Enter(this);
        return call.Leave("cat, " + base.Name());
    }

    public int Legs() => Self.Enter(this).Leave(4);

    void IWalks.Walk(int steps) => Self.Enter(this, steps).Leave();
}

internal sealed class Table : IWalks
{
    public int Legs() => Self.Enter(this).Leave(3);

    public void Walk(int steps) => Self.Enter(this, steps).Leave();
}

internal sealed class Box
{
    private int size;
    private EventHandler changed;

    public Box() => Self.Enter(this).Leave();

    public event EventHandler Changed
    {
        add
        {
            Call call = Self.Enter(this, value);
            changed += value;
            call.Leave();
        }

        remove
        {
            Call call = Self.Enter(this, value);
            changed -= value;
            call.Leave();
        }
    }

    public int Size
    {
        get => Self.Enter(this).Leave(size);

        set
        {
            Call call = Self.Enter(this, value);
            size = value;
            call.Leave();
        }
    }

    public string this[int index]
    {
        get => Self.Enter(this, index).Leave("item " + index);
        set => Self.Enter(this, index, value).Leave();
    }

    public string this[string key, int index] => Self.Enter(this, key, index).Leave(key + index);

    public static Box operator +(Box left, Box right) => Self.Enter(null, left, right).Leave(left);

    public static Box operator -(Box box) => Self.Enter(null, box).Leave(box);

    public static bool operator ==(Box left, Box right) => Self.Enter(null, left, right).Leave(ReferenceEquals(left, right));

    public static bool operator !=(Box left, Box right) => Self.Enter(null, left, right).Leave(!ReferenceEquals(left, right));

    public static explicit operator int(Box box) => Self.Enter(null, box).Leave(box.size);

    public static implicit operator Box(long size)
    {
        Call call = Self.Enter(null, size);
        return call.Leave(new Box());
    }

    public override bool Equals(object other) => Self.Enter(this, other).Leave(ReferenceEquals(this, other));

    public override int GetHashCode() => Self.Enter(this).Leave(size);

    public void Raise()
    {
        Call call = Self.Enter(this);
        changed(this, EventArgs.Empty);
        call.Leave();
    }

    public void OnChanged(object sender, EventArgs e) => Self.Enter(this, sender, e).Leave();
}

internal struct Point : IComparable<Point>
{
    private int x;
    private int y;

    // A struct's fields are not set yet, so only the type of `this` is known.
    public Point(int x, int y)
    {
        Call call = Self.Enter(null, x, y);
        this.x = x;
        this.y = y;
        call.Leave();
    }

    public readonly int Sum => Self.Enter(this).Leave(x + y);

    public readonly double Length() => Self.Enter(this).Leave(Math.Sqrt((x * x) + (y * y)));

    public void Move(int dx, int dy)
    {
        Call call = Self.Enter(this, dx, dy);
        x += dx;
        y += dy;
        call.Leave();
    }

    public readonly int CompareTo(Point other) => Self.Enter(this, other).Leave(Math.Sign(x - other.x));

    public override readonly string ToString() => Self.Enter(this).Leave($"({x}, {y})");

    public override readonly int GetHashCode() => Self.Enter(this).Leave(x ^ y);
}
