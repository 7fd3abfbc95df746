// Values of every kind, each passed in every possible way. The program reports itself (see ../common/Self.cs).

using Report;

namespace Cases;

/// <summary>Runs one group after the other, then prints the report.</summary>
public static class Program
{
    /// <summary>The entry point; with the argument <c>raw</c> the report has fields instead of values.</summary>
    public static int Main(string[] args)
    {
        ValueWriter.Raw = args.Length > 0 && args[0] == "raw";
        Call call = Self.Enter(null, args);
        Numbers.Run();
        Composed.Run();
        Collected.Run();
        Common.Run();
        Inherited.Run();
        Running.Run();
        Reflected.Run();
        Signatures.Run();
        Unboxable.Run();
        Moving.Run();
#if NET8
        Newer.Run();
#endif
#if NET11
        Unions.Run();
#endif
        call.Leave(0);
        Self.Flush();
        return 0;
    }
}
