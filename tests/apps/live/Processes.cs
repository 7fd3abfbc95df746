using System;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

/// Methods whose IL has a small and a large header.
internal static class Codes
{
    public static int Small() => 7;

    public static int Large(int[] numbers)
    {
        int sum = 0;
        try
        {
            foreach (int number in numbers)
            {
                sum += checked(number * 3);
            }
        }
        finally
        {
            sum++;
        }
        return sum;
    }
}

/// The program's own description of the process.
internal static class Processes
{
    [DllImport("libc")]
    private static extern int gettid();

    public static void Run()
    {
        gettid();
        Codes.Large(new[] { Codes.Small() });
        using Process self = Process.GetCurrentProcess();
        string[] Assemblies() => AppDomain.CurrentDomain.GetAssemblies()
            .Where(assembly => !assembly.IsDynamic)
            .Select(assembly => assembly.GetName().Name + " = " + assembly.Location)
            .OrderBy(text => text, StringComparer.Ordinal).ToArray();

        // Assemblies that listing, printing and querying need are loaded before.
        Assemblies();
        Live.Says("process.core", "true");
        Live.Ask("core");
        string[] before = Assemblies();
        Live.Ask("process");
        if (!before.SequenceEqual(Assemblies()))
        {
            throw new InvalidOperationException("asking has loaded "
                + string.Join(", ", Assemblies().Except(before)));
        }
        Say(self, before);
    }

    private static void Say(Process self, string[] assemblies)
    {
        Live.Says("process.variable.given", Environment.GetEnvironmentVariable("LIVE_GIVEN") ?? "none");
        Live.Says("process.variable.set", Environment.GetEnvironmentVariable("LIVE_SET") ?? "none");
        Live.Says("process.variable.cleared", Environment.GetEnvironmentVariable("LIVE_CLEARED") ?? "none");
        foreach (string assembly in assemblies)
        {
            int at = assembly.IndexOf(" = ");
            Live.Says("process.assembly." + assembly.Substring(0, at), assembly.Substring(at + 3));
        }
        Live.Says("process.thread", gettid());
        Live.Says("process.thread.listed", "true");
        Live.Says("process.id", self.Id);
        foreach (string name in new[] { "Small", "Large" })
        {
            MethodBody body = typeof(Codes).GetMethod(name).GetMethodBody();
            Live.Says("process.il." + name, Tables.Convert(body.GetILAsByteArray()));
        }
        Live.Says("process.opened", assemblies.Length);
    }
}
