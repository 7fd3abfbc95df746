// Calls that are easy to count, and ends that leave no time for writing.

using System;
using System.Diagnostics;
using System.Threading;

namespace Recorded;

public static class Program
{
    public static int Main(string[] args)
    {
        int count = int.Parse(args[1]);
        long sum = 0;
        for (int number = 0; number < count; number++)
        {
            sum += Work.Add(number, -number);
        }
        Console.WriteLine(sum);
        if (args[0] == "return")
        {
            return 0;
        }
        // Long enough for records to be written, however busy the machine is.
        Thread.Sleep(int.Parse(args[2]));
        Work.Late("soon over");
        if (args[0] == "failfast")
        {
            Environment.FailFast("as the test wants it");
        }
        Process.GetCurrentProcess().Kill();
        Thread.Sleep(Timeout.Infinite);
        return 1;
    }
}

public static class Work
{
    public static long Add(int a, int b) => (long)a * b;

    public static void Late(string why) => Console.WriteLine(why);
}
