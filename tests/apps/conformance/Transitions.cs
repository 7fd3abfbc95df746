using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

/// Calls of native code, which calls managed code.
internal static unsafe class Transitions
{
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Callback(int number);

    private delegate bool MarshalledCallback(bool flag);

    public static void Run(bool withCalls)
    {
        Callback callback = Reverse;
        IntPtr pointer = Marshal.GetFunctionPointerForDelegate(callback);
        Expect(42, Forward(pointer, 21));
        GC.KeepAlive(callback);
        Says("Forward", "Invoke", "Reverse", withCalls);
        Expect(1, ForwardMarshalled(ReverseMarshalled, false) ? 1 : 0);
        Says("ForwardMarshalled", "Invoke", "ReverseMarshalled", withCalls);
#if NET8
        Expect(63, ForwardToPointer(&ReverseUnmanaged, 21));
        Says("ForwardToPointer", "ReverseUnmanaged", "ReverseUnmanaged", withCalls);
#endif
    }

    /// There and back; the managed callback has an enter and a leave, and the native function has none.
    private static void Says(string forward, string reverse, string method, bool withCalls)
    {
        if (withCalls)
        {
            Profiler.Says("call." + method, "entered 1, left 1");
        }

        Profiler.Says("transition", "ManagedToUnmanaged CALL " + forward);
        Profiler.Says("transition", "UnmanagedToManaged CALL " + reverse);
        Profiler.Says("transition", "ManagedToUnmanaged RETURN " + reverse);
        Profiler.Says("transition", "UnmanagedToManaged RETURN " + forward);
    }

    [DllImport("profiler", EntryPoint = "conformance_call")]
    private static extern int Forward(IntPtr callback, int number);

    private static int Reverse(int number) => number * 2;

    /// The runtime generates marshalling stubs.
    [DllImport("profiler", EntryPoint = "conformance_call")]
    private static extern bool ForwardMarshalled(MarshalledCallback callback, bool flag);

    private static bool ReverseMarshalled(bool flag) => !flag;

#if NET8
    [DllImport("profiler", EntryPoint = "conformance_call")]
    private static extern int ForwardToPointer(delegate* unmanaged[Cdecl]<int, int> callback, int number);

    [UnmanagedCallersOnly(CallConvs = new[] { typeof(CallConvCdecl) })]
    private static int ReverseUnmanaged(int number) => number * 3;
#endif

    private static void Expect(int expected, int found)
    {
        if (expected != found)
        {
            throw new InvalidOperationException("the call gives " + found + " and not " + expected);
        }
    }
}
