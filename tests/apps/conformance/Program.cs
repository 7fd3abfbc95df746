using System;
using System.Reflection;
using System.Runtime.InteropServices;

/// One test of the runtime's own, which the first argument names. The second is the assembly to load.
internal static class Program
{
    private static int Main(string[] arguments)
    {
        NativeLibrary.SetDllImportResolver(Assembly.GetExecutingAssembly(), Profiler.Library);
        switch (arguments[0])
        {
            case "ALCTest": Loading.Unloads(arguments[1]); return 0;
            case "moduleload": Loading.Loads(arguments[1]); return 0;
            case "transitions": Transitions.Run(); return 0;
            default: throw new ArgumentException("there is no row " + arguments[0]);
        }
    }
}
