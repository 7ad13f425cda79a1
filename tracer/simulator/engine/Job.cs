namespace Tracer.Simulator.Engine;

/// <summary>
/// What a thread does from when it should run until it waits of its own accord for its next turn, and what it loses meanwhile. Times are
/// nanoseconds.
/// </summary>
/// <param name="startNs">When it should have run.</param>
internal sealed class Job(long startNs)
{
    /// <summary>Own work that does not end a stretch of lost time, as a gap of a CPU's level does not.</summary>
    private const long GapNs = 2_000;

    /// <summary>Shorter pieces take no part in whether two episodes are one.</summary>
    private const long LeastPieceNs = 20_000;

    private readonly List<LostStretch> _stretches = [];
    private readonly List<LostPiece> _pieces = [];
    private LostStretch? _open;

    public long StartNs { get; } = startNs;

    /// <summary>When it was due, where it was made ready too late; else -1.</summary>
    public long DueNs { get; init; } = -1;

    /// <summary>The CPU whose timer made it ready too late; null where another thing did, or it was ready in time.</summary>
    public int? TimerCpu { get; init; }

    /// <summary>When it was made ready; -1 where that leaves no record.</summary>
    public long ReadyNs { get; init; } = -1;

    /// <summary>When its next turn is due; -1 where it has no beat.</summary>
    public long DeadlineNs { get; init; } = -1;

    public long RunNs { get; private set; } = -1;

    /// <summary>Priority when it first ran.</summary>
    public int Priority { get; private set; }

    /// <summary>The CPU it first ran on.</summary>
    public Cpu? Cpu { get; private set; }

    /// <summary>Until when it is divided into work and lost time.</summary>
    public long DividedNs { get; private set; } = startNs;

    public long WorkNs { get; private set; }

    public long LostNs { get; private set; }

    /// <summary>It goes on without end: each stretch is an episode by itself.</summary>
    public bool IsEndless { get; set; }

    /// <summary>Who had the lost time.</summary>
    public List<Share> Shares { get; } = [];

    public IReadOnlyList<LostStretch> Stretches => _stretches;

    /// <summary>Where and when it lost more than a little.</summary>
    public List<LostPiece> Pieces => _pieces;

    /// <summary>Its first instruction.</summary>
    public void Begin(SimulatedThread thread, Cpu cpu, long nowNs)
    {
        RunNs = nowNs;
        Priority = thread.Priority;
        Cpu = cpu;
        _open = null; // The wake-up is a stretch by itself.
    }

    public void AddWork(long toNs)
    {
        WorkNs += toNs - DividedNs;
        DividedNs = toNs;
        if (_open is not null && toNs - _open.ToNs > GapNs)
        {
            _open = null;
        }
    }

    /// <param name="shares">Who had it; what they leave is nobody's.</param>
    public void AddLost(long toNs, List<Share> shares, Cpu cpu) =>
        AddLost(toNs, shares, [new LostPiece(cpu.Index, DividedNs, toNs)]);

    /// <param name="shares">Who had it; what they leave is nobody's.</param>
    public void AddLost(long toNs, List<Share> shares, List<LostPiece> pieces)
    {
        long ns = toNs - DividedNs;
        if (ns == 0)
        {
            return;
        }

        LostNs += ns;
        if (_open is null)
        {
            _open = new LostStretch(DividedNs) { IsWakeup = RunNs < 0 };
            _stretches.Add(_open);
        }

        _open.Add(toNs, ns, shares);
        pieces.ForEach(Add);
        Blame.Add(Shares, shares);
        DividedNs = toNs;
    }

    /// <summary>Takes the stretches that have ended, so that they are not kept; the one that goes on is left.</summary>
    public List<LostStretch> TakeEnded()
    {
        List<LostStretch> ended = _stretches.FindAll(stretch => stretch != _open);
        _stretches.RemoveAll(stretch => stretch != _open);
        _pieces.Clear();
        Shares.Clear();
        return ended;
    }

    private void Add(LostPiece piece)
    {
        if (_pieces.Count > 0 && _pieces[^1] is var last && last.ToNs == piece.FromNs && last.Cpu == piece.Cpu)
        {
            _pieces[^1] = last with { ToNs = piece.ToNs };
            return;
        }

        if (_pieces.Count > 0 && _pieces[^1].ToNs - _pieces[^1].FromNs < LeastPieceNs)
        {
            _pieces.RemoveAt(_pieces.Count - 1);
        }

        _pieces.Add(piece);
    }
}

/// <summary>A stretch of lost time without own work between its parts.</summary>
internal sealed class LostStretch(long fromNs)
{
    public long FromNs { get; } = fromNs;

    public long ToNs { get; private set; } = fromNs;

    public long LostNs { get; private set; }

    /// <summary>It began before the first instruction.</summary>
    public bool IsWakeup { get; init; }

    public List<Share> Shares { get; } = [];

    public void Add(long toNs, long ns, List<Share> shares)
    {
        ToNs = toNs;
        LostNs += ns;
        Blame.Add(Shares, shares);
    }
}

/// <summary>A piece of lost time, on the CPU that kept the thread or one that it waited for.</summary>
internal readonly record struct LostPiece(int Cpu, long FromNs, long ToNs);
