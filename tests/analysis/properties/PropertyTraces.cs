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
    /// Tries a property on a part of the scenarios (<see cref="Selection"/>), each property on others, and on random traces, so many of
    /// them where all is tried, with a number to draw from.
    /// </summary>
    public static void Hold(int randomTraces, Action<Scenario, int> property, [CallerMemberName] string name = "")
    {
        int at = 0;
        foreach (string scenario in Selection.Some(ScenarioStore.Names, name.Length, parts: 20))
        {
            property(ScenarioStore.Read(scenario), at++);
        }

        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), any =>
        {
            property(RandomTrace.Of(any.Item), any.Item);
            return true;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(randomTraces, parts: 6)));
    }

    /// <summary>The report of a file as it is printed.</summary>
    public static string JsonOf(byte[] file, Scenario scenario) =>
        ScenarioFile.Json(ScenarioFile.Report(file, "trace.etl", scenario.Request));

    /// <summary>The buffers of a file, the header's first; all have one size.</summary>
    public static List<byte[]> Buffers(byte[] file, int bytes) => [.. file.Chunk(bytes)];
}
