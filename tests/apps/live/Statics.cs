using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

/// Loaded into several contexts. Each context has fields of its own.
public static class Counted
{
    public static int Number;
    public static string Text;
    public static object Comparer;

    public static void Set(int number)
    {
        // Static fields of a class that is unloaded with its type argument.
        Comparer = EqualityComparer<Holder>.Default;
        Text = new string('t', number);
        Number = number;
    }
}

/// Static fields in permanent and in collectible contexts.
internal static class Statics
{
    private static readonly Dictionary<int, AssemblyLoadContext> Contexts = new Dictionary<int, AssemblyLoadContext>();

    public static void Run()
    {
        for (int number = 1; number <= 5; number++)
        {
            Load(number);
            GC.Collect();
        }
        Ask("loaded");
        Unload(1);
        Ask("one_gone");
        Unload(3);
        Load(6);
        Load(7);
        Ask("others_there");
    }

    private static bool CanGo(int number) => number % 2 == 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Load(int number)
    {
        AssemblyLoadContext context = new AssemblyLoadContext("number " + number, CanGo(number));
        Assembly copy = context.LoadFromAssemblyPath(typeof(Statics).Assembly.Location);
        copy.GetType(nameof(Counted)).GetMethod("Set").Invoke(null, new object[] { number });
        Contexts.Add(number, context);
    }

    private static void Unload(int number)
    {
        WeakReference gone = BeginToUnload(number);
        for (int round = 0; gone.IsAlive; round++)
        {
            if (round == 100)
            {
                throw new InvalidOperationException("context " + number + " does not go");
            }
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference BeginToUnload(int number)
    {
        Contexts.Remove(number, out AssemblyLoadContext context);
        context.Unload();
        return new WeakReference(context);
    }

    private static void Ask(string about)
    {
        // Those of collectible classes are refused where the runtime would crash.
        bool refused = Environment.Version.Major < 5;
        Live.Says("statics." + about + ".refused", refused ? "true" : "false");
        Live.Says("statics." + about + ".forced", 1);
        foreach (int number in Contexts.Keys.Where(number => !refused || !CanGo(number)).OrderBy(number => number))
        {
            Live.Says("statics." + about + ".counted", number + " " + new string('t', number));
        }
        Live.Says("statics." + about + ".others", "true");
        Live.Says("statics." + about + ".failed", "[]");
        Live.Ask("statics", about);
    }
}
