using System;
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

/// <summary>Calls that run for long in a loop. Their code of the first tier is replaced on the stack in the middle of the loop, and
/// another version reports their end. Each runs twice: the second call finds the other version made.</summary>
public static class Loops
{
    private const int Times = 200_000;

    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        for (int round = 0; round < 2; round++)
        {
            Number(Times);
            Text(Times, "text");
            Real(Times, 0.5);
            Large(Times);
            Pair(Times);
            int count = 1;
            string name = "before";
            ByRef(Times, ref count, ref name);
            Many(1, 2L, "c", 'd', 5.5f, 6.5, null, 8, Times);
            Finally(Times);
            Caught(Times);
            Rethrown(Times);
            Of(Times, "of");
            Of(Times, 7);
            new Cart<string>().Loop(Times, "shared");
            new Cart<long>().Loop(Times, 9L);
            Nested(Times);
            Ends(Times, false);
        }
        call.Leave();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Number(int times)
    {
        Call call = Self.Enter(null, times);
        int bits = 0;
        for (int i = 0; i < times; i++)
            bits ^= i * 7;
        return call.Leave(bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Text(int times, string text)
    {
        Call call = Self.Enter(null, times, text);
        int bits = 0;
        for (int i = 0; i < times; i++)
            bits ^= i * text.Length;
        return call.Leave(text + bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Real(int times, double step)
    {
        Call call = Self.Enter(null, times, step);
        double sum = 0;
        for (int i = 0; i < times; i++)
            sum += step;
        return call.Leave(sum);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Large Large(int times)
    {
        Call call = Self.Enter(null, times);
        var large = new Large { A = 1, D = "d" };
        for (int i = 0; i < times; i++)
            large.A ^= i;
        return call.Leave(large);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static TwoDoubles Pair(int times)
    {
        Call call = Self.Enter(null, times);
        var pair = new TwoDoubles();
        for (int i = 0; i < times; i++)
            pair.B += i;
        return call.Leave(pair);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ByRef(int times, ref int count, ref string name)
    {
        Call call = Self.Enter(null, times, count, name);
        for (int i = 0; i < times; i++)
            count ^= i;
        name = "after";
        call.Outs(count, name).Leave();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Many(int a, long b, string c, char d, float e, double f, object g, byte h, int times)
    {
        Call call = Self.Enter(null, a, b, c, d, e, f, g, h, times);
        long sum = h;
        for (int i = 0; i < times; i++)
            sum += a + b;
        return call.Leave(sum);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Finally(int times)
    {
        Call call = Self.Enter(null, times);
        int bits = 0;
        try
        {
            for (int i = 0; i < times; i++)
                bits ^= i * 3;
        }
        finally
        {
            bits++;
        }
        return call.Leave(bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Caught(int times)
    {
        Call call = Self.Enter(null, times);
        int bits = 0;
        for (int i = 0; i < times; i++)
        {
            try
            {
                bits ^= i;
                if (i == times - 3)
                    Fails(i);
            }
            catch (InvalidOperationException e)
            {
                call.Caught(e);
                bits++;
            }
        }
        return call.Leave(bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Rethrown(int times)
    {
        Call call = Self.Enter(null, times);
        try
        {
            Ends(times, true);
        }
        catch (InvalidOperationException e)
        {
            call.Caught(e);
        }
        call.Leave();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Ends(int times, bool fails)
    {
        Call call = Self.Enter(null, times, fails);
        int bits = 0;
        for (int i = 0; i < times; i++)
            bits ^= i * 5;
        if (fails)
            throw Self.Throwing(new InvalidOperationException("after the loop"));
        return call.Leave(bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fails(int at)
    {
        Self.Enter(null, at);
        throw Self.Throwing(new InvalidOperationException("in the loop"));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T Of<T>(int times, T value)
    {
        Call call = Self.Enter(null, Generic.Method(typeof(T)), times, value);
        int bits = 0;
        for (int i = 0; i < times; i++)
            bits ^= i;
        return call.Leave(bits == -1 ? default : value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Nested(int times)
    {
        Call call = Self.Enter(null, times);
        int bits = 0;
        for (int i = 0; i < times; i++)
        {
            if (i == times / 2)
                bits += Number(times);
            bits ^= i;
        }
        return call.Leave(bits);
    }
}
