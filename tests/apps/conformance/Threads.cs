using System;
using System.Threading;

/// Threads that exist during collections.
internal static class Threads
{
    public static void Run()
    {
        string[] names = { "row 1", "row 2", "row 3" };
        using var ready = new CountdownEvent(names.Length);
        using var end = new ManualResetEventSlim();
        Thread[] threads = Array.ConvertAll(names, name => new Thread(() =>
        {
            Thread.CurrentThread.Name = name;
            ready.Signal();
            end.Wait();
        }));
        Array.ForEach(threads, thread => thread.Start());
        ready.Wait();
        for (int turn = 0; turn < 3; turn++)
        {
            GC.Collect();
        }
        end.Set();
        Array.ForEach(threads, thread => thread.Join());
        Profiler.Says("collections.some", true);
        Profiler.Says("collections.started_is_finished", true);
        // .NET 9 must not be queried by the thread that has suspended the runtime: it would release its lock (dotnet/runtime#110062).
        bool isListed = Environment.Version.Major != 9;
        Profiler.Says("enumerations.at_least_one_for_each_collection", isListed);
        Profiler.Says("errors", isListed ? "" : "CORPROF_E_SUSPENSION_IN_PROGRESS");
        Array.ForEach(isListed ? names : Array.Empty<string>(), name => Profiler.Says("thread", name));
    }
}
