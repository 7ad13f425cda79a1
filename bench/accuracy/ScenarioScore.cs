using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Accuracy;

/// <summary>How many answers of a scenario are right.</summary>
internal sealed class ScenarioScore(Scenario scenario)
{
    private const int MostComplaints = 12;

    private readonly List<AnswerCheck> _checks = [];

    public Scenario Scenario => scenario;

    public IReadOnlyList<AnswerCheck> Checks => _checks;

    /// <summary>Whether nothing at all is wrong.</summary>
    public bool IsPerfect => _checks.TrueForAll(check => check.Complaints.Count == 0);

    public void Add(AnswerCheck check)
    {
        _checks.Add(check);
        _checks.Sort((one, other) => one.Seed.CompareTo(other.Seed));
    }

    /// <summary>A line for the terminal.</summary>
    public string Line() =>
        $"{scenario.Name,-24} verdict {Right(check => check.VerdictRight)} culprit {Right(check => check.CulpritRight)} "
        + $"mechanism {Right(check => check.MechanismRight)} "
        + $"episodes {_checks.Sum(check => check.Found)}/{_checks.Sum(check => check.Episodes)} "
        + $"invented {_checks.Sum(check => check.Invented)} wrong causes {_checks.Sum(check => check.WrongCauses)} "
        + $"period {Of(_checks, check => check.PeriodRight)} invented {_checks.Sum(check => check.PeriodsInvented)} "
        + $"without {Of(_checks, check => check.WithoutRight)} "
        + $"innocents certain {_checks.Sum(check => check.InnocentsCertain)} accused {_checks.Sum(check => check.InnocentsAccused)}";

    /// <summary>How many answers are right.</summary>
    public string Right(Func<AnswerCheck, bool> isRight) => $"{_checks.Count(isRight)}/{_checks.Count}";

    /// <summary>How many are right of those where there is something to be right about.</summary>
    public static string Of(IReadOnlyCollection<AnswerCheck> checks, Func<AnswerCheck, bool?> isRight) =>
        $"{checks.Count(check => isRight(check) == true)}/{checks.Count(check => isRight(check) is not null)}";

    /// <summary>The first things that are wrong: those about culprits, then those about episodes.</summary>
    public IEnumerable<string> Complaints() => _checks.SelectMany(check => check.AboutCulprits)
        .Concat(_checks.SelectMany(check => check.AboutEpisodes)).Take(MostComplaints);
}
