using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>What the engine needs of the machine; Windows, or a fake of it.</summary>
public sealed record CaptureMachine
{
    public required ITraceSessions Sessions { get; init; }

    public required ICaptureClock Clock { get; init; }

    public required ICaptureDisk Disk { get; init; }

    public required IImageFiles Images { get; init; }

    public required MachineSize Size { get; init; }

    /// <summary>The state file: what a crash leaves to be undone by the next start; also what keeps a second capture out.</summary>
    public required string StateFile { get; init; }

    /// <summary>Ends a process that a crashed capture left behind, if it is ours; false where it is gone or another's.</summary>
    public required Func<LeftProcess, bool> EndProcess { get; init; }

    /// <summary>Keeps the machine awake until the result is disposed; throws where the system refuses.</summary>
    public Func<IDisposable?> KeepAwake { get; init; } = static () => null;

    public Func<TimeSpan> OwnCpuTime { get; init; } = static () => Environment.CpuUsage.TotalTime;

    /// <summary>CPU time of another process of ours; null where it has ended.</summary>
    public Func<LeftProcess, TimeSpan?> CpuTimeOf { get; init; } = static _ => null;

    /// <summary>Period of the clock interrupt now, in units of 100 ns; null where the system does not tell.</summary>
    public Func<uint?> ClockPeriod100ns { get; init; } = static () => null;

    /// <summary>Ends the driver's run that a crashed capture left behind; false where there is none.</summary>
    public Func<bool> EndDriverRun { get; init; } = static () => false;
}

/// <summary>Free space of the disks.</summary>
public interface ICaptureDisk
{
    /// <summary>Bytes that may still be written.</summary>
    /// <returns>How many; <see cref="long.MaxValue"/> where the system does not tell.</returns>
    long FreeBytes(string folder);
}
