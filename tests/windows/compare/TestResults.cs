using System.Xml;
using System.Xml.Linq;

namespace Tracer.WindowsProof;

/// <summary>Counts of one test program, from the XML that xunit writes.</summary>
/// <param name="Suite">Name of the program.</param>
/// <param name="Failed">Tests that failed, and errors outside of tests.</param>
/// <param name="Skipped">Tests that did not run.</param>
public sealed record SuiteCounts(string Suite, int Passed, int Failed, int Skipped);

/// <summary>The tests that ran on Windows.</summary>
public static class TestResults
{
    private const string Folder = "tests/";

    /// <summary>
    /// The programs that must have run, and how many tests of each must have passed: what needs no Linux tool is far more. A suite that
    /// skips its way through has failed.
    /// </summary>
    public static IReadOnlyList<(string Suite, int Least)> Wanted { get; } =
    [
        ("Tracer.Analysis.Tests", 400),
        ("Tracer.Capture.Tests", 150),
        ("Tracer.Commands.Tests", 100),
        ("Tracer.Contract.Tests", 30),
        ("Tracer.Etl.Tests", 200),
        ("Tracer.Simulator.Tests", 100),
        ("Tracer.Symbols.Tests", 50),
    ];

    /// <summary>The counts of all programs that left results.</summary>
    public static IReadOnlyList<SuiteCounts> Of(ProofFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return
        [
            .. folder.In(Folder).Where(static name => name.EndsWith(".xml", StringComparison.OrdinalIgnoreCase))
                .Select(name => Read(Path.GetFileNameWithoutExtension(name), folder.Text(name) ?? "")).OfType<SuiteCounts>(),
        ];
    }

    /// <summary>What is wrong with the tests of a run, a phrase each; none where enough ran and all passed.</summary>
    public static IReadOnlyList<string> Problems(ProofFolder folder)
    {
        Dictionary<string, SuiteCounts> counts = Of(folder).ToDictionary(static one => one.Suite, StringComparer.OrdinalIgnoreCase);
        List<string> problems = [];
        foreach ((string suite, int least) in Wanted)
        {
            if (!counts.TryGetValue(suite, out SuiteCounts? count))
            {
                problems.Add($"{suite} left no results");
            }
            else if (count.Failed > 0)
            {
                problems.Add($"{suite}: {Number(count.Failed)} failed");
            }
            else if (count.Passed < least)
            {
                string ran = $"{Number(count.Passed)} passed, {Number(count.Skipped)} skipped";
                problems.Add($"{suite}: {ran}; at least {Number(least)} must pass");
            }
        }

        return problems;
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);

    private static SuiteCounts? Read(string suite, string xml)
    {
        try
        {
            XElement[] assemblies = [.. XDocument.Parse(xml).Descendants("assembly")];
            return assemblies.Length == 0 ? null : new SuiteCounts(
                suite, Sum(assemblies, "passed"), Sum(assemblies, "failed") + Sum(assemblies, "errors"), Sum(assemblies, "skipped"));
        }
        catch (XmlException)
        {
            return null; // Cut short: the program died.
        }
    }

    private static int Sum(XElement[] assemblies, string name) =>
        assemblies.Sum(one => int.TryParse(one.Attribute(name)?.Value, CultureInfo.InvariantCulture, out int count) ? count : 0);
}
