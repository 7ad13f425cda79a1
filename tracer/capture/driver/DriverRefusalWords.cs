namespace Tracer.Capture.Driver;

/// <summary>Why the driver refuses a run, in words, and what to do about it.</summary>
public static class DriverRefusalWords
{
    private const string UseTimerMode = "; '--mode timer' works without";

    /// <summary>The sentence of one refusal, without a full stop.</summary>
    /// <param name="floor">Latency of the idle machine; zero where the driver has not measured it.</param>
    public static string Of(DriverRefusal refusal, Duration floor) => refusal switch
    {
        DriverRefusal.None => "nothing was refused",
        DriverRefusal.Running => "a run is on already; 'tracer driver stop' ends it",
        DriverRefusal.Threshold when floor > Duration.Zero =>
            $"the threshold is below twice the floor of this machine ({ReadableDuration.Of(floor)}), where the probe measures itself; "
            + $"the least is {ReadableDuration.Of(floor + floor)}",
        DriverRefusal.Threshold => "the threshold is 0",
        DriverRefusal.Period => "the period is shorter than this machine's timer can do, or longer than 10 s",
        DriverRefusal.Priorities => string.Create(
            CultureInfo.InvariantCulture, $"1 to {DriverAbi.MaxPriorities} priorities from 1 to 31 are needed"),
        DriverRefusal.NotLaboratory => "this driver has no such mode; 'apic' needs the laboratory driver ('tracer driver install --lab')",
        DriverRefusal.PatchGuard =>
            "this Windows guards its interrupt table and would stop the machine; 'apic' is for 32 bits or a test VM" + UseTimerMode,
        DriverRefusal.Hvci => "memory integrity (HVCI) is on" + UseTimerMode,
        DriverRefusal.Hypervisor => "a hypervisor owns the local APIC" + UseTimerMode,
        DriverRefusal.X2Apic => "the local APIC is in x2APIC mode, without registers in memory" + UseTimerMode,
        DriverRefusal.KvaShadow => "kernel addresses are shadowed, and an interrupt from user mode would fault in the hook" + UseTimerMode,
        DriverRefusal.Gate => "an interrupt gate that it needs is somebody else's, or not the same on all CPUs" + UseTimerMode,
        DriverRefusal.Calibration => "the machine's clocks disagree by more than 1/64" + UseTimerMode,
        DriverRefusal.Resources => "no memory, thread or timer was available; 'tracer driver stop', then start it again",
        DriverRefusal.Cpus => "there are more logical processors than it can measure",
        DriverRefusal.Sampler => "there is no PIT that ticks, or its interrupt can't be found" + UseTimerMode,
        DriverRefusal.Power => "the machine is going to sleep or waking; try again",
        DriverRefusal.NoTimer => "this Windows has no high-resolution timers (8.1 and later have them); "
            + "'tracer capture' measures without the driver",
        DriverRefusal.Verifier => "Driver Verifier watches the driver and would stop the machine where the interrupt table is mapped; "
            + "'verifier /reset' and a restart end that" + UseTimerMode,
        DriverRefusal.Protection => "the processor guards supervisor memory or stacks in a way that a hook would break" + UseTimerMode,
        _ => string.Create(CultureInfo.InvariantCulture, $"reason {(uint)refusal}, which this program is too old to know"),
    };
}
