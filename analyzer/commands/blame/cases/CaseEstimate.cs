using Tracer.AnalyzerCommand.Common.Cases;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>
/// How long the rest of many traces will take. The first ones tell nothing: the program is not compiled yet, and as many as are judged at
/// once end together, however many are left. From then on the speed is what ended since, in bytes where the size of each is known.
/// </summary>
internal sealed class CaseEstimate
{
    private readonly bool _isByBytes;
    private readonly double _all;
    private readonly int _jobs;
    private TimeSpan _begin;
    private double _beginDone;
    private double _done;
    private int _count;

    /// <param name="jobs">How many are judged at once.</param>
    public CaseEstimate(IReadOnlyCollection<CaseInput> inputs, int jobs)
    {
        _isByBytes = inputs.All(input => input.Bytes > 0);
        _all = inputs.Sum(Work);
        _jobs = jobs;
    }

    public void Done(CaseInput input, TimeSpan elapsed)
    {
        _done += Work(input);
        if (++_count <= _jobs)
        {
            (_begin, _beginDone) = (elapsed, _done);
        }
    }

    /// <summary>How long the rest will take; null where that is not known yet.</summary>
    public TimeSpan? Left(TimeSpan elapsed)
    {
        const int LeastSince = 3;
        const double LeastPart = 0.01;
        double since = _done - _beginDone;
        bool isKnown = _count - _jobs >= Math.Max(LeastSince, _jobs) && since >= _all * LeastPart && elapsed > _begin;
        return isKnown ? (elapsed - _begin) * ((_all - _done) / since) : null;
    }

    private double Work(CaseInput input) => _isByBytes ? input.Bytes : 1;
}
