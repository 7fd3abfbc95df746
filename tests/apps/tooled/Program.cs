using System;

/// What the tools measure: each subject states the truth as lines "program: name = value".
internal static class Program
{
    private static int Main(string[] arguments)
    {
        switch (arguments[0])
        {
            case "exceptions":
                Thrown.Run();
                return 0;
            case "alloc":
                Allocated.Run();
                return 0;
            case "much":
                Allocated.Much();
                return 0;
            case "mixed":
                Mixed.Run(int.Parse(arguments[1]));
                return 0;
            case "cpu":
                Burning.Run();
                return 0;
            case "signals":
                Signalled.Run();
                return 0;
            case "gc":
                Collected.Run();
                return 0;
            case "background":
                Collected.InBackground();
                return 0;
            case "heap":
                Held.Run();
                return 0;
            case "many":
                Held.Many(int.Parse(arguments[1]));
                return 0;
            case "startup":
                Started.Run();
                return 0;
            case "locks":
                Locked.Run();
                return 0;
            case "waits":
                Waiting.Run();
                return 0;
            case "unhandled":
                Thrown.Unhandled();
                return 0;
            case "unhandled-main":
                Thrown.UnhandledInMain();
                return 0;
            default:
                Console.Error.WriteLine("no such subject: " + arguments[0]);
                return 2;
        }
    }

    public static void Says(string name, object value)
    {
        Console.WriteLine("program: " + name + " = " + value);
    }
}
