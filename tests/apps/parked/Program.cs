// Many threads that call a few methods each and stay: how much memory the process has in use then.

using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Parked;

public static class Program
{
    private static int sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Called(int number, string text) => number + text.Length;

    private static string Kilobytes(string name)
    {
        foreach (string line in File.ReadAllLines("/proc/self/status"))
        {
            if (line.StartsWith(name + ":"))
            {
                return line.Substring(name.Length + 1).Replace("kB", "").Trim();
            }
        }
        return "0";
    }

    public static int Main(string[] args)
    {
        int count = int.Parse(args[0]);
        using var called = new CountdownEvent(count);
        using var end = new ManualResetEvent(false);
        for (int i = 0; i < count; i++)
        {
            var thread = new Thread(() =>
            {
                for (int call = 0; call < 3; call++)
                {
                    Interlocked.Add(ref sum, Called(call, "text"));
                }
                called.Signal();
                end.WaitOne();
            });
            thread.IsBackground = true;
            thread.Start();
        }
        called.Wait();
        Console.WriteLine($"{Kilobytes("VmRSS")} {Kilobytes("VmHWM")} {sum}");
        end.Set();
        return 0;
    }
}
