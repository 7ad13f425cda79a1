using System.Text.Json;

namespace Tracer.WindowsProof;

/// <summary>All that is believed of Windows without one at hand, in the order of the document.</summary>
public static class Statements
{
    private const string SelfTest = "self-test";
    private const string Test = "tracer/capture/doctor/SelfTest.cs";
    private const string Proof = "tracer/capture/doctor/ProofRun.cs";
    private const string WprInfo = "wpr-info.json";
    private const string WprBlame = "wpr-blame.json";
    private const string CaptureBlame = "capture-blame.json";
    private const string CaptureLines = "capture.jsonl";

    /// <summary>What a capture notes where Windows refuses to tell what a session lost, which counts as nothing then.</summary>
    public const string LossesUntold = "is not known as long as Windows does not tell";

    public static IReadOnlyList<Statement> All { get; } =
    [
        Line("recorder", "A system logger of ours starts beside whatever runs, buffering in memory.", "recorder session"),
        Line("places", "Windows tells how many sessions may run (TraceMaxLoggersQuery).", "places for sessions"),
        Line("masks", "Windows grants all kernel events that the recorder asks for, word by word.", "kernel events granted"),
        Line("masks-arrive", "Of every group that any machine logs, records arrive within a second.", "kernel events arriving"),
        Line("stacks-told", "Windows takes the list of events with stacks (TraceStackTracingInfo can only be set).", "stacks taken"),
        Line("snapshot", "A flush with a file name writes the ring into it.", "snapshot"),
        Line("calls", "Windows takes a recorder's calls as they are made first: a flush with all properties, a query.", "recorder's calls"),
        Line("wrap", "A ring that was full goes on: a second snapshot begins with later events; two at once overlap.", "ring that wraps"),
        Line("provider", "The probe's events are in the ring, with their own description.", "provider events"),
        Line("stop", "A session that is stopped is gone at once.", "end of the session"),
        Line("rundown", "A rundown lists the kernel's images and loses nothing.", "rundown"),
        Line("configuration", "A session that is stopped describes the machine (0x0Bxx).", "machine configuration"),
        Line("interval", "The sampling interval can be set, read back and restored.", "sampling interval"),
        Line(
            "real-time", "A second system logger, while the recorder runs, delivers DPCs and ISRs in real time, through TraceEvent.",
            "real-time events"),
        Line("probe", "The probe process measures wake-ups.", "probe process"),
        Line("probe-priority", "Its threads have a real-time priority, read back.", "probe priority"),
        Line("captured", "A known delay, a thread at priority 30, is captured by the real engine.", "known delay captured", Proof),
        Line("blamed", "Its blame is the process that caused it.", "known delay blamed", Proof),
        Line("opened", "Windows' own reader opens the file that our merge writes.", "Windows' own reader", Proof),
        Line("classes", "Both readers count the same events of each class.", "classes in both readers", Proof),
        Line(
            "wake-ups", "Windows decodes our wake-ups by their own description, and they are the same.", "wake-ups in both readers",
            Proof),
        Line("stacks", "Both readers see the same stacks and return addresses.", "stacks in both readers", Proof),
        Line("image-ids", "Nine of ten images of the kernel get the id of their PDB from our merge.", "kernel images with ids", Proof),
        Line("stacks-samples", "Stacks of samples arrive.", "stacks of samples"),
        Line("stacks-ready", "Stacks of who makes a thread ready arrive.", "stacks of ready threads"),
        Line("stacks-queued", "Stacks of who queues a DPC arrive.", "stacks of queued DPCs"),
        Driver("driver-installed", "The driver is installed.", "driver installed"),
        Driver("driver-loaded", "The kernel loads it.", "driver loaded"),
        Driver("driver", "It answers.", "driver answers"),
        Driver("driver-run", "Its wake-ups are measured for ten seconds, and logged through ETW.", "driver's wake-ups"),
        Driver("driver-stopped", "Its run ends when it is told.", "driver's run ends"),
        Driver("driver-unloaded", "It is unloaded.", "driver unloaded"),
        Driver(
            "driver-verified", "All of that goes well while the kernel has it on Driver Verifier's list, from its load to its unload.",
            "driver under Verifier"),
        Driver("driver-removed", "Nothing of it is left.", "driver removed"),
        new("load", "A capture under load loses no event.", CaptureLines, NoLoss),
        new("arrived", "What was granted arrives within a second.", CaptureLines, AllArrives),
        new("capture-blame", "The capture under load blames the process that we made late threads with.", CaptureBlame, folder =>
            Culprit(folder, CaptureBlame)),
        new("wpr-profile", "wpr takes our profile.", RunCommands.FileName, folder => Ended(folder, "wpr-start", "wpr-stop")),
        new("wpr-read", "analyzer reads the trace that wpr recorded, without damage.", WprInfo, WprIsRead),
        new("wpr-records", "wpr records all that our profile asks for, stacks and the DPC queue among it.", WprInfo, WprRecords),
        new("wpr-blame", "Judged by wpr's trace of the same seconds the culprit is the same.", WprBlame, folder =>
            Culprit(folder, WprBlame)),
        new("xperf", "xperf -a dpcisr counts the same DPCs and ISRs of each module.", "xperf-dpcisr.txt", Xperf, IsOptional: true),
        new("tests", "All tests that can run on this Windows pass.", "tests/*.xml", Tests, IsPortable: true),
        new("sample", "analyzer prints the same bytes of a sample as elsewhere.", RunCommands.FileName, folder =>
            Ended(folder, "same-blame"), IsPortable: true),
    ];

    private static Statement Line(string id, string text, string line, string code = Test) =>
        new(id, text, SelfTest, DoctorLines.Of(line), Line: line, Code: code);

    private static Statement Driver(string id, string text, string line) =>
        Line(id, text, line, "tracer/capture/doctor/DriverProof.cs") with { IsOptional = true };

    private static string Number(long value) => value.ToString("#,0", CultureInfo.InvariantCulture);

    /// <summary>The last line of status of <c>tracer capture --format json</c>.</summary>
    private static JsonElement? LastStatus(ProofFolder folder)
    {
        JsonElement? last = null;
        foreach (string line in (folder.Text(CaptureLines) ?? "").Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            try
            {
                using JsonDocument json = JsonDocument.Parse(line);
                if (json.RootElement.ValueKind == JsonValueKind.Object && json.RootElement.TryGetProperty("type", out JsonElement type)
                    && type.ValueKind == JsonValueKind.String && type.GetString() == "status")
                {
                    last = json.RootElement.Clone();
                }
            }
            catch (JsonException)
            {
                return null; // Cut short: the capture died.
            }
        }

        return last;
    }

    private static Finding NoLoss(ProofFolder folder) =>
        (folder.Text(CaptureLines) ?? "").Contains(LossesUntold, StringComparison.Ordinal)
            ? Finding.NotShown("Windows did not tell what was lost")
        : LastStatus(folder) is not { } status || !status.TryGetProperty("eventsLost", out JsonElement lost)
            || !status.TryGetProperty("measurementsLost", out JsonElement measurements)
            ? Finding.NotShown("no capture under load")
            : lost.GetInt64() + measurements.GetInt64() == 0
                ? Finding.Confirmed(Cost(status))
                : Finding.Refuted($"{Number(lost.GetInt64())} events and {Number(measurements.GetInt64())} measurements lost");

    private static string Cost(JsonElement status) =>
        status.TryGetProperty("cost", out JsonElement cost) && cost.ValueKind == JsonValueKind.Object
            && cost.GetProperty("eventsPerSecond").ValueKind == JsonValueKind.Number
            ? $"nothing lost at {Number((long)cost.GetProperty("eventsPerSecond").GetDouble())} events a second"
            : "nothing lost";

    private static Finding AllArrives(ProofFolder folder)
    {
        if (LastStatus(folder) is not { } status || !status.TryGetProperty("notGranted", out JsonElement missing))
        {
            return Finding.NotShown("no capture under load");
        }

        string[] names = [.. missing.EnumerateArray().Select(static one => one.GetString() ?? "")];
        return names.Length == 0 ? Finding.Confirmed("all") : Finding.Refuted($"not {string.Join(", ", names)}");
    }

    /// <summary>The name of the process that the run made threads late with stands in a file of its own.</summary>
    private static Finding Culprit(ProofFolder folder, string name)
    {
        string? guilty = folder.Text("culprit.txt")?.Trim();
        if (string.IsNullOrEmpty(guilty) || folder.Read(name) is not { } bytes)
        {
            return Finding.NotShown($"no {name}, or no culprit.txt");
        }

        try
        {
            BlameSummary summary = ReportJson.Read<BlameReport>(bytes).Summary;
            string said = $"{KebabCase.Of(summary.Verdict)} {summary.Culprit ?? "nobody"}";
            return summary.Verdict == Verdict.Process && string.Equals(summary.Culprit, guilty, StringComparison.OrdinalIgnoreCase)
                ? Finding.Confirmed(said)
                : Finding.Refuted($"{said}; it was {guilty}");
        }
        catch (JsonException fault)
        {
            return Finding.NotShown($"{name}: {fault.Message}");
        }
    }

    private static Finding Ended(ProofFolder folder, params string[] names)
    {
        IReadOnlyDictionary<string, int?> statuses;
        try
        {
            statuses = RunCommands.Statuses(folder);
        }
        catch (JsonException fault)
        {
            return Finding.NotShown(fault.Message);
        }

        string[] absent = [.. names.Where(name => !statuses.TryGetValue(name, out int? status) || status is null)];
        string[] failed =
        [
            .. names.Where(name => statuses.GetValueOrDefault(name) is not (null or 0))
                .Select(name => $"{name} ended with {statuses[name]}"),
        ];
        return failed.Length > 0 ? Finding.Refuted(string.Join(", ", failed))
            : absent.Length > 0 ? Finding.NotShown($"{string.Join(", ", absent)} did not run")
            : Finding.Confirmed("ended with 0");
    }

    private static InfoReport? Info(ProofFolder folder)
    {
        try
        {
            return folder.Read(WprInfo) is { } bytes ? ReportJson.Read<InfoReport>(bytes) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static Finding WprIsRead(ProofFolder folder) => Info(folder) switch
    {
        null => Finding.NotShown($"no {WprInfo}"),
        { Trace.Events: 0 } => Finding.Refuted("no event in it"),
        { Losses.DamagedBuffers.Count: > 0 and { } damaged } => Finding.Refuted(Counted.Of(damaged, "damaged buffer")),
        { } info => Finding.Confirmed(Counted.Of(info.Trace.Events, "event")),
    };

    private static Finding WprRecords(ProofFolder folder)
    {
        if (Info(folder) is not { } info)
        {
            return Finding.NotShown($"no {WprInfo}");
        }

        RecordedKinds has = info.Trace.Has;
        string[] missing =
        [
            .. new (string Name, bool Has)[]
            {
                ("ISRs and DPCs", has.IsrDpc), ("context switches", has.ContextSwitches), ("ready threads", has.ReadyThread),
                ("samples", has.Samples), ("stacks", has.Stacks), ("images", has.Images), ("the DPC queue", has.DpcQueue),
            }.Where(static one => !one.Has).Select(static one => one.Name),
        ];
        return missing.Length == 0 ? Finding.Confirmed("all") : Finding.Refuted($"not {string.Join(", ", missing)}");
    }

    private static Finding Xperf(ProofFolder folder)
    {
        const int Shown = 3;
        if (folder.Text("xperf-dpcisr.txt") is not { } theirText || folder.Text("analyzer-dpcisr.txt") is not { } ourText)
        {
            return Finding.NotShown("the Windows Performance Toolkit is not there");
        }

        if (XperfTable.Read(theirText) is not { } theirs || XperfTable.Read(ourText) is not { } ours)
        {
            return Finding.NotShown("one of the tables has no module");
        }

        IReadOnlyList<string> rows = XperfTable.Differences(ours, theirs);
        return rows.Count == 0
            ? Finding.Confirmed($"the same for {Counted.Of(ours.Uses.Count, "row")}")
            : Finding.Refuted(string.Join("; ", rows.Take(Shown)) + (rows.Count > Shown ? $"; and {rows.Count - Shown} more" : ""));
    }

    private static Finding Tests(ProofFolder folder)
    {
        IReadOnlyList<SuiteCounts> suites = TestResults.Of(folder);
        if (suites.Count == 0)
        {
            return Finding.NotShown("no results of tests");
        }

        IReadOnlyList<string> problems = TestResults.Problems(folder);
        string passed = Number(suites.Sum(static one => one.Passed));
        string skipped = Number(suites.Sum(static one => one.Skipped));
        return problems.Count > 0 ? Finding.Refuted(string.Join("; ", problems)) : Finding.Confirmed($"{passed} passed, {skipped} skipped");
    }
}
