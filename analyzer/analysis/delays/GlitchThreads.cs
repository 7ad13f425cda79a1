using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Delays;

/// <summary>
/// The threads that Windows' records of glitches are about: those that wrote them, and those at the other end, which they make ready or
/// which make them ready. What they did at those moments is kept, also where they were on time. Memory is bounded.
/// </summary>
/// <param name="glitches">The glitches, in order of time.</param>
/// <param name="reachTicks">How long before its record something may have been late: what was buffered is used up by then.</param>
/// <param name="markReachTicks">The same for a mark that a person set.</param>
internal sealed class GlitchThreads(IReadOnlyList<RecordedGlitch> glitches, long reachTicks, long markReachTicks)
{
    /// <summary>Most pairs of threads that hand over to each other: an engine has a few clients.</summary>
    private const int MostPairs = 1 << 12;

    /// <summary>Most moments that one job is looked at for.</summary>
    private const int MostOfJob = 64;

    private readonly HashSet<uint> _writers = [.. glitches.SelectMany(glitch => glitch.Records).Select(record => record.Thread)];
    private readonly HashSet<(uint Writer, uint Other)> _pairs = [];
    private readonly HashSet<uint> _others = [];
    private readonly HashSet<uint> _withOthers = [];
    private readonly Dictionary<(int Glitch, bool IsWriter), NearJob> _near = [];

    public IReadOnlyList<RecordedGlitch> All => glitches;

    /// <summary>How long before its record something may have been late, in ticks.</summary>
    public long ReachOf(RecordedGlitch glitch) => glitch.IsMark ? markReachTicks
        : Math.Max(reachTicks, glitch.Ticks - (glitch.Records[0].SinceTicks ?? glitch.Ticks));

    /// <summary>Whether a thread wrote such a record, or is at the other end.</summary>
    public bool IsMeant(uint thread) => _writers.Contains(thread) || _others.Contains(thread);

    /// <summary>Whether two threads hand over to each other, one of which writes such records.</summary>
    public bool ArePair(uint writer, uint other) => _pairs.Contains((writer, other));

    /// <summary>Whether the other ends of a thread are known.</summary>
    public bool HasOthers(uint writer) => _withOthers.Contains(writer);

    /// <summary>A thread made another ready.</summary>
    public void Readied(uint by, uint thread)
    {
        if (by != 0 && thread != 0 && by != thread && _pairs.Count < MostPairs)
        {
            Add(by, thread);
            Add(thread, by);
        }

        void Add(uint writer, uint other)
        {
            if (_writers.Contains(writer) && _pairs.Add((writer, other)))
            {
                _withOthers.Add(writer);
                _others.Add(other);
            }
        }
    }

    /// <returns>Whether a glitch was recorded during it, or soon after.</returns>
    /// <param name="readyCpu">The CPU that made it ready; -1 where that is not known.</param>
    public bool Done(uint thread, JobSpan job, long lostTicks, int readyCpu)
    {
        int first = SortedSearch.FirstNot(
            0, glitches.Count, (glitches, job.FromTicks), static (at, i) => at.glitches[i].Ticks < at.FromTicks);
        bool isNear = false;
        for (int i = first; i < glitches.Count && i < first + MostOfJob && glitches[i].Ticks <= job.EndTicks + reachTicks; i++)
        {
            isNear = true;
            bool isWriter = glitches[i].Records.Exists(record => record.Thread == thread);
            if (!isWriter && !glitches[i].Records.Exists(record => ArePair(record.Thread, thread)))
            {
                continue;
            }

            var near = new NearJob(thread, job.FromTicks, job.EndTicks, lostTicks, job.DeadlineTicks - job.EndTicks)
            {
                ReadyTicks = job.ReadyTicks,
                ReadyCpu = readyCpu,
            };
            if (!_near.TryGetValue((i, isWriter), out NearJob known) || near.IsNearer(known, glitches[i].Ticks))
            {
                _near[(i, isWriter)] = near;
            }
        }

        return isNear;
    }

    /// <summary>The job of a thread at a moment, or the longest near it: of one that wrote its records, or at the other end.</summary>
    public NearJob? Near(int glitch, bool isWriter) => _near.TryGetValue((glitch, isWriter), out NearJob near) ? near : null;
}

/// <summary>A job near a glitch. Times in ticks.</summary>
/// <param name="SpareTicks">How long before its deadline it was done; negative where it was late, null where it has none.</param>
internal readonly record struct NearJob(uint Thread, long FromTicks, long EndTicks, long LostTicks, long? SpareTicks)
{
    /// <summary>When it was made ready; null where no record tells.</summary>
    public long? ReadyTicks { get; init; }

    /// <summary>The CPU that made it ready; -1 where that is not known.</summary>
    public int ReadyCpu { get; init; }

    public long ResponseTicks => EndTicks - FromTicks;

    /// <summary>Whether it belongs more to a moment than another does: it goes on then, or is the longer one.</summary>
    public bool IsNearer(NearJob other, long ticks) =>
        (Holds(ticks), ResponseTicks).CompareTo((other.Holds(ticks), other.ResponseTicks)) > 0;

    private bool Holds(long ticks) => FromTicks <= ticks && ticks <= EndTicks;
}
