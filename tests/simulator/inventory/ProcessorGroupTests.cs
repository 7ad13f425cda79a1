using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Tests;

public class ProcessorGroupTests
{
    /// <summary>In its group, around its end; or where the set has none of it, in the other.</summary>
    [Theory]
    [InlineData(4, 2, 1, 2)]
    [InlineData(4, 0, 3, 0)]
    [InlineData(96, 70, 70, 70)]
    [InlineData(96, 70, 71, 70)]
    [InlineData(96, 5, 70, 5)]
    [InlineData(96, 95, 60, 95)]
    [InlineData(96, 64, 33, 64)]
    [InlineData(128, 63, 64, 63)]
    public void The_only_CPU_of_a_set_is_found_from_everywhere(int cpus, int only, int from, int found) =>
        Assert.Equal(found, ProcessorGroups.NextIn(UInt128.One << only, cpus, from));

    [Theory]
    [InlineData(64, 0, ulong.MaxValue)]
    [InlineData(96, 1, 0xFFFF_FFFFUL)]
    [InlineData(65, 1, 1UL)]
    public void The_last_group_has_what_is_left(int cpus, int group, ulong mask) =>
        Assert.Equal(mask, ProcessorGroups.MaskOf(cpus, group));
}
