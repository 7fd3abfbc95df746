using System;
using System.Collections.Generic;
using Spelling;

namespace Cases;

/// <summary>Generic types and methods, on several levels.</summary>
public static class Generics
{
    internal static void Run()
    {
        Said.Here();
        One(5);
        One("text");
        One(new[] { "text" });
        One<int?>(null);
        One((1, "a"));
        One(new Dictionary<string, int>().GetEnumerator());
        One(new Outer<int>.Inner<string>());
        One(new int[1, 1][][,,]);
        Two<string, List<int[]>>(null, null);
        Two<(int, (string, bool)), Guid>(default, default);
        Two<(int, int, int, int, int, int, int, int, int), DayOfWeek>(default, default);
        Two<IntPtr, decimal>(default, default);
        new Outer<int>().Plain(1);
        new Outer<string>().Plain("");
        new Outer<string>.Inner<int>().Both<bool>("", 1, true);
        new Outer<object>.Inner<string>().Both<string>(null, "", "");
        new Outer<Exception>.Inner<byte>().Nested(null);
        new Outer<int>.Middle().Own(3);
        new Outer<int>.Middle.Deep<char>().Own(3, 'c');
        new Outer<string>.Middle.Deep<Version>().Own(null, null);
        new Outer<int>.Value { Field = 1 }.Get();
        new Outer<string>.Value { Field = "" }.Get();
        Outer<long>.Shared<ushort>();
        Outer<string>.Shared<string>();
        new Derived().Virtual(1, "");
        new Derived().Inherited(2);
        ((IShape<string>)new Derived()).Area("");
        Constrained<DayOfWeek, Derived>(DayOfWeek.Monday, new Derived());
        Recursive<int>(2);
    }

    private static void One<T>(T value) => Said.Here(typeof(T));

    private static TFirst Two<TFirst, TSecond>(TFirst first, TSecond second)
    {
        Said.Here(typeof(TFirst), typeof(TSecond));
        return first;
    }

    private static TEnum Constrained<TEnum, TClass>(TEnum value, TClass other)
        where TEnum : struct, Enum
        where TClass : Outer<int>
    {
        Said.Here(typeof(TEnum), typeof(TClass));
        return value;
    }

    private static void Recursive<T>(int depth)
    {
        Said.Here(typeof(T));
        if (depth > 0)
            Recursive<List<T>>(depth - 1);
    }
}

/// <summary>The outermost level.</summary>
public class Outer<T>
{
    internal Outer() => Said.Here(typeof(T));

    internal T Plain(T value)
    {
        Said.Here(typeof(T));
        return value;
    }

    internal virtual void Virtual(T value, string text) => Said.Here(typeof(T));

    internal void Inherited(T value) => Said.Here(typeof(T));

    internal static Dictionary<T, U> Shared<U>()
    {
        Said.Here(typeof(T), typeof(U));
        return null;
    }

    /// <summary>A level with a parameter of its own.</summary>
    internal class Inner<U>
    {
        internal Dictionary<T, U>.Enumerator Both<V>(T first, U second, V third)
        {
            Said.Here(typeof(T), typeof(U), typeof(V));
            return default;
        }

        internal Inner<T>[] Nested(Outer<U>.Inner<T> other)
        {
            Said.Here(typeof(T), typeof(U));
            return null;
        }
    }

    /// <summary>A level without.</summary>
    internal class Middle
    {
        internal void Own(T value) => Said.Here(typeof(T));

        internal class Deep<W>
        {
            internal void Own(T value, W other) => Said.Here(typeof(T), typeof(W));
        }
    }

    internal struct Value
    {
        internal T Field;

        internal T Get()
        {
            Said.Here(typeof(T));
            return Field;
        }
    }
}

/// <summary>An interface with a parameter.</summary>
public interface IShape<in T>
{
    double Area(T of);
}

/// <summary>A class whose base is an instantiation.</summary>
public class Derived : Outer<int>, IShape<string>
{
    internal override void Virtual(int value, string text)
    {
        Said.Here();
        base.Virtual(value, text);
    }

    public double Area(string of)
    {
        Said.Here();
        return 1;
    }
}
