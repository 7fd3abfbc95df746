// A program that ends in the way that it is asked for, after its exceptions were thrown: what a tool has measured of it must not depend
// on how that is.

using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ends;

public static class Program
{
    /// <summary>Throws as many exceptions as the first argument says, and then waits for a line.</summary>
    public static int Main(string[] args)
    {
        if (args[0] == "parent")
        {
            return Parent(args);
        }

        int count = int.Parse(args[0]);
        for (int number = 0; number < count; number++)
        {
            Throw(number);
        }

        Console.WriteLine("ready " + Process.GetCurrentProcess().Id);
        switch (Console.ReadLine() ?? "return 0")
        {
            case "exit": Environment.Exit(5); break;
            case "native": exit(5); break;
            case "quick": _exit(5); break;
            case "abort": abort(); break;
            case "failfast": Environment.FailFast("asked to"); break;
            case "overflow": Deeper(0); break;
            case "throw": throw new InvalidOperationException("nobody catches this");
            case "wait": Thread.Sleep(Timeout.Infinite); break;
            case "stubborn": return Stubborn();
            case "return 0": return 0;
        }

        return 5;
    }

    private static void Throw(int number)
    {
        try
        {
            throw new FormatException(number.ToString());
        }
        catch (FormatException)
        {
        }
    }

    private static int Deeper(int depth) => Deeper(depth + 1) + 1;

    /// <summary>Goes on after an interrupt, until the next line.</summary>
    private static int Stubborn()
    {
        Console.CancelKeyPress += (_, about) =>
        {
            about.Cancel = true;
            Console.WriteLine("no");
        };
        Console.WriteLine("stubborn");
        Console.ReadLine();
        return 5;
    }

    /// <summary>Starts itself, and returns 6 if the child has written to standard error.</summary>
    private static int Parent(string[] args)
    {
        string host = Process.GetCurrentProcess().MainModule.FileName;
        string self = Assembly.GetExecutingAssembly().Location;
        bool isHost = host.EndsWith("dotnet", StringComparison.Ordinal);
        var start = new ProcessStartInfo(host, (isHost ? "\"" + self + "\" " : "") + string.Join(" ", args[1..]))
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process child = Process.Start(start);
        child.StandardInput.Close();
        string said = child.StandardError.ReadToEnd();
        child.WaitForExit();
        Console.WriteLine("child " + child.ExitCode + " " + said);
        return said.Length == 0 ? child.ExitCode : 6;
    }

    [DllImport("libc")]
    private static extern void exit(int code);

    [DllImport("libc")]
    private static extern void _exit(int code);

    [DllImport("libc")]
    private static extern void abort();
}
