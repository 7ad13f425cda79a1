namespace Tracer.Analysis;

/// <summary>A stretch of a CPU that belongs to one cause; times in ticks.</summary>
/// <param name="FromTicks">Its start.</param>
/// <param name="ToTicks">Its end.</param>
/// <param name="SinceTicks">
/// When what runs there came and asked for the CPU: the entry of an ISR, the time a thread was made ready; <see cref="long.MinValue"/> for
/// always, or not known.
/// </param>
internal readonly record struct CauseStretch(long FromTicks, long ToTicks, long SinceTicks)
{
    /// <summary>Its length.</summary>
    public long Ticks => ToTicks - FromTicks;
}

/// <summary>Notes, while an episode is accounted for, which stretches each cause consists of. Memory is bounded.</summary>
internal sealed class CauseStretches
{
    /// <summary>So many are kept of one stretch that is accounted for.</summary>
    private const int MostAtOnce = 8_192;

    /// <summary>So many are kept of a trace.</summary>
    private const int Most = 1_000_000;

    private readonly Dictionary<object, List<CauseStretch>> _byCause = [];
    private int _atOnce;
    private int _all;

    /// <summary>Whether some were not kept since <see cref="Clear"/>.</summary>
    public bool IsCut { get; private set; }

    /// <summary>Begins anew.</summary>
    public void Clear()
    {
        _byCause.Clear();
        _atOnce = 0;
        IsCut = false;
    }

    /// <summary>Notes a stretch; one that goes on where the last of the cause ended makes that longer.</summary>
    /// <param name="cause">Tells causes apart.</param>
    /// <param name="stretch">The stretch.</param>
    public void Add(object cause, CauseStretch stretch)
    {
        if (!_byCause.TryGetValue(cause, out List<CauseStretch>? own))
        {
            _byCause.Add(cause, own = []);
        }

        if (own.Count > 0 && own[^1].ToTicks == stretch.FromTicks && own[^1].SinceTicks == stretch.SinceTicks)
        {
            own[^1] = own[^1] with { ToTicks = stretch.ToTicks };
        }
        else if (_atOnce >= MostAtOnce || _all >= Most)
        {
            IsCut = true;
        }
        else
        {
            own.Add(stretch);
            _atOnce++;
            _all++;
        }
    }

    /// <summary>The stretches of a cause, as they were noted.</summary>
    public IReadOnlyList<CauseStretch> Of(object cause) => _byCause.TryGetValue(cause, out List<CauseStretch>? own) ? own : [];
}
