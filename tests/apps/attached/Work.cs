// Calls that a profiler logs: nested, overloaded, failing and asynchronous ones.

using System;
using System.IO;
using System.Net;
using System.Reflection;
using System.Runtime.Loader;
using System.Text;
using System.Threading.Tasks;

namespace Attached;

public static class Work
{
    /// <summary>Calls each method, and adds up their results.</summary>
    public static int Run()
    {
        int result = Outer("pear", 2);
        result += Pick(7) + Pick("seven");
        try
        {
            Fail(3);
        }
        catch (InvalidOperationException)
        {
            result++;
        }
        result += LoadAsync(20).Result + AtOnceAsync(1).Result + SameAsync("same").Result.Length;
        try
        {
            FailAsync(20).Wait();
        }
        catch (AggregateException)
        {
            result++;
        }
        return result + ValueAsync(5).AsTask().Result;
    }

    /// <summary>Calls `Pick` of a copy of this assembly, which can be unloaded.</summary>
    public static int RunCopy()
    {
        var context = new AssemblyLoadContext("copy", isCollectible: true);
        Type type = context.LoadFromAssemblyPath(typeof(Work).Assembly.Location).GetType("Attached.Work", true);
        MethodInfo pick = type.GetMethod("Pick", new[] { typeof(int) });
        int result = Pick(8);
        for (int i = 0; i < 3; i++)
            result += (int)pick.Invoke(null, new object[] { 9 });
        context.Unload();
        return result;
    }

    /// <summary>
    /// Runs precompiled code of the framework, into which `Environment.NewLine`, `PathInternal.IsDirectorySeparator` and
    /// `IPAddress.IsIPv4` are inlined.
    /// </summary>
    public static string RunPrecompiled() =>
        $"{new StringBuilder().AppendLine().Length} {Path.EndsInDirectorySeparator("folder/")} "
        + $"{IPAddress.Loopback.AddressFamily} {IPAddress.IPv6Loopback.AddressFamily}";

    public static int Outer(string text, int depth) => depth == 0 ? text.Length : 1 + Inner(text, depth);

    public static int Inner(string text, int depth) => Outer(text, depth - 1);

    public static int Pick(int number) => number;

    public static int Pick(string text) => text.Length;

    public static int Fail(int number) => throw new InvalidOperationException($"{number}");

    public static async Task<int> LoadAsync(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return milliseconds;
    }

#pragma warning disable CS1998
    public static async Task<int> AtOnceAsync(int value) => value;
#pragma warning restore CS1998

    public static async Task<T> SameAsync<T>(T value)
    {
        await Task.Yield();
        return value;
    }

    public static async Task FailAsync(int milliseconds)
    {
        await Task.Delay(milliseconds);
        throw new InvalidOperationException();
    }

    /// <summary>Its builder gives no task.</summary>
    public static async ValueTask<int> ValueAsync(int value)
    {
        await Task.Delay(1);
        return value;
    }
}
