// A program with every kind of method that C# has. Each reports its name (see Said.cs), and the test
// compares it with a profiler's.

using System;
using Spelling;

namespace Cases;

/// <summary>Calls everything once.</summary>
public static class Program
{
    /// <summary>The entry point.</summary>
    public static int Main(string[] args)
    {
        Said.Exactly("int Cases.Program.Main(string[] args)");
        Generics.Run();
        Members.Run();
        Operators.Run();
        Parameters.Run();
        Annotated.Run();
        Closures.Run();
        Machines.Run();
        RunTime.Run();
#if NET8
        Modern.Run();
#endif
        Said.Flush();
        return 0;
    }
}
