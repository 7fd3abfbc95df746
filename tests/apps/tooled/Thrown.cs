using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

/// An exception of the program's own.
internal class Failure : Exception
{
    public Failure(string message)
        : base(message)
    {
    }

    /// The message is in the field alone for a profiler.
    public override string Message => throw new NotSupportedException("code of the program has run");
}

/// Known exceptions, known handlers.
internal static class Thrown
{
    private static readonly ConcurrentDictionary<string, int> FirstChances = new ConcurrentDictionary<string, int>();
    private static readonly SortedDictionary<string, int> Handled = new SortedDictionary<string, int>(StringComparer.Ordinal);
#if NET8
    private static readonly ConditionalWeakTable<Exception, object> Seen = new ConditionalWeakTable<Exception, object>();
#endif
    private static int sum;

    public static void Run()
    {
        AppDomain.CurrentDomain.FirstChanceException += (sender, arguments) =>
        {
            if (IsNew(arguments.Exception))
            {
                FirstChances.AddOrUpdate(arguments.Exception.GetType().FullName, 1, (_, count) => count + 1);
            }
        };
        for (int number = 0; number < 500; number++)
        {
            TryParse(number);
        }
        for (int number = 0; number < 100; number++)
        {
            TryItem(number);
        }
        for (int number = 0; number < 20; number++)
        {
            Rethrown(number);
            Filtered(number);
            Wrapped(number);
            Replaced(number);
            Iterated(number);
        }
        Thread[] threads = Enumerable.Range(0, 4).Select(_ => new Thread(OnThread)).ToArray();
        foreach (Thread thread in threads)
        {
            thread.Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Count("System.OperationCanceledException in Thrown.TryCancel", 200);
        for (int number = 0; number < 10; number++)
        {
            Awaited(number).Wait();
        }
#if NET8
        Count("System.InsufficientMemoryException in Thrown.Awaited", 10);
#endif
        ByTheRuntime();
        foreach (KeyValuePair<string, int> pair in FirstChances)
        {
            Program.Says("thrown " + pair.Key, pair.Value);
        }
        foreach (KeyValuePair<string, int> pair in Handled)
        {
            Program.Says("caught " + pair.Key, pair.Value);
        }
    }

    /// An exception that is thrown again is the same one. Before .NET 8 a profiler cannot tell.
    private static bool IsNew(Exception exception)
    {
#if NET8
        return Seen.TryAdd(exception, exception);
#else
        return true;
#endif
    }

    private static void Count(string what, int count)
    {
        Handled.TryGetValue(what, out int before);
        Handled[what] = before + count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Parse(int number)
    {
        sum += number;
        throw new FormatException("not a number");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TryParse(int number)
    {
        try
        {
            Parse(number);
        }
        catch (FormatException)
        {
            Count("System.FormatException in Thrown.TryParse", 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TryItem(int number)
    {
        try
        {
            throw new Failure("item " + number);
        }
        catch (Failure)
        {
            Count("Failure in Thrown.TryItem", 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RethrowsOnce()
    {
        try
        {
            throw new TimeoutException("late");
        }
        catch (TimeoutException)
        {
#if !NET8
            Count("System.TimeoutException in Thrown.RethrowsOnce", 1);
#endif
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Rethrown(int number)
    {
        try
        {
            RethrowsOnce();
        }
        catch (TimeoutException)
        {
            Count("System.TimeoutException in Thrown.Rethrown", 1);
            sum += number;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Fails()
    {
        throw new ArithmeticException("in a filter");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Filtered(int number)
    {
        try
        {
            throw new RankException("filtered");
        }
        catch (RankException) when (Fails())
        {
            sum += number;
        }
        catch (RankException)
        {
            Count("System.RankException in Thrown.Filtered", 1);
            Count("System.ArithmeticException in [an exception filter]", 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Wrapped(int number)
    {
        try
        {
            try
            {
                throw new KeyNotFoundException("inner");
            }
            catch (KeyNotFoundException inner)
            {
                Count("System.Collections.Generic.KeyNotFoundException in Thrown.Wrapped", 1);
                throw new AggregateException("outer", inner);
            }
        }
        catch (AggregateException)
        {
            Count("System.AggregateException in Thrown.Wrapped", 1);
            sum += number;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replaced(int number)
    {
        try
        {
            try
            {
                throw new DivideByZeroException("never handled");
            }
            finally
            {
                sum += number;
                Throws(new OverflowException("replaces it"));
            }
        }
        catch (DivideByZeroException)
        {
            sum += number;
        }
        catch (OverflowException)
        {
            // The search had found this method for the other one, too.
            Count("System.DivideByZeroException in Thrown.Replaced", 1);
            Count("System.OverflowException in Thrown.Replaced", 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throws(Exception exception)
    {
        throw exception;
    }

    private static IEnumerable<int> Items(int number)
    {
        yield return number;
        throw new InvalidCastException("no item");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Iterated(int number)
    {
        try
        {
            sum += Items(number).Sum();
        }
        catch (InvalidCastException)
        {
            Count("System.InvalidCastException in Thrown.Iterated", 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TryCancel()
    {
        try
        {
            throw new OperationCanceledException("of a thread");
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref sum);
        }
    }

    private static void OnThread()
    {
        for (int number = 0; number < 50; number++)
        {
            TryCancel();
        }
    }

    private static async Task<int> Later(int number)
    {
        await Task.Yield();
        throw new InsufficientMemoryException("later " + (number < 0));
    }

    private static async Task Awaited(int number)
    {
        try
        {
            sum += await Later(number);
        }
        catch (InsufficientMemoryException)
        {
            Interlocked.Increment(ref sum);
        }
    }

    private static class Uninitialised
    {
        public static readonly int Value = Fails();

        private static int Fails()
        {
            throw new NotImplementedException("in a type initialiser");
        }
    }

    /// The runtime itself catches what a type initialiser throws, once.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ByTheRuntime()
    {
        try
        {
            sum += Uninitialised.Value;
        }
        catch (TypeInitializationException)
        {
            Interlocked.Increment(ref sum);
        }
    }

    public static void UnhandledInMain()
    {
        TryParse(1);
        Parse(2);
    }

    public static void Unhandled()
    {
        TryParse(1);
        Thread thread = new Thread(() => Parse(2));
        thread.Start();
        thread.Join();
    }
}
