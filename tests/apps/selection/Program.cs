// Calls that are counted by the program itself, for tests of selective tracing: recursion, exceptions that leave frames,
// tail positions, several threads, and a file that is made and removed between them.
//
//     selection [FILE]

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Selection
{
    internal static class Program
    {
        private static readonly string[] Names =
            { nameof(Work.Simple), nameof(Work.Deep), nameof(Work.Throws), nameof(Work.Catches), nameof(Work.Shared) };

        private static int Main(string[] args)
        {
            for (int i = 0; i < 1000; i++)
                Work.Simple(i);
            for (int i = 0; i < 20; i++)
                Work.Deep(50);
            for (int i = 0; i < 101; i++)
                Work.Catches(3, i % 4);
            Thread[] threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
            {
                for (int i = 0; i < 500; i++)
                    Work.Shared(i);
            })).ToArray();
            Array.ForEach(threads, thread => thread.Start());
            Array.ForEach(threads, thread => thread.Join());
            for (int i = 0; i < 50; i++)
                Often.Take(new Pair { Left = i, Right = "right" }, i);
            foreach (string name in Names)
                Console.WriteLine($"Selection.Work.{name} {Work.Count(name)}");
            if (args.Length > 0)
                Switch(args[0]);
            return 0;
        }

        // Long enough for a tracer to notice that the file was created or removed.
        private const int Pause = 600;

        private static void Switch(string file)
        {
            // This call began before the file existed: its end must not be traced.
            Switched.Around(() =>
            {
                Switched.Off(1);
                File.WriteAllText(file, "");
                Thread.Sleep(Pause);
                for (int i = 0; i < 7; i++)
                    Switched.On(i);
                // And this one ends after the file was removed.
                Switched.Across(() =>
                {
                    File.Delete(file);
                    Thread.Sleep(Pause);
                    Switched.Off(2);
                });
                Switched.Off(3);
            });
        }
    }

    internal sealed class Pair
    {
        public int Left;
        public string Right;
    }

    // A method that is called often, with values that have parts.
    internal static class Often
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Pair Take(Pair pair, int number) => pair.Left == number ? pair : null;
    }

    internal static class Work
    {
        private static readonly int[] Counts = new int[5];

        public static int Count(string name) => Counts[Index(name)];

        private static int Index(string name) =>
            Array.IndexOf(new[] { "Simple", "Deep", "Throws", "Catches", "Shared" }, name);

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Simple(int number)
        {
            Counts[0]++;
            return number + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Deep(int levels)
        {
            Counts[1]++;
            return levels <= 1 ? 1 : Deep(levels - 1) + 1;
        }

        // Unwinds as many frames of itself as there are levels.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Throws(int levels)
        {
            Counts[2]++;
            if (levels <= 1)
                throw new InvalidOperationException("on purpose");
            return Throws(levels - 1) + 1;
        }

        // Calls itself, and catches the exception: in some calls at the innermost level, in others at an outer one.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Catches(int levels, int thrown)
        {
            Counts[3]++;
            try
            {
                return levels <= 1 ? Throws(thrown) : Catches(levels - 1, thrown) + 1;
            }
            catch (InvalidOperationException) when (levels != 1 || thrown % 2 == 0)
            {
                return 0;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Shared(int number)
        {
            Interlocked.Increment(ref Counts[4]);
            return number;
        }
    }

    internal static class Switched
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int On(int number) => number;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Off(int number) => number;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Around(Action action)
        {
            action();
            return 0;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Across(Action action)
        {
            action();
            return 0;
        }
    }
}
