using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Owners;

/// <summary>What tells runs of a framework's routine apart whose samples, if there are any, show whose they are.</summary>
/// <param name="Routine">The routine, or the callback of a bus driver that the driver framework announced.</param>
/// <param name="Line">The interrupt that it served, or that queued it.</param>
/// <param name="Length">The run's length in ticks as a power of two; 0 where it does not matter.</param>
internal readonly record struct RunTraits(ulong Routine, int Cpu, QueueLine Line, byte Length)
{
    private static readonly LogBuckets Lengths = new(0);

    public static RunTraits Of(ulong routine, CpuHistory cpu, in LevelSpan span) =>
        new(routine, cpu.Cpu, cpu.LineOf(in span), (byte)Lengths.IndexOf(Math.Max(1, span.EndTicks - span.StartTicks)));

    public static RunTraits Any(ulong routine) => new(routine, -1, default, 0);
}
