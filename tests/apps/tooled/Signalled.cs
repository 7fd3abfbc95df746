using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

/// Threads that begin and end while code is made and unloaded and garbage is collected: for samples by signals.
///
/// The dynamic methods `Left*` are called by `CallsLeft` only, and `Right*` by `CallsRight`, though they use the same memory.
internal static class Signalled
{
    private const int Threads = 200;

    private static readonly CountdownEvent Running = new CountdownEvent(Threads);
    private static volatile bool ends;
    private static int begun;
    private static int errors;
    private static long sum;

    public static void Run()
    {
        int seconds = int.Parse(Environment.GetEnvironmentVariable("TOOLED_SECONDS"));
        Thread collector = new Thread(Collect);
        collector.Start();
        for (int number = 0; number < Threads; number++)
        {
            Begin();
        }
        Stopwatch watch = Stopwatch.StartNew();
        int children = 0;
        while (watch.ElapsedMilliseconds < seconds * 1000)
        {
            Thread.Sleep(100);
            using (Process child = Process.Start("true"))
            {
                child.WaitForExit();
                children += child.ExitCode == 0 ? 0 : 1;
            }
        }
        ends = true;
        Running.Wait();
        collector.Join();
        Program.Says("errors", errors + children);
        Program.Says("enough", begun >= 2 * Threads);
        Program.Says("sum", sum != 0);
    }

    private static void Begin()
    {
        int number = Interlocked.Increment(ref begun);
        new Thread(() => Live(number), 256 << 10).Start();
    }

    /// The life of a thread, which begins its successor.
    private static void Live(int number)
    {
        try
        {
            if (number % 2 == 0)
            {
                CallsLeft(Made("Left" + number, number));
            }
            else
            {
                CallsRight(Made("Right" + number, number));
            }
            if (number % 32 == 0)
            {
                Collectible(number);
            }
            // Calls that signals may interrupt.
            Thread.Sleep(50 + number % 50);
            if (File.ReadAllBytes("/proc/self/stat").Length == 0 || Directory.Exists("/does/not/exist"))
            {
                Interlocked.Increment(ref errors);
            }
        }
        catch (Exception)
        {
            Interlocked.Increment(ref errors);
        }
        if (ends)
        {
            Running.Signal();
        }
        else
        {
            Begin();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CallsLeft(Func<long, long> method)
    {
        Interlocked.Add(ref sum, method(100000));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CallsRight(Func<long, long> method)
    {
        Interlocked.Add(ref sum, method(100000));
    }

    /// A method that counts down to 0, in as many ways as there are sizes of code.
    private static Func<long, long> Made(string name, int number)
    {
        DynamicMethod made = new DynamicMethod(name, typeof(long), new[] { typeof(long) });
        Emit(made.GetILGenerator(), number % 5);
        return (Func<long, long>)made.CreateDelegate(typeof(Func<long, long>));
    }

    private static void Emit(ILGenerator il, int extra)
    {
        LocalBuilder local = il.DeclareLocal(typeof(long));
        Label again = il.DefineLabel();
        il.MarkLabel(again);
        for (int turn = 0; turn <= extra; turn++)
        {
            il.Emit(OpCodes.Ldloc, local);
            il.Emit(OpCodes.Ldc_I8, 31L);
            il.Emit(OpCodes.Mul);
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Add);
            il.Emit(OpCodes.Stloc, local);
        }
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I8, 1L);
        il.Emit(OpCodes.Sub);
        il.Emit(OpCodes.Starg_S, (byte)0);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Brtrue, again);
        il.Emit(OpCodes.Ldloc, local);
        il.Emit(OpCodes.Ret);
    }

    /// An assembly that is unloaded when it has been collected.
    private static void Collectible(int number)
    {
        AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(
            new AssemblyName("collectible" + number), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = assembly.DefineDynamicModule("module").DefineType("Collectible" + number, TypeAttributes.Public);
        MethodBuilder method = type.DefineMethod("Burn", MethodAttributes.Public | MethodAttributes.Static,
            typeof(long), new[] { typeof(long) });
        Emit(method.GetILGenerator(), number % 5);
        MethodInfo made = type.CreateType().GetMethod("Burn");
        CallsCollectible((Func<long, long>)made.CreateDelegate(typeof(Func<long, long>)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CallsCollectible(Func<long, long> method)
    {
        Interlocked.Add(ref sum, method(100000));
    }

    private static void Collect()
    {
        while (!ends)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(20);
        }
    }
}
