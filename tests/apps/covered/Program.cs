// Counts its own coverage: every measured statement calls Hit on its line, every condition passes B. The counts are
// written at the end, as `line N count` and `branch N true false`.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Covered;

public static class Counted
{
    private static readonly int[] Lines = new int[1000];
    private static readonly int[] True = new int[1000];
    private static readonly int[] False = new int[1000];

    public static void Hit([CallerLineNumber] int line = 0) => Interlocked.Increment(ref Lines[line]);

    public static T V<T>(T value, [CallerLineNumber] int line = 0)
    {
        Interlocked.Increment(ref Lines[line]);
        return value;
    }

    public static bool B(bool condition, [CallerLineNumber] int line = 0)
    {
        Interlocked.Increment(ref (condition ? True : False)[line]);
        return condition;
    }

    public static void Never([CallerLineNumber] int line = 0) => Lines[line] = -1;

    public static void Report()
    {
        for (int i = 0; i < Lines.Length; i++)
        {
            if (Lines[i] != 0) { Console.WriteLine($"line {i} {Lines[i]}"); }
            if (True[i] + False[i] > 0) { Console.WriteLine($"branch {i} {True[i]} {False[i]}"); }
        }
    }
}
