namespace Tracer.Capture.Doctor;

/// <summary>A stretch in which a CPU was kept from everybody else.</summary>
/// <param name="BeginQpc">From here, in ticks of the performance counter.</param>
public readonly record struct ProvokedDelay(long BeginQpc, long EndQpc);

/// <summary>Provokes a delay whose culprit is known: a thread bound to one CPU, above the probe's priority, that spins.</summary>
public interface IDelayMaker
{
    /// <summary>Image name of the process that is in the way, as a trace names it.</summary>
    string ProcessName { get; }

    int Cpu { get; }

    TimeSpan Length { get; }

    /// <summary>Each time so far.</summary>
    IReadOnlyList<ProvokedDelay> Provoked { get; }

    /// <summary>Begins; does it again and again, with pauses, until it is disposed of. What it changed is undone then.</summary>
    IDisposable Begin();
}
