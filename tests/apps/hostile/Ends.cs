// Every way to end, some while other threads call.

using System;
using System.Threading;

namespace Hostile;

internal static class Ends
{
    private static int calls;

    private static int Called(int number) => number * 2 + 1;

    private static void CallForEver()
    {
        for (int i = 0; ; i++)
        {
            calls = Called(i);
        }
    }

    private static void StartCallers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            new Thread(CallForEver) { IsBackground = true }.Start();
        }
        Thread.Sleep(50);
    }

    internal static int Return(string[] args)
    {
        Console.WriteLine(Called(8));
        return 17;
    }

    internal static int ReturnCalling(string[] args)
    {
        StartCallers(1);
        Console.WriteLine("returning");
        return 19;
    }

    internal static int Exit(string[] args)
    {
        Console.WriteLine("exiting");
        Environment.Exit(18);
        return 0;
    }

    internal static int ExitCalling(string[] args)
    {
        StartCallers(4);
        Console.WriteLine("exiting");
        Environment.Exit(18);
        return 0;
    }

    internal static int ExitElsewhere(string[] args)
    {
        StartCallers(1);
        new Thread(() => Environment.Exit(20)).Start();
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    internal static int ExitAtOnce(string[] args)
    {
        StartCallers(1);
        Native._exit(21);
        return 0;
    }

    internal static int TerminateCalling(string[] args)
    {
        StartCallers(1);
        Native.kill(Native.getpid(), Native.SIGTERM);
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    internal static int Kill(string[] args)
    {
        StartCallers(1);
        Native.kill(Native.getpid(), Native.SIGKILL);
        return 0;
    }

    internal static int Abort(string[] args)
    {
        Console.WriteLine("aborting");
        Native.abort();
        return 0;
    }

    internal static int FailFast(string[] args)
    {
        Console.WriteLine("failing");
        Environment.FailFast("asked to");
        return 0;
    }

    internal static int Throw(string[] args) => throw new InvalidOperationException("nobody catches this");

    internal static int Overflow(string[] args)
    {
        Console.WriteLine("overflowing");
        return Endless(1);
    }

    private static int Endless(int depth) => Endless(depth + 1) + 1;
}
