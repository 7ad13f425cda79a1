namespace Tracer.Bench.Accuracy;

/// <summary>One answer beside the truth.</summary>
internal sealed class AnswerCheck
{
    /// <summary>Start and latency of an episode may differ by this, or by <see cref="LatencyShare"/> of the latency.</summary>
    private static readonly Duration Tolerance = Duration.FromMicroseconds(20);

    private const decimal LatencyShare = 0.02m;
    private const decimal CauseShare = 0.05m;
    private const double PeriodShare = 0.01;
    private const decimal WithoutShare = 0.1m;

    /// <summary>Innocents that are regular are so each millisecond or oftener; a slower beat is none of theirs.</summary>
    private const double LeastBeatOfInnocent = 0.05;

    private readonly List<string> _aboutCulprits = [];
    private readonly List<string> _aboutEpisodes = [];

    /// <param name="truth">The truth of what the trace holds.</param>
    /// <param name="surest">How sure the report may be of the culprit, at most; null where it may be certain.</param>
    /// <param name="naive">That of other tools.</param>
    public AnswerCheck(ulong seed, TruthReport truth, Confidence? surest, BlameReport report, NaiveAnswer naive)
    {
        Seed = seed;
        Culprit? first = report.Culprits.Count > 0 ? report.Culprits[0] : null;
        bool isNamed = report.Summary.Culprit is not null;
        VerdictRight = report.Summary.Verdict == truth.Verdict;
        CulpritRight = report.Summary.Culprit == truth.Culprit;
        MechanismRight = isNamed ? first?.Mechanism == truth.Mechanism : truth.Mechanism is null;
        // Nobody with a DPC is right where the truth is no driver's.
        LongestRight = truth.Culprit is not null && naive.Longest == truth.Culprit;
        LargestRight = truth.Culprit is not null && naive.Largest == truth.Culprit;
        if (!VerdictRight || !CulpritRight || !MechanismRight)
        {
            _aboutCulprits.Add(
                $"seed {seed}: {report.Summary.Verdict} {report.Summary.Culprit} {first?.Mechanism} instead of "
                + $"{truth.Verdict} {truth.Culprit} {truth.Mechanism}");
        }

        if (first is not null && first.Confidence > (surest ?? Confidence.Certain))
        {
            TooSure++;
            _aboutCulprits.Add($"seed {seed}: {first.Name} is called {first.Confidence}, and may be {surest} at most");
        }

        Told = WordsTable.Of(report, [
            .. truth.Culprits.Concat(truth.Secondary ?? []).Select(guilty => guilty.Name),
            .. truth.Episodes.SelectMany(episode => episode.Causes).Select(cause => cause.Culprit).OfType<string>(),
            .. truth.Culprit is { } named ? [named] : (string[])[], // By its own work it need keep nobody else waiting.
        ]);
        if (truth is { Verdict: Verdict.Unknown, Episodes.Count: 0 })
        {
            // Nothing can be measured: whatever is told is invented.
            Invented = report.Episodes.Count;
            InnocentsAccused = report.Culprits.Count;
            if (Invented + InnocentsAccused > 0)
            {
                _aboutCulprits.Add($"seed {seed}: {Invented} episodes and {InnocentsAccused} culprits where nothing can be told");
            }

            return;
        }

        Compare(truth, report);
        foreach (TrueCulprit right in truth.Culprits)
        {
            Culprit? told = report.Culprits.FirstOrDefault(
                told => told.Kind == right.Kind && string.Equals(told.Name, right.Name, StringComparison.OrdinalIgnoreCase));
            if (right.Name == truth.Culprit)
            {
                ComparePeriod(right.Period, told?.Period);
            }

            if (report.Summary.Glitches is null)
            {
                CompareWithout(truth.Threshold, right, told?.Without); // The truth knows nothing of what was heard.
            }
        }

        // What the recording and the clock cost is nobody's doing, and true.
        foreach (Culprit accused in report.Culprits.Concat(report.Secondary ?? []).Where(
            accused => accused.Confidence is Confidence.Certain or Confidence.Likely && !CulpritName.IsPeriodicInterrupt(accused.Name)
            && !(truth.Culprit is { } guilty && IsName(guilty, accused.Name))
            && !truth.Culprits.Concat(truth.Secondary ?? []).Any(other => IsName(other.Name, accused.Name))))
        {
            bool isCertain = accused.Confidence == Confidence.Certain;
            InnocentsCertain += isCertain ? 1 : 0;
            InnocentsAccused++;
            _aboutCulprits.Add($"seed {seed}: {accused.Name} is innocent, but '{(isCertain ? "certain" : "likely")}'");
        }

        foreach (Culprit innocent in report.Culprits.Where(
            told => told.Period is { Seconds: >= LeastBeatOfInnocent } && truth.Innocents.Any(name => IsName(name, told.Name))))
        {
            PeriodsInvented++;
            _aboutCulprits.Add($"seed {seed}: {innocent.Name}, who has no beat, is given one of {innocent.Period!.Seconds} s");
        }
    }

    public ulong Seed { get; }

    public bool VerdictRight { get; }

    /// <summary>Whether the name is right, or rightly missing.</summary>
    public bool CulpritRight { get; }

    /// <summary>Whether the mechanism is right, or rightly missing.</summary>
    public bool MechanismRight { get; }

    /// <summary>Whether "blame the longest ISR or DPC" had been right.</summary>
    public bool LongestRight { get; }

    /// <summary>Whether "blame the largest total" had been right.</summary>
    public bool LargestRight { get; }

    /// <summary>Episodes of the truth.</summary>
    public int Episodes { get; private set; }

    /// <summary>Episodes found, within 20 us or 2 %.</summary>
    public int Found { get; private set; }

    /// <summary>Episodes that are not in the truth.</summary>
    public int Invented { get; private set; }

    /// <summary>Causes of the episodes found that differ by more than 20 us and 5 % of the latency.</summary>
    public int WrongCauses { get; private set; }

    /// <summary>The largest difference of a cause as a part of its episode.</summary>
    public decimal WorstCauseError { get; private set; }

    /// <summary>Latency of the episodes found, in microseconds.</summary>
    public decimal Latency { get; private set; }

    /// <summary>Time in microseconds that was explained but left without an owner.</summary>
    public decimal OwnerUnknown { get; private set; }

    /// <summary>Names that are called certain although they have no part in any episode.</summary>
    public int InnocentsCertain { get; }

    /// <summary>1 where the culprit is called surer than anybody can be.</summary>
    public int TooSure { get; }

    /// <summary>The culprits told, with the word for how sure.</summary>
    public IReadOnlyList<ToldCulprit> Told { get; }

    /// <summary>Names that are called likely or certain although they have no part in any episode.</summary>
    public int InnocentsAccused { get; }

    /// <summary>Whether the culprit's period is right within 1 %; null where it has none in the truth.</summary>
    public bool? PeriodRight { get; private set; }

    /// <summary>Beats that are told and are not there: the culprit's where it has none or another, and those of innocents.</summary>
    public int PeriodsInvented { get; private set; }

    /// <summary>
    /// Whether what replays leave lies within what second simulations leave, or 10 %, 20 us, one episode beyond; null where there were
    /// none.
    /// </summary>
    public bool? WithoutRight { get; private set; }

    /// <summary>
    /// Whether second simulations that differ only in when threads begin leave the same, within as much; null where there were none.
    /// </summary>
    public bool? WithoutIsClear { get; private set; }

    /// <summary>What is wrong, in words.</summary>
    public IReadOnlyList<string> Complaints => [.. _aboutCulprits, .. _aboutEpisodes];

    /// <summary>Those about the answer itself: names, mechanisms, beats, what would be left.</summary>
    public IReadOnlyList<string> AboutCulprits => _aboutCulprits;

    public IReadOnlyList<string> AboutEpisodes => _aboutEpisodes;

    private void ComparePeriod(Period? truth, Period? told)
    {
        PeriodRight = truth is null ? null : told is not null && Math.Abs((told.Seconds / truth.Seconds) - 1) <= PeriodShare;
        PeriodsInvented += told is not null && PeriodRight != true ? 1 : 0;
        if (PeriodRight == false || told is not null && truth is null)
        {
            _aboutCulprits.Add($"seed {Seed}: period {told?.Seconds} s instead of {truth?.Seconds} s");
        }
    }

    /// <summary>Where no episode is left the longest is not known, but below the threshold.</summary>
    private void CompareWithout(Duration threshold, TrueCulprit right, WithoutCulprit? told)
    {
        if (right.Without is not { } truth)
        {
            return;
        }

        IReadOnlyList<WithoutCulprit> all = [truth, .. right.WithoutByChance ?? []];
        bool isRight = told is not null && IsWithin(threshold, all, told);
        WithoutRight = isRight && WithoutRight != false;
        WithoutIsClear = all.All(one => IsWithin(threshold, [truth], one)) && WithoutIsClear != false;
        if (!isRight)
        {
            _aboutCulprits.Add(
                $"seed {Seed}: without {right.Name} {told?.Episodes} episodes, worst {told?.Worst} "
                + $"instead of {string.Join(" or ", all.Select(one => $"{one.Episodes}, {one.Worst?.ToString() ?? "none"}"))}");
        }
    }

    /// <summary>Whether what is left lies within what the runs leave, from the least to the most of them.</summary>
    private static bool IsWithin(Duration threshold, IReadOnlyList<WithoutCulprit> runs, WithoutCulprit told)
    {
        decimal worst = (told.Worst ?? threshold).Microseconds;
        decimal least = runs.Min(run => (run.Worst ?? threshold).Microseconds);
        decimal most = runs.Max(run => (run.Worst ?? threshold).Microseconds);
        int fewest = runs.Min(run => run.Episodes);
        int many = runs.Max(run => run.Episodes);
        return worst >= least - Math.Max(Tolerance.Microseconds, WithoutShare * least)
            && worst <= most + Math.Max(Tolerance.Microseconds, WithoutShare * most)
            && told.Episodes >= fewest - Math.Max(1, WithoutShare * fewest)
            && told.Episodes <= many + Math.Max(1, WithoutShare * many);
    }

    private static bool IsName(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    private static bool IsSame(TrueEpisode truth, Episode found)
    {
        decimal tolerance = Math.Max(Tolerance.Microseconds, LatencyShare * truth.Latency.Microseconds);
        return (truth.Probe == found.Probe || found.Probe == ProbeKind.Glitch)
            && Math.Abs((truth.Start - found.Start).Microseconds) <= tolerance
            && Math.Abs((truth.Latency - found.Latency).Microseconds) <= tolerance
            && (truth.Thread is null || truth.Thread.Tid == found.Thread?.Tid);
    }

    /// <summary>Whether it is the culprit's own work that a glitch tells of: nobody who waits has it among his waits.</summary>
    private static bool IsOwnWork(Episode found, TruthReport truth) => found.Probe == ProbeKind.Glitch
        && truth.Culprit is { } culprit && culprit == found.Thread?.Process
        && found.Causes is [{ Culprit: var first }, ..] && first == culprit;

    private static Dictionary<(string?, Mechanism), decimal> Sums(IReadOnlyList<Cause> causes) => causes
        .Where(cause => cause.Mechanism != Mechanism.Unexplained)
        .GroupBy(cause => (cause.Culprit?.ToUpperInvariant(), cause.Mechanism))
        .ToDictionary(group => group.Key, group => group.Sum(cause => cause.Time.Microseconds));

    private void Compare(TruthReport truth, BlameReport report)
    {
        Episodes = truth.Episodes.Count;
        HashSet<int> used = [];
        foreach (TrueEpisode episode in truth.Episodes)
        {
            Episode? found = report.Episodes.FirstOrDefault(found => !used.Contains(found.Id) && IsSame(episode, found));
            if (found is null)
            {
                _aboutEpisodes.Add(
                    $"seed {Seed}: missed {episode.Probe} at {episode.Start}, {episode.Latency}, CPU {episode.Cpu}");
                continue;
            }

            if (found.Secondary != episode.Secondary && report.Summary.Glitches is null)
            {
                _aboutEpisodes.Add(
                    $"seed {Seed}: {episode.Probe} at {episode.Start}, {episode.Latency}, is of the "
                    + $"{(episode.Secondary ? "second" : "first")} ranking");
            }

            used.Add(found.Id);
            Found++;
            Latency += found.Latency.Microseconds;
            CompareCauses(episode, found);
        }

        foreach (Episode invented in report.Episodes.Where(found => !used.Contains(found.Id) && !IsOwnWork(found, truth)))
        {
            Invented++;
            _aboutEpisodes.Add($"seed {Seed}: invented {invented.Probe} at {invented.Start}, {invented.Latency}, CPU {invented.Cpu}");
        }
    }

    private void CompareCauses(TrueEpisode truth, Episode found)
    {
        Dictionary<(string?, Mechanism), decimal> right = Sums(truth.Causes);
        Dictionary<(string?, Mechanism), decimal> told = Sums(found.Causes);
        decimal tolerance = Math.Max(Tolerance.Microseconds, CauseShare * truth.Latency.Microseconds);
        Dictionary<Mechanism, decimal> unowned = told.Where(cause => cause.Key.Item1 is null)
            .ToDictionary(cause => cause.Key.Item2, cause => cause.Value);
        OwnerUnknown += unowned.Where(cause => cause.Key != Mechanism.TimerTick).Sum(cause => cause.Value); // Which has none.
        foreach ((string? Name, Mechanism Mechanism) cause in right.Keys.Union(told.Keys).Where(
            cause => cause.Item1 is not null && !CulpritName.IsPeriodicInterrupt(cause.Item1)))
        {
            decimal wanted = right.GetValueOrDefault(cause);
            decimal given = told.GetValueOrDefault(cause);

            // Whose time it was may be left open: that is no wrong name.
            decimal open = Math.Clamp(wanted - given, 0, unowned.GetValueOrDefault(cause.Mechanism));
            decimal difference = Math.Abs(wanted - given) - open;
            WorstCauseError = Math.Max(WorstCauseError, difference / Math.Max(1, truth.Latency.Microseconds));
            if (difference > tolerance)
            {
                WrongCauses++;
                _aboutEpisodes.Add(
                    $"seed {Seed}: episode {found.Id} at {found.Start}: {cause.Name} {cause.Mechanism} {given} us instead of {wanted} us");
            }
        }
    }
}
