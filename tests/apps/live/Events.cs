using System;
using System.Diagnostics.Tracing;

/// Writes events.
[EventSource(Name = "Live-Source")]
internal sealed class Source : EventSource
{
    [Event(1, Level = EventLevel.Informational)]
    public void Said(string text, int number, bool flag) => WriteEvent(1, text, number, flag);

    [Event(2, Level = EventLevel.Warning)]
    public void Counted(long count, double share) => WriteEvent(2, count, share);
}

/// Events that a session of the profiler delivers.
internal static class Events
{
    public static void Run()
    {
        using Source source = new Source();
        Live.Ask("event_pipe", "start");
        if (Environment.Version.Major < 5)
        {
            Live.Says("eventpipe.refused", "ICorProfilerInfo12::EventPipeStartSession needs ICorProfilerInfo12, "
                + "and this runtime has nothing newer than ICorProfilerInfo11");
            return;
        }
        source.Said("h\u00E9llo", 42, true);
        source.Counted(1L << 40, 0.25);
        Live.Ask("event_pipe", "write");
        source.Said("last", -1, false);
        Live.Ask("event_pipe", "stop");
        source.Said("nobody hears this", 0, false);
        Live.Says("eventpipe.event.0", "Live-Source 1 Said(text=h\u00E9llo, number=42, flag=true)");
        Live.Says("eventpipe.event.1", "Live-Source 2 Counted(count=1099511627776, share=0.25)");
        Live.Says("eventpipe.event.2",
            "Live-Profiler 7 Written(Number=-5, Text=gr\u00F6\u00DFer, Flag=true, Numbers=[1, -2])");
        Live.Says("eventpipe.event.3", "Live-Source 1 Said(text=last, number=-1, flag=false)");
    }
}
