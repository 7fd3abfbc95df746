// The program's own report of the events that a tracer must see.
//
// A reported method begins with `var call = Self.Enter(this, argument, …)` and ends with
// `return call.Leave(value)`. Each becomes one line of JSON, kept per thread and printed by
// `Self.Flush()`. The code is independent of profilers: names come from System.Reflection, values from
// the program's own variables. The tests run the tracer with `--exclude '*!Report.*'`.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Report;

/// <summary>The reporter's entry points.</summary>
public static class Self
{
    /// <summary>Stands for an <c>out</c> argument, which has no value on enter.</summary>
    public static readonly object Out = new();

    private static readonly List<ThreadLog> Logs = new();

    [ThreadStatic]
    private static ThreadLog log;

    /// <summary>The log of the current thread.</summary>
    internal static ThreadLog Log => log ??= Register(new ThreadLog(OperatingSystemThread()));

    /// <summary>The innermost open call: for a constructor, whose report begins in the arguments of the
    /// base constructor and cannot keep a variable until its body runs.</summary>
    public static Call Innermost => Log.Open[^1];

    // One overload per count: with `params` alone a single array argument would be taken for the list.

    /// <summary>Reports that the calling method was entered. <paramref name="self"/> is null in static
    /// methods and where the body cannot name its own `this` (closures, state machines).</summary>
    public static Call Enter(object self) => Begin(self);

    /// <inheritdoc cref="Enter(object)"/>
    public static Call Enter(object self, object a) => Begin(self, a);

    /// <inheritdoc cref="Enter(object)"/>
    public static Call Enter(object self, object a, object b) => Begin(self, a, b);

    /// <inheritdoc cref="Enter(object)"/>
    public static Call Enter(object self, object a, object b, object c) => Begin(self, a, b, c);

    /// <inheritdoc cref="Enter(object)"/>
    public static Call Enter(object self, object a, object b, object c, object d) => Begin(self, a, b, c, d);

    /// <inheritdoc cref="Enter(object)"/>
    public static Call Enter(object self, object a, object b, object c, object d, object e, params object[] rest)
    {
        var all = new List<object> { a, b, c, d, e };
        all.AddRange(rest);
        return Begin(self, all.ToArray());
    }

    /// <summary>Stores the exception that is about to be thrown, for the frames that it will leave.</summary>
    public static T Throwing<T>(T exception)
        where T : Exception
    {
        Log.InFlight = exception.GetType();
        return exception;
    }

    /// <summary>Prints every thread's lines, then one that says that the report is complete, and which methods have no
    /// body in the source although their names are C# names.</summary>
    public static void Flush()
    {
        using var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        lock (Logs)
        {
            foreach (ThreadLog each in Logs)
                foreach (string line in each.Lines)
                    output.Write(line + "\n");
            output.Write($"{{\"event\":\"done\",\"threads\":{Logs.Count},\"silent\":[{string.Join(",", Silent())}]}}\n");
        }
    }

    /// <summary>The compiler-generated methods: accessors of automatic properties and of events, members of
    /// records.</summary>
    private static IEnumerable<string> Silent()
    {
        const BindingFlags own = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        return from type in typeof(Self).Assembly.GetTypes()
               from method in type.GetMethods(own)
               where method.IsDefined(typeof(CompilerGeneratedAttribute), false)
               select Json.Quoted(Methods.Name(method));
    }

    private static Call Begin(object self, params object[] arguments)
    {
        Generic generic = null;
        if (arguments.Length > 0 && arguments[0] is Generic given)
        {
            generic = given;
            arguments = arguments[1..];
        }
        var call = new Call(Log, Methods.Close(Caller(), self, generic));
        call.WriteEnter(self, arguments);
        return call;
    }

    /// <summary>The nearest method on the stack that is not the reporter's.</summary>
    private static MethodBase Caller()
    {
        for (int skip = 2; ; skip++)
        {
            MethodBase method = new StackFrame(skip, false).GetMethod();
            if (method.DeclaringType?.Namespace != nameof(Report))
                return method;
        }
    }

    private static ThreadLog Register(ThreadLog created)
    {
        lock (Logs)
            Logs.Add(created);
        return created;
    }

    private static long OperatingSystemThread()
    {
        if (RuntimeInformation.IsOSPlatform(OSPlatform.Windows))
            return GetCurrentThreadId();
        const long getTidX64 = 186, getTidArm64 = 178;
        return SystemCall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? getTidArm64 : getTidX64);
    }

    [DllImport("libc", EntryPoint = "syscall")]
    private static extern long SystemCall(long number);

    [DllImport("kernel32")]
    private static extern uint GetCurrentThreadId();
}

/// <summary>One thread's lines and its open calls.</summary>
internal sealed class ThreadLog
{
    internal readonly long Thread;
    internal readonly List<string> Lines = new();
    internal readonly List<Call> Open = new();
    internal Type InFlight;

    internal ThreadLog(long thread) => Thread = thread;

    /// <summary>Closes the calls that were entered after <paramref name="call"/>: the exception in flight
    /// has left them.</summary>
    internal void UnwindAbove(Call call)
    {
        while (Open.Count > 0 && Open[^1] != call)
            Open[^1].WriteUnwind();
    }
}

/// <summary>The type arguments of a call that the method cannot find itself: code that is shared between
/// instantiations does not have its own.</summary>
public sealed class Generic
{
    internal Type[] OfClass;
    internal Type[] OfMethod;

    /// <summary>The arguments of the method's generic type: for static methods and closures.</summary>
    public static Generic Class(params Type[] arguments) => new() { OfClass = arguments };

    /// <summary>The arguments of the generic method.</summary>
    public static Generic Method(params Type[] arguments) => new() { OfMethod = arguments };

    /// <summary>Adds the arguments of the generic method.</summary>
    public Generic And(params Type[] arguments)
    {
        OfMethod = arguments;
        return this;
    }
}
