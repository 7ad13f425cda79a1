namespace Tracer.Bench.Numbers;

/// <summary>
/// Measures what forecasts and beats promise on series of which the truth is known, half of them of kinds that nobody looked at while the
/// rules were made. Writes docs/generated/numbers.md.
/// </summary>
internal static class NumbersRun
{
    private const int Usual = 200;

    /// <summary>Runs; <c>numbers [--series N] [--known] [-o FILE]</c>.</summary>
    /// <returns>0 where all goals are met, 2 where not, 1 for wrong usage.</returns>
    public static int Run(string[] args)
    {
        (int series, bool onlyKnown, string? output) = (Usual, false, null);
        for (int i = 0; i < args.Length; i++)
        {
            bool hasNext = i + 1 < args.Length;
            if (args[i] == "--known")
            {
                onlyKnown = true;
            }
            else if (args[i] == "--series" && hasNext && int.TryParse(args[++i], out series) && series > 0)
            {
                continue;
            }
            else if (args[i] == "-o" && hasNext)
            {
                output = args[++i];
            }
            else
            {
                Console.Error.WriteLine("Usage: numbers [--series N] [--known] [-o FILE]");
                return 1;
            }
        }

        string text = NumbersDocument.Of(series, onlyKnown, out bool isMet);
        if (output is null)
        {
            Console.Write(text);
        }
        else
        {
            File.WriteAllText(output, text);
        }

        return isMet ? 0 : 2;
    }
}
