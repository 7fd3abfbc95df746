// Deep stacks, small stacks, wide calls.

using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Hostile;

internal static class Depths
{
    private static int result;

    private static void On(int stack, ThreadStart work)
    {
        var thread = new Thread(work, stack);
        thread.Start();
        thread.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Down(int depth) => depth == 0 ? 0 : Down(depth - 1) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Reach(int depth) =>
        RuntimeHelpers.TryEnsureSufficientExecutionStack() ? Reach(depth + 1) + 0 * depth : depth;

    /// <summary>The recursion depth on a stack of so many KiB before the framework reports that it is too small.</summary>
    internal static int Reached(string[] args)
    {
        On(int.Parse(args[1]) << 10, () => result = Reach(0));
        Console.WriteLine(result);
        return 0;
    }

    private static int Mark(int number) => number;

    /// <summary>So many calls deep, then calls that are not deep.</summary>
    internal static int Deep(string[] args)
    {
        int depth = args.Length > 1 ? int.Parse(args[1]) : 40_000;
        On(512 << 20, () => result = Down(depth));
        Console.WriteLine(result);
        for (int i = 0; i < 10; i++)
        {
            result = Mark(i);
        }
        Console.WriteLine(result);
        return 0;
    }

    /// <summary>Many calls on the smallest stack that the platform gives.</summary>
    internal static int SmallStack(string[] args)
    {
        int depth = args.Length > 1 ? int.Parse(args[1]) : 100;
        On(128 << 10, () => result = Down(depth));
        Console.WriteLine(result);
        return 0;
    }

    private static long calls;
    private static int caught;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe int Fall(byte* bottom, bool throws)
    {
        calls++;
        byte here;
        if (&here > bottom)
        {
            return Fall(bottom, throws) + 1;
        }
        return throws ? throw new InvalidOperationException("near the end") : 0;
    }

    private static unsafe void FallAndReturn()
    {
        byte top;
        result = Fall(&top, false);
        // 48 KiB are left.
        byte* bottom = &top - ((256 - 48) << 10);
        for (int i = 0; i < 6; i++)
        {
            try
            {
                result = Fall(bottom, i % 2 == 1);
            }
            catch (InvalidOperationException)
            {
                caught++;
            }
            result = Mark(i);
        }
    }

    /// <summary>Calls up to the end of a stack of 256 KiB, which return or are left by an exception.</summary>
    internal static int Brink(string[] args)
    {
        On(256 << 10, FallAndReturn);
        Console.WriteLine(calls);
        Console.WriteLine(caught);
        return 0;
    }

    private static string Outer() => Middle();

    private static string Middle() => Inner();

    private static string Inner()
    {
        string names = "";
        foreach (StackFrame frame in new StackTrace().GetFrames())
        {
            names += frame.GetMethod().Name + " ";
        }
        return names;
    }

    /// <summary>The program's view of its own stack.</summary>
    internal static int Frames(string[] args)
    {
        Console.WriteLine(Outer());
        return 0;
    }

    private struct Large
    {
        internal long A, B, C, D, E, F, G, H;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Many(
        int a, long b, double c, float d, string e, object f, Large g, ref int h, in long i, out int j,
        byte k, short l, char m, bool n, decimal o, Guid p, DateTime q, int[] r, Large? s, Func<int> t,
        int u, int v, int w, int x, int y, int z)
    {
        h += a;
        j = h;
        return a + b + (long)c + (long)d + e.Length + g.A + g.H + i + k + l + m + (n ? 1 : 0) + (long)o + r.Length
            + (s?.B ?? 0) + t() + u + v + w + x + y + z;
    }

    /// <summary>Calls with more values than there are registers.</summary>
    internal static int Wide(string[] args)
    {
        long sum = 0;
        int h = 1;
        for (int i = 0; i < 500; i++)
        {
            var large = new Large { A = i, B = 2, H = 8 };
            sum += Many(i, 2, 3.5, 4.5f, "five", (string)null, large, ref h, 9, out int j, 1, 2, 'c', true, 15.5m,
                default, default, new int[i % 7], large, () => 20, 1, 2, 3, 4, 5, 6) + j;
        }
        Console.WriteLine(sum);
        return 0;
    }

    private static long Many(
        int a, long b, double c, float d, string e, string this_, Large g, ref int h, in long i, out int j,
        byte k, short l, char m, bool n, decimal o, Guid p, DateTime q, int[] r, Large? s, Func<int> t,
        int u, int v, int w, int x, int y, int z) =>
        Many(a, b, c, d, e, (object)this_, g, ref h, in i, out j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
}
