using Tracer.Analysis.Modules;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>The same happenings in another file give the same report.</summary>
[Trait("Speed", "slow")]
public class SameTraceProperties
{
    [Fact]
    public void The_same_file_gives_the_same_bytes() => PropertyTraces.Hold(20, (scenario, _) =>
    {
        byte[] file = ScenarioFile.Write(scenario);
        Assert.Equal(PropertyTraces.JsonOf(file, scenario), PropertyTraces.JsonOf(file, scenario));
    });

    [Fact]
    public void Smaller_buffers_change_nothing() => PropertyTraces.Hold(60, (scenario, _) => Assert.Equal(
        PropertyTraces.JsonOf(ScenarioFile.Write(scenario), scenario),
        PropertyTraces.JsonOf(ScenarioFile.Write(scenario, bufferBytes: PropertyTraces.SmallBuffer), scenario)));

    [Fact]
    public void The_order_of_the_buffers_changes_nothing() => PropertyTraces.Hold(60, (scenario, seed) =>
    {
        byte[] file = ScenarioFile.Write(scenario, bufferBytes: PropertyTraces.SmallBuffer);
        List<byte[]> buffers = PropertyTraces.Buffers(file, PropertyTraces.SmallBuffer);
        byte[][] data = [.. buffers.Skip(1)];

        // The last one is marked as flushed; behind such a mark lower numbers are those of another session, where any are missing.
        new Random(seed).Shuffle(data.AsSpan(0, data.Length - (scenario.Losses.Count > 0 ? 1 : 0)));
        byte[] shuffled = [.. buffers[0], .. data.SelectMany(buffer => buffer)];
        Assert.Equal(PropertyTraces.JsonOf(file, scenario), PropertyTraces.JsonOf(shuffled, scenario));
    });

    [Fact]
    public void Another_start_of_the_clock_changes_nothing() => PropertyTraces.Hold(60, (scenario, seed) =>
    {
        ScenarioShape shape = ScenarioFile.ShapeOf(scenario);
        long shift = new Random(seed).NextInt64(0, 1L << 52);
        ScenarioShape shifted = shape with { StartTicks = shape.StartTicks + shift };
        Assert.Equal(
            PropertyTraces.JsonOf(ScenarioFile.Write(scenario, shape), scenario),
            PropertyTraces.JsonOf(ScenarioFile.Write(scenario, shifted), scenario));
    });

    [Fact]
    public void Other_names_outside_the_framework_table_change_nothing_but_names() => PropertyTraces.Hold(60, (scenario, _) =>
    {
        const string Mark = "_renamed";
        string Rename(string name) => Frameworks.RoleOf(name) == ModuleRole.Driver ? name.Replace(".", Mark + ".") : name;
        ScenarioShape shape = ScenarioFile.ShapeOf(scenario);
        scenario = scenario with { Request = scenario.Request with { Suspect = null } }; // The user asks for the old name.
        string renamed = PropertyTraces.JsonOf(ScenarioFile.Write(scenario, shape with { Rename = Rename }), scenario);
        Assert.Equal(PropertyTraces.JsonOf(ScenarioFile.Write(scenario, shape), scenario), renamed.Replace(Mark, ""));
    });
}
