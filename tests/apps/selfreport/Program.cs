// Every traced method of this program reports itself (see ../common/Self.cs), and the test compares
// the report with the tracer's events record by record.

using System;
using Report;

namespace Cases;

/// <summary>Runs one group after the other, then prints the report.</summary>
public static class Program
{
    /// <summary>The entry point.</summary>
    public static int Main(string[] args)
    {
        Call call = Self.Enter(null, args);
        Kinds.Run();
        Lifetimes.Run();
        Functions.Run();
        GenericCases.Run();
        Scalars.Run();
        Texts.Run();
        Enums.Run();
        Structs.Run();
        Collections.Run();
        References.Run();
        Exceptions.Run();
        Iterators.Run();
        Loops.Run();
        Threads.Run();
#if NET8
        Modern.Run();
#endif
        call.Leave(0);
        Self.Flush();
        return 0;
    }
}
