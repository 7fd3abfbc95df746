// Does what the runtime's events describe, and prints the same facts from its own objects, for tests that read the events:
// `name = value`, a line each.

using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Eventful
{
    public sealed class Thing
    {
        public long Number;
    }

    public static class Program
    {
        [DllImport("libc", SetLastError = true, CharSet = CharSet.Ansi)]
        private static extern int access(string path, int mode);

        private static Thing kept;

        public static int Main()
        {
            Allocations();
            Pressure();
            Decisions();
            Stubs();
            Resolution();
            Heaps();
            Profiles();
            return 0;
        }

        private static void Say(string name, object value) => Console.WriteLine($"{name} = {value}");

        private static void Allocations()
        {
            for (int n = 0; n < 1000; n++)
                kept = new Thing { Number = n };
            Say("thing", typeof(Thing).TypeHandle.Value);
        }

        private static void Pressure()
        {
            GC.AddMemoryPressure(12345678);
            GC.RemoveMemoryPressure(12345678);
            Say("pressure", 12345678);
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        private static int Decide(int n) => Small(n) + Large(n);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static int Small(int n) => n + 1;

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Large(int n) => n + 2;

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        private static int Jumps(int n) => Large(n * 3);

        /// <summary>A callee that may refer to a local variable of the caller.</summary>
        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        private static int Returns(int n)
        {
            int local = n;
            return Taken(ref local);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Taken(ref int n) => n++;

        private static void Decisions()
        {
            int sum = Decide(1) + Jumps(2) + Returns(3);
            Say("decided", sum);
        }

        private static int Token(string method) =>
            typeof(Program).GetMethod(method, BindingFlags.NonPublic | BindingFlags.Static).MetadataToken;

        private static void Stubs()
        {
            access("/", 0);
            Say("stub", Token(nameof(access)));
        }

        private static Assembly Handler(object sender, ResolveEventArgs arguments) =>
            arguments.Name.StartsWith("Eventful.Missing") ? typeof(Program).Assembly : null;

        private static void Resolution()
        {
            AppDomain.CurrentDomain.AssemblyResolve += Handler;
            Say("resolved", Assembly.Load("Eventful.Missing").FullName);
            Say("probed", Assembly.Load("System.Xml.XDocument").Location);
        }

        private static void Heaps()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            Say("collected", GC.CollectionCount(0));
            ReadOnlySpan<GCGenerationInfo> generations = GC.GetGCMemoryInfo(GCKind.FullBlocking).GenerationInfo;
            for (int generation = 0; generation < generations.Length; generation++)
                Say($"heap {generation}", $"{generations[generation].SizeBeforeBytes} {generations[generation].SizeAfterBytes}");
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Hot(int n) => n % 3 == 0 ? n / 3 : n * 2;

        /// <summary>Until the second tier has been compiled, which needs some time.</summary>
        private static void Profiles()
        {
            var clock = Stopwatch.StartNew();
            long sum = 0;
            while (clock.ElapsedMilliseconds < 1500)
            {
                for (int n = 0; n < 100; n++)
                    sum += Hot(n);
                // The runtime measures its pause instruction when a thread spins.
                Thread.SpinWait(10);
                Thread.Sleep(5);
            }
            Say("hot", Token(nameof(Hot)));
        }
    }
}
