using System;
using System.Reflection;
using System.Runtime.InteropServices;

/// One of the runtime's own tests, which the first argument names. The second is the assembly to load.
internal static class Program
{
    private static int Main(string[] arguments)
    {
        NativeLibrary.SetDllImportResolver(Assembly.GetExecutingAssembly(), Profiler.Library);
        switch (arguments[0])
        {
            case "ALCTest": Loading.Unloads(arguments[1]); return 0;
            case "classload": Loading.Classes(arguments[1]); return 0;
            case "moduleload": Loading.Loads(arguments[1]); return 0;
            case "dynamicoptimization": Inlined.Switched(arguments[1]); return 0;
            case "elttransitions": Transitions.Run(withCalls: true); return 0;
            case "eventpipe": Events.Run(); return 0;
            case "exception": Exceptions.Run(); return 0;
            case "enumthreads": Threads.Run(); return 0;
            case "inlining": Inlined.Run(); return 0;
            case "rejit": Recompiled.Run(); return 0;
            case "transitions": Transitions.Run(withCalls: false); return 0;
            default: throw new ArgumentException("there is no row " + arguments[0]);
        }
    }
}
