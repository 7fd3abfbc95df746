// Prints the names that reflection gives the methods of a process, in that process. A program that runs with
//
//     DOTNET_STARTUP_HOOKS    this assembly
//     REFLECTED_LOG           the log of the profiler `methodnames`
//     REFLECTED_OUT           the output file
//     REFLECTED_COUNT         the limit of methods
//
// prints at its end, for methods spread evenly over those that the profiler has named, one line of JSON
// each; before them a line with the numbers of identities found in the log.

using System;
using Reflected;

/// <summary>Called by the runtime before the program's own Main. It must have no namespace.</summary>
internal static class StartupHook
{
    public static void Initialize() => AppDomain.CurrentDomain.ProcessExit += (_, _) => Answers.Write();

    private static int Main() => throw new InvalidOperationException("this is a startup hook: see DOTNET_STARTUP_HOOKS");
}
