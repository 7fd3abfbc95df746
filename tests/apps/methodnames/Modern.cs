#if NET8
using System;
using System.Collections.Generic;
using System.Numerics;
using Spelling;

namespace Cases;

/// <summary>Features of runtimes newer than 3.1.</summary>
public static class Modern
{
    internal static void Run()
    {
        Said.Here();
        _ = Sum<Vector>(new Vector(1));
        Numbers(1, (Half)1);
        Vector vector = new(2);
        _ = checked(vector + vector);
        _ = vector >>> 1;
        _ = new Record("a", 1) with { Count = 2 };
        _ = new Record("a", 1).ToString();
        _ = new Primary(1).Twice();
        new Ref(ref Place).Get();
        _ = Generic<int>.Make<string>(1);
        unsafe
        {
            Pointers(null, null, null, null);
        }
    }

    private static int Place;

    private static T Sum<T>(T value)
        where T : IAdd<T>
    {
        Said.Here(typeof(T));
        return value + T.Zero;
    }

    private static void Numbers(Int128 a, Half b = default, DateOnly? c = null) => Said.Here();

    private static unsafe void Pointers(delegate* unmanaged<int, void> a, delegate*<ref int, in int, out string, (int, string)> b, delegate*<ref readonly int> c, delegate*<dynamic, in (int a, object b), (dynamic x, int y)> d) =>
        Said.As("void Cases.Modern.Pointers(delegate* unmanaged<int, void> a, delegate*<ref int, in int, out string, (int, string)> b, delegate*<ref readonly int> c, delegate*<dynamic, in (int a, object b), (dynamic x, int y)> d)", null);
}

internal interface IAdd<TSelf>
    where TSelf : IAdd<TSelf>
{
    static abstract TSelf Zero { get; }
    static abstract TSelf operator +(TSelf a, TSelf b);
}

internal readonly struct Vector(int value) : IAdd<Vector>
{
    static Vector IAdd<Vector>.Zero
    {
        get
        {
            Said.Exactly("Cases.Vector Cases.Vector.Cases.IAdd<Cases.Vector>.Zero.get");
            return default;
        }
    }

    static Vector IAdd<Vector>.operator +(Vector a, Vector b)
    {
        Said.Exactly("Cases.Vector Cases.Vector.Cases.IAdd<Cases.Vector>.operator +(Cases.Vector a, Cases.Vector b)");
        return a;
    }

    public static Vector operator +(Vector a, Vector b)
    {
        Said.Here();
        return a;
    }

    public static Vector operator checked +(Vector a, Vector b)
    {
        Said.Exactly("Cases.Vector Cases.Vector.operator checked +(Cases.Vector a, Cases.Vector b)");
        return a;
    }

    public static Vector operator >>>(Vector a, int count)
    {
        Said.Exactly("Cases.Vector Cases.Vector.operator >>>(Cases.Vector a, int count)");
        return new Vector(value: a.Value);
    }

    private int Value => value;
}

internal record Record(string Name, int Count);

internal class Primary(int captured)
{
    internal int Twice()
    {
        Said.Here();
        return 2 * captured;
    }
}

internal ref struct Ref(ref int place)
{
    private readonly ref int place = ref place;

    internal readonly ref int Get()
    {
        Said.Here();
        return ref place;
    }
}

internal static class Generic<T>
{
    internal static (T A, List<U> B)? Make<U>(scoped in T value)
    {
        Said.Here(typeof(T), typeof(U));
        return null;
    }
}
#endif
