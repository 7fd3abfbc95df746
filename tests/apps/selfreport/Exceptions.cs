using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

/// <summary>Exceptions: through frames with and without handlers, caught, thrown on, replaced, filtered,
/// raised by the runtime, crossing reflection and static constructors.</summary>
public static class Exceptions
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Caught();
        Rethrown();
        Wrapped();
        Finally();
        Replaced();
        Filtered();
        ByRuntime();
#if NET10
        // Under Wine 8 the program does not come back from these exceptions on .NET 10.0, with or without a profiler.
        if (Environment.GetEnvironmentVariable("CORPROF_EMULATOR") != "wine")
#endif
        Crossing();
        Constructed();
        Often();
        call.Leave();
    }

    private static void Caught()
    {
        Call call = Self.Enter(null);
        try
        {
            Through(3, "deep");
        }
        catch (InvalidOperationException e)
        {
            call.Caught(e);
            After(e.Message);
        }
        call.Leave();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Through(int levels, string message)
    {
        Call call = Self.Enter(null, levels, message);
        if (levels == 0)
            throw Self.Throwing(new InvalidOperationException(message));
        return call.Leave(Through(levels - 1, message) + 1);
    }

    private static int After(string message) => Self.Enter(null, message).Leave(message.Length);

    private static void Rethrown()
    {
        Call call = Self.Enter(null);
        try
        {
            Again();
        }
        catch (Exception e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void Again()
    {
        Call call = Self.Enter(null);
        try
        {
            Through(1, "again");
            call.Leave();
        }
        catch (InvalidOperationException e)
        {
            call.Caught(e);
            After("before it goes on");
            throw;
        }
    }

    private static void Wrapped()
    {
        Call call = Self.Enter(null);
        try
        {
            Wrap();
        }
        catch (Failure<string> e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void Wrap()
    {
        Call call = Self.Enter(null);
        try
        {
            Through(0, "inner");
            call.Leave();
        }
        catch (Exception e)
        {
            call.Caught(e);
            throw Self.Throwing(new Failure<string>(e));
        }
    }

    private static void Finally()
    {
        Call call = Self.Enter(null);
        try
        {
            WithFinally(false);
            WithFinally(true);
        }
        catch (InvalidOperationException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void WithFinally(bool fail)
    {
        Call call = Self.Enter(null, fail);
        try
        {
            try
            {
                if (fail)
                    Through(1, "to finally");
            }
            finally
            {
                call.Passing();
                After("inner finally");
            }
        }
        finally
        {
            After("outer finally");
        }
        call.Leave();
    }

    private static void Replaced()
    {
        Call call = Self.Enter(null);
        try
        {
            Replace();
        }
        catch (SystemException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void Replace()
    {
        Call call = Self.Enter(null);
        try
        {
            Through(1, "lost");
        }
        finally
        {
            call.Passing();
            Fail();
        }
        call.Leave();
    }

    private static void Fail()
    {
        using Call call = Self.Enter(null);
        throw Self.Throwing(new NotSupportedException());
    }

    private static void Filtered()
    {
        Call call = Self.Enter(null);
        try
        {
            NotMine();
        }
        catch (InvalidOperationException e) when (Filter(e.Message, "mine"))
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void NotMine()
    {
        Call call = Self.Enter(null);
        try
        {
            Through(1, "mine");
            call.Leave();
        }
        catch (InvalidOperationException e) when (Filter(e.Message, "other"))
        {
            call.Caught(e);
        }
    }

    // Runs while the frames that will be left are still on the stack.
    private static bool Filter(string message, string wanted) => Self.Enter(null, message, wanted).Leave(message == wanted);

    private static void ByRuntime()
    {
        Call call = Self.Enter(null);
        try
        {
            Divide(1, 0);
        }
        catch (DivideByZeroException e)
        {
            call.Caught(e);
        }
        try
        {
            Length(null);
        }
        catch (NullReferenceException e)
        {
            call.Caught(e);
        }
        try
        {
            Cast("text");
        }
        catch (InvalidCastException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static int Divide(int a, int b)
    {
        Call call = Self.Enter(null, a, b);
        return call.Leave(a / b);
    }

    private static int Length(int[] array)
    {
        Call call = Self.Enter(null, array);
        return call.Leave(array.Length);
    }

    private static Version Cast(object value)
    {
        Call call = Self.Enter(null, value);
        return call.Leave((Version)value);
    }

    private static void Crossing()
    {
        Call call = Self.Enter(null);
        try
        {
            MethodInfo fail = typeof(Exceptions).GetMethod(nameof(Fail), BindingFlags.Static | BindingFlags.NonPublic);
            fail.Invoke(null, null);
        }
        catch (TargetInvocationException e)
        {
            call.Caught(e);
        }
        try
        {
            RuntimeHelpers.RunClassConstructor(typeof(Broken).TypeHandle);
        }
        catch (TypeInitializationException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void Constructed()
    {
        Call call = Self.Enter(null);
        try
        {
            _ = new Unmade(5);
        }
        catch (ArgumentException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static void Often()
    {
        Call call = Self.Enter(null);
        for (int i = 0; i < 20; i++)
        {
            try
            {
                Through(i % 4, "often");
            }
            catch (InvalidOperationException e) when (e.Message.Length > i)
            {
                call.Caught(e);
            }
            catch (InvalidOperationException e)
            {
                call.Caught(e);
            }
        }
        call.Leave();
    }

    private static class Broken
    {
        static Broken()
        {
            using Call call = Self.Enter(null);
            Fail();
        }
    }

    private sealed class Unmade
    {
        public Unmade(int value)
        {
            using Call call = Self.Enter(this, value);
            throw Self.Throwing(new ArgumentException(nameof(value)));
        }
    }

    private sealed class Failure<T> : Exception
    {
        public Failure(Exception inner)
            : base(nameof(T), inner) => Self.Enter(Described.TypeOnly(typeof(Failure<T>)), Generic.Class(typeof(T)), Described.TypeOnly(inner.GetType())).Leave();
    }
}
