using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Spelling;

namespace Cases;

internal enum Color : byte
{
    None,
    Red,
}

[Flags]
internal enum Opt : long
{
    A = 1,
    B = 2,
    C = 1L << 40,
}

/// <summary>Modes and default values of parameters, and the types they can have.</summary>
public static unsafe class Parameters
{
    private static int place;

    internal static void Run()
    {
        Said.Here();
        int number = 1;
        Modes(in number, ref number, out _, 1);
        ReadOnly(ref number);
        Marked(ref number);
        _ = RefReturn(ref number);
        _ = RefReadOnlyReturn();
        Many(1, 2, 3);
        ManyGeneric("a", "b");
        Integers();
        Texts();
        Floats();
        Exponents();
        Enums();
        Shelf<string>.Sorted();
        Nulls<int>();
        Defaults<string>();
        Decimals();
        Span(default, default, ref number);
        Pointers(null, null, null, null);
        Functions(null, null, null);
        Arrays(null, null, null, null);
        Nullables(null, null, null);
        Builtin(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        Rest('c', true, null, "", 1, default, default, default);
        Delegates(null, null);
        new Virtual().Modified(in number);
        NoNames.Call();
        _ = Environment(0);
    }

    private static void Modes(in int a, ref int b, out int c, int d)
    {
        Said.Exactly("void Cases.Parameters.Modes(in int a, ref int b, out int c, int d)");
        c = 0;
    }

    private static void ReadOnly(ref readonly int value) => Said.Exactly("void Cases.Parameters.ReadOnly(ref readonly int value)");

    private static void Marked([In] ref int value) => Said.Exactly("void Cases.Parameters.Marked(ref int value)");

    private static ref int RefReturn(ref int value)
    {
        Said.Exactly("ref int Cases.Parameters.RefReturn(ref int value)");
        return ref value;
    }

    private static ref readonly int RefReadOnlyReturn()
    {
        Said.Exactly("ref readonly int Cases.Parameters.RefReadOnlyReturn()");
        return ref place;
    }

    private static void Many(int first, params int[] others) => Said.Exactly("void Cases.Parameters.Many(int first, params int[] others)");

    private static void ManyGeneric<T>(params T[] items) => Said.Here(typeof(T));

    private static void Integers(sbyte a = -1, byte b = 255, short c = -2, ushort d = 3, int e = int.MinValue, uint f = 4, long g = long.MinValue, ulong h = ulong.MaxValue, bool i = true, bool j = false) => Said.Here();

    private static void Texts(string a = "a\"b\\c\n\0\u0007'", string b = "", string c = null, char d = '\'', char e = 'é', char f = '\0', char g = '"', object h = null) =>
        Said.Exactly("void Cases.Parameters.Texts(string a = \"a\\\"b\\\\c\\n\\0\\u0007'\", string b = \"\", string c = null, char d = '\\'', char e = 'é', char f = '\\0', char g = '\"', object h = null)");

    private static void Floats(float a = 1.5f, double b = 0.1, float c = float.NaN, double d = double.NegativeInfinity, double e = 1e20, float f = 16777216f, double g = 1e-7, double h = 100, float i = float.MaxValue, double j = double.Epsilon) => Said.Here();

    private static void Exponents(double a = 1e14, double b = 1e15, double c = 1e16, double d = 1e17, double e = 123456789012345678, double f = 1e-4, double g = 1.5e-5, float h = 1e7f, float i = 1e8f, float j = 1e9f, float k = 1e10f, float l = 123456792f) => Said.Here();

    private static void Enums(Color a = Color.Red, Opt b = Opt.A | Opt.C, Color c = (Color)9, Opt d = 0, DayOfWeek e = DayOfWeek.Friday, Color? f = Color.Red, Color? g = null) =>
        Said.Exactly("void Cases.Parameters.Enums(Cases.Color a = Cases.Color.Red, Cases.Opt b = Cases.Opt.A | Cases.Opt.C, Cases.Color c = (Cases.Color)9, Cases.Opt d = (Cases.Opt)0, System.DayOfWeek e = System.DayOfWeek.Friday, Cases.Color? f = Cases.Color.Red, Cases.Color? g = null)");

    private static class Shelf<T>
    {
        internal enum Order : short
        {
            Up,
            Down,
        }

        internal static void Sorted(Order a = Order.Down, Order? b = Order.Down, Order? c = null) =>
            Said.Exactly("void Cases.Parameters.Shelf<string>.Sorted(Cases.Parameters.Shelf<string>.Order a = Cases.Parameters.Shelf<string>.Order.Down, Cases.Parameters.Shelf<string>.Order? b = Cases.Parameters.Shelf<string>.Order.Down, Cases.Parameters.Shelf<string>.Order? c = null)", typeof(string));
    }

    private static void Nulls<T>(int? a = null, int? b = 5, Guid c = default, T d = default, T[] e = null, List<T> f = null, KeyValuePair<T, int> g = default, void* h = null, Color i = default) => Said.Here(typeof(T));

    private static void Defaults<T>(T a = default, (T, int) b = default, in int c = 3, DateTime d = default) => Said.Here(typeof(T));

    private static void Decimals(decimal a = 1.50m, decimal b = -3, decimal c = 79228162514264337593543950335m, decimal d = 0.0001m, decimal? e = 2.5m) =>
        Said.Exactly("void Cases.Parameters.Decimals(decimal a = 1.50, decimal b = -3, decimal c = 79228162514264337593543950335, decimal d = 0.0001, decimal? e = 2.5)");

    private static void Span(scoped Span<int> a, Span<int> b, scoped ref int c) =>
        Said.Exactly("void Cases.Parameters.Span(scoped System.Span<int> a, System.Span<int> b, scoped ref int c)");

    private static void Pointers(int* a, void* b, char** c, Color*[] d) => Said.Here();

    private static void Functions(delegate*<int, void> a, delegate* unmanaged[Cdecl]<int, ref int, bool> b, delegate*<delegate*<void>, List<int>>[] c) =>
        Said.As("void Cases.Parameters.Functions(delegate*<int, void> a, delegate* unmanaged[Cdecl]<int, ref int, bool> b, delegate*<delegate*<void>, System.Collections.Generic.List<int>>[] c)", null);

    private static void Arrays(int[] a, int[,] b, string[][,,] c, List<int[]>[,][] d) => Said.Here();

    private static void Nullables(int? a, Color?[] b, (int, bool?)? c) => Said.Here();

    private static void Builtin(sbyte a, byte b, short c, ushort d, int e, uint f, long g, ulong h, nint i, nuint j) => Said.Here();

    private static decimal Rest(char a, bool b, object c, string d, float e, double f, decimal g, TypedReference h)
    {
        Said.Here();
        return 1;
    }

    private static void Delegates(Action<int, string> a, Func<Func<int>, Action> b) => Said.Here();

    [DllImport("libc", EntryPoint = "getpid")]
    private static extern int Environment(int unused);

    private class Virtual
    {
        internal virtual ref readonly int Modified(in int value)
        {
            Said.Exactly("ref readonly int Cases.Parameters.Virtual.Modified(in int value)");
            return ref place;
        }
    }

    private static class NoNames
    {
        internal static void Call() => Said.Here();
    }
}
