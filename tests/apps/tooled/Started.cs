using System;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

internal class StartedType
{
    public int Value;
}

internal class StartedGeneric<T>
{
    public T Value;
}

internal class NeverLoaded
{
    public int Value;
}

/// Known methods, types and assemblies.
internal static class Started
{
    private static object kept;

    public static void Run()
    {
        foreach (MethodInfo method in typeof(StartedMethods).GetMethods(BindingFlags.Static | BindingFlags.Public))
        {
            if (method.Name.StartsWith("Called", StringComparison.Ordinal))
            {
                method.Invoke(null, null);
                Program.Says("compiled", "StartedMethods." + method.Name);
            }
            else
            {
                Program.Says("never", "StartedMethods." + method.Name);
            }
        }
        kept = new StartedType();
        Program.Says("loaded", kept.GetType().FullName);
        kept = new StartedGeneric<StartedType>();
        Program.Says("loaded", "StartedGeneric<StartedType>");
        if (kept == null)
        {
            Load();
        }
        Program.Says("never", "NeverLoaded");
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            Program.Says("assembly", assembly.GetName().Name);
            Program.Says("module", System.IO.Path.GetFileName(assembly.Location));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Load()
    {
        kept = new NeverLoaded();
    }
}

/// The methods that reflection lists.
internal static class StartedMethods
{
    private static int sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void CalledOne()
    {
        sum++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void CalledTwo()
    {
        sum += Enumerable.Range(0, 3).Sum();
    }

    public static void CalledThree()
    {
        sum--;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void NotEver()
    {
        sum *= 2;
    }
}
