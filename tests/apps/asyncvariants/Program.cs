using System;
using System.IO;
using System.Threading.Tasks;

namespace AsyncVariants
{
    /// Methods that return tasks, awaited in rounds. Arguments: the number of rounds, and a profiler's log: rounds that print nothing
    /// come first, until a call is logged. Each other round prints the same lines.
    internal static class Program
    {
        private static async Task<int> Main(string[] arguments)
        {
            int rounds = int.Parse(arguments[0]);
            if (arguments.Length > 1)
            {
                TextWriter output = Console.Out;
                Console.SetOut(TextWriter.Null);
                for (int round = 0; round < 100_000 && !HasCall(arguments[1]); round++)
                    await Round(round);
                Console.SetOut(output);
            }
            for (int round = 0; round < rounds; round++)
                await Round(round);
            Console.WriteLine("end");
            return 3;
        }

        private static async Task Round(int round)
        {
            await Results.All(round);
            await Flow.All(round);
            await Generic.All(round);
            await Called.All(round);
        }

        private static bool HasCall(string log)
        {
            if (!File.Exists(log))
                return false;
            using FileStream file = new FileStream(log, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            using StreamReader text = new StreamReader(file);
            return text.ReadToEnd().Contains("> #");
        }
    }
}
