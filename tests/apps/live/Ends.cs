using System;
using System.Runtime.InteropServices;

/// What the profiler keeps for longer than the runtime lives.
internal static class Ends
{
    public static void Run()
    {
        byte[] kept = new byte[64];
        GCHandle pin = GCHandle.Alloc(kept, GCHandleType.Pinned);
        // An object begins before its elements: its class and its length are there.
        Live.Ask("end", (pin.AddrOfPinnedObject().ToInt64() - 2 * IntPtr.Size).ToString());
        pin.Free();
        Live.Says("end.kept", "true");
        // What the profiler will say, when the program cannot any more.
        Live.Says("end.asked", "true");
        Live.Says("end.handle", "true");
        Live.Says("end.session", "true");
    }
}
