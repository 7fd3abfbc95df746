using System;

/// One subject of the live tests, which the first argument names.
internal static class Program
{
    private static int Main(string[] arguments)
    {
        switch (arguments[0])
        {
            case "tables": Tables.Run(); return 0;
            case "emit": Emitted.Run(); return 0;
            case "removed": Removed.Run(arguments[1]); return 0;
            case "malformed": Malformed.Run(); return 0;
            case "scope": Made.Run(arguments[1]); return 0;
            case "outlived": Outlived.Run(arguments[1]); return 0;
            case "process": Processes.Run(); return 0;
            case "objects": Objects.Run(); return 0;
            case "gc":
            case "gc.basic":
            case "gc.moved": Collections.Run(arguments[0]); return 0;
            case "allocations": Allocations.Run(); return 0;
            case "frozen": Allocations.RunFrozen(); return 0;
            case "walk": Walks.Run(); return 0;
            case "handles": Handles.Run(); return 0;
            case "inliners": Inliners.Run(); return 0;
            case "maps": Maps.Run(); return 0;
            case "undone": Undone.Run(); return 0;
            case "end": Ends.Run(); return 0;
            case "statics": Statics.Run(); return 0;
            case "image": Images.Run(); return 0;
            case "rows": Rows.Run(); return 0;
            case "rejit": Recompiled.Run(arguments[1]); return 0;
            case "stacks": Stacks.Run(); return 0;
            case "sampling": Sampling.Run(); return 0;
            case "event_pipe": Events.Run(); return 0;
            default: throw new ArgumentException("there is no subject " + arguments[0]);
        }
    }
}
