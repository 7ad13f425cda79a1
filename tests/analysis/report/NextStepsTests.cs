using System.Text.RegularExpressions;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Report;

namespace Tracer.Analysis.Tests.Report;

/// <summary>What a reader is told to do follows from the verdict, the mechanism and the evidence.</summary>
public partial class NextStepsTests
{
    private static readonly AdviceCase Nothing = new()
    {
        Verdict = Verdict.None,
        First = null,
        Worst = null,
        Missing = [],
        HasSamples = true,
        HasStacks = true,
        HasAudioGlitches = true,
        Threshold = Duration.FromMicroseconds(500),
    };

    private static readonly Culprit Nic = new()
    {
        Rank = 1,
        Kind = CulpritKind.Driver,
        Name = "nic.sys",
        Mechanism = Mechanism.Dpc,
        Share = 0.87,
        Blamed = Duration.FromMicroseconds(5000),
        Episodes = 3,
        Worst = Duration.FromMicroseconds(2000),
        Confidence = Confidence.Certain,
        Proof = Proof.Routine,
        Image = new ImageDescription { Path = "nic.sys", Version = "1.2.3", Company = "Example", Timestamp = new DateTime(2024, 3, 24) },
    };

    private static readonly Episode Worst = new()
    {
        Id = 3,
        Probe = ProbeKind.Thread,
        Start = Duration.Zero,
        Latency = Duration.FromMicroseconds(2000),
        Cpu = 0,
        Thread = null,
        Phases = null,
        Causes = [],
        Samples = new EpisodeSamples { Total = 0, Functions = [] },
    };

    [Fact]
    public void A_vendors_driver_is_to_be_updated_or_rolled_back_with_the_version_that_is_there() => Assert.Equal(
        [
            ("Install another version of nic.sys (version 1.2.3, built 2024-03-24): the newest, or the one before if the "
                + "trouble began with an update", "it took 87 % of the late time"),
            ("Send this report to the vendor of nic.sys, with what 'analyzer pack TRACE -o case.zip' makes: a small trace without the "
                + "names of people and programs",
                "it kept a CPU for up to 2 ms in one episode, and a DPC should end within 100 us (Microsoft)"),
        ],
        Steps(Guilty(Nic)));

    [Fact]
    public void A_driver_of_Microsoft_comes_with_the_updates_of_Windows() => Assert.StartsWith(
        "Install the latest Windows updates: nic.sys (version 1.2.3",
        Steps(Guilty(Nic with { Image = Nic.Image! with { Company = "Microsoft Corporation" } }))[0].Step);

    [Theory]
    [InlineData("ndis.sys", "In Device Manager open the network adapter's Advanced page")]
    [InlineData("NDIS.SYS", "In Device Manager open the network adapter's Advanced page")]
    [InlineData("storport.sys", "In the power plan set the AHCI link power management")]
    [InlineData("ataport.sys", "In the power plan set the AHCI link power management")]
    [InlineData("dxgkrnl.sys", "In the graphics driver's own settings choose highest performance")]
    [InlineData("portcls.sys", "In the program's settings choose a larger buffer")]
    [InlineData("hidclass.sys", "Send this report to the vendor")]
    public void The_framework_tells_which_setting(string framework, string step) =>
        Assert.StartsWith(step, Steps(Guilty(Nic with { Through = [framework] }))[1].Step);

    [Theory]
    [InlineData(100, 1)]
    [InlineData(101, 2)]
    public void A_DPC_is_reported_to_its_maker_above_100_us(int microseconds, int steps) =>
        Assert.Equal(steps, Steps(Guilty(Nic with { Worst = Duration.FromMicroseconds(microseconds) })).Count);

    [Theory]
    [InlineData(CulpritKind.Hardware, CulpritName.HardwareOrFirmware, Mechanism.Blackout, "Install the newest BIOS or UEFI")]
    [InlineData(CulpritKind.Hardware, CulpritName.Hypervisor, Mechanism.Hypervisor, "Give the guest processors of its own")]
    [InlineData(CulpritKind.Power, CulpritName.PowerManagement, Mechanism.IdleExit, "For a test keep the CPUs awake: powercfg")]
    [InlineData(CulpritKind.Power, CulpritName.PowerManagement, Mechanism.Dpc, "For a test choose the high performance power plan")]
    [InlineData(CulpritKind.Kernel, CulpritName.HardPageFaults, Mechanism.Paging, "Close programs that use much memory")]
    [InlineData(CulpritKind.Kernel, "ntoskrnl.exe", Mechanism.Dpc, "Install the latest Windows updates")]
    [InlineData(CulpritKind.Process, "hog.exe", Mechanism.Thread, "Close hog.exe for a test")]
    [InlineData(CulpritKind.Driver, "ACPI.sys", Mechanism.Dpc, "Install the newest BIOS or UEFI of the machine's vendor, then its drivers")]
    public void Each_kind_of_culprit_has_its_remedy(CulpritKind kind, string name, Mechanism mechanism, string step) => Assert.StartsWith(
        step,
        Steps(Guilty(Nic with
        {
            Kind = kind,
            Name = name,
            Mechanism = mechanism,
            Image = null,
            RunsFirmware = name == "ACPI.sys",
        }))[0].Step);

    [Fact]
    public void A_program_that_its_own_runtime_stops_asks_its_maker() => Assert.StartsWith(
        "Ask the vendor of game.exe for shorter garbage collections",
        Steps(Guilty(Nic with
        {
            Kind = CulpritKind.Process,
            Name = "game.exe",
            Mechanism = Mechanism.Thread,
            Functions = [new FunctionTime { Name = OtherThreads.GarbageCollection, Time = null, Samples = 0 }],
        }))[0].Step);

    [Fact]
    public void What_is_missing_is_to_be_recorded_because_of_what_it_shows() => Assert.Equal(
        [
            ("Record again with DISPATCHER, PROFILE; 'tracer capture' and samples/latency.wprp record all of it",
                "without it nobody knows when a thread became ready, so no wait can be measured"),
        ],
        Steps(Nothing with { Verdict = Verdict.Unknown, Missing = ["DISPATCHER", "PROFILE"] }));

    [Fact]
    public void Who_is_not_certain_to_be_guilty_is_to_be_proven_so()
    {
        AdviceCase likely = Guilty(Nic with { Confidence = Confidence.Likely });
        Assert.StartsWith("Record again without the device of nic.sys: unplug it, or, if it is not a disk", Steps(likely)[^1].Step);
        Assert.Equal("Record again with stacks on PROFILE", Steps(likely with { HasStacks = false })[^1].Step);
        Assert.StartsWith("Record again", Steps(likely with { HasStacks = false, HasSamples = false })[^1].Step);
    }

    /// <summary>Keyboard and mouse hang at a USB controller, and much at what comes with Windows: nothing of it is switched off.</summary>
    [Theory]
    [InlineData("USBXHCI.SYS", "Unplug USB devices one by one")]
    [InlineData("usbhub3.sys", "Unplug USB devices one by one")]
    [InlineData("storahci.sys", "Install the latest Windows updates: storahci.sys")]
    [InlineData("kbdclass.sys", "Install the latest Windows updates: kbdclass.sys")]
    public void What_comes_with_Windows_is_neither_replaced_nor_switched_off(string name, string remedy)
    {
        List<(string Step, string Why)> steps = Steps(Guilty(Nic with { Name = name, Image = null, Confidence = Confidence.Likely }) with
        {
            Worst = Worst,
        });
        Assert.StartsWith(remedy, steps[0].Step);
        Every.Item(steps, step => Assert.DoesNotMatch("another version|switched? .*off|disabled|vendor", step.Step));
    }

    [Theory]
    [InlineData("ndis.sys")]
    [InlineData("portcls.sys")]
    [InlineData("ks.sys")]
    public void A_device_that_can_be_missed_is_switched_off_and_on_again(string framework) => Assert.Equal(
        "Record again with the device of nic.sys switched off in Device Manager, and switch it back on afterwards",
        Steps(Guilty(Nic with { Through = [framework], Confidence = Confidence.Possible }))[^1].Step);

    /// <summary>A BIOS is not replaced for a possibility: first comes what makes it surer.</summary>
    [Theory]
    [InlineData(Confidence.Possible, "Look at the worst: ", "Install the newest BIOS")]
    [InlineData(Confidence.Likely, "Install the newest BIOS", "Look at the worst: ")]
    public void The_firmware_is_replaced_last_where_it_is_only_possible(Confidence sure, string first, string last)
    {
        List<(string Step, string Why)> steps = Steps(Guilty(Nic with
        {
            Kind = CulpritKind.Hardware,
            Name = CulpritName.HardwareOrFirmware,
            Mechanism = Mechanism.Blackout,
            Confidence = sure,
        }) with { Worst = Worst });
        Assert.StartsWith(first, steps[0].Step);
        Assert.StartsWith(last, steps[^1].Step);
    }

    /// <summary>An SMI stops all CPUs: where others ran, a hypervisor comes before the firmware.</summary>
    [Theory]
    [InlineData(true, "Find out whether a hypervisor runs underneath")]
    [InlineData(false, "In the BIOS setup switch off USB legacy support")]
    public void A_hypervisor_comes_before_the_firmware_where_single_CPUs_stopped(bool isOfSingleCpus, string step)
    {
        List<(string Step, string Why)> steps = Steps(Guilty(Nic with
        {
            Kind = CulpritKind.Hardware,
            Name = CulpritName.HardwareOrFirmware,
            Mechanism = Mechanism.Blackout,
            Confidence = Confidence.Possible,
        }) with { Worst = Worst, IsOfSingleCpus = isOfSingleCpus });
        Assert.StartsWith(step, steps[1].Step);
        Assert.StartsWith("Install the newest BIOS", steps[2].Step);
    }

    /// <summary>Code of one CPU can't stop the others: the firmware is updated before the driver, whoever made that.</summary>
    [Theory]
    [InlineData("Example", 1)]
    [InlineData("Microsoft Corporation", 0)]
    public void The_firmware_comes_before_the_driver_where_all_CPUs_stopped(string company, int driverSteps)
    {
        List<(string Step, string Why)> steps = Steps(Guilty(Nic with
        {
            Mechanism = Mechanism.Blackout,
            Confidence = Confidence.Possible,
            Image = Nic.Image! with { Company = company },
        }) with { IsDriverOfAllCpus = true });
        Assert.StartsWith("Install the newest BIOS", steps[0].Step);
        Assert.Equal(driverSteps, steps.Count(step => step.Step.StartsWith("Then install another version", StringComparison.Ordinal)));
        Assert.DoesNotContain(steps, step => step.Step.StartsWith("Install another version", StringComparison.Ordinal));
    }

    [Fact]
    public void A_program_whose_work_is_waited_for_is_not_closed() => Assert.StartsWith(
        "Find out what mixer.exe does for the program that waits for it",
        Steps(Guilty(Nic with { Kind = CulpritKind.Process, Name = "mixer.exe", Mechanism = Mechanism.Thread }) with
        {
            IsWaitedFor = true,
        })[0].Step);

    [Theory]
    [InlineData(true, "Record again with IDLE_STATES and POWER")]
    [InlineData(false, "Look at the worst")]
    public void Idle_states_are_recorded_where_the_CPU_was_idle_each_time(bool isFromIdle, string step) => Assert.StartsWith(
        step, Steps(Nothing with { Verdict = Verdict.Unknown, Worst = Worst, IsFromIdle = isFromIdle })[0].Step);

    [Theory]
    [InlineData(true, "and switch on Receive Side Scaling")]
    [InlineData(false, "and change Interrupt Moderation")]
    public void A_network_driver_on_one_CPU_is_to_be_spread(bool isOnOneCpu, string setting) => Assert.Contains(
        setting, Steps(Guilty(Nic with { Through = ["ndis.sys"] }) with { IsOnOneCpu = isOnOneCpu })[1].Step, StringComparison.Ordinal);

    [Fact]
    public void Where_nothing_was_late_the_trouble_is_to_be_recorded_while_it_lasts() => Assert.Equal(
        [("If it still stutters, record while it does: tracer capture --threshold 500us",
            "this trace has no latency of 500 us or more that anyone is to blame for")],
        Steps(Nothing));

    /// <summary>What is set has a way back or a price, which stand beside it.</summary>
    [Theory]
    [InlineData("ndis.sys")]
    [InlineData("storport.sys")]
    [InlineData("dxgkrnl.sys")]
    [InlineData("portcls.sys")]
    public void A_setting_is_given_with_its_way_back_and_its_price(string framework)
    {
        AdviceCase finding = Guilty(Nic with { Through = [framework] });
        AdviceRow[] rows =
        [
            .. Advice.Settings.Where(row => row.Fits(finding) && row.Step(finding).StartsWith("In ", StringComparison.Ordinal)),
        ];
        Assert.NotEmpty(rows);
        Every.Item(rows, row => Assert.Matches("back|afterwards|larger buffer", row.Step(finding)));
        Every.Item(rows, row => Assert.Matches("costs|breaks off|adds", row.Why(finding)));
    }

    /// <summary>Every row has its source, and reads as a sentence does when a full stop is put behind it.</summary>
    [Fact]
    public void Every_row_of_the_table_names_its_source()
    {
        string file = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "analyzer", "analysis", "report", "Advice.cs"));
        HashSet<string> sources = [.. Source().Matches(file).Select(match => match.Groups[1].Value)];
        Assert.True(sources.Count > 5);
        Every.Item(Advice.Remedies.Concat(Advice.Settings).Concat(Advice.Evidence), row => Assert.Contains(row.Source, sources));
    }

    private static List<(string Step, string Why)> Steps(AdviceCase finding)
    {
        IReadOnlyList<NextStep> steps = NextSteps.For(finding);
        Assert.InRange(steps.Count, 0, 3);
        Every.Item(steps, step => Assert.DoesNotMatch("[.;:,]$", step.Step));
        Every.Item(steps, step => Assert.DoesNotMatch("[.;:,]$|^[A-Z][a-z]", step.Why));
        return [.. steps.Select(step => (step.Step, step.Why))];
    }

    private static AdviceCase Guilty(Culprit culprit) => Nothing with { Verdict = Verdict.Driver, First = culprit };

    [GeneratedRegex(@"^/// ([A-Z]\w+): ", RegexOptions.Multiline)]
    private static partial Regex Source();
}
