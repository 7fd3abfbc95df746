// Calls a method with an object over and over, while another thread collects garbage all the time.

using System;
#if NET8
using System.Diagnostics.Tracing;
#endif
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
        // The profiler keeps the exception until the last calls.
        try
        {
            throw new InvalidOperationException();
        }
        catch (InvalidOperationException)
        {
            s_done = false;
        }
        int right = 0;
        for (int number = 0; number < calls; number++)
        {
            right += Called(new Payload { Number = number }, number);
        }
#if NET8
        using (var source = new Source())
        {
            Ready();
            // The profiler suspends the runtime twice, and resumes it.
            for (int turn = 0; turn < 1000 && !source.IsDone; turn++)
            {
                Thread.Sleep(10);
            }
        }
#endif
        s_done = true;
        collector.Join();
        Console.WriteLine($"{right} of {calls}");
        return 42;
    }

    /// <summary>Tells the profiler that the source is there.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Ready()
    {
    }

    /// <summary>What its hook does is the test. A reference that a collection has left behind is no <c>Payload</c> any
    /// more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Called(Payload payload, int number)
    {
        return payload.GetType() == typeof(Payload) && payload.Number == number ? 1 : 0;
    }
}

#if NET8
/// <summary>Runs managed code on the thread that starts a session.</summary>
[EventSource(Name = "Pending-Source")]
internal sealed class Source : EventSource
{
    /// <summary>Whether a session has begun and ended.</summary>
    internal volatile bool IsDone;

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        Commanded(new Payload { Number = (int)command.Command });
        IsDone = command.Command == EventCommand.Disable;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Commanded(Payload payload)
    {
        GC.KeepAlive(payload);
    }
}
#endif
