using System.Text;
using Tracer.Analysis.Beats;
using Tracer.Analysis.Tests.Beats;

namespace Tracer.Bench.Beats;

/// <summary>Measures how often the test of beats errs and what it misses. Writes docs/generated/beats.md.</summary>
internal static class BeatsRun
{
    private const double Period = 1;

    private static readonly int[] Events = [8, 12, 20, 32, 40];
    private static readonly int[] EventsWithoutBeat = [8, 12, 20, 40, 80];
    private static readonly double[] Missed = [0, 0.2, 0.4];
    private static readonly double[] Jitters = [0.001, 0.005, 0.01, 0.02, 0.04, 0.1];

    /// <summary>Runs; <c>beats [--tries N] [-o FILE]</c>.</summary>
    /// <returns>0 where all goals are met, 2 where not.</returns>
    public static int Run(string[] args)
    {
        int tries = 2000;
        string? output = null;
        for (int i = 0; i < args.Length; i += 2)
        {
            if (i + 1 < args.Length && args[i] == "--tries" && int.TryParse(args[i + 1], out tries) && tries > 0)
            {
                continue;
            }

            if (i + 1 >= args.Length || args[i] != "-o")
            {
                Console.Error.WriteLine("Usage: beats [--tries N] [-o FILE]");
                return 1;
            }

            output = args[i + 1];
        }

        var text = new StringBuilder();
        bool isMet = true;
        text.Append(BeatsDocument.Introduction(tries));
        text.Append(BeatsDocument.FalseBeats(EventsWithoutBeat));
        foreach (IntervalFamily family in IntervalFamily.All)
        {
            double[] found = [.. EventsWithoutBeat.Select(events => FalseBeats(family, events, tries))];
            isMet &= found.All(part => part <= BeatsDocument.MostFalse);
            text.Append(CultureInfo.InvariantCulture, $"| {family.Name} | {family.Variation:0.00} | ")
                .AppendJoin(" | ", found.Select(part => part.ToString("0.00 %", CultureInfo.InvariantCulture))).Append(" |\n");
            Console.Error.WriteLine(family.Name);
        }

        text.Append(BeatsDocument.Power(Events));
        foreach (double jitter in Jitters)
        {
            foreach (double missed in Missed)
            {
                text.Append(CultureInfo.InvariantCulture, $"| {jitter * 100:0.#} % | {missed * 100:0} % |");
                foreach (int events in Events)
                {
                    text.Append(' ').Append(PowerCell(events, jitter, missed, tries, ref isMet)).Append(" |");
                }

                text.Append('\n');
                Console.Error.WriteLine($"jitter {jitter}, missed {missed}");
            }
        }

        text.Append(BeatsDocument.Jitter);
        foreach (double jitter in Jitters)
        {
            (double mean, double wrong) = Measured(jitter, tries / 10);
            text.Append(CultureInfo.InvariantCulture, $"| {jitter * 100:0.#} % | {mean * 100:0.00} % | {wrong:0.0 %} |\n");
        }

        if (output is null)
        {
            Console.Write(text);
        }
        else
        {
            File.WriteAllText(output, text.ToString());
        }

        return isMet ? 0 : 2;
    }

    private static double FalseBeats(IntervalFamily family, int events, int tries) =>
        Part(tries, made => BeatTest.Find(made.Renewal(events, family.Interval)) is not null);

    private static string PowerCell(int events, double jitter, double missed, int tries, ref bool isMet)
    {
        var best = new BestPossibleTest(events, jitter);
        int bestFinds = 0;
        double found = Part(tries, made =>
        {
            double[] times = made.Beat(Period, events, jitter, missed);
            if (best.Finds(times))
            {
                Interlocked.Increment(ref bestFinds);
            }

            return BeatTest.Find(times) is { } beat && Math.Abs(beat.Seconds - Period) < 0.02 * Period;
        });
        double possible = (double)bestFinds / tries;
        if (jitter > (BeatsDocument.Reliable * BeatExamination.MostJitterOf(events)) + 1e-9)
        {
            return string.Create(CultureInfo.InvariantCulture, $"({found * 100:0.0})");
        }

        isMet &= found >= BeatsDocument.LeastOfBest * possible;
        return string.Create(CultureInfo.InvariantCulture, $"{found * 100:0.0} of {possible * 100:0.0}");
    }

    private static (double Jitter, double WrongPeriod) Measured(double jitter, int tries)
    {
        Beat?[] beats = [.. Enumerable.Range(0, tries).Select(seed => BeatTest.Find(new MadeTimes(seed).Beat(Period, 40, jitter)))];
        Beat[] found = [.. beats.OfType<Beat>()];
        return (found.Average(beat => beat.Jitter), found.Count(beat => Math.Abs(beat.Seconds - Period) > 0.01) / (double)found.Length);
    }

    private static double Part(int tries, Func<MadeTimes, bool> test)
    {
        int found = 0;
        Parallel.For(0, tries, seed =>
        {
            if (test(new MadeTimes(seed)))
            {
                Interlocked.Increment(ref found);
            }
        });
        return (double)found / tries;
    }
}
