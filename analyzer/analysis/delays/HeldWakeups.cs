namespace Tracer.Analysis.Delays;

/// <summary>Why a thread was held up after it had been served.</summary>
internal enum HoldKind : byte
{
    /// <summary>It waited for a hard page fault.</summary>
    Page,

    /// <summary>The runtime of its process had suspended its threads.</summary>
    Pause,
}

/// <summary>A stretch in which a thread that had been served could not continue. Times in ticks.</summary>
/// <param name="Served">The wake-up after which the thread last ran before the stretch.</param>
/// <param name="UntilTicks">When the thread was ready again.</param>
/// <param name="Wake">How it was made ready then; null where no record tells.</param>
internal sealed record HeldStretch(HoldKind Kind, ServedWake Served, long FromTicks, long UntilTicks, Wake? Wake = null);

/// <summary>
/// Joins wake-ups that the victim sees as one: it was switched in, could not take its first steps because of a page fault or a pause of its
/// runtime, and continued only after it was made ready again. Also finds threads that are held up in this way while working.
/// </summary>
internal sealed class HeldWakeups
{
    /// <summary>Most threads that are held up at their first steps at one time.</summary>
    private const int MostThreads = 4096;

    /// <summary>Most holds of one wake-up that are kept.</summary>
    private const int MostHolds = 64;

    private readonly DelaySettings _settings;
    private readonly Dictionary<uint, Open> _open = [];

    public HeldWakeups(DelaySettings settings) => _settings = settings;

    /// <summary>Whether the runtime of a thread's process had suspended it at its first steps, until now.</summary>
    /// <param name="place">What is known about the thread, which left its CPU to wait.</param>
    /// <param name="untilTicks">When it is ready again.</param>
    public bool IsPaused(uint thread, in WakeupWatch.Place place, long untilTicks) =>
        IsAtOnce(in place) && _settings.PauseOf?.Invoke(thread, place.LeftTicks, untilTicks) is not null;

    /// <summary>Notes that a thread was switched in again.</summary>
    /// <param name="place">What was known about the thread until then.</param>
    /// <returns>The wait as a whole; null where the thread was not held up.</returns>
    public Delay? Returned(uint thread, int priority, int cpu, long ticks, in WakeupWatch.Place place)
    {
        long until = place.IsReady ? place.Latest.ReadyTicks : ticks;
        if (place.Left is not (Leaving.ForPage or Leaving.ForPause) || until < place.LeftTicks)
        {
            return null;
        }

        bool isAtOnce = IsAtOnce(in place);
        HoldKind kind = place.Left == Leaving.ForPage ? HoldKind.Page : HoldKind.Pause;

        Open before = isAtOnce && _open.TryGetValue(thread, out Open known) && known.ToTicks == place.Ran.Ticks
            && known.Holds.Count < MostHolds
            ? known
            : new Open([], isAtOnce ? place.Ran.Wake.FromTicks : place.LeftTicks, 0);
        var hold = new HeldStretch(kind, place.Ran, place.LeftTicks, until, place.IsReady ? place.Latest : null);
        var open = new Open([.. before.Holds, hold], before.FromTicks, ticks);
        if (_open.Count >= MostThreads && !_open.ContainsKey(thread))
        {
            _open.Clear();
        }

        _open[thread] = open;
        return new Delay
        {
            Probe = ProbeKind.Thread,
            FromTicks = open.FromTicks,
            ToTicks = ticks,
            Cpu = cpu,
            ThreadId = thread,
            Priority = priority,
            Wake = place.IsReady ? place.Latest : new Wake { ReadyTicks = ticks, Cpu = cpu },
            ReadyCpu = place.IsReady ? place.Latest.Cpu : -1,
            LastCpu = place.LastCpu,
            IdealCpu = place.IdealCpu,
            Holds = open.Holds,
        };
    }

    private bool IsAtOnce(in WakeupWatch.Place place) => place.Ran.Ticks > 0 && place.LeftTicks >= place.Ran.Ticks
        && place.LeftTicks - place.Ran.Ticks <= _settings.FirstStepsTicks;

    private readonly record struct Open(IReadOnlyList<HeldStretch> Holds, long FromTicks, long ToTicks);
}
