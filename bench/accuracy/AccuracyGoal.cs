namespace Tracer.Bench.Accuracy;

/// <summary>Something that the answers over all scenarios are to reach.</summary>
/// <param name="Text">What, and how far they are.</param>
internal sealed record AccuracyGoal(string Text, bool IsReached)
{
    private const double RightAnswers = 0.995;
    private const double RightReplays = 0.97;

    public static IReadOnlyList<AccuracyGoal> Of(IReadOnlyCollection<AnswerCheck> checks)
    {
        AnswerCheck[] replayed = [.. checks.Where(check => check.WithoutRight is not null)];
        return
        [
            Share("verdict", checks.Count(check => check.VerdictRight), checks.Count, RightAnswers),
            Share("culprit", checks.Count(check => check.CulpritRight), checks.Count, RightAnswers),
            Share("mechanism", checks.Count(check => check.MechanismRight), checks.Count, RightAnswers),
            Share("replay within 10 %", replayed.Count(check => check.WithoutRight == true), replayed.Length, RightReplays),
            new($"of these, second simulations that differ only in when threads begin leave the same in "
                + $"{Percent(replayed.Length == 0 ? 1 : (double)replayed.Count(check => check.WithoutIsClear == true) / replayed.Length)}",
                true),
            None("innocents \"certain\"", checks.Sum(check => check.InnocentsCertain)),
            None("culprits called surer than can be", checks.Sum(check => check.TooSure)),
            None("beats invented", checks.Sum(check => check.PeriodsInvented)),
        ];
    }

    private static AccuracyGoal Share(string what, int right, int all, double wanted)
    {
        double share = all == 0 ? 1 : (double)right / all;
        return Make($"{what} right in {Percent(share)} of {all}, wanted {Percent(wanted)}", share >= wanted);
    }

    private static AccuracyGoal None(string what, int count) => Make($"{what}: {count}, wanted none", count == 0);

    private static AccuracyGoal Make(string text, bool isReached) => new($"{text}: {(isReached ? "reached" : "missed")}", isReached);

    private static string Percent(double share) => (100 * share).ToString("0.0", CultureInfo.InvariantCulture) + " %";
}
