using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

/// <summary>Generic types and methods. Instantiations over reference types share their code, and must
/// be distinguished nevertheless.</summary>
public static class GenericCases
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Carts();
        Methods();
        Nested();
        Virtuals();
        Tuples();
        call.Leave();
    }

    private static void Carts()
    {
        Call call = Self.Enter(null);
        new Cart<string>().Add("apple");
        new Cart<object>().Add("pear");
        new Cart<object>().Add(null);
        new Cart<int>().Add(5);
        new Cart<int?>().Add(6);
        new Cart<int?>().Add(null);
        new Cart<long>().Swap(7, "seven");
        new Cart<Uri>().Swap(null, 8.5);
        new Cart<string[]>().Add(new[] { "x", "y" });
        new Cart<List<Cart<int>>>().Add(null);
        Cart<string>.Make("made");
        Cart<Animal>.Make(null);
        Cart<byte>.Make(9);
        new NamedCart().Add("by name");
        new PairCart<string, int>().Put("key", 10);
        call.Leave();
    }

    private static void Methods()
    {
        Call call = Self.Enter(null);
        Echo("text");
        Echo(1);
        Echo<object>(2);
        Echo<string>(null);
        Echo<double>(3.5);
        Echo(new Point(1, 2));
        Echo(new[] { 1, 2 });
        Echo(new Cart<string>());
        Two<int, string>(4, "four");
        Two<string, object>("five", null);
        ByRef("before", out object after);
        ByRef(6, out DayOfWeek day);
        call.Leave();
    }

    private static void Nested()
    {
        Call call = Self.Enter(null);
        new Outer<string>.Inner<int>().Both("a", 1);
        new Outer<int>.Inner<object>().Both(2, "b");
        Outer<char>.Plain.Count('c');
        Outer<string>.Plain.Count("d");
        Outer<string>.Inner<int>.Three(3.5, null);
        new Pair<string, int>("e", 5).First();
        new Pair<int, Cart<string>>(6, null).First();
        call.Leave();
    }

    private static void Virtuals()
    {
        Call call = Self.Enter(null);
        Shape shape = new Circle();
        shape.Visit(1);
        shape.Visit("one");
        ((IVisits<string>)shape).Accept("two");
        ((IVisits<int>)shape).Accept(2);
        call.Leave();
    }

    private static void Tuples()
    {
        Call call = Self.Enter(null);
        Tuple((1, "one"));
        Eight((1, 2, 3, 4, 5, 6, 7, 8));
        Echo((1, (2L, "three")));
        call.Leave();
    }

    private static (string Name, int Count) Tuple((int, string) pair) =>
        Self.Enter(null, pair).Leave((pair.Item2, pair.Item1));

    private static int Eight((int, int, int, int, int, int, int, int) all) => Self.Enter(null, all).Leave(all.Item8);

    private static T Echo<T>(T value) => Self.Enter(null, Generic.Method(typeof(T)), value).Leave(value);

    private static string Two<T, U>(T first, U second) =>
        Self.Enter(null, Generic.Method(typeof(T), typeof(U)), first, second).Leave(typeof(T).Name);

    private static void ByRef<T, U>(T value, out U other)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T), typeof(U)), value, Self.Out);
        other = default;
        call.Outs(other).Leave();
    }
}

internal class Cart<T>
{
    private T last;

    public Cart() => Self.Enter(this).Leave();

    public static Cart<T> Make(T value)
    {
        Call call = Self.Enter(null, Generic.Class(typeof(T)), value);
        var cart = new Cart<T>();
        cart.Add(value);
        return call.Leave(cart);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public T Loop(int times, T value)
    {
        Call call = Self.Enter(this, times, value);
        for (int i = 0; i < times; i++)
            last = value;
        return call.Leave(last);
    }

    public virtual int Add(T value)
    {
        Call call = Self.Enter(this, value);
        last = value;
        return call.Leave(1);
    }

    public T Swap<U>(T value, U other)
    {
        Call call = Self.Enter(this, Generic.Method(typeof(U)), value, other);
        (last, value) = (value, last);
        return call.Leave(value);
    }
}

internal sealed class NamedCart : Cart<string>
{
    public override int Add(string value)
    {
        Call call = Self.Enter(this, value);
        return call.Leave(base.Add(value) + 1);
    }
}

internal sealed class PairCart<TKey, TValue> : Cart<KeyValuePair<TKey, TValue>>
{
    public int Put(TKey key, TValue value)
    {
        Call call = Self.Enter(this, key, value);
        return call.Leave(Add(new KeyValuePair<TKey, TValue>(key, value)));
    }
}

internal static class Outer<T>
{
    public static class Plain
    {
        public static int Count(T value) => Self.Enter(null, Generic.Class(typeof(T)), value).Leave(1);
    }

    public sealed class Inner<U>
    {
        public static int Three<V>(V value, Inner<U> other) =>
            Self.Enter(null, Generic.Class(typeof(T), typeof(U)).And(typeof(V)), value, other).Leave(3);

        public string Both(T first, U second) => Self.Enter(this, first, second).Leave($"{first}{second}");
    }
}

internal readonly struct Pair<T, U>
{
    private readonly T first;
    private readonly U second;

    public Pair(T first, U second)
    {
        Call call = Self.Enter(null, Generic.Class(typeof(T), typeof(U)), first, second);
        this.first = first;
        this.second = second;
        call.Leave();
    }

    public T First() => Self.Enter(this).Leave(first);
}

internal interface IVisits<T>
{
    string Accept(T value);
}

internal abstract class Shape
{
    public abstract string Visit<T>(T value);
}

internal sealed class Circle : Shape, IVisits<string>, IVisits<int>
{
    public override string Visit<T>(T value) =>
        Self.Enter(this, Generic.Method(typeof(T)), value).Leave(value.ToString());

    string IVisits<string>.Accept(string value) => Self.Enter(this, value).Leave(value);

    string IVisits<int>.Accept(int value) => Self.Enter(this, value).Leave("int");
}
