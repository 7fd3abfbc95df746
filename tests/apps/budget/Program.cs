// A program that calls a lot and counts its calls itself, for tests of the budget: callers and callees with the same number,
// recursion, exceptions that leave frames and are caught in loops, generic code, tail positions, threads that end and one that
// does not, and methods that are called seldom.
//
// Each method returns three times its first argument, unless it throws.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Budget
{
    internal static class Program
    {
        private static int Main(string[] args)
        {
            int rounds = args.Length > 0 ? int.Parse(args[0]) : 20000;
            for (int i = 0; i < 7; i++)
                Work.Seldom(i);
            for (int i = 0; i < rounds; i++)
                Work.Outer(i);
            for (int i = 0; i < 93; i++)
                Work.Seldom(i);
            for (int i = 0; i < rounds / 100; i++)
                Work.Deep(50);
            for (int i = 0; i < rounds / 20; i++)
                Work.Catches(3, i % 4);
            for (int i = 0; i < rounds; i++)
            {
                Generic<string>.Shared(i);
                Generic<object>.Shared(i);
                Generic<int>.Shared(i);
                Work.Tail(i);
            }
            Thread[] threads = Enumerable.Range(0, 4).Select(thread => new Thread(() =>
            {
                for (int i = 0; i < rounds; i++)
                    Work.Parallel(i, thread);
                Work.Rare(thread);
            })).ToArray();
            Array.ForEach(threads, thread => thread.Start());
            Array.ForEach(threads, thread => thread.Join());
            // Its counts are those of a thread that runs when the process ends.
            ManualResetEventSlim done = new ManualResetEventSlim();
            new Thread(() =>
            {
                for (int i = 0; i < rounds; i++)
                    Work.Unended(i);
                done.Set();
                Thread.Sleep(Timeout.Infinite);
            }) { IsBackground = true }.Start();
            done.Wait();
            foreach (KeyValuePair<string, long> count in Count.All())
                Console.WriteLine($"{count.Key} {count.Value}");
            return 0;
        }
    }

    internal static class Count
    {
        public static long Seldom, Outer, Middle, Leaf, Deep, Throws, Catches, Shared, Tail, Last, Parallel, Rare, Unended;

        public static Dictionary<string, long> All() => new Dictionary<string, long>
        {
            ["Budget.Work.Seldom"] = Seldom,
            ["Budget.Work.Outer"] = Outer,
            ["Budget.Work.Middle"] = Middle,
            ["Budget.Work.Leaf"] = Leaf,
            ["Budget.Work.Deep"] = Deep,
            ["Budget.Work.Throws"] = Throws,
            ["Budget.Work.Catches"] = Catches,
            ["Budget.Generic.Shared"] = Shared,
            ["Budget.Work.Tail"] = Tail,
            ["Budget.Work.Last"] = Last,
            ["Budget.Work.Parallel"] = Parallel,
            ["Budget.Work.Rare"] = Rare,
            ["Budget.Work.Unended"] = Unended,
        };
    }

    internal static class Work
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Seldom(int number)
        {
            Count.Seldom++;
            return number * 3L;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Outer(int number)
        {
            Count.Outer++;
            return (Middle(number, "first") + Middle(number, "second")) / 2;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Middle(int number, string text)
        {
            Count.Middle++;
            int other = number;
            long sum = Leaf(number, ref other) + Leaf(number, ref other) + Leaf(number, ref other);
            return text.Length > 0 ? sum / 3 : 0;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Leaf(int number, ref int other)
        {
            Count.Leaf++;
            other = number + 1;
            return number * 3L;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Deep(int levels)
        {
            Count.Deep++;
            return levels <= 1 ? 3 : Deep(levels - 1) + 3;
        }

        // Unwinds as many frames of itself as there are levels.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Throws(int levels)
        {
            Count.Throws++;
            if (levels <= 1)
                throw new InvalidOperationException("on purpose");
            return Throws(levels - 1) + 3;
        }

        // Calls itself, and catches the exception: in some calls at the innermost level, in others at an outer one.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Catches(int levels, int thrown)
        {
            Count.Catches++;
            try
            {
                return levels <= 1 ? Throws(thrown) : Catches(levels - 1, thrown) + 3;
            }
            catch (InvalidOperationException) when (levels != 1 || thrown % 2 == 0)
            {
                return levels * 3L;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Tail(int number)
        {
            Count.Tail++;
            return Last(number);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Last(int number)
        {
            Count.Last++;
            return number * 3L;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Parallel(int number, int thread)
        {
            Interlocked.Increment(ref Count.Parallel);
            return number * 3L;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Rare(int number)
        {
            Interlocked.Increment(ref Count.Rare);
            return number * 3L;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Unended(int number)
        {
            Count.Unended++;
            return number * 3L;
        }
    }

    internal static class Generic<T>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Shared(int number)
        {
            Count.Shared++;
            return typeof(T) == null ? 0 : number * 3L;
        }
    }
}
