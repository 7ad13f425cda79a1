using System.IO.Compression;
using Tracer.Capture.Doctor;
using Tracer.Capture.Sessions;
using Tracer.TracerCommand.Commands.Doctor;

#pragma warning disable CA1416 // Below TraceEvent is the fake Windows.

namespace Tracer.Capture.Tests;

/// <summary>
/// The whole proof on the fake Windows: the real engine, merge and blame, and our reader; a reader that counts otherwise in the place of
/// Windows'. What one step meets is told in its line, and the others are tried.
/// </summary>
public sealed class ProofRunTests : IDisposable
{
    private static readonly MachineTrace Machine = FakeMachines.Of("priority-hog", Duration.FromSeconds(6));

    private const string Classes = "classes in both readers";
    private const string Wakeups = "wake-ups in both readers";
    private const string Stacks = "stacks in both readers";

    private readonly CaptureRig _rig = new(Machine);
    private readonly List<MachineCheck> _told = [];
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-proof-").FullName;

    public void Dispose()
    {
        _rig.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void TheWholeWayIsProved()
    {
        ProofFindings findings = Run(Setup() with { System = new TraceEventTally() });
        Assert.Equal(
            [
                "known delay captured", "known delay blamed", "our reader", "Windows' own reader", "classes in both readers",
                "wake-ups in both readers", "stacks in both readers", "kernel images with ids", "delay by the driver",
            ],
            _told.Select(line => line.Name));
        Every.Item(_told.SkipLast(1), line => Assert.Equal((line.Name, CheckOutcome.Ok), (line.Name, line.Outcome)));
        Assert.Equal(CheckOutcome.Skipped, _told[^1].Outcome);
        Assert.Equal(Machine.Truth.Culprit, findings.Blame!.Summary.Culprit);
        Assert.Empty(findings.Differences!);
        Assert.True(findings.Ours!.Events > 1_000 && findings.Ours.Stacks > 0 && findings.Ours.StackFrames > findings.Ours.Stacks);
        Assert.DoesNotContain(_rig.Windows.SessionNames, SessionPlans.IsOwn);
    }

    /// <summary>What TraceEvent renames counts alike: ids of events that describe themselves, the class of loaded images.</summary>
    [Fact]
    public void EventsThatTheReadersNameDifferentlyHaveOneKey()
    {
        TallyCounter ours = new();
        TallyCounter theirs = new();
        Guid process = KernelGroup.Process.ClassId();
        Guid image = KernelGroup.Image.ClassId();
        foreach ((TallyCounter counter, bool isTraceEvent) in new[] { (ours, false), (theirs, true) })
        {
            counter.Add(TracerProvider.Id, isClassic: false, isTraceEvent ? 0xFEFF : 0, 0, describesItself: !isTraceEvent);
            counter.Add(TracerProvider.Id, isClassic: false, isTraceEvent ? 0xFEFE : 0, 0, describesItself: !isTraceEvent);
            counter.Add(TracerProvider.Id, isClassic: false, isTraceEvent ? 0xFEFD : 7, 0, describesItself: !isTraceEvent);
            counter.Add(isTraceEvent ? image : process, isClassic: true, 10, 2);
            counter.Add(process, isClassic: true, 1, 2);
        }

        Assert.Empty(TallyComparison.Classes(ours.Tally(""), theirs.Tally("")));
        Assert.Equal(
            [$"{image} op 10 v2", $"{process} op 1 v2", $"{TracerProvider.Id} self-described v0"],
            ours.Tally("").Classes.Select(one => one.Key).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void TheBundleHoldsTraceReportFactsAndBothCounts()
    {
        ProofFindings findings = Run(Setup());
        ProofLine[] lines = [.. _told.Select(line => new ProofLine("test", line.Name, "ok", line.Finding, line.Why, line.Fix))];
        string path = Path.Combine(_folder, "proof.zip");
        ProofBundle.Write(path, ProofBundle.Report(Facts, lines, findings, DateTime.UnixEpoch), findings);
        using ZipArchive zip = ZipFile.OpenRead(path);
        Assert.Equal(["blame.json", "blame.txt", "proof.etl", "proof.json"], zip.Entries.Select(one => one.FullName).Order());
        ProofReport report = ReportJson.Read<ProofReport>(Bytes(zip, "proof.json"));
        Assert.Equal("tracer.proof/1", report.Schema);
        Assert.Equal(lines, report.Lines);
        Assert.Equal(26_100, report.Machine.Build);
        Assert.Equal(("process", Machine.Truth.Culprit), (report.Blame!.Verdict, report.Blame.Culprit));
        Assert.Equal(findings.Ours!.Classes, report.Ours!.Classes);
        Assert.Equal(findings.Windows!.Events, report.Windows!.Events);
        Assert.Equal(findings.Delay.CapturedUs, report.Delay!.CapturedUs);
        Assert.Equal(findings.Blame!.Summary, ReportJson.Read<BlameReport>(Bytes(zip, "blame.json")).Summary);
        using EtlReader trace = EtlReader.Open(new MemoryStream(Bytes(zip, "proof.etl")), "proof.etl");
        Assert.Equal(Machine.Header.ProcessorCount, trace.Header.ProcessorCount);
    }

    /// <summary>One of each line by default.</summary>
    public static TheoryData<string, string> Mistakes => Selection.IsAll
        ? new(
            ("class", Classes), ("unknown class", Classes), ("wake-up", Wakeups), ("other wake-up", Wakeups),
            ("stack", Stacks), ("frame", Stacks))
        : new(("class", Classes), ("other wake-up", Wakeups), ("frame", Stacks));

    /// <summary>Our reader's mistake would be seen: a reader that misses a record, a wake-up, a stack, a frame.</summary>
    [Theory]
    [MemberData(nameof(Mistakes))]
    public void WhatTheReadersCountDifferentlyIsTold(string mistake, string line)
    {
        ProofFindings findings = Run(Setup() with { System = new OtherTally(mistake) });
        MachineCheck failed = Assert.Single(_told, one => one.Outcome == CheckOutcome.Fail);
        Assert.Equal(line, failed.Name);
        Assert.Contains("by ours", failed.Finding, StringComparison.Ordinal);
        Assert.Single(findings.Differences!);
    }

    /// <summary>Two readers that agree on nothing have shown nothing.</summary>
    [Theory]
    [InlineData("no wake-ups", Wakeups)]
    [InlineData("no stacks", Stacks)]
    [InlineData("no classes", Classes)]
    public void WhatTheTraceHasNoneOfIsNotShown(string lack, string line)
    {
        Run(Setup() with { Own = new OtherTally(lack), System = new OtherTally(lack) });
        Assert.Equal(CheckOutcome.Skipped, Outcome(line));
        Every.Item(
            _told.Where(one => one.Name.EndsWith("in both readers", StringComparison.Ordinal) && one.Name != line),
            one => Assert.Equal((one.Name, CheckOutcome.Ok), (one.Name, one.Outcome)));
    }

    [Fact]
    public void AReaderThatFailsIsToldAndTheRestIsTried()
    {
        ProofFindings findings = Run(Setup() with { System = new OtherTally("throw") });
        Assert.Equal(CheckOutcome.Fail, Outcome("Windows' own reader"));
        Assert.Equal(CheckOutcome.Ok, Outcome("known delay blamed"));
        Assert.Equal(CheckOutcome.Ok, Outcome("our reader"));
        Assert.Equal(CheckOutcome.Skipped, Outcome("both readers agree"));
        Assert.Null(findings.Differences);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ABlameThatFailsOrNamesAnotherIsToldAndTheRestIsTried(bool throws)
    {
        ProofSetup setup = Setup();
        ProofFindings findings = Run(throws
            ? setup with { Blame = static _ => throw new InvalidDataException("no trace at all") }
            : setup with { Delay = new ScriptedDelay(_rig) { ProcessName = "innocent.exe" } });
        Assert.Equal(CheckOutcome.Fail, Outcome("known delay blamed"));
        Assert.Equal(CheckOutcome.Ok, Outcome("stacks in both readers"));
        Assert.Contains(
            throws ? "no trace at all" : "it was the process innocent.exe",
            _told.Single(line => line.Name == "known delay blamed").Finding,
            StringComparison.Ordinal);
        Assert.Equal(throws, findings.Blame is null);
    }

    [Fact]
    public void ADelayThatCouldNotBeProvokedLeavesNothingToProve()
    {
        var never = new ScriptedDelay(_rig) { Provoked = [] };
        ProofFindings findings = Run(Setup() with { Delay = never, Patience = Duration.FromSeconds(3) });
        Assert.Contains("could not be kept", _told[0].Finding, StringComparison.Ordinal);
        Assert.Equal(
            [CheckOutcome.Fail, CheckOutcome.Skipped, CheckOutcome.Skipped, CheckOutcome.Skipped, CheckOutcome.Skipped],
            _told.Select(line => line.Outcome));
        string path = Path.Combine(_folder, "nothing.zip");
        ProofBundle.Write(path, ProofBundle.Report(Facts, [], findings, DateTime.UnixEpoch), findings);
        using ZipArchive zip = ZipFile.OpenRead(path);
        ProofReport report = ReportJson.Read<ProofReport>(Bytes(zip, Assert.Single(zip.Entries).FullName));
        Assert.Null(report.Ours);
        Assert.Null(report.Delay!.CapturedUs);
    }

    [Fact]
    public void SomebodyElsesDelayIsNotTakenForOurs()
    {
        ProvokedDelay never = new(_rig.Windows.Now - 2, _rig.Windows.Now - 1);
        Run(Setup() with { Delay = new ScriptedDelay(_rig) { Provoked = [never] }, Patience = Duration.FromSeconds(8) });
        Assert.Equal(CheckOutcome.Fail, _told[0].Outcome);
        Assert.Contains("none of them is that", _told[0].Finding, StringComparison.Ordinal);
    }

    [Fact]
    public void ASessionThatCannotStartIsTold()
    {
        _rig.Windows.Refuse("StartTraceW", WindowsCode.AccessDenied, SessionPlans.RecorderName);
        Run(Setup());
        Assert.Contains("failed with 5", _told[0].Finding, StringComparison.Ordinal);
        Assert.Equal(5, _told.Count);
    }

    /// <summary>A message of the system's names files by their folders, and folders name people.</summary>
    [Theory]
    [InlineData(@"C:\Users\Anna Schmidt\Downloads\T (1)\Tracer.sys is not signed", @"(folder)\Tracer.sys is not signed")]
    [InlineData(@"D:\O'Neil\a.sys can't be copied to C:\Windows\System32\drivers: no", @"(folder)\a.sys can't be copied to "
        + @"C:\Windows\System32\drivers: no")]
    [InlineData(@"The file 'C:\Users\ANNASC~1\AppData\Local\Temp\x.etl' exists.", @"The file '(folder)\x.etl' exists.")]
    [InlineData(@"there is no folder c:\users\anna schmidt", "there is no folder %USERPROFILE%")]
    [InlineData(@"\\server\anna\a.sys, and 7 ms", @"(folder)\a.sys, and 7 ms")]
    [InlineData(@"C:\Windows\System32\drivers\TracerLatency.sys, as it was", @"C:\Windows\System32\drivers\TracerLatency.sys, as it was")]
    [InlineData("7 wake-ups, worst 12 us: all of 3/4", "7 wake-ups, worst 12 us: all of 3/4")]
    public void NoFolderOfAPersonIsInAProof(string said, string told)
    {
        Assert.Equal(told, ProofText.WithoutFolders(said, @"C:\Users\Anna Schmidt"));
        var findings = new ProofFindings
        {
            Delay = new ProofDelay { Process = "", Cpu = 0, ProvokedUs = 0, Times = 0, CapturedUs = null, Trace = null },
        };
        ProofLine line = new("test", "snapshot", "fail", @"C:\Users\Anna\a.etl is locked", null, null);
        ProofReport report = ProofBundle.Report(Facts, [line], findings, DateTime.UnixEpoch);
        Assert.Equal(@"(folder)\a.etl is locked", Assert.Single(report.Lines).Finding);
    }

    [Theory]
    [InlineData("proof.zip", false, "--bundle keeps what the self-test proved: add --self-test")]
    [InlineData("/no/such/folder/proof.zip", true, "--bundle: there is no folder /no/such/folder")]
    [InlineData("  ", true, "--bundle: the name of a file is expected, such as proof.zip")]
    [InlineData("proof.zip", true, null)]
    [InlineData(null, false, null)]
    public void ABundleWantsASelfTestAndAFolder(string? bundle, bool isSelfTest, string? problem) =>
        Assert.Equal(problem, DoctorCommand.Problem(bundle, null, isSelfTest));

    private static readonly DoctorFacts Facts = new()
    {
        Build = 26_100,
        IsAdministrator = true,
        QpcHz = 10_000_000,
        Cpus = 4,
        MemoryBytes = 8L << 30,
        FreeMemoryBytes = 4L << 30,
    };

    private static byte[] Bytes(ZipArchive zip, string name)
    {
        using Stream entry = zip.GetEntry(name)!.Open();
        using var bytes = new MemoryStream();
        entry.CopyTo(bytes);
        return bytes.ToArray();
    }

    private CheckOutcome Outcome(string name) => _told.Single(line => line.Name == name).Outcome;

    /// <summary>What our reader counts; the simulated machine has no probe, so that its wake-ups are made up.</summary>
    private static ProofTally OurCount(string path) => new OwnTally().Count(path) with { Wakeups = 3, WakeupSum = 6 };

    private ProofFindings Run(ProofSetup setup) => new ProofRun(setup).Run(_told.Add);

    private ProofSetup Setup() => new()
    {
        Machine = _rig.Machine(),
        Triggers = _ => [_rig.Wakeups()],
        Delay = new ScriptedDelay(_rig),
        Own = new OtherTally(""),
        System = new OtherTally(""),
        Blame = path => CaptureRig.Blame(path, Duration.FromMicroseconds(500)).Report,
        Folder = _folder,
        Threshold = Duration.FromMicroseconds(500),
    };

    /// <summary>The delays of the simulated machine, as if we had made them.</summary>
    private sealed class ScriptedDelay : IDelayMaker
    {
        public ScriptedDelay(CaptureRig rig)
        {
            TrueEpisode[] episodes = [.. Machine.Truth.Episodes];
            Cpu = episodes.GroupBy(one => one.Cpu ?? 0).MaxBy(group => group.Count())!.Key;
            Provoked =
            [
                .. episodes.Where(one => (one.Cpu ?? 0) == Cpu).Select(one => new ProvokedDelay(
                    rig.Windows.Plays[0] + Machine.TicksOf(one.Start), rig.Windows.Plays[0] + Machine.TicksOf(one.Start + one.Latency))),
            ];
        }

        public string ProcessName { get; init; } = Machine.Truth.Culprit!;

        public int Cpu { get; }

        public TimeSpan Length => TimeSpan.FromMilliseconds(8);

        public IReadOnlyList<ProvokedDelay> Provoked { get; init; }

        public IDisposable Begin() => new MemoryStream();
    }

    /// <summary>
    /// Windows' reader as far as it runs here: the file's records through TraceEvent's own dispatch. Names and fields of our wake-ups are
    /// what TDH makes of them, and that only Windows has.
    /// </summary>
    private sealed class TraceEventTally : ITraceTally
    {
        public string Reader => "TraceEvent";

        public ProofTally Count(string path)
        {
            ProofTally ours = OurCount(path);
            return new WindowsTally().Count(path) with { Wakeups = ours.Wakeups, WakeupSum = ours.WakeupSum };
        }
    }

    /// <summary>Stands for Windows' reader: counts as ours does, but for one mistake.</summary>
    private sealed class OtherTally(string mistake) : ITraceTally
    {
        public string Reader => "another";

        public ProofTally Count(string path)
        {
            if (mistake == "throw")
            {
                throw new InvalidOperationException("the file is no trace to me");
            }

            ProofTally tally = OurCount(path) with { Reader = Reader };
            TallyClass first = tally.Classes[0];
            return mistake switch
            {
                "class" => tally with { Classes = [first with { Count = first.Count - 1 }, .. tally.Classes.Skip(1)] },
                "unknown class" => tally with { Classes = [.. tally.Classes, new TallyClass($"{Guid.Empty} op 99 v2", 3)] },
                "wake-up" => tally with { Wakeups = tally.Wakeups + 1 },
                "other wake-up" => tally with { WakeupSum = tally.WakeupSum + 1 },
                "stack" => tally with { Stacks = tally.Stacks - 1 },
                "frame" => tally with { StackFrames = tally.StackFrames - 1 },
                "no wake-ups" => tally with { Wakeups = 0, WakeupSum = 0 },
                "no stacks" => tally with { Stacks = 0, StackFrames = 0 },
                "no classes" => tally with { Classes = [] },
                _ => tally,
            };
        }
    }
}
