using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>What <c>tracer doctor</c> says of a machine: each check a pure function of the facts.</summary>
public static class MachineChecks
{
    /// <summary>Windows 10 1803: the first with timers finer than the clock tick.</summary>
    private const int HighResolutionTimerBuild = 17_134;

    /// <summary>Windows 10.</summary>
    private const int LeastBuild = 10_240;

    /// <summary>A system logger for the recorder, one for the rundown; <c>--trigger dpc,isr</c> takes one more.</summary>
    private const int LoggersNeeded = 2;

    private const long BytesPerGigabyte = 1L << 30;
    private const double UnitsPerMillisecond = 10_000;

    private static readonly Guid HighPerformance = new("8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c");
    private static readonly Guid UltimatePerformance = new("e9a42b02-d5df-448d-aa00-03f14749eb61");
    private static readonly Guid PowerSaver = new("a1841308-3541-4fab-bc81-f71556f20b4a");

    /// <summary>All of them, in the order in which they are printed.</summary>
    public static IReadOnlyList<MachineCheck> Of(DoctorFacts facts)
    {
        ArgumentNullException.ThrowIfNull(facts);
        return
        [
            Windows(facts), Administrator(facts), Sessions(facts), ClockSource(facts), TimerResolution(facts), ProfileInterval(facts),
            PowerPlan(facts), Hypervisor(facts), SecureBoot(facts), MemoryIntegrity(facts), Driver(facts), Memory(facts), Disk(facts),
        ];
    }

    public static MachineCheck Windows(DoctorFacts facts)
    {
        const string Name = "windows";
        string build = Number($"build {facts.Build}");
        if (facts.WineVersion is { } wine)
        {
            return new MachineCheck(
                Name, CheckOutcome.Fail, $"Wine {wine}", "Wine says that a session started and delivers no events",
                "use Windows 10 or later");
        }

        return facts.Build switch
        {
            < LeastBuild => new MachineCheck(
                Name, CheckOutcome.Fail, build, "older ones lack what the sessions need", "use Windows 10 or later"),
            < HighResolutionTimerBuild => new MachineCheck(
                Name, CheckOutcome.Warn, build, "the probe's timer is no finer than the clock tick here",
                "update Windows to 1803 or later"),
            _ => MachineCheck.Ok(Name, build),
        };
    }

    /// <summary>Whether sessions may be started.</summary>
    public static MachineCheck Administrator(DoctorFacts facts) => facts.IsAdministrator
        ? MachineCheck.Ok("administrator", "yes")
        : new MachineCheck(
            "administrator", CheckOutcome.Fail, "no", "kernel events, real-time priority and drivers need it",
            "run the command prompt as administrator");

    /// <summary>Whether there is a place for our sessions.</summary>
    public static MachineCheck Sessions(DoctorFacts facts)
    {
        const string Name = "trace sessions";
        if (facts.Sessions is not { } sessions)
        {
            return new MachineCheck(
                Name, CheckOutcome.Warn, "not known", "Windows has eight places for kernel sessions", "run this as administrator");
        }

        string[] loggers = [.. sessions.Where(one => one.IsSystemLogger).Select(one => one.Name)];
        string[] ours =
            [.. sessions.Select(one => one.Name).Where(SessionPlans.IsOwn)];
        if (ours.Length > 0)
        {
            return new MachineCheck(
                Name, CheckOutcome.Warn, $"{string.Join(", ", ours)} running", "a capture runs, or a crashed one left them",
                "end the other capture; the next one stops what was left");
        }

        string holders = loggers.Length == 0 ? "" : $": {string.Join(", ", loggers)}";
        string finding = Number($"{sessions.Count} running, {loggers.Length} of them system loggers") + holders;
        int places = facts.SessionPlaces ?? SessionPlaces.All;
        if (sessions.Count + LoggersNeeded > places)
        {
            return new MachineCheck(
                Name, CheckOutcome.Fail, finding, Number($"Windows runs {places} at most, whatever they are for"),
                "stop some that you do not need: logman query -ets, logman stop NAME -ets");
        }

        int free = SessionPlaces.FreeOfLoggers(sessions);
        return free >= LoggersNeeded + 1
            ? MachineCheck.Ok(Name, finding)
            : new MachineCheck(
                Name, free < LoggersNeeded ? CheckOutcome.Fail : CheckOutcome.Warn, finding,
                Number($"free places for system loggers: {free} of six; a capture takes two, three with --trigger dpc,isr"),
                "stop one that you do not need: logman stop NAME -ets");
    }

    public static MachineCheck ClockSource(DoctorFacts facts)
    {
        const string Name = "clock";
        const long AcpiTimerHz = 3_579_545;
        const long LeastHpetHz = 14_000_000;
        const long MostHpetHz = 25_000_001;
        string rate = Number($"performance counter at {facts.QpcHz:#,0} Hz");
        if (facts.QpcHz is AcpiTimerHz or (>= LeastHpetHz and < MostHpetHz))
        {
            string source = facts.QpcHz == AcpiTimerHz ? "the ACPI timer" : "the HPET";
            return new MachineCheck(
                Name, CheckOutcome.Warn, $"{rate}: {source}", "each reading takes a microsecond or more, and all CPUs wait for one device",
                "if nobody asked for it: bcdedit /deletevalue useplatformclock, and restart");
        }

        return facts.InvariantTsc == false
            ? new MachineCheck(
                Name, CheckOutcome.Warn, $"{rate}, no invariant TSC", "time stamps of different CPUs may disagree",
                "none in software: read short latencies with care")
            : MachineCheck.Ok(Name, facts.InvariantTsc == true ? $"{rate}, invariant TSC" : rate);
    }

    /// <summary>How fine timers can be.</summary>
    public static MachineCheck TimerResolution(DoctorFacts facts)
    {
        const string Name = "timer resolution";
        if (facts.ClockPeriods is not { } periods)
        {
            return new MachineCheck(Name, CheckOutcome.Warn, "not known", "the probe's latencies count from the clock's ticks");
        }

        string finding = Number(
            $"{periods.Now / UnitsPerMillisecond:0.###} ms now, at best {periods.Finest / UnitsPerMillisecond:0.###} ms");
        return periods.Finest > UnitsPerMillisecond
            ? new MachineCheck(
                Name, CheckOutcome.Warn, finding, "the probe wakes up only at each tick, and misses what is shorter",
                "bcdedit /deletevalue useplatformtick, and restart; or use the driver")
            : MachineCheck.Ok(Name, finding);
    }

    /// <summary>How often CPUs are sampled.</summary>
    public static MachineCheck ProfileInterval(DoctorFacts facts)
    {
        const string Name = "sampling interval";
        if (facts.ProfileInterval is not { } interval)
        {
            return new MachineCheck(
                Name, CheckOutcome.Warn, "not known", "samples tell which function ran",
                "run this as administrator; some hosts offer no sampling");
        }

        string finding = Number($"{interval / UnitsPerMillisecond:0.####} ms");
        return interval < UnitsPerMillisecond
            ? new MachineCheck(
                Name, CheckOutcome.Warn, finding, "more samples than usual wake idle CPUs and fill the ring faster",
                "somebody changed it: wpr -resetprofint sets it back")
            : MachineCheck.Ok(Name, finding);
    }

    /// <summary>Whether Windows saves power at the cost of latency.</summary>
    public static MachineCheck PowerPlan(DoctorFacts facts)
    {
        const string Name = "power plan";
        string plan = facts.PowerPlan ?? "not known";
        return facts.PowerPlanId is not { } id ? new MachineCheck(Name, CheckOutcome.Warn, plan, "deep idle states take time to leave")
            : id == HighPerformance || id == UltimatePerformance ? MachineCheck.Ok(Name, plan)
            : id == PowerSaver
                ? new MachineCheck(
                    Name, CheckOutcome.Warn, plan, "slow clocks and deep idle states add to every latency",
                    "powercfg /setactive SCHEME_BALANCED, unless this is what you want to measure")
                : MachineCheck.Ok(Name, $"{plan}: idle states may add some 100 us, which reports show as power management");
    }

    /// <summary>Whether somebody else may take the processors away.</summary>
    public static MachineCheck Hypervisor(DoctorFacts facts)
    {
        const string Name = "hypervisor";
        return facts.Hypervisor switch
        {
            null => MachineCheck.Ok(Name, "none"),
            { } vendor when facts.IsHypervisorRoot => MachineCheck.Ok(Name, $"{vendor}: this is its root, which owns the devices"),
            { } vendor => new MachineCheck(
                Name, CheckOutcome.Warn, $"{vendor}: this is a guest",
                "when the host takes a processor away nothing here sees it; blame is 'possible' at most", "measure on the host"),
        };
    }

    /// <summary>Whether our test-signed driver could be loaded.</summary>
    public static MachineCheck SecureBoot(DoctorFacts facts)
    {
        const string Name = "driver signing";
        string secure = facts.SecureBoot switch
        {
            true => "Secure Boot on",
            false => "Secure Boot off",
            null => "no Secure Boot",
        };
        return facts.TestSigning == true
            ? MachineCheck.Ok(Name, $"{secure}, test signing on: drivers that you signed yourself load")
            : MachineCheck.Ok(Name, $"{secure}, test signing off: only drivers that Microsoft signed load; --trigger wakeup needs none");
    }

    /// <summary>Whether the hypervisor checks the kernel's code.</summary>
    public static MachineCheck MemoryIntegrity(DoctorFacts facts) => facts.MemoryIntegrity switch
    {
        true => MachineCheck.Ok("memory integrity", "on: the driver's timer mode works with it, its laboratory mode does not"),
        false => MachineCheck.Ok("memory integrity", "off"),
        null => MachineCheck.Ok("memory integrity", "not known"),
    };

    public static MachineCheck Driver(DoctorFacts facts)
    {
        const string Name = "driver";
        return facts.Driver switch
        {
            null => MachineCheck.Ok(Name, "not installed: the probe process measures instead"),
            { State: ServiceState.Running } driver => MachineCheck.Ok(Name, $"running, {driver.Path}"),
            { State: ServiceState.Stopped } driver => MachineCheck.Ok(Name, $"installed and stopped, {driver.Path}"),
            { } driver => new MachineCheck(
                Name, CheckOutcome.Warn, $"on its way, {driver.Path}", "it is neither running nor stopped",
                "end what uses it; tracer driver status"),
        };
    }

    /// <summary>Whether there is room for the ring.</summary>
    public static MachineCheck Memory(DoctorFacts facts)
    {
        const int SafeParts = 4;
        long ring = (long)CaptureRingDefault.Mb(new MachineSize(facts.Cpus, facts.MemoryBytes), TimeSpan.FromSeconds(4)) << 20;
        string finding = Number(
            $"{facts.FreeMemoryBytes / (double)BytesPerGigabyte:0.0} of {facts.MemoryBytes / (double)BytesPerGigabyte:0.0} GiB free, ")
            + Number($"the ring takes {ring >> 20} MiB");
        return facts.FreeMemoryBytes < SafeParts * ring
            ? new MachineCheck(
                "memory", CheckOutcome.Warn, finding, "the ring is memory that is never paged out", "end programs, or use --buffer-mb")
            : MachineCheck.Ok("memory", finding);
    }

    /// <summary>Whether there is room for traces.</summary>
    public static MachineCheck Disk(DoctorFacts facts)
    {
        const string Name = "disk";
        if (facts.FreeDiskBytes is not { } free)
        {
            return new MachineCheck(Name, CheckOutcome.Warn, "not known", "each episode is a file of some MB");
        }

        string finding = Number($"{free / (double)BytesPerGigabyte:0.0} GiB free in the current folder");
        return free < 2 * BytesPerGigabyte
            ? new MachineCheck(
                Name, CheckOutcome.Warn, finding, "a capture stops when the disk gets full", "write to another disk: -o FILE.etl")
            : MachineCheck.Ok(Name, finding);
    }

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
