using System.Runtime.CompilerServices;

namespace Tracer.Capture.Driver;

public sealed record DriverRunPlan
{
    /// <summary>Latency from which a wake-up is an episode.</summary>
    public Duration Threshold { get; init; } = Defaults.Threshold;

    public Duration Period { get; init; } = Duration.FromMilliseconds(1);

    /// <summary>Priorities of the measured threads, 1 to 31; the paper's are 28 and 24.</summary>
    public IReadOnlyList<byte> Priorities { get; init; } = [28, 24];

    public ProbeMode Mode { get; init; } = ProbeMode.Timer;

    /// <summary>Whether reads give every wake-up, not only those at or above the threshold.</summary>
    public bool AllWakeups { get; init; }

    /// <summary>Whether the run goes on when the handle it was started by is closed; else it ends then, however that comes.</summary>
    public bool Stay { get; init; }

    /// <summary>Samples kept from before an episode, where the mode samples.</summary>
    public int PreSamples { get; init; } = 50;

    /// <summary>Samples kept from after it.</summary>
    public int PostSamples { get; init; } = 10;

    /// <summary>No samples of a new episode so soon after one.</summary>
    public Duration CoolDown { get; init; } = Duration.FromMilliseconds(100);

    internal StartRequest ToRequest()
    {
        var request = new StartRequest
        {
            Abi = new AbiHeader { Version = DriverAbi.Version, Size = (uint)Unsafe.SizeOf<StartRequest>() },
            ThresholdNs = (ulong)Threshold.Nanoseconds,
            PeriodNs = (ulong)Period.Nanoseconds,
            PreSamples = (uint)PreSamples,
            PostSamples = (uint)PostSamples,
            CoolDownMs = (uint)(CoolDown.Nanoseconds / 1_000_000),
            Mode = Mode,
            PriorityCount = (byte)Priorities.Count,
            Flags = (AllWakeups ? StartOptions.AllWakeups : StartOptions.None) | (Stay ? StartOptions.Stay : StartOptions.None),
        };
        for (int i = 0; i < Math.Min(Priorities.Count, DriverAbi.MaxPriorities); i++)
        {
            request.Priorities[i] = Priorities[i];
        }

        return request;
    }
}
