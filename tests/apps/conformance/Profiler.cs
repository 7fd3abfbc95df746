using System;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

/// The program's facts, and its commands to the profiler.
internal static class Profiler
{
    /// Finds `[DllImport("profiler")]`.
    public static IntPtr Library(string name, Assembly assembly, DllImportSearchPath? path) =>
        name == "profiler" ? NativeLibrary.Load(Environment.GetEnvironmentVariable("CORECLR_PROFILER_PATH")) : IntPtr.Zero;

    /// Prints a fact that the program has found independently.
    public static void Says(string name, object value)
    {
        string text = value is bool flag ? (flag ? "true" : "false") : Convert.ToString(value, CultureInfo.InvariantCulture);
        Console.Out.Write("program: " + name + " = " + text + "\n");
    }

    /// Sends a command to the profiler.
    public static void Tell(string command)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(command);
        if (conformance_tell(bytes, bytes.Length) != 0)
        {
            throw new InvalidOperationException("the profiler has failed: " + command);
        }
    }

    [DllImport("profiler")]
    private static extern int conformance_tell(byte[] command, int length);
}
