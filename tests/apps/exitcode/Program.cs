// Behaviour that a tracer must not change: standard input and output, exit codes, signals, aborts.

using System;
using System.IO;
using System.Threading;

namespace ExitCode;

public static class Program
{
    public static int Main(string[] args) => args[0] switch
    {
        "echo" => Echo(int.Parse(args[1])),
        "throw" => throw new InvalidOperationException("nobody catches this"),
        "exit" => Leave(int.Parse(args[1])),
        "failfast" => FailFast(),
        "wait" => Wait(),
        _ => 64,
    };

    /// <summary>Copies standard input, bytes and all, and counts it on standard error.</summary>
    private static int Echo(int code)
    {
        using Stream input = Console.OpenStandardInput();
        using Stream output = Console.OpenStandardOutput();
        var buffer = new byte[4096];
        long total = 0;
        for (int read = input.Read(buffer); read > 0; read = input.Read(buffer))
        {
            output.Write(buffer, 0, read);
            total += Count(read);
        }
        Console.Error.WriteLine($"{total} bytes");
        return code;
    }

    private static int Count(int read) => read;

    /// <summary>Exits below two open frames.</summary>
    private static int Leave(int code)
    {
        Console.WriteLine("leaving");
        Environment.Exit(code);
        return 0;
    }

    private static int FailFast()
    {
        Environment.FailFast("asked to");
        return 0;
    }

    /// <summary>Waits for SIGTERM, which lets handlers run and ends the process with 143.</summary>
    private static int Wait()
    {
        AppDomain.CurrentDomain.ProcessExit += OnExit;
        Console.WriteLine("ready");
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    private static void OnExit(object sender, EventArgs e) => Console.WriteLine("ending");
}
