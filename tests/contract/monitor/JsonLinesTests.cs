using System.Text;
using System.Text.Json;

namespace Tracer.Contract.Tests;

/// <summary>The lines that a monitor prints and saves. Those of a capture and of the doctor are stored with their screens.</summary>
public class JsonLinesTests
{
    private const string Line =
        """{"schema":"tracer.monitor/1","type":"summary","elapsedUs":2000000,"events":12,"eventsLost":1,"damaged":0""" +
        ""","drivers":[{"name":"a<b>.sys","isr":{"count":2,"totalUs":1.5,"maxUs":1,"p99Us":1.023}""" +
        ""","dpc":{"count":0,"totalUs":0,"maxUs":0,"p99Us":0}}]""" +
        ""","processes":[{"name":"x.exe","hardFaults":{"count":1,"totalUs":3,"maxUs":3,"p99Us":3},"bytes":4096}]""" +
        ""","cpus":[{"cpu":0,"isr":{"count":2,"totalUs":1.5,"maxUs":1,"p99Us":1.023}""" +
        ""","dpc":{"count":0,"totalUs":0,"maxUs":0,"p99Us":0},"worstWakeupUs":null}]""" +
        ""","wakeups":{"count":9,"medianUs":2,"p99Us":5,"worstUs":6.25,"cpu":1,"lost":0}""" +
        ""","glitches":{"audio":3,"frames":2,"deadlinesMissed":1}""" +
        ""","jobs":{"count":5,"deadlinesMissed":1,"worstResponseUs":11000,"worstLostUs":null}""" +
        ""","cost":{"monitorUs":70.5,"probeShare":0.25}}""";

    private static readonly MonitorTimes None = new(0, Duration.Zero, Duration.Zero, Duration.Zero);
    private static readonly MonitorTimes Two = new(2, new Duration(1_500), new Duration(1_000), new Duration(1_023));

    private static readonly MonitorCounts Counts = new()
    {
        Elapsed = Duration.FromSeconds(2),
        Events = 12,
        EventsLost = 1,
        Damaged = 0,
        Drivers = [new MonitorDriver("a<b>.sys", Two, None)],
        Processes = [new MonitorProcess("x.exe", new(1, new(3_000), new(3_000), new(3_000)), 4096)],
        Cpus = [new MonitorCpu(0, Two, None, null)],
        Wakeups = new MonitorWakeups(9, new(2_000), new(5_000), new(6_250), 1, 0),
        Glitches = new MonitorGlitches(3, 2, 1),
        Jobs = new MonitorJobs(5, 1, new(11_000_000), null),
        Cost = new MonitorCost(new(70_500), 0.25),
    };

    [Fact]
    public void A_monitors_counts_are_one_line_and_come_back()
    {
        Assert.Equal(Line, ReportJson.Line(Counts));
        Assert.Equal(Line, ReportJson.Line(ReportJson.Read<MonitorCounts>(Encoding.UTF8.GetBytes(Line))));
        Assert.Equal(
            """{"schema":"tracer.monitor/1","type":"status","elapsedUs":1,"events":0,"eventsLost":0,"damaged":0,"drivers":[]""" +
            ""","processes":[],"cpus":[],"wakeups":null""" +
            ""","glitches":{"audio":0,"frames":0,"deadlinesMissed":0},"cost":null}""",
            ReportJson.Line(Counts with
            {
                Type = "status",
                Elapsed = Duration.FromMicroseconds(1),
                Events = 0,
                EventsLost = 0,
                Drivers = [],
                Processes = [],
                Cpus = [],
                Wakeups = null,
                Glitches = default,
                Jobs = null,
                Cost = null,
            }));
        Assert.Equal(
            """{"schema":"tracer.monitor/1","type":"note","level":"warning","text":"it's so"}""",
            ReportJson.Line(new MonitorNote(MonitorCounts.SchemaName, "note", CaptureNoteLevel.Warning, "it's so")));
    }

    [Theory]
    [InlineData("\"summary\"", "\"status\"")]
    [InlineData("monitor/1", "monitor/2")]
    [InlineData("\"elapsedUs\":2000000", "\"elapsedUs\":0")]
    [InlineData("\"events\":12,", "")]
    [InlineData("\"name\":\"x.exe\"", "\"name\":null")]
    [InlineData("\"processes\":[", "\"processes\":[null,")]
    public void What_is_no_summary_is_refused(string before, string after)
    {
        string text = Line.Replace(before, after, StringComparison.Ordinal);
        Assert.NotEqual(Line, text);
        Assert.Throws<JsonException>(() => ReportJson.Read<MonitorCounts>(Encoding.UTF8.GetBytes(text)));
    }
}
