using System;
using System.Linq;

/// Events of the profiler's provider, which a session of the profiler has delivered.
internal static class Events
{
    public static void Run()
    {
        Profiler.Tell("start");
        Profiler.Tell("write");
        Profiler.Tell("stop");
        Profiler.Says("enabled", "true, level 5, any F00000000000, all 0");
        Profiler.Says("enabled", "false, level 5, any F00000000000, all 0");
        Says("Boolean", true);
        Says("Char", 'A');
        Says("SByte", (sbyte)-124);
        Says("Byte", (byte)125);
        Says("Int16", (short)-35);
        Says("UInt16", ushort.MaxValue);
        Says("Int32", -560);
        Says("UInt32", uint.MaxValue);
        Says("Int64", (long)int.MaxValue + 1);
        Says("UInt64", ulong.MaxValue);
        Says("Single", 3.5f);
        Says("Double", 3.023);
        Says("Guid", new Guid("176fbed1-a55c-4796-98ca-a9da0ef883e7").ToString("B").ToUpperInvariant());
        Says("String", "gr\u00F6\u00DFer");
        Says("DateTime", new DateTime(2020, 1, 24, 20, 18, 36, DateTimeKind.Utc).ToFileTimeUtc());
        Profiler.Says("event", "3 Array.Numbers = " + string.Join(" ", Enumerable.Range(1, 100).Reverse()));
        Profiler.Says("events.empty", 10);
        Profiler.Says("events.simple", 10000);
        Profiler.Says("events.out_of_order", 0);
    }

    private static void Says(string field, object value)
    {
        string text = value is bool flag ? (flag ? "true" : "false")
            : Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture);
        Profiler.Says("event", "1 AllTypes." + field + " = " + text);
    }
}
