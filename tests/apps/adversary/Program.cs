// Does the same work again and again on several threads, for some seconds: objects, generic code, exceptions, dynamic methods,
// load contexts that are unloaded, collections. Each piece of work gives a number, which has to be the same each time.
// The output does not depend on how often the work was done.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Adversary
{
    public static class Program
    {
        private static readonly (string Name, Func<long> Do)[] Works =
        {
            ("objects", Objects.Do),
            ("generic code", Generics.Do),
            ("exceptions", Exceptions.Do),
            ("dynamic methods", Dynamic.Do),
            ("contexts", Contexts.Do),
            ("threads", Threads.Do),
            ("events", Events.Do),
        };

        private static readonly object Lock = new object();
        private static readonly SortedDictionary<string, long> Results = new SortedDictionary<string, long>();
        private static int wrong;

        public static int Main(string[] args)
        {
            if (args.Length == 0)
            {
                return 2;
            }
            TimeSpan duration = TimeSpan.FromMilliseconds(int.Parse(args[0]));
            var threads = new Thread[3];
            for (int i = 0; i < threads.Length; i++)
            {
                int first = i;
                threads[i] = new Thread(() => Work(first, duration)) { Name = "worker " + i };
                threads[i].Start();
            }
            foreach (Thread thread in threads)
            {
                thread.Join();
            }
            foreach (KeyValuePair<string, long> result in Results)
            {
                Console.WriteLine(result.Key + ": " + result.Value);
            }
            Console.WriteLine(wrong + " wrong");
            return 42;
        }

        private static void Work(int first, TimeSpan duration)
        {
            Stopwatch watch = Stopwatch.StartNew();
            // Everything is done once, however long that takes.
            for (int i = 0; i < Works.Length || watch.Elapsed < duration; i++)
            {
                (string name, Func<long> work) = Works[(first + i) % Works.Length];
                Add(name, work());
            }
        }

        private static void Add(string name, long result)
        {
            lock (Lock)
            {
                if (!Results.TryGetValue(name, out long before))
                {
                    Results.Add(name, result);
                }
                else if (before != result)
                {
                    wrong++;
                    Console.WriteLine(name + ": first " + before + ", now " + result);
                }
            }
        }
    }
}
