using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Plugin
{
    /// <summary>What the program loads, and has unloaded.</summary>
    public class TestClass
    {
        public int Number = 42;
    }

    /// <summary>A method that has a frame of its own, or none as it is inlined. It sees for itself which it is.</summary>
    public static class Caller
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static bool HasFrame() => Inlinee();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static bool Inlinee() => new StackTrace().GetFrame(0).GetMethod().Name == "Inlinee";
    }
}
