namespace Tracer.Analysis.Causes;

/// <summary>What the CPUs did around one episode; times in ticks.</summary>
/// <param name="Cpus">The victim's CPU first.</param>
internal sealed record RawLanes(long FromTicks, long ToTicks, IReadOnlyList<RawLane> Cpus);

/// <summary>What one CPU did.</summary>
/// <param name="Spans">By time, without overlaps.</param>
/// <param name="JoinedBelowTicks">Neighbours shorter than this were joined; 0 where none were.</param>
/// <param name="Samples">By time.</param>
/// <param name="SamplesEach">How many samples each one stands for.</param>
internal sealed record RawLane(
    int Cpu, IReadOnlyList<RawStripSpan> Spans, long JoinedBelowTicks, IReadOnlyList<RawLaneSample> Samples, int SamplesEach);

/// <param name="Code">The address that it hit and its callers in the kernel, innermost first.</param>
internal readonly record struct RawLaneSample(long Ticks, uint ThreadId, ulong[] Code);
