using System;
using System.Linq;
using System.Reflection;
using Report;

namespace Cases;

internal delegate int Transform(int value, string text);

/// <summary>Lambdas, local functions, delegates, calls through reflection.</summary>
public static class Functions
{
    private static readonly int[] Numbers = { 3, 1, 2 };

    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Lambdas(10);
        Locals(20);
        Delegates();
        Reflected();
        OfAnyType("text");
        OfAnyType(30);
        call.Leave();
    }

    private static int Lambdas(int captured)
    {
        Call call = Self.Enter(null, captured);
        Func<int, int> plain = x => Self.Enter(null, x).Leave(x + 1);
        Func<int, int> closure = x => Self.Enter(null, x).Leave(x + captured);
        int sorted = Numbers.OrderBy(n => Self.Enter(null, n).Leave(n)).First();
        return call.Leave(plain(1) + closure(2) + sorted);
    }

    private static int Locals(int captured)
    {
        Call call = Self.Enter(null, captured);
        return call.Leave(Plain(1) + Closure(2));

        static int Plain(int x) => Self.Enter(null, x).Leave(x + 1);

        int Closure(int x) => Self.Enter(null, x).Leave(x + captured);
    }

    private static void Delegates()
    {
        Call call = Self.Enter(null);
        Transform transform = Named;
        transform += Named;
        transform(5, "five");
        Pass(transform, null);
        Pass(null, Named);
        call.Leave();
    }

    private static int Named(int value, string text) => Self.Enter(null, value, text).Leave(value + text.Length);

    private static bool Pass(Transform own, Func<int, string, int> library) =>
        Self.Enter(null, own, library).Leave(own == null);

    private static void Reflected()
    {
        Call call = Self.Enter(null);
        MethodInfo named = typeof(Functions).GetMethod(nameof(Named), BindingFlags.Static | BindingFlags.NonPublic);
        named.Invoke(null, new object[] { 6, "six" });
        call.Leave();
    }

    private static void OfAnyType<T>(T value)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), value);
        Func<T> closure = () => Self.Enter(null, Generic.Class(typeof(T))).Leave(value);
        closure();
        Local(value);
        call.Leave();

        static T Local(T inner) => Self.Enter(null, Generic.Method(typeof(T)), inner).Leave(inner);
    }
}
