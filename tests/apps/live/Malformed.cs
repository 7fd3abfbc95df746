using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

/// Changed files, which the profiler opens and reads: the program is still there afterwards.
internal static class Malformed
{
    private const string Seed = "20261126";
    private const string Count = "1000";

    public static void Run()
    {
        string own = typeof(Malformed).Assembly.Location;
        Live.Ask("malformed", own, Seed, Count);
        using PEReader image = new PEReader(File.OpenRead(own));
        Live.Says("malformed.types", image.GetMetadataReader().TypeDefinitions.Count);
        Live.Says("malformed.streams.inside", "true");
        Live.Says("malformed.tried", Count);
        Live.Says("malformed.opened.some", "true");
    }
}
