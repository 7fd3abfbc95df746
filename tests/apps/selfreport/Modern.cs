#if NET8
using System;
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

/// <summary>Features of newer runtimes than 3.1.</summary>
public static unsafe class Modern
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Sum<Meters>(new Meters(1.5), new Meters(2));
        Make<Named>("made");
        Apply(&Twice, 21);
        Describe(&Twice, null);
        var four = default(Four);
        four[2] = 30;
        Inline(four);
        Wide((Half)1.5, Int128.MinValue, UInt128.MaxValue);
        Days(new DateOnly(2024, 2, 29), new TimeOnly(13, 14));
        new Person("Ada", 36).Greet();
        new RefHolder(new[] { 1, 2 }).First();
        call.Leave();
    }

    private static T Sum<T>(T left, T right)
        where T : IAdds<T>
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), left, right);
        return call.Leave(T.Add(left, right));
    }

    private static T Make<T>(string name)
        where T : IMakes<T>
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), name);
        return call.Leave(T.Make(name));
    }

    private static int Twice(int value) => Self.Enter(null, value).Leave(value * 2);

    private static int Apply(delegate*<int, int> function, int value)
    {
        Call call = Self.Enter(null, Described.Pointer(function), value);
        return call.Leave(function(value));
    }

    private static bool Describe(delegate*<int, int> some, delegate* unmanaged<void> none) =>
        Self.Enter(null, Described.Pointer(some), Described.Pointer(none)).Leave(none == null);

    private static int Inline(Four four) => Self.Enter(null, Described.TypeOnly(typeof(Four))).Leave(four[2]);

    private static Half Wide(Half half, Int128 signed, UInt128 unsigned) => Self.Enter(null, half, signed, unsigned).Leave(half);

    private static DateOnly Days(DateOnly day, TimeOnly time) => Self.Enter(null, day, time).Leave(day);

    [InlineArray(4)]
    private struct Four
    {
        private int first;
    }

    private readonly ref struct RefHolder
    {
        private readonly Span<int> items;

        public RefHolder(Span<int> items)
        {
            Call call = Self.Enter(Described.TypeOnly(typeof(RefHolder)), Described.Span<int>(items, typeof(Span<int>)));
            this.items = items;
            call.Leave();
        }

        public int First() => Self.Enter(Described.TypeOnly(typeof(RefHolder))).Leave(items[0]);
    }
}

internal interface IAdds<TSelf>
    where TSelf : IAdds<TSelf>
{
    static abstract TSelf Add(TSelf left, TSelf right);
}

internal interface IMakes<TSelf>
    where TSelf : IMakes<TSelf>
{
    static virtual TSelf Make(string name)
    {
        Call call = Self.Enter(null, Generic.Class(typeof(TSelf)), name);
        return call.Leave(default(TSelf));
    }
}

internal readonly struct Meters : IAdds<Meters>
{
    private readonly double value;

    public Meters(double value)
    {
        Call call = Self.Enter(null, value);
        this.value = value;
        call.Leave();
    }

    public static Meters Add(Meters left, Meters right)
    {
        Call call = Self.Enter(null, left, right);
        return call.Leave(new Meters(left.value + right.value));
    }
}

internal sealed class Named : IMakes<Named>
{
}

internal sealed class Person(string name, int age)
{
    private readonly string name = name;
    private readonly int age = Self.Enter(null, name, age).Leave(age);

    public string Greet() => Self.Enter(this).Leave($"{name}, {age}");
}
#endif
