// Says what reflection calls the methods of a process, in that process. Whoever runs a program with
//
//     DOTNET_STARTUP_HOOKS    this assembly
//     REFLECTED_LOG           what the profiler `methodnames` writes meanwhile
//     REFLECTED_OUT           where to write
//     REFLECTED_COUNT         how many methods, at most
//
// gets at the end of the program, for methods spread evenly over those that the profiler has named, one line of JSON
// each; before them a line with the numbers of identities found in the log.

using System;
using Reflected;

/// <summary>What the runtime calls before the program's own Main. It has no namespace, so that it is found.</summary>
internal static class StartupHook
{
    public static void Initialize() => AppDomain.CurrentDomain.ProcessExit += (_, _) => Answers.Write();

    private static int Main() => throw new InvalidOperationException("this is a startup hook: see DOTNET_STARTUP_HOOKS");
}
