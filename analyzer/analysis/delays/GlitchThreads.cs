using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Delays;

/// <summary>
/// The threads that Windows' records of glitches are about: those that wrote them, and those at the other end, which they make ready or
/// which make them ready. What they did at those moments is kept, also where they were on time. Memory is bounded.
/// </summary>
/// <param name="glitches">The glitches, in order of time.</param>
/// <param name="reachTicks">How long before its record something may have been late: what was buffered is used up by then.</param>
/// <param name="markReachTicks">The same for a mark that a person set.</param>
/// <param name="thresholdTicks">Who lost so much was not on time.</param>
internal sealed class GlitchThreads(IReadOnlyList<RecordedGlitch> glitches, long reachTicks, long markReachTicks, long thresholdTicks)
{
    /// <summary>Most pairs of threads that hand over to each other: an engine has a few clients.</summary>
    private const int MostPairs = 1 << 12;

    /// <summary>Most turns on time that are kept: the last one of each thread before each glitch.</summary>
    private const int MostInTime = 1 << 18;

    /// <summary>Most moments that one job is looked at for.</summary>
    private const int MostOfJob = 64;

    private readonly HashSet<uint> _writers = [.. glitches.SelectMany(glitch => glitch.Records).Select(record => record.Thread)];
    private readonly HashSet<(uint Writer, uint Other)> _pairs = [];
    private readonly HashSet<uint> _others = [];
    private readonly HashSet<uint> _withOthers = [];
    private readonly Dictionary<(int Glitch, bool IsWriter), NearJob> _near = [];
    private readonly Dictionary<(int Glitch, uint Thread), long> _inTime = [];

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

    /// <summary>A thread is done with a job.</summary>
    /// <returns>Whether it is one of those that the records are about, and a glitch was recorded during it, or soon after.</returns>
    /// <param name="readyCpu">The CPU that made it ready; -1 where that is not known.</param>
    public bool Done(uint thread, in JobSpan job, long lostTicks, int readyCpu)
    {
        int first = SortedSearch.FirstNot(
            0, glitches.Count, (glitches, job.FromTicks), static (at, i) => at.glitches[i].Ticks < at.FromTicks);
        bool isNear = false;
        bool isMeant = IsMeant(thread);
        var near = new NearJob(thread, job.FromTicks, job.EndTicks, lostTicks, job.DeadlineTicks)
        {
            ReadyTicks = job.ReadyTicks,
            ReadyCpu = readyCpu,
            DueTicks = job.DueTicks,
        };
        bool isOnTime = near.IsOnTime(thresholdTicks);
        for (int i = first; i < glitches.Count && i < first + MostOfJob && glitches[i].Ticks <= job.EndTicks + reachTicks; i++)
        {
            if (isOnTime && job.EndTicks < glitches[i].Ticks
                && (_inTime.Count < MostInTime || _inTime.ContainsKey((i, thread))))
            {
                _inTime[(i, thread)] = job.FromTicks;
            }

            if (!isMeant)
            {
                continue;
            }

            isNear = true;
            bool isWriter = glitches[i].Records.Exists(record => record.Thread == thread);
            if (!isWriter && !glitches[i].Records.Exists(record => ArePair(record.Thread, thread)))
            {
                continue;
            }

            if (!_near.TryGetValue((i, isWriter), out NearJob known) || near.IsNearer(known, glitches[i].Ticks))
            {
                _near[(i, isWriter)] = near;
            }
        }

        return isNear;
    }

    /// <summary>Whether a thread had a turn on time between a moment and a glitch: what kept it before has not been heard.</summary>
    public bool WasInTime(int glitch, uint thread, long sinceTicks) =>
        _inTime.TryGetValue((glitch, thread), out long from) && from >= sinceTicks;

    /// <summary>Whether a job near a glitch was late: done after its deadline, or kept for the threshold.</summary>
    public bool IsLate(NearJob job) => job.IsLate(thresholdTicks);

    /// <summary>Whether it was done in time, as far as is known by when it should have been.</summary>
    public bool IsOnTime(NearJob job) => job.IsOnTime(thresholdTicks);

    /// <summary>The job of a thread at a moment, or the longest near it: of one that wrote its records, or at the other end.</summary>
    public NearJob? Near(int glitch, bool isWriter) => _near.TryGetValue((glitch, isWriter), out NearJob near) ? near : null;
}

/// <summary>A job near a glitch. Times in ticks.</summary>
/// <param name="DeadlineTicks">When it should have been done; null where that is not known.</param>
internal readonly record struct NearJob(uint Thread, long FromTicks, long EndTicks, long LostTicks, long? DeadlineTicks)
{
    /// <summary>When it should have been made ready, where it was made ready later.</summary>
    public long? DueTicks { get; init; }

    /// <summary>How long before its deadline it was done; negative where it was late, null where it has none.</summary>
    public long? SpareTicks => DeadlineTicks - EndTicks;

    /// <summary>When it was made ready; null where no record tells.</summary>
    public long? ReadyTicks { get; init; }

    /// <summary>The CPU that made it ready; -1 where that is not known.</summary>
    public int ReadyCpu { get; init; }

    public long ResponseTicks => EndTicks - FromTicks;

    /// <summary>Whether it belongs more to a moment than another does: it goes on then, or is the longer one.</summary>
    public bool IsNearer(NearJob other, long ticks) =>
        (Holds(ticks), ResponseTicks).CompareTo((other.Holds(ticks), other.ResponseTicks)) > 0;

    public bool IsLate(long thresholdTicks) => SpareTicks < 0 || LostTicks >= thresholdTicks;

    /// <summary>One without a deadline was on time where all of it was short.</summary>
    public bool IsOnTime(long thresholdTicks) =>
        !IsLate(thresholdTicks) && (SpareTicks is not null || ResponseTicks < thresholdTicks);

    private bool Holds(long ticks) => FromTicks <= ticks && ticks <= EndTicks;
}
