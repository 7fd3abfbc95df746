using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Plugin
{
    /// <summary>The class that the program loads and unloads.</summary>
    public class TestClass
    {
        public int Number = 42;
    }

    /// <summary>A method that has a frame of its own, or none because it is inlined. It detects which.</summary>
    public static class Caller
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static bool HasFrame() => Inlinee();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static bool Inlinee() => new StackTrace().GetFrame(0).GetMethod().Name == "Inlinee";
    }
}
