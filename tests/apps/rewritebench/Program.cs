// Has the methods of an assembly compiled, and calls a method that does next to nothing: what rewriting adds to both.
//
//   rewritebench ASSEMBLY METHODS CALLS
//
// Prints `compile METHODS NANOSECONDS` and `call CALLS NANOSECONDS`, of the process's processor time.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace RewriteBench
{
    public static class Program
    {
        public static int Main(string[] args)
        {
            List<RuntimeMethodHandle> methods = Methods(Assembly.LoadFrom(args[0]), int.Parse(args[1]));
            TimeSpan begin = Now();
            int compiled = 0;
            foreach (RuntimeMethodHandle method in methods)
            {
                try
                {
                    RuntimeHelpers.PrepareMethod(method);
                    compiled++;
                }
                catch (Exception)
                {
                    // A method that needs what is not there.
                }
            }
            Console.WriteLine($"compile {compiled} {(Now() - begin).TotalMilliseconds * 1e6:F0}");
            int calls = int.Parse(args[2]);
            Loop(calls / 10);
            begin = Now();
            int sum = Loop(calls);
            Console.WriteLine($"call {calls} {(Now() - begin).TotalMilliseconds * 1e6:F0}");
            return sum == 1 ? 1 : 0;
        }

        private static TimeSpan Now() => Process.GetCurrentProcess().TotalProcessorTime;

        /// <summary>Methods with code of their own, in the order of the assembly.</summary>
        private static List<RuntimeMethodHandle> Methods(Assembly assembly, int count)
        {
            const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static
                | BindingFlags.Instance | BindingFlags.DeclaredOnly;
            var methods = new List<RuntimeMethodHandle>();
            foreach (Type type in assembly.GetTypes())
            {
                if (type.ContainsGenericParameters)
                    continue;
                foreach (MethodInfo method in type.GetMethods(All))
                {
                    if (!method.IsAbstract && !method.ContainsGenericParameters && methods.Count < count)
                        methods.Add(method.MethodHandle);
                }
            }
            return methods;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Loop(int calls)
        {
            int sum = 0;
            for (int i = 0; i < calls; i++)
                sum += Step(i);
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Step(int i) => i ^ 1;
    }
}
