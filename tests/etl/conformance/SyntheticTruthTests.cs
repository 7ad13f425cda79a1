using System.Text.Json;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>Synthetic traces of another author, against what he says he put in.</summary>
public class SyntheticTruthTests
{
    private static readonly Lazy<SyntheticTruth[]> All = new(() => [.. SyntheticTruth.Names.Select(name => new SyntheticTruth(name))]);

    [Fact]
    public void Events_and_processors_are_as_many_as_were_put_in()
    {
        RepositoryFiles.Corpus();
        Every.Item(All.Value, trace =>
        {
            Assert.Equal(Number(trace.Trace, "ncpu"), trace.Header.ProcessorCount);
            Assert.Equal(Number(trace.Trace, "pointer"), trace.Header.PointerBytes);
            Assert.Equal(Number(trace.Trace, "build"), trace.Header.OsBuild);
            Assert.Equal(Number(trace.Trace, "events"), trace.Events);
            Assert.Equal((uint)Number(trace.Trace, "buffers"), trace.Header.BuffersWritten);

            // The author does not count the header event, which is the first one of processor 0.
            int[] events = [.. trace.Trace.GetProperty("events_per_cpu").EnumerateArray().Select(count => count.GetInt32())];
            events[0]++;
            Assert.Equal(events, trace.EventsOfCpu.Values);
        });
    }

    [Fact]
    public void Dpcs_are_as_many_as_were_put_in()
    {
        RepositoryFiles.Corpus();
        Every.Item(All.Value, trace => Assert.Equal(Number(trace.Trace, "dpcs"), trace.Dpcs));
    }

    /// <summary>Three of the five leave out the interrupts of the clock: one in a millisecond, less what was masked or merged.</summary>
    [Fact]
    public void Interrupts_are_as_many_as_were_put_in_but_for_those_of_the_clock()
    {
        RepositoryFiles.Corpus();
        Every.Item(All.Value, trace =>
        {
            double clock = 1000 * trace.Trace.GetProperty("seconds").GetDouble();
            int missing = Number(trace.Trace, "isrs") - trace.Isrs;
            Assert.True(missing == 0 || (missing <= clock && missing > 0.99 * clock), $"{trace.Name}: {missing} are missing");
        });
    }

    [Fact]
    public void Every_late_wakeup_of_the_probe_is_in_the_records()
    {
        RepositoryFiles.Corpus();
        Every.Item(Episodes(), episode =>
        {
            uint thread = episode.Json.GetProperty("tid").GetUInt32();
            int cpu = episode.Json.GetProperty("cpu").GetInt32();
            Assert.Contains((thread, Tenths(episode.Json, "ready_us")), episode.Trace.Ready);
            Assert.Contains((thread, cpu, Tenths(episode.Json, "run_us")), episode.Trace.Switched);
        });
    }

    [Fact]
    public void Modules_that_are_named_are_image_records()
    {
        RepositoryFiles.Corpus();
        Every.Item(All.Value, trace => Every.Item(
            trace.Trace.GetProperty("dpc_total_us").EnumerateObject().Select(module => module.Name)
                .Concat(trace.Truth.GetProperty("culprits").EnumerateArray().Select(culprit => culprit.GetProperty("name").GetString()!)),
            module => Assert.Contains(module, trace.Drivers, StringComparer.OrdinalIgnoreCase)));
    }

    [Fact]
    public void A_dpc_of_the_culprit_covers_the_time_it_is_blamed_for()
    {
        RepositoryFiles.Corpus();
        int checkedCauses = 0;
        Every.Item(Episodes(), episode =>
        {
            JsonElement cause = episode.Json.GetProperty("causes")[0];
            if (cause.GetProperty("mechanism").GetString() == "dpc")
            {
                // The routine lies in the framework where there is one.
                string driver = (episode.Trace.Truth.GetProperty("through").GetString() ?? cause.GetProperty("culprit").GetString())!;
                long dpcs = episode.Trace.DpcNanoseconds(
                    driver,
                    episode.Json.GetProperty("cpu").GetInt32(),
                    100 * Tenths(episode.Json, "ready_us"),
                    100 * Tenths(episode.Json, "run_us"));
                double blamed = cause.GetProperty("us").GetDouble();
                Assert.True(dpcs >= 1000 * (blamed - 0.1), $"{episode.Trace.Name}: {dpcs} ns of {driver}, {blamed} us are blamed");
                checkedCauses++;
            }
        });
        Assert.Equal(9, checkedCauses);
    }

    private static IEnumerable<(SyntheticTruth Trace, JsonElement Json)> Episodes() =>
        All.Value.SelectMany(trace => trace.Truth.GetProperty("episodes").EnumerateArray().Select(episode => (trace, episode)));

    private static int Number(JsonElement json, string name) => json.GetProperty(name).GetInt32();

    // The truth has one digit behind the point; ticks of 100 ns are as fine.
    private static long Tenths(JsonElement json, string name) => (long)Math.Round(json.GetProperty(name).GetDouble() * 10);
}
