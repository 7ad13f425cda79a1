using System.Text.RegularExpressions;
using Tracer.AnalyzerCommand.Commands.Fleet.Questions;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// Where a chain of a case comes from, as finely as a case can tell it: owner, mechanism and what its routine is known by. Which places are
/// one cause is for <see cref="FleetClusters"/>, when all cases are there. What else had a part in it, and in which order, does not count.
/// </summary>
/// <param name="Owner">In lower case; empty where nobody is known.</param>
/// <param name="Version">What tells the builds of the routine's module apart; empty where that is not known or does not matter.</param>
/// <param name="Spot">
/// <c>!function</c> of the owner's own module, or <c>!module!function</c>; <c>+1C00</c>, a block of <see cref="BlockBytes"/> of a build;
/// <c>~12</c>, a beat where no routine is known; or empty.
/// </param>
internal readonly partial record struct FleetPlace(string Mechanism, string Owner, string Version, string Spot)
{
    /// <summary>Samples of a routine fall on many of its bytes; so many are one place.</summary>
    public const int BlockBytes = 256;

    /// <summary>Beats that differ by less are the same.</summary>
    private const double BeatStep = 1.05;

    private const int LongestText = 300;

    /// <summary>The place as one text, which a store keeps.</summary>
    public string Key => $"{Mechanism}|{Owner}|{Version}|{Spot}";

    /// <param name="versionOf">The version of a module in that trace, by its name in lower case; empty where it is not known.</param>
    public static FleetPlace Of(CaseChain chain, Func<string, string> versionOf)
    {
        string owner = Tidy(chain.Owner).ToLowerInvariant();
        string mechanism = KebabCase.Of(chain.Mechanism);
        if (chain.Path is null)
        {
            // A driver or a program keeps the beat of whoever uses it; what is beneath them has its own.
            return new FleetPlace(mechanism, owner, "", chain.Kind is null or CulpritKind.Hardware ? SpotOf(chain.BeatSeconds) : "");
        }

        string path = Tidy(chain.Path);
        int mark = path.IndexOf('!', StringComparison.Ordinal);
        if (mark > 0)
        {
            string function = OffsetInFunction().Replace(path[(mark + 1)..], "");
            string module = path[..mark].ToLowerInvariant();
            return new FleetPlace(mechanism, owner, "", module == owner ? $"!{function}" : $"!{module}!{function}");
        }

        if (Unnamed().Match(path) is { Success: true } unnamed
            && long.TryParse(unnamed.Groups["offset"].ValueSpan, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out long at)
            && unnamed.Groups["module"].Value.ToLowerInvariant() is var holder && versionOf(holder) is { Length: > 0 } version)
        {
            long block = at / BlockBytes * BlockBytes;
            return new FleetPlace(
                mechanism, owner, holder == owner ? version : $"{holder} {version}",
                string.Create(CultureInfo.InvariantCulture, $"+{block:X}"));
        }

        // An offset into a module whose build is not known says nothing.
        return new FleetPlace(mechanism, owner, "", "");
    }

    /// <summary>The number of the block of a place that is known by its offset; null for others.</summary>
    public static long? BlockOf(string spot) => spot.StartsWith('+')
        && long.TryParse(spot.AsSpan(1), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out long at)
            ? at / BlockBytes
            : null;

    /// <summary>The step of a place that is known by its beat; null for others.</summary>
    public static int? BeatStepOf(string spot) => spot.StartsWith('~')
        && int.TryParse(spot.AsSpan(1), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int step) ? step : null;

    /// <summary>The beat of a step in seconds.</summary>
    public static double BeatOf(int step) => Math.Pow(BeatStep, step);

    /// <summary>A text as a store keeps it: of bounded length, and without control characters.</summary>
    public static string Tidy(string? text)
    {
        if (text is null)
        {
            return "";
        }

        string kept = text.Length > LongestText ? text[..LongestText] : text;
        foreach (char letter in kept)
        {
            if (IsOdd(letter))
            {
                return string.Create(kept.Length, kept, (letters, from) =>
                {
                    for (int i = 0; i < letters.Length; i++)
                    {
                        letters[i] = IsOdd(from[i]) ? '?' : from[i];
                    }
                });
            }
        }

        return kept;

        static bool IsOdd(char letter) => char.IsControl(letter) || char.IsSurrogate(letter);
    }

    private static string SpotOf(double? beat) => beat is > 0 and < double.PositiveInfinity
        ? string.Create(CultureInfo.InvariantCulture, $"~{(int)Math.Round(Math.Log(beat.Value) / Math.Log(BeatStep))}")
        : "";

    [GeneratedRegex(@"\+0x[0-9a-fA-F]+$", RegexOptions.CultureInvariant)]
    private static partial Regex OffsetInFunction();

    [GeneratedRegex(@"^(?<module>[^+]+)\+0x(?<offset>[0-9a-fA-F]{1,12})$", RegexOptions.CultureInvariant)]
    private static partial Regex Unnamed();
}
