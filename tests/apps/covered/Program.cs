// Counts its own coverage: every measured statement calls Hit on its line, every condition passes B. The counts are
// written at the end, as `line FILE N count` and `branch FILE N true false`.

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
    private static readonly SortedDictionary<string, Counts> Files = new SortedDictionary<string, Counts>();

    public static void Hit([CallerLineNumber] int line = 0, [CallerFilePath] string file = "") =>
        Interlocked.Increment(ref Of(file).Lines[line]);

    public static T V<T>(T value, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Interlocked.Increment(ref Of(file).Lines[line]);
        return value;
    }

    public static bool B(bool condition, [CallerLineNumber] int line = 0, [CallerFilePath] string file = "")
    {
        Counts counts = Of(file);
        Interlocked.Increment(ref (condition ? counts.True : counts.False)[line]);
        return condition;
    }

    public static void Never([CallerLineNumber] int line = 0, [CallerFilePath] string file = "") =>
        Of(file).Lines[line] = -1;

    public static void Report()
    {
        foreach (KeyValuePair<string, Counts> file in Files)
        {
            string name = file.Key.Substring(file.Key.LastIndexOfAny(new[] { '/', '\\' }) + 1);
            Counts counts = file.Value;
            for (int i = 0; i < counts.Lines.Length; i++)
            {
                if (counts.Lines[i] != 0) { Console.WriteLine($"line {name} {i} {counts.Lines[i]}"); }
                if (counts.True[i] + counts.False[i] > 0)
                {
                    Console.WriteLine($"branch {name} {i} {counts.True[i]} {counts.False[i]}");
                }
            }
        }
    }

    private static Counts Of(string file)
    {
        lock (Files)
        {
            if (!Files.TryGetValue(file, out Counts counts))
            {
                Files.Add(file, counts = new Counts());
            }
            return counts;
        }
    }

    private sealed class Counts
    {
        public readonly int[] Lines = new int[1000];
        public readonly int[] True = new int[1000];
        public readonly int[] False = new int[1000];
    }
}
