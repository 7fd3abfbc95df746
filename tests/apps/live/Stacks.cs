using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;

/// Calls that are on the stack when the profiler is queried.
internal static class Stacks
{
    private static int calls;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Run()
    {
        Outer(3);
        calls++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Outer(int count)
    {
        Middle(count.ToString());
        calls++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Middle(string text)
    {
        Action<string> inner = Inner;
        inner(text);
        calls++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Inner(string text)
    {
        // The output of Environment.StackTrace, as names.
        string[] frames = new StackTrace().GetFrames().Select(frame => frame.GetMethod())
            .Where(method => method.Module == typeof(Stacks).Module)
            .Select(method => method.DeclaringType + "." + method.Name).ToArray();
        foreach (string frame in frames)
        {
            if (!Environment.StackTrace.Contains(frame + "("))
            {
                throw new InvalidOperationException("Environment.StackTrace has no " + frame);
            }
        }
        string all = string.Join(" ", frames);
        Live.Ask("stack");
        Live.Says("stack.own", all);
        Live.Ask("stack.other");
        Live.Says("stack.other", all);
        // A seed has an effect on x86 alone: elsewhere the walk is of the whole stack.
        Live.Says("stack.seeded", all);
        Live.Says("stack.broken", "2 Break(\"enough\")");
        Live.Says("stack.code", frames.Length + " frames");
        calls += text.Length;
    }
}
