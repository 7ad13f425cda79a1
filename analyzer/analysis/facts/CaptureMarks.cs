using System.Buffers.Binary;
using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// What our own flight recorder wrote about itself into a trace that it captured: when it was at work, and what the trace is of. Its clock
/// fields are in the trace's own clock.
/// </summary>
public sealed class CaptureMarks
{
    private const int MaximumWork = 1 << 16;
    private const int FixedBytes = 51;

    private readonly List<TickSpan> _work = [];
    private readonly List<CapturedMoment> _captures = [];
    private bool _isSorted;

    /// <summary>The captures that the trace is of, by their order in it: one, unless traces were merged.</summary>
    public IReadOnlyList<CapturedMoment> Captures => _captures;

    /// <summary>How often the recorder was at work.</summary>
    public int WorkCount => _work.Count;

    /// <summary>Takes a mark.</summary>
    /// <param name="shape">Which event it is.</param>
    /// <param name="payload">Its payload.</param>
    /// <returns>False where it makes no sense.</returns>
    public bool Add(ProviderEvent shape, ReadOnlySpan<byte> payload) => ReferenceEquals(shape, TracerProvider.CaptureWork)
        ? AddWork(payload)
        : AddCapture(payload);

    /// <summary>Whether the recorder was at work at some time of a stretch.</summary>
    /// <param name="fromTicks">Its start.</param>
    /// <param name="toTicks">Its end.</param>
    public bool IsWork(long fromTicks, long toTicks)
    {
        if (!_isSorted)
        {
            Join();
        }

        int low = SortedSearch.FirstNot(0, _work.Count, (_work, fromTicks), static (at, i) => at._work[i].EndTicks <= at.fromTicks);

        return low < _work.Count && _work[low].StartTicks < toTicks;
    }

    /// <summary>
    /// Whether a stretch reaches beyond what was kept: there the trace has only what names things, and every CPU seems silent.
    /// </summary>
    /// <param name="fromTicks">Its start.</param>
    /// <param name="toTicks">Its end.</param>
    public bool IsBeyondWindow(long fromTicks, long toTicks) =>
        _captures is [{ } only] && (fromTicks < only.WindowFromTicks || toTicks > only.WindowToTicks);

    private static long Ticks(ReadOnlySpan<byte> payload, int offset) => BinaryPrimitives.ReadInt64LittleEndian(payload[offset..]);

    /// <summary>CaptureWork: what u8, begin u64, end u64.</summary>
    private bool AddWork(ReadOnlySpan<byte> payload)
    {
        const int Bytes = 17;
        if (payload.Length < Bytes || Ticks(payload, 1) < 0 || Ticks(payload, 9) <= Ticks(payload, 1) || _work.Count == MaximumWork)
        {
            return false;
        }

        _work.Add(new TickSpan(Ticks(payload, 1), Ticks(payload, 9)));
        _isSorted = false;
        return true;
    }

    /// <summary>Capture: trigger u8, six u64 with a u16 CPU behind the third, then four counted lists.</summary>
    private bool AddCapture(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < FixedBytes || Ticks(payload, 27) < 0 || Ticks(payload, 9) < Ticks(payload, 27)
            || Ticks(payload, 35) < Ticks(payload, 9)
            || _captures.Count == MaximumWork)
        {
            return false;
        }

        _captures.Add(new CapturedMoment(
            EpisodeTicks: Ticks(payload, 9),
            WindowFromTicks: Ticks(payload, 27),
            WindowToTicks: Ticks(payload, 35),
            PreCoveredUs: (ulong)Ticks(payload, 43)));
        return true;
    }

    /// <summary>Sorts, and joins what overlaps: then ends are in order as well.</summary>
    private void Join()
    {
        _work.Sort((one, other) => one.StartTicks.CompareTo(other.StartTicks));
        int kept = 0;
        for (int i = 1; i < _work.Count; i++)
        {
            if (_work[i].StartTicks <= _work[kept].EndTicks)
            {
                _work[kept] = new TickSpan(_work[kept].StartTicks, Math.Max(_work[kept].EndTicks, _work[i].EndTicks));
            }
            else
            {
                _work[++kept] = _work[i];
            }
        }

        if (_work.Count > 0)
        {
            _work.RemoveRange(kept + 1, _work.Count - kept - 1);
        }

        _isSorted = true;
    }
}

/// <summary>The moment that the flight recorder kept a trace of.</summary>
/// <param name="EpisodeTicks">When its episode began, in ticks.</param>
/// <param name="WindowFromTicks">From when on the trace was to be kept, in ticks.</param>
/// <param name="WindowToTicks">Until when, likewise.</param>
/// <param name="PreCoveredUs">How much of the time before the episode all CPUs cover, in microseconds.</param>
public readonly record struct CapturedMoment(long EpisodeTicks, long WindowFromTicks, long WindowToTicks, ulong PreCoveredUs);
