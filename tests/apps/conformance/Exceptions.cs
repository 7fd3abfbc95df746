using System;
using System.Runtime.CompilerServices;

/// An exception from nested finally blocks, caught by a filter; and one that passes a finally block.
internal static class Exceptions
{
    public static void Run()
    {
        Catcher();
        OuterCatcher();
        // .NET 9 reports each finally block on the stack like a call of its method, unless it uses the legacy exception
        // handling: dotnet/runtime#123351.
        bool twiceMore = Environment.Version.Major == 9
            && Environment.GetEnvironmentVariable("DOTNET_LegacyExceptionHandling") != "1";
        foreach (string callback in new[]
        {
            "ExceptionThrown",
            "ExceptionSearchFunctionEnter Thrower",
            "ExceptionSearchFunctionLeave",
            "ExceptionSearchFunctionEnter Catcher",
            "ExceptionSearchFilterEnter Catcher",
            "ExceptionSearchFilterLeave",
            "ExceptionSearchCatcherFound Catcher",
            "ExceptionSearchFunctionLeave",
            "ExceptionUnwindFunctionEnter Thrower",
            "ExceptionUnwindFunctionLeave",
            "ExceptionUnwindFunctionEnter Catcher",
            "ExceptionCatcherEnter Catcher",
            "ExceptionCatcherLeave",
            // The second one.
            "ExceptionThrown",
            "ExceptionSearchFunctionEnter SecondThrower",
            "ExceptionSearchFunctionLeave",
            "ExceptionSearchFunctionEnter Passed",
            "ExceptionSearchFunctionLeave",
            "ExceptionSearchFunctionEnter OuterCatcher",
            "ExceptionSearchCatcherFound OuterCatcher",
            "ExceptionSearchFunctionLeave",
            "ExceptionUnwindFunctionEnter SecondThrower",
            "ExceptionUnwindFunctionLeave",
            "ExceptionUnwindFunctionEnter Passed",
            "ExceptionUnwindFinallyEnter Passed",
            "ExceptionUnwindFinallyLeave",
            "ExceptionUnwindFunctionLeave",
            "ExceptionUnwindFunctionEnter OuterCatcher",
            "ExceptionCatcherEnter OuterCatcher",
            "ExceptionCatcherLeave",
        })
        {
            Profiler.Says("callback", callback);
            string kind = callback.Split(' ')[0].Replace("Enter", "Leave");
            if (twiceMore && callback.EndsWith("FunctionEnter Thrower"))
            {
                for (int block = 0; block < 2; block++)
                {
                    Profiler.Says("callback", kind);
                    Profiler.Says("callback", callback);
                }
            }
        }
    }

    private static void Catcher()
    {
        try
        {
            Thrower();
        }
        catch (Exception e) when (Filter(e))
        {
        }
    }

    /// Not optimised, so that the finally blocks are what the runtime calls funclets.
    [MethodImpl(MethodImplOptions.NoOptimization)]
    private static void Thrower()
    {
        try
        {
            Nothing();
        }
        finally
        {
            try
            {
                Nothing();
            }
            finally
            {
                throw new InvalidOperationException("out of a finally block");
            }
        }
    }

    private static void OuterCatcher()
    {
        try
        {
            Passed();
        }
        catch (InvalidOperationException)
        {
        }
    }

    private static void Passed()
    {
        try
        {
            SecondThrower();
        }
        finally
        {
            Nothing();
        }
    }

    private static void SecondThrower() => throw new InvalidOperationException("past a finally block");

    private static bool Filter(Exception e) => e.Message == "out of a finally block";

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Nothing()
    {
    }
}
