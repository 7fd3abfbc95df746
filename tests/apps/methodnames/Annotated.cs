using System;
using System.Collections.Generic;
using Spelling;

namespace Cases;

/// <summary>Attributes of types: names of tuple elements, dynamic.</summary>
public static class Annotated
{
    internal static void Run()
    {
        Said.Here();
        int number = 0;
        object any = null;
        (int, int) pair = default;
        Simple(default);
        Partial(default);
        Inside(null, null);
        Nested(default);
        _ = Long(default);
        _ = Longer(default);
        One(default);
        Open<string>((1, "a"), default);
        Dynamic(null, null, null);
        DynamicRef(ref any, null);
        DynamicNested(null);
        DynamicTuple(default);
        DynamicMixed(1, null, default);
        DynamicOf<int>(null, null);
        ByRef(in pair, ref pair, out _);
        _ = Both();
        Pointers.Of();
        _ = number;
    }

    private static void Simple((int Count, string Name) pair) => Said.Exactly("void Cases.Annotated.Simple((int Count, string Name) pair)");

    private static void Partial((int, string Name, bool) triple) => Said.Exactly("void Cases.Annotated.Partial((int, string Name, bool) triple)");

    private static void Inside(List<(int a, int b)> list, Dictionary<string, (bool x, (int, int) y)[]>[] map) =>
        Said.Exactly("void Cases.Annotated.Inside(System.Collections.Generic.List<(int a, int b)> list, System.Collections.Generic.Dictionary<string, (bool x, (int, int) y)[]>[] map)");

    private static void Nested((int a, (string b, (bool c, byte)? d) e) value) =>
        Said.Exactly("void Cases.Annotated.Nested((int a, (string b, (bool c, byte)? d) e) value)");

    private static (int a, int b, int c, int d, int e, int f, int g, int h) Long((int, int, int, int, int, int, int, int h) value)
    {
        Said.Exactly("(int a, int b, int c, int d, int e, int f, int g, int h) Cases.Annotated.Long((int, int, int, int, int, int, int, int h) value)");
        return default;
    }

    private static (int a, int, int, int, int, int, int, (int x, int y) h, int i)[] Longer((int, int, int, int, int, int, int, int, int, int, int, int, int, int, (int p, int q) o, int z) value)
    {
        Said.Exactly("(int a, int, int, int, int, int, int, (int x, int y) h, int i)[] Cases.Annotated.Longer((int, int, int, int, int, int, int, int, int, int, int, int, int, int, (int p, int q) o, int z) value)");
        return null;
    }

    private static void One((ValueTuple<(int a, int b)> one, int rest) value) =>
        Said.Exactly("void Cases.Annotated.One((System.ValueTuple<(int a, int b)> one, int rest) value)");

    private static void Open<T>((int Count, T Item) pair, Outer<(T a, int)>.Value other)
    {
        Said.Exactly("void Cases.Annotated.Open<string>((int Count, string Item) pair, Cases.Outer<(string a, int)>.Value other)", typeof(T));
    }

    private static void Dynamic(dynamic a, object b, dynamic[] c) => Said.Exactly("void Cases.Annotated.Dynamic(dynamic a, object b, dynamic[] c)");

    private static void DynamicRef(ref dynamic a, List<dynamic>[,] b) =>
        Said.Exactly("void Cases.Annotated.DynamicRef(ref dynamic a, System.Collections.Generic.List<dynamic>[,] b)");

    private static void DynamicNested(Dictionary<object, Dictionary<dynamic, int>.Enumerator> a) =>
        Said.Exactly("void Cases.Annotated.DynamicNested(System.Collections.Generic.Dictionary<object, System.Collections.Generic.Dictionary<dynamic, int>.Enumerator> a)");

    private static void DynamicTuple((object a, dynamic b, (dynamic, int c) d) value) =>
        Said.Exactly("void Cases.Annotated.DynamicTuple((object a, dynamic b, (dynamic, int c) d) value)");

    private static dynamic DynamicMixed(int a, Func<dynamic, object> b, (int, int, int, int, int, int, int, dynamic h, object i) c)
    {
        Said.Exactly("dynamic Cases.Annotated.DynamicMixed(int a, System.Func<dynamic, object> b, (int, int, int, int, int, int, int, dynamic h, object i) c)");
        return null;
    }

    private static void DynamicOf<T>(Func<T, dynamic> a, Outer<dynamic>.Inner<T>[] b) => Said.Here(typeof(T));

    private static void ByRef(in (int a, int) x, ref (int, int b) y, out (dynamic d, object) z)
    {
        Said.Exactly("void Cases.Annotated.ByRef(in (int a, int) x, ref (int, int b) y, out (dynamic d, object) z)");
        z = default;
    }

    private static Func<(int a, dynamic b)> Both()
    {
        Said.Exactly("System.Func<(int a, dynamic b)> Cases.Annotated.Both()");
        return null;
    }

    private static unsafe class Pointers
    {
        private static (int a, int b) place;

        internal static void Of()
        {
            Said.Here();
            Pointer(null);
            _ = Return();
        }

        private static void Pointer((int a, int b)* value) => Said.Exactly("void Cases.Annotated.Pointers.Pointer((int a, int b)* value)");

        private static ref readonly (int a, int b) Return()
        {
            Said.Exactly("ref readonly (int a, int b) Cases.Annotated.Pointers.Return()");
            return ref place;
        }
    }
}
