using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

/// Objects that the profiler alone keeps alive, or does not.
internal static class Handles
{
    public static void Run()
    {
        if (Environment.Version.Major < 9)
        {
            return;
        }
        (WeakReference weak, WeakReference strong) = Make();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        Live.Says("handles.alive.Weak", weak.IsAlive ? "true" : "false");
        Live.Says("handles.alive.Strong", strong.IsAlive ? "true" : "false");
        Live.Ask("handles", "look");
        GC.Collect();
        // Nobody keeps the second one alive any more.
        Live.Says("handles.made.Weak", "true");
        Live.Says("handles.made.Strong", strong.IsAlive ? "still alive" : "true");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference, WeakReference) Make()
    {
        byte[] first = new byte[64];
        byte[] second = new byte[64];
        GCHandle firstPin = GCHandle.Alloc(first, GCHandleType.Pinned);
        GCHandle secondPin = GCHandle.Alloc(second, GCHandleType.Pinned);
        // An object begins before its elements: its class and its length are there.
        long firstAddress = firstPin.AddrOfPinnedObject().ToInt64() - 2 * IntPtr.Size;
        long secondAddress = secondPin.AddrOfPinnedObject().ToInt64() - 2 * IntPtr.Size;
        Live.Ask("handles", "make", firstAddress.ToString(), secondAddress.ToString());
        firstPin.Free();
        secondPin.Free();
        return (new WeakReference(first), new WeakReference(second));
    }
}
