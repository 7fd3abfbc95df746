// Adverse programs for a tracer, by name. Their output is deterministic.

using System;
using System.Collections.Generic;

namespace Hostile;

public static class Program
{
    private static readonly Dictionary<string, Func<string[], int>> Programs = new()
    {
        ["return"] = Ends.Return,
        ["return-calling"] = Ends.ReturnCalling,
        ["exit"] = Ends.Exit,
        ["exit-calling"] = Ends.ExitCalling,
        ["exit-elsewhere"] = Ends.ExitElsewhere,
        ["exit-at-once"] = Ends.ExitAtOnce,
        ["term-calling"] = Ends.TerminateCalling,
        ["kill"] = Ends.Kill,
        ["abort"] = Ends.Abort,
        ["failfast"] = Ends.FailFast,
        ["throw"] = Ends.Throw,
        ["overflow"] = Ends.Overflow,
        ["errno"] = Errors.Numbers,
        ["files"] = Errors.Files,
        ["descriptors"] = Errors.Descriptors,
        ["signals"] = Errors.Signals,
        ["deep"] = Depths.Deep,
        ["small-stack"] = Depths.SmallStack,
        ["brink"] = Depths.Brink,
        ["reached"] = Depths.Reached,
        ["frames"] = Depths.Frames,
        ["wide"] = Depths.Wide,
        ["memory"] = Memory.Native,
        ["managed-memory"] = Memory.Managed,
        ["exceptions"] = Storms.Exceptions,
        ["threads"] = Storms.Threads,
        ["collections"] = Storms.Collections,
        ["children"] = Natives.Children,
        ["callbacks"] = Natives.Callbacks,
        ["native-threads"] = Natives.Threads,
        ["unload"] = Codes.Unload,
        ["emit"] = Codes.Emit,
        ["secrets"] = Codes.Secrets,
        ["names"] = Codes.Names,
        ["pointers"] = Pointers.Run,
        ["child"] = Natives.Child,
    };

    public static int Main(string[] args)
    {
        string files = Environment.GetEnvironmentVariable("HOSTILE_FILES");
        if (files != null)
        {
            // No file of the process may grow beyond so many bytes.
            var limit = new Native.Limit { Current = ulong.Parse(files), Maximum = ulong.MaxValue };
            Native.setrlimit(Native.RLIMIT_FSIZE, ref limit);
        }
        if (Programs.TryGetValue(args.Length > 0 ? args[0] : "", out Func<string[], int> program))
        {
            return program(args);
        }
        Console.Error.WriteLine("name one of " + string.Join(" ", Programs.Keys));
        return 64;
    }
}
