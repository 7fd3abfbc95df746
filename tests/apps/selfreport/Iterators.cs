using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Report;

namespace Cases;

/// <summary>Iterators and async methods. Their bodies are `MoveNext` methods of types that the compiler
/// made; each run from one suspension to the next is a call of its own.</summary>
public static class Iterators
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        int sum = 0;
        foreach (int value in Count(2))
            sum += Seen(value);
        foreach (string value in Repeat("text", 2))
            sum += Seen(value.Length);
        Wait(Immediate(5));
        Wait(Suspended("before", 3));
        Wait(Failing());
        WaitAny(Typed<string>("typed"));
        Seen(sum);
        call.Leave();
    }

    private static int Seen(int value) => Self.Enter(null, value).Leave(value);

    // `Count` itself is compiler-generated: it only creates the state machine.
    private static IEnumerable<int> Count(int limit)
    {
        Call call = Self.Enter(null);
        for (int i = 0; i < limit; i++)
        {
            call.Leave(true);
            yield return i;
            call = Self.Enter(null);
        }
        call.Leave(false);
    }

    private static IEnumerable<T> Repeat<T>(T value, int times)
    {
        Call call = Self.Enter(null, Generic.Class(typeof(T)));
        while (times-- > 0)
        {
            call.Leave(true);
            yield return value;
            call = Self.Enter(null, Generic.Class(typeof(T)));
        }
        call.Leave(false);
    }

    private static void Wait(Task task)
    {
        Call call = Self.Enter(null, Described.TypeOnly(task.GetType()));
        try
        {
            task.GetAwaiter().GetResult();
        }
        catch (TimeoutException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    private static int WaitAny<T>(Task<T> task)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), Described.TypeOnly(task.GetType()));
        task.Wait();
        return call.Leave(1);
    }

    private static async Task<int> Immediate(int value)
    {
        Call call = Self.Enter(null);
        await Task.CompletedTask;
        call.Leave();
        return value;
    }

    private static async Task<string> Suspended(string text, int times)
    {
        Call call = Self.Enter(null);
        for (int i = 0; i < times; i++)
        {
            call.Leave();
            await Task.Yield();
            call = Self.Enter(null);
            text += Seen(i);
        }
        call.Leave();
        return text;
    }

    private static async Task<T> Typed<T>(T value)
    {
        Call call = Self.Enter(null, Generic.Class(typeof(T)));
        call.Leave();
        await Task.Yield();
        call = Self.Enter(null, Generic.Class(typeof(T)));
        call.Leave();
        return value;
    }

    // The compiler's own handler catches it inside `MoveNext`.
    private static async Task Failing()
    {
        Call call = Self.Enter(null);
        await Task.CompletedTask;
        call.Leave();
        throw new TimeoutException();
    }
}
