using System;
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

/// <summary>One value, passed in every possible way: into and out of static and instance methods of classes
/// and structs, where the method, the type or both are generic; by value and by reference; in arrays and boxes.</summary>
internal static class Through
{
    /// <summary>All of them. <paramref name="other"/> is another value of the type.</summary>
    public static void All<T>(T value, T other = default)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), value, other);
        Pass(value);
        T changed = other;
        References(value, ref changed, out _);
        First(new[] { value, other });
        Boxed(value);
        new Keeper<T>(value).Take(other);
        Keeper<T>.Share(value);
        new Keeper<T>(other).With(1, value);
        new Slot<T> { Value = value }.Take(other);
        new Plain().Instance(value);
        new PlainStruct { Number = 7 }.Instance(value);
        call.Leave();
    }

    private static T Pass<T>(T value) => Self.Enter(null, Generic.Method(typeof(T)), value).Leave(value);

    private static void References<T>(in T read, ref T changed, out T made)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), read, changed, Self.Out);
        changed = read;
        made = read;
        call.Outs(changed, made).Leave();
    }

    private static ref T First<T>(T[] items)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), items);
        call.LeaveWith(items[0]);
        return ref items[0];
    }

    private static object Boxed(object value) => Self.Enter(null, value).Leave(value);
}

internal class Keeper<T>
{
    private readonly T kept;

    public Keeper(T value) => kept = value;

    public static T Share(T value) => Self.Enter(null, Generic.Class(typeof(T)), value).Leave(value);

    public T Take(T value)
    {
        Call call = Self.Enter(this, value);
        return call.Leave(kept);
    }

    public (T, TOther) With<TOther>(TOther other, T value)
    {
        Call call = Self.Enter(this, new Generic().And(typeof(TOther)), other, value);
        return call.Leave((value, other));
    }
}

internal struct Slot<T>
{
    public T Value;

    public T Take(T value)
    {
        Call call = Self.Enter(this, value);
        return call.Leave(Value);
    }
}

internal sealed class Plain
{
    public T Instance<T>(T value)
    {
        Call call = Self.Enter(this, Generic.Method(typeof(T)), value);
        return call.Leave(value);
    }
}

internal struct PlainStruct
{
    public int Number;

    public T Instance<T>(T value)
    {
        Call call = Self.Enter(this, Generic.Method(typeof(T)), value);
        return call.Leave(value);
    }
}
