using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

/// The program that `tests/e2e/double.rs` scripts for the fake runtime: a plug-in that is loaded and unloaded, and an exception.
internal static class Program
{
    private static void Main(string[] args)
    {
        WeakReference context = UsePlugin(args[0]);
        for (int attempt = 0; context.IsAlive && attempt < 100; attempt++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Outer();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UsePlugin(string path)
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        Activator.CreateInstance(context.LoadFromAssemblyPath(path).GetType("Plugin.TestClass"));
        context.Unload();
        return new WeakReference(context);
    }

    private static void Outer()
    {
        try
        {
            Middle();
        }
        catch (InvalidOperationException)
        {
        }
    }

    private static void Middle()
    {
        try
        {
            Inner();
        }
        finally
        {
            Nothing();
        }
    }

    private static void Inner() => throw new InvalidOperationException();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Nothing()
    {
    }
}
