// Calls a method with an object over and over, while another thread collects garbage all the time.

using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Pending;

public sealed class Payload
{
    public int Number;
}

public static class Program
{
    private static volatile bool s_done;

    public static int Main(string[] arguments)
    {
        int calls = int.Parse(arguments[0]);
        var collector = new Thread(() =>
        {
            while (!s_done)
            {
                // Moves what has survived.
                var garbage = new byte[1000];
                GC.Collect(0, GCCollectionMode.Forced, blocking: true);
                GC.KeepAlive(garbage);
                // Collections that follow each other at once would leave the other thread no time to compile and to throw.
                Thread.Sleep(1);
            }
        });
        collector.Start();
        int right = 0;
        for (int number = 0; number < calls; number++)
        {
            right += Called(new Payload { Number = number }, number);
        }
        try
        {
            throw new InvalidOperationException();
        }
        catch (InvalidOperationException)
        {
            right += 0;
        }
        s_done = true;
        collector.Join();
        Console.WriteLine($"{right} of {calls}");
        return 42;
    }

    /// <summary>What its hook does is the test. A reference that a collection has left behind is no <c>Payload</c> any
    /// more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Called(Payload payload, int number)
    {
        return payload.GetType() == typeof(Payload) && payload.Number == number ? 1 : 0;
    }
}
