// Throws and catches in every way on several threads, while collections move what they can, and counts the handlers that got another
// exception than the one that was thrown.
//
//     caught ROUNDS

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

internal sealed class Own : Exception
{
    public readonly int Number;

    public Own(int number)
    {
        Number = number;
    }
}

internal static class Program
{
    private const int Threads = 3;

    private static long caught;
    private static long wrong;
    private static int running = Threads;
    private static readonly List<WeakReference>[] thrown = new List<WeakReference>[Threads];
    private static readonly MethodInfo throwing = typeof(Program).GetMethod(nameof(Throw), BindingFlags.NonPublic | BindingFlags.Static);
    private static readonly Action<int>[] ways =
    {
        Plainly, Again, ThroughReflection, OutOfFinally, InHandler, InFinally, InFilter, Captured, OfTheRuntime, Awaited, Deeply,
    };

    [ThreadStatic]
    private static List<WeakReference> own;

    private static int Main(string[] arguments)
    {
        int rounds = int.Parse(arguments[0]);
        Thread[] threads = Enumerable.Range(0, Threads).Select(number => new Thread(() => Run(number, rounds))).ToArray();
        foreach (Thread thread in threads)
        {
            thread.Start();
        }
        for (int collections = 0; Volatile.Read(ref running) > 0; collections++)
        {
            GC.Collect(collections % 2, GCCollectionMode.Forced, true, true);
            Thread.Sleep(1);
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        int alive = thrown.Sum(list => list.Count(exception => exception.IsAlive));
        Console.WriteLine("caught " + caught + ", " + wrong + " wrong");
        // A thread's last exceptions may be referred to by what is left of its stack.
        Console.WriteLine(alive <= 4 * Threads ? "few are alive" : alive + " are alive");
        return wrong == 0 ? 42 : 1;
    }

    private static void Run(int number, int rounds)
    {
        own = thrown[number] = new List<WeakReference>();
        for (int round = 0; round < rounds; round++)
        {
            int salt = (number * rounds) + round;
            try
            {
                ways[round % ways.Length](salt);
            }
            catch (Exception)
            {
                // A filter or type test that got something else.
                Interlocked.Increment(ref wrong);
            }
            if (round % 16 == 0)
            {
                GC.KeepAlive(new byte[1000]);
            }
        }
        Interlocked.Decrement(ref running);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Own Made(int number)
    {
        Own made = new Own(number);
        if (own != null && number % 7 == 0)
        {
            own.Add(new WeakReference(made));
        }
        return made;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(int number)
    {
        throw Made(number);
    }

    private static bool Is(Exception exception, int number)
    {
        if (exception.GetType() == typeof(Own) && ((Own)exception).Number == number)
        {
            return true;
        }
        Interlocked.Increment(ref wrong);
        return true;
    }

    private static void Caught(Exception exception, int number)
    {
        Is(exception, number);
        Interlocked.Increment(ref caught);
    }

    private static void Plainly(int number)
    {
        try
        {
            throw Made(number);
        }
        catch (Own e) when (Is(e, number))
        {
            Caught(e, number);
        }
    }

    private static void Again(int number)
    {
        try
        {
            try
            {
                Throw(number);
            }
            catch (Own e) when (Is(e, number))
            {
                Is(e, number);
                throw;
            }
        }
        catch (Own e) when (Is(e, number))
        {
            Caught(e, number);
        }
    }

    private static void ThroughReflection(int number)
    {
        try
        {
            throwing.Invoke(null, new object[] { number });
        }
        catch (TargetInvocationException e) when (Is(e.InnerException, number))
        {
            Caught(e.InnerException, number);
        }
    }

    /// A `finally` block replaces the exception.
    private static void OutOfFinally(int number)
    {
        try
        {
            try
            {
                Throw(-1);
            }
            finally
            {
                Throw(number);
            }
        }
        catch (Own e) when (Is(e, e.Number < 0 ? -1 : number))
        {
            Caught(e, number);
        }
    }

    /// Others are thrown while the first one is in its handler.
    private static void InHandler(int number)
    {
        try
        {
            Throw(number);
        }
        catch (Own e)
        {
            Plainly(number + 1);
            Again(number + 2);
            Caught(e, number);
        }
    }

    /// Others are thrown while the first one is in flight.
    private static void InFinally(int number)
    {
        try
        {
            try
            {
                Throw(number);
            }
            finally
            {
                Plainly(number + 1);
                InHandler(number + 2);
            }
        }
        catch (Own e)
        {
            Caught(e, number);
        }
    }

    private static bool Fails(Exception exception, int number)
    {
        Plainly(number + 1);
        Is(exception, number);
        Throw(number + 2);
        return true;
    }

    /// A filter that throws does not hold.
    private static void InFilter(int number)
    {
        try
        {
            try
            {
                Throw(number);
            }
            catch (Own e) when (Fails(e, number))
            {
                Caught(e, -1);
            }
        }
        catch (Own e) when (Is(e, number))
        {
            Caught(e, number);
        }
    }

    private static void Captured(int number)
    {
        ExceptionDispatchInfo captured = null;
        try
        {
            Throw(number);
        }
        catch (Own e)
        {
            captured = ExceptionDispatchInfo.Capture(e);
        }
        try
        {
            captured.Throw();
        }
        catch (Own e) when (Is(e, number))
        {
            Caught(e, number);
        }
    }

    /// Exceptions that the runtime makes itself.
    private static void OfTheRuntime(int number)
    {
        try
        {
            string nothing = number < 0 ? "" : null;
            GC.KeepAlive(nothing.Length);
        }
        catch (Exception e) when (Has(e, "Object reference not set"))
        {
            Has(e, "Object reference not set");
            Interlocked.Increment(ref caught);
        }
    }

    private static bool Has(Exception exception, string text)
    {
        if (exception.GetType() != typeof(NullReferenceException) || !exception.Message.StartsWith(text))
        {
            Interlocked.Increment(ref wrong);
        }
        return true;
    }

    private static void Awaited(int number)
    {
        try
        {
            Later(number).GetAwaiter().GetResult();
        }
        catch (Own e) when (Is(e, number))
        {
            Caught(e, number);
        }
    }

    private static async Task Later(int number)
    {
        try
        {
            await Task.CompletedTask;
            Throw(number);
        }
        catch (Own e) when (Is(e, number))
        {
            Is(e, number);
            throw;
        }
    }

    private static void Deeply(int number)
    {
        try
        {
            Down(number, 20);
        }
        catch (Own e) when (Is(e, number))
        {
            Caught(e, number);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Down(int number, int frames)
    {
        if (frames == 0)
        {
            Throw(number);
        }
        return Down(number, frames - 1) + 1;
    }
}
