using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>What held a thread that had been served.</summary>
internal enum HoldKind : byte
{
    /// <summary>A page had to be read.</summary>
    Page,

    /// <summary>The runtime of its process had stopped its threads.</summary>
    Pause,
}

/// <summary>A stretch in which a thread that had been served could not go on. Times in ticks.</summary>
/// <param name="Kind">Why.</param>
/// <param name="Served">The wake-up after which it ran last before.</param>
/// <param name="FromTicks">When it left its CPU.</param>
/// <param name="UntilTicks">When it was ready again.</param>
internal sealed record HeldStretch(HoldKind Kind, ServedWake Served, long FromTicks, long UntilTicks);

/// <summary>
/// Joins wake-ups that are one for the victim: it was switched in, could not take its first steps because a page was missing or its
/// runtime had stopped its threads, and went on only when it was made ready again. Also finds threads that are held so at work.
/// </summary>
internal sealed class HeldWakeups
{
    /// <summary>Threads that are held at their first steps at one time.</summary>
    private const int MostThreads = 4096;

    /// <summary>Holds of one wake-up that are told apart.</summary>
    private const int MostHolds = 64;

    private readonly DelaySettings _settings;
    private readonly Dictionary<uint, Open> _open = [];

    /// <summary>Takes what it is asked.</summary>
    public HeldWakeups(DelaySettings settings) => _settings = settings;

    /// <summary>A thread is switched in again.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="cpu">On which CPU.</param>
    /// <param name="ticks">When.</param>
    /// <param name="place">What was known of it until then.</param>
    /// <returns>The wait as a whole; null where it was not held.</returns>
    public Delay? Returned(uint thread, int priority, int cpu, long ticks, in WakeupWatch.Place place)
    {
        long until = place.IsReady ? place.Latest.ReadyTicks : ticks;
        bool isAtOnce = place.Ran.Ticks > 0 && place.LeftTicks >= place.Ran.Ticks
            && place.LeftTicks - place.Ran.Ticks <= _settings.FirstStepsTicks;
        HoldKind kind = HoldKind.Page;
        if (place.Left != Leaving.ForPage)
        {
            if (!isAtOnce || _settings.PauseOf?.Invoke(thread, place.LeftTicks, until) is null)
            {
                return null;
            }

            kind = HoldKind.Pause;
        }

        if (until < place.LeftTicks)
        {
            return null;
        }

        Open before = isAtOnce && _open.TryGetValue(thread, out Open known) && known.ToTicks == place.Ran.Ticks
            && known.Holds.Count < MostHolds
            ? known
            : new Open([], isAtOnce ? place.Ran.Wake.FromTicks : place.LeftTicks, 0);
        var open = new Open([.. before.Holds, new HeldStretch(kind, place.Ran, place.LeftTicks, until)], before.FromTicks, ticks);
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

    private readonly record struct Open(IReadOnlyList<HeldStretch> Holds, long FromTicks, long ToTicks);
}
