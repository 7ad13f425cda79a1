using Tracer.AnalyzerCommand.Common.Cases;
using Tracer.AnalyzerCommand.Common.Objects;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>
/// Holds back traces for which the memory does not suffice now. What one takes is estimated from its size, above what was measured
/// (bench/fleet.md); one alone always runs, however large.
/// </summary>
internal sealed class CaseBudget(long bytes)
{
    /// <summary>What the smallest trace takes.</summary>
    private const long Least = 64L << 20;

    /// <summary>No trace takes more: what an analysis keeps is bounded, whatever the file's length.</summary>
    private const long Most = 768L << 20;

    /// <summary>A packed trace is so many times as large.</summary>
    private const long Packed = 8;

    private readonly object _gate = new(); // Waited on, which a Lock cannot be.
    private long _taken;
    private int _running;

    /// <summary>Waits until there is room.</summary>
    public long Enter(CaseInput input)
    {
        long wanted = Estimate(input);
        lock (_gate)
        {
            while (_running > 0 && _taken + wanted > bytes)
            {
                Monitor.Wait(_gate);
            }

            _running++;
            _taken += wanted;
        }

        return wanted;
    }

    public void Leave(long taken)
    {
        lock (_gate)
        {
            _running--;
            _taken -= taken;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>What a trace takes, at most.</summary>
    public static long Estimate(CaseInput input)
    {
        if (ObjectAddress.Is(input.Path))
        {
            return Most; // How large it is shows when it is there.
        }

        bool isPlain = input.Path.EndsWith(".etl", StringComparison.OrdinalIgnoreCase);
        return Math.Clamp(Least + (Math.Min(input.Bytes, Most) * (isPlain ? 1 : Packed)), Least, Most);
    }
}
