using System;
using System.Runtime.InteropServices;
using System.Text;

/// The program's facts, and its queries to the profiler.
internal static class Live
{
    private const int Room = 16 << 20;

    private static readonly AskFunction Function = Marshal.GetDelegateForFunctionPointer<AskFunction>(
        NativeLibrary.GetExport(
            NativeLibrary.Load(Environment.GetEnvironmentVariable("CORECLR_PROFILER_PATH")), "live_ask"));

    private static readonly byte[] Answer = new byte[Room];

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int AskFunction(byte[] question, int length, [In, Out] byte[] room, int capacity);

    /// Prints a fact that the program has found independently.
    public static void Says(string name, object value)
    {
        string text = Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture);
        text = text.Replace("\\", "\\\\").Replace("\n", "\\n").Replace("\r", "\\r");
        Console.Out.Write("program: " + name + " = " + text + "\n");
    }

    /// Queries the profiler, and prints its facts.
    public static string[] Ask(params string[] question)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(string.Join("\n", question));
        int length = Function(bytes, bytes.Length, Answer, Room);
        string text = Encoding.UTF8.GetString(Answer, 0, Math.Min(length, Room));
        string[] lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        foreach (string line in lines)
        {
            // Facts for the program alone are not printed.
            if (!line.Substring(0, line.IndexOf(" = ") + 1).Contains(".token."))
            {
                Console.Out.Write("profiler: " + line + "\n");
            }
        }
        if (text.StartsWith("failed:"))
        {
            throw new InvalidOperationException(text);
        }
        return lines;
    }

    /// A token from the profiler.
    public static int Token(string[] answer, string name)
    {
        foreach (string line in answer)
        {
            if (line.StartsWith(name + " = "))
            {
                return int.Parse(line.Substring(name.Length + 3));
            }
        }
        throw new InvalidOperationException("the profiler said no " + name);
    }
}
