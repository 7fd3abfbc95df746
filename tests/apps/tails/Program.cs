// Calls in tail position, which the compiler may turn into jumps. Prints how often each method is
// called; the test counts.

using System;

namespace Tails;

public static class Program
{
    private const int Depth = 1000;

    public static int Main()
    {
        Console.WriteLine($"Even {Depth / 2 + 1}");
        Console.WriteLine($"Odd {Depth / 2}");
        Console.WriteLine($"Forward 1");
        Console.WriteLine($"Last 1");
        Console.WriteLine($"Into 1");
        bool even = Even(Depth, "tail");
        string text = Forward("a", 1, 2.5);
        Into(text);
        Console.Error.WriteLine($"{even} {text}");
        return 0;
    }

    private static bool Even(int n, string text) => n == 0 || Odd(n - 1, text);

    private static bool Odd(int n, string text) => n != 0 && Even(n - 1, text);

    private static string Forward(string text, int number, double half) => Last(half, number, text);

    private static string Last(double half, int number, string text) => text + number + half;

    private static void Into(object value) => GC.KeepAlive(value);
}
