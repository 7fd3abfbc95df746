// Methods that take a floating-point number and a struct in registers. On 3.1, querying the runtime for
// the arguments of such a method overwrites the saved xmm0, and the method then runs with a zero.

using System;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Floats;

public struct Words
{
    public long A, B;
}

public struct Mixed
{
    public double A;
    public long B;
}

public struct Doubles
{
    public double A, B;
}

public sealed class Receiver
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public double Instance(Words s, float a, double b) => a + b + s.A;
}

public static class Program
{
    public static int Main()
    {
        var words = new Words { A = 1, B = 2 };
        var mixed = new Mixed { A = 3.5, B = 4 };
        var doubles = new Doubles { A = 5.5, B = 6.5 };
        for (int i = 0; i < 3; i++)
        {
            Print(First(2.5 + i, words));
            Print(Last(words, 2.5 + i));
            Print(Two(2.5 + i, 3.5f, words));
            Print(WithMixed(2.5 + i, mixed));
            Print(WithDoubles(2.5 + i, doubles, 9.5));
            Print(Eight(1, 2, 3, 4, 5, 6, 7, 8.5 + i, words));
            Print(new Receiver().Instance(words, 0.5f, 2.5 + i));
            Print(Chosen(2.5m + i, 7.5, words));
        }
        return 0;
    }

    private static void Print(double value)
    {
        Console.WriteLine(value.ToString("R", CultureInfo.InvariantCulture));
        Console.WriteLine(((float)value).ToString("F3", CultureInfo.InvariantCulture));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double First(double a, Words s) => a;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Last(Words s, double a) => a;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Two(double a, float b, Words s) => a * b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double WithMixed(double a, Mixed s) => a + s.A + s.B;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double WithDoubles(double a, Doubles s, double b) => a + s.A + (10 * s.B) + (100 * b);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Eight(double a, double b, double c, double d, double e, double f, double g, double h, Words s) =>
        a + b + c + d + e + f + g + h + s.B;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Chosen(decimal a, double b, Words s) => (double)a + b + s.A;
}
