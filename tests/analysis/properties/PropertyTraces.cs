using System.Globalization;
using System.Runtime.CompilerServices;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>The traces that properties are tried on: every scenario, and random ones.</summary>
internal static class PropertyTraces
{
    /// <summary>Small buffers, so that even a small trace has many.</summary>
    public const int SmallBuffer = 1024;

    /// <summary>
    /// A property is tried on one of so many scenarios, each property on others; TRACER_EVERY=1 in the environment tries all on all.
    /// </summary>
    private static readonly int Step =
        int.TryParse(Environment.GetEnvironmentVariable("TRACER_EVERY"), CultureInfo.InvariantCulture, out int every) ? every : 3;

    private static readonly Lazy<Scenario[]> Scenarios = new(() => [.. ScenarioStore.Names.Select(ScenarioStore.Read)]);

    /// <summary>Tries a property on scenarios and on so many random traces, with a number to draw from.</summary>
    public static void Hold(int randomTraces, Action<Scenario, int> property, [CallerMemberName] string name = "")
    {
        for (int i = name.Length % Step; i < Scenarios.Value.Length; i += Step)
        {
            property(Scenarios.Value[i], i);
        }

        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), any =>
        {
            property(RandomTrace.Of(any.Item), any.Item);
            return true;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(randomTraces));
    }

    /// <summary>The report of a file as it is printed.</summary>
    public static string JsonOf(byte[] file, Scenario scenario) =>
        ScenarioFile.Json(ScenarioFile.Report(file, "trace.etl", scenario.Request));

    /// <summary>The buffers of a file, the header's first; all have one size.</summary>
    public static List<byte[]> Buffers(byte[] file, int bytes) => [.. file.Chunk(bytes)];
}
