using System;
using System.Runtime.InteropServices;

/// Values that the profiler keeps beyond the end of the runtime.
internal static class Ends
{
    public static void Run()
    {
        byte[] kept = new byte[64];
        GCHandle pin = GCHandle.Alloc(kept, GCHandleType.Pinned);
        // An object begins before its elements: with its class and its length.
        Live.Ask("end", (pin.AddrOfPinnedObject().ToInt64() - 2 * IntPtr.Size).ToString());
        pin.Free();
        Live.Says("end.kept", "true");
        // The facts that the profiler will print, when the program no longer can.
        Live.Says("end.asked", "true");
        Live.Says("end.handle", "true");
        Live.Says("end.session", "true");
    }
}
