// Generic code, exceptions, dynamic methods, contexts, threads, events.

using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

namespace Adversary
{
    public class Box<T>
    {
        public static int Made;
        public T Value;

        public Box(T value)
        {
            Value = value;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public U To<U>(Func<T, U> change, U other)
        {
            U changed = change(Value);
            return Equals(changed, null) ? other : changed;
        }
    }

    public static class Generics
    {
        public static long Do()
        {
            long sum = 0;
            for (int i = 0; i < 50; i++)
            {
                sum += new Box<int>(i).To(number => number + 1, 0);
                sum += new Box<string>("text " + i).To(text => text.Length, 0);
                sum += new Box<object>(new Node(null, i)).To(node => ((Node)node).Text, "").Length;
                sum += new Box<(int, string)>((i, "pair")).To(pair => pair.Item2 + pair.Item1, null).Length;
                sum += Sum(new List<long> { i, i + 1 }) + Sum(new[] { "a", "bc" });
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Sum<T>(IEnumerable<T> all)
        {
            int sum = 0;
            foreach (T one in all)
            {
                sum += one.ToString().Length;
            }
            return sum;
        }
    }

    public static class Exceptions
    {
        public static long Do()
        {
            long sum = 0;
            for (int i = 0; i < 8; i++)
            {
                try
                {
                    sum += Outer(i, new Node(null, i));
                }
                catch (InvalidOperationException e) when (Filter(e, i))
                {
                    sum += e.Message.Length;
                }
                catch (ArgumentException e)
                {
                    sum += e.InnerException.Message.Length * 100;
                }
            }
            return sum;
        }

        private static bool Filter(Exception e, int number)
        {
            return e.Message.EndsWith(number.ToString());
        }

        private static int Outer(int number, Node node)
        {
            int entered = 0;
            try
            {
                entered++;
                Throw(number);
            }
            catch (InvalidOperationException e) when (number % 3 == 0)
            {
                throw new ArgumentException(node.Text, e);
            }
            finally
            {
                entered += node.Number;
                GC.KeepAlive(new byte[100]);
            }
            return entered;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Throw(int number)
        {
            throw new InvalidOperationException("number " + number);
        }
    }

    public static class Dynamic
    {
        public static long Do()
        {
            long sum = 0;
            for (int i = 0; i < 3; i++)
            {
                var made = new DynamicMethod("Made", typeof(string), new[] { typeof(string), typeof(int) });
                ILGenerator il = made.GetILGenerator();
                il.Emit(OpCodes.Ldarg_0);
                il.Emit(OpCodes.Ldarga_S, (byte)1);
                il.Emit(OpCodes.Call, typeof(int).GetMethod("ToString", Type.EmptyTypes));
                il.Emit(OpCodes.Call, typeof(string).GetMethod("Concat", new[] { typeof(string), typeof(string) }));
                il.Emit(OpCodes.Ret);
                var call = (Func<string, int, string>)made.CreateDelegate(typeof(Func<string, int, string>));
                sum += call("number ", i).Length + Emitted(i);
            }
            return sum;
        }

        private static int Emitted(int number)
        {
            AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(
                new AssemblyName("emitted"), AssemblyBuilderAccess.RunAndCollect);
            TypeBuilder type = assembly.DefineDynamicModule("emitted").DefineType("Emitted", TypeAttributes.Public);
            MethodBuilder method = type.DefineMethod(
                "Run", MethodAttributes.Public | MethodAttributes.Static, typeof(int), new[] { typeof(int) });
            ILGenerator il = method.GetILGenerator();
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ldc_I4_2);
            il.Emit(OpCodes.Mul);
            il.Emit(OpCodes.Ret);
            return (int)type.CreateType().GetMethod("Run").Invoke(null, new object[] { number });
        }
    }

    public static class Contexts
    {
        private sealed class Context : AssemblyLoadContext
        {
            internal Context()
                : base("context", isCollectible: true)
            {
            }

            protected override Assembly Load(AssemblyName name)
            {
                return null;
            }
        }

        /// <summary>This program once more, in a context of its own that is unloaded.</summary>
        public static long Do()
        {
            long sum = InContext();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static long InContext()
        {
            var context = new Context();
            Assembly copy = context.LoadFromAssemblyPath(typeof(Contexts).Assembly.Location);
            var work = (Func<long>)copy.GetType("Adversary.Generics").GetMethod("Do").CreateDelegate(typeof(Func<long>));
            long sum = work() + (long)copy.GetType("Adversary.Exceptions").GetMethod("Do").Invoke(null, null);
            context.Unload();
            return sum;
        }
    }

    public static class Threads
    {
        public static long Do()
        {
            long sum = 0;
            var thread = new Thread(() => sum = Generics.Do()) { Name = "short" };
            thread.Start();
            thread.Join();
            using (var done = new ManualResetEvent(false))
            {
                ThreadPool.QueueUserWorkItem(_ =>
                {
                    sum += Exceptions.Do();
                    done.Set();
                });
                done.WaitOne();
            }
            return sum;
        }
    }

    /// <summary>Events that the profiler may listen to.</summary>
    [EventSource(Name = "Adversary-Program")]
    public sealed class Source : EventSource
    {
        public static readonly Source Log = new Source();

        [Event(1, Keywords = (EventKeywords)1)]
        public void Done(string what, int number)
        {
            WriteEvent(1, what, number);
        }

        [NonEvent]
        protected override void OnEventCommand(EventCommandEventArgs command)
        {
            // Runs on the thread that enables the events.
            Node node = null;
            for (int i = 0; i < 20; i++)
            {
                node = Added(node, i);
            }
            GC.KeepAlive(node);
        }

        [NonEvent]
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Node Added(Node node, int number)
        {
            return new Node(node, number);
        }
    }

    public static class Events
    {
        public static long Do()
        {
            for (int i = 0; i < 20; i++)
            {
                Source.Log.Done("event", i);
            }
            return 20;
        }
    }
}
