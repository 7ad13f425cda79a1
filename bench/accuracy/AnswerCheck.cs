using Tracer.Contract;

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

    private readonly List<string> _complaints = [];

    /// <summary>Compares.</summary>
    public AnswerCheck(ulong seed, TruthReport truth, BlameReport report, NaiveAnswer naive)
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
            _complaints.Add(
                $"seed {seed}: {report.Summary.Verdict} {report.Summary.Culprit} {first?.Mechanism} instead of "
                + $"{truth.Verdict} {truth.Culprit} {truth.Mechanism}");
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

            CompareWithout(truth.Threshold, right, told?.Without);
        }

        foreach (Culprit accused in report.Culprits.Where(accused => accused.Confidence == Confidence.Certain
            && !truth.Culprits.Any(guilty => string.Equals(guilty.Name, accused.Name, StringComparison.OrdinalIgnoreCase))))
        {
            InnocentsCertain++;
            _complaints.Add($"seed {seed}: {accused.Name} is innocent, but 'certain'");
        }
    }

    /// <summary>The seed.</summary>
    public ulong Seed { get; }

    /// <summary>Whether the verdict is right.</summary>
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

    /// <summary>Whether the culprit's period is right within 1 %; null where it has none in the truth.</summary>
    public bool? PeriodRight { get; private set; }

    /// <summary>Whether the culprit has a period that is not in the truth.</summary>
    public bool PeriodInvented { get; private set; }

    /// <summary>
    /// Whether what replays leave is what second simulations leave, within 10 %, 20 us, one episode; null where there were none.
    /// </summary>
    public bool? WithoutRight { get; private set; }

    /// <summary>What is wrong, in words.</summary>
    public IReadOnlyList<string> Complaints => _complaints;

    private void ComparePeriod(Period? truth, Period? told)
    {
        PeriodRight = truth is null ? null : told is not null && Math.Abs((told.Seconds / truth.Seconds) - 1) <= PeriodShare;
        PeriodInvented = truth is null && told is not null;
        if (PeriodRight == false || PeriodInvented)
        {
            _complaints.Add($"seed {Seed}: period {told?.Seconds} s instead of {truth?.Seconds} s");
        }
    }

    /// <summary>Where no episode is left the longest is not known, but below the threshold.</summary>
    private void CompareWithout(Duration threshold, TrueCulprit right, WithoutCulprit? told)
    {
        if (right.Without is not { } truth)
        {
            return;
        }

        decimal wanted = (truth.Worst ?? threshold).Microseconds;
        decimal given = (told?.Worst ?? threshold).Microseconds;
        bool isRight = told is not null
            && Math.Abs(wanted - given) <= Math.Max(Tolerance.Microseconds, WithoutShare * wanted)
            && Math.Abs(truth.Episodes - told.Episodes) <= Math.Max(1, WithoutShare * truth.Episodes);
        WithoutRight = isRight && WithoutRight != false;
        if (!isRight)
        {
            _complaints.Add(
                $"seed {Seed}: without {right.Name} {told?.Episodes} episodes, worst {told?.Worst} "
                + $"instead of {truth.Episodes}, {truth.Worst}");
        }
    }

    private static bool IsSame(TrueEpisode truth, Episode found)
    {
        decimal tolerance = Math.Max(Tolerance.Microseconds, LatencyShare * truth.Latency.Microseconds);
        return truth.Probe == found.Probe
            && Math.Abs((truth.Start - found.Start).Microseconds) <= tolerance
            && Math.Abs((truth.Latency - found.Latency).Microseconds) <= tolerance
            && (truth.Thread is null || truth.Thread.Tid == found.Thread?.Tid);
    }

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
                _complaints.Add(
                    $"seed {Seed}: missed {episode.Probe} at {episode.Start}, {episode.Latency}, CPU {episode.Cpu}");
                continue;
            }

            used.Add(found.Id);
            Found++;
            Latency += found.Latency.Microseconds;
            CompareCauses(episode, found);
        }

        foreach (Episode invented in report.Episodes.Where(found => !used.Contains(found.Id)))
        {
            Invented++;
            _complaints.Add($"seed {Seed}: invented {invented.Probe} at {invented.Start}, {invented.Latency}, CPU {invented.Cpu}");
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
        foreach ((string? Name, Mechanism Mechanism) cause in right.Keys.Union(told.Keys).Where(cause => cause.Item1 is not null))
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
                _complaints.Add(
                    $"seed {Seed}: episode {found.Id} at {found.Start}: {cause.Name} {cause.Mechanism} {given} us instead of {wanted} us");
            }
        }
    }
}
