using System.IO.Compression;
using System.Text;
using Tracer.Analysis;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Request;
using Tracer.WindowsProof;

namespace Tracer.Capture.Tests;

/// <summary>A run on Windows as it is when all is well, file by file; tests take away and change.</summary>
internal sealed class WholeRun : IDisposable
{
    private static readonly Lazy<(InfoReport Info, BlameReport Blame)> Sample = new(ReadSample);

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-run-").FullName;

    public WholeRun()
    {
        Report = Good;
        foreach ((string suite, int least) in TestResults.Wanted)
        {
            Suite(suite, least, 0, 12);
        }

        string[] commands =
        [
            "doctor", "self-test", "capture", "capture-blame", "wpr-start", "wpr-stop", "wpr-info", "wpr-blame", "analyzer-dpcisr",
            "same-blame",
        ];
        Put("commands.jsonl", string.Concat(commands.Select(name => $$"""{"name":"{{name}}","status":0,"seconds":1.5}""" + "\n")));
        string[] some = ["doctor.jsonl", "wpr.etl", "proof.etl", "blame.json"];
        foreach (string name in some)
        {
            Put(name, "something");
        }

        Put("capture.jsonl", CaptureLine(0, "[]") + "\n");
        Put("culprit.txt", "pwsh.exe\r\n");
        PutJson("capture-blame.json", stream => ReportJson.Write(stream, BlameOf("pwsh.exe"), indented: true));
        PutJson("wpr-blame.json", stream => ReportJson.Write(stream, BlameOf("pwsh.exe"), indented: true));
        PutJson("wpr-info.json", stream => ReportJson.Write(stream, Sample.Value.Info, indented: true));
        Put("analyzer-dpcisr.txt", XperfTableTests.Text(960, 56_933));
        Put("xperf-dpcisr.txt", XperfTableTests.Text(960, 56_940));
    }

    public static ProofReport Good { get; } = new()
    {
        TracerVersion = "1.0",
        Utc = DateTime.UnixEpoch,
        Machine = new ProofMachine
        {
            Build = 26_100,
            Architecture = "x64",
            Cpus = 4,
            MemoryBytes = 8L << 30,
            Wine = null,
            Hypervisor = null,
            IsHypervisorRoot = false,
            InvariantTsc = true,
            QpcHz = 10_000_000,
            ClockPeriod100ns = 156_250,
            ProfileInterval100ns = 10_000,
            PowerPlan = "Balanced",
            Sessions = [],
            Driver = null,
        },
        Lines =
        [
            .. new[]
            {
                "probe process", "probe priority", "places for sessions", "recorder session", "kernel events granted", "stacks taken",
                "snapshot", "recorder's calls", "kernel events arriving", "stacks of samples", "stacks of ready threads",
                "stacks of queued DPCs", "provider events", "end of the session", "ring that wraps", "rundown", "machine configuration",
                "kernel images with ids", "sampling interval", "real-time events", "known delay captured", "known delay blamed",
                "our reader", "Windows' own reader", "classes in both readers", "wake-ups in both readers", "stacks in both readers",
            }.Select(name => new ProofLine("test", name, "ok", "as it should be", null, null)),
            .. Statements.All.Where(one => one.Id.StartsWith("driver", StringComparison.Ordinal))
                .Select(one => new ProofLine("test", one.Line!, "skipped", "none is installed", null, null)),
        ],
        Delay = null,
        Blame = null,
        Ours = new ProofTally
        {
            Reader = "Tracer.Etl",
            Events = 9,
            Stacks = 3,
            StackFrames = 20,
            Wakeups = 2,
            WakeupSum = 5,
            Classes = [],
        },
        Windows = null,
        Differences = [],
    };

    /// <summary>The self-test's report.</summary>
    public ProofReport Report
    {
        set => PutJson("proof.json", stream => ReportJson.Write(stream, value, indented: true));
    }

    public ProofFolder Open()
    {
        // The bundle itself: its files are unpacked beside it here, and it may be anything.
        using (ZipArchive zip = ZipFile.Open(Path.Combine(_folder, "proof.zip"), ZipArchiveMode.Update))
        {
            if (zip.Entries.Count == 0)
            {
                zip.CreateEntry("note.txt");
            }
        }

        return ProofFolder.Open(_folder);
    }

    public void Put(string name, string text)
    {
        string path = Path.Combine(_folder, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
    }

    public void Remove(string name) => File.Delete(Path.Combine(_folder, name));

    public void Suite(string suite, int passed, int failed, int skipped) => Put($"tests/{suite}.xml", string.Create(
        CultureInfo.InvariantCulture,
        $"""
        <assemblies>
          <assembly name="{suite}.dll" passed="{passed}" failed="{failed}" skipped="{skipped}" errors="0" />
        </assemblies>
        """));

    public static string CaptureLine(long lost, string notGranted) =>
        "{\"schema\":\"tracer.capture/1\",\"type\":\"status\",\"eventsLost\":" + lost.ToString(CultureInfo.InvariantCulture)
        + ",\"measurementsLost\":0,\"cost\":{\"eventsPerSecond\":84123.4},\"notGranted\":" + notGranted + "}";

    public void Culprit(string file, string name) => PutJson(file, stream => ReportJson.Write(stream, BlameOf(name), indented: true));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static BlameReport BlameOf(string process) => Sample.Value.Blame with
    {
        Summary = Sample.Value.Blame.Summary with { Verdict = Verdict.Process, Culprit = process },
    };

    private static (InfoReport, BlameReport) ReadSample()
    {
        const string Path = "samples/first.etl";
        using EtlReader reader = EtlReader.Open(System.IO.Path.Combine(RepositoryFiles.Root, Path));
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        InfoReport info = InfoReportOfTrace.Make(Path, reader, contents);
        RecordedKinds all = info.Trace.Has with
        {
            IsrDpc = true,
            ContextSwitches = true,
            ReadyThread = true,
            Samples = true,
            Stacks = true,
            Images = true,
            DpcQueue = true,
        };
        return (
            info with { Trace = info.Trace with { Has = all } },
            BlameAnalysis.Analyze(Path, reader, new BlameRequest { Threshold = Duration.FromMicroseconds(500) }).Report);
    }

    private void PutJson(string name, Action<Stream> write)
    {
        using var bytes = new MemoryStream();
        write(bytes);
        Put(name, Encoding.UTF8.GetString(bytes.ToArray()));
    }
}
