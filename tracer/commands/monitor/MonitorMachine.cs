using Tracer.Capture.Driver.Modules;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>What a monitor needs of the machine; Windows, or a fake of it.</summary>
public sealed record MonitorMachine
{
    public required ITraceSessions Sessions { get; init; }

    public required ICaptureClock Clock { get; init; }

    public required MachineSize Size { get; init; }

    public required IKernelModules Modules { get; init; }

    /// <summary>A file that is held while a monitor runs: two would take each other's session.</summary>
    public required string LockFile { get; init; }

    /// <summary>CPU time of this process so far.</summary>
    public required Func<TimeSpan> CpuTime { get; init; }

    /// <summary>Makes the probe; null for none.</summary>
    public required Func<ITriggerSource>? Probe { get; init; }

    /// <summary>The part of one CPU that a probe uses.</summary>
    public Func<ITriggerSource, double?> ProbeShare { get; init; } =
        static probe => probe is WakeupTrigger wakeups ? wakeups.CostPerSecond : null;
}
