using System.Collections.Frozen;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>
/// Figures that an independent decoder counted in perfview-net.4.5.2.x64, and relations between records that only hold if both are read
/// right. Its figures of stacks (5,701 kernel keys, 15,578 user keys, 4,958 and 2,036 definitions) are sums over this trace and its 32-bit
/// sister, which is not in the corpus; here is this trace's part.
/// </summary>
public class PublishedFigureTests
{
    private const string Trace = "perfview-net.4.5.2.x64.etl";

    private static readonly Lazy<KernelTotals> Totals = new(() => new KernelTotals(Trace));

    [Fact]
    public void Samples_outside_idle_are_6320_of_79528()
    {
        RepositoryFiles.Corpus();
        Assert.Equal((6_320, 79_528), (Totals.Value.BusySamples, Totals.Value.Samples));
    }

    [Fact]
    public void Stacks_are_as_many_as_this_trace_has_and_no_more_than_published_for_both()
    {
        RepositoryFiles.Corpus();
        FrozenDictionary<byte, int> stacks = Totals.Value.Stacks;
        Assert.Equal((252, 2_061, 7_046, 1_909, 1_012), (stacks[32], stacks[37], stacks[38], stacks[35], stacks[36]));
        Assert.True(stacks[32] <= 481 && stacks[37] <= 5_701 && stacks[38] <= 15_578 && stacks[35] <= 4_958 && stacks[36] <= 2_036);
    }

    [Fact]
    public void Every_stack_has_the_time_of_an_event()
    {
        RepositoryFiles.Corpus();
        Assert.Equal((9_359, 9_359), (Totals.Value.StackTimes.Count, Totals.Value.StackTimes.Count(Totals.Value.Times.Contains)));
    }

    [Fact]
    public void Every_key_is_defined_at_or_after_its_use()
    {
        RepositoryFiles.Corpus();
        Every.Item(
            Totals.Value.KeyUses,
            use => Assert.True(Totals.Value.DefinitionAfter(use.Key, use.Ticks) is not null, $"key {use.Key:x} is not defined"));
    }

    [Fact]
    public void The_first_frame_of_a_sample_is_its_instruction_pointer()
    {
        RepositoryFiles.Corpus();
        KernelTotals totals = Totals.Value;
        int compared = 0;
        foreach ((ulong key, long ticks, long eventTicks, uint thread) in totals.KeyUses)
        {
            if (totals.SampleAddresses.TryGetValue((eventTicks, thread), out ulong address))
            {
                ulong frame = totals.DefinitionAfter(key, ticks)!.Value;

                // A sample in the kernel has a user fragment too, and the other way round: that one starts elsewhere.
                if ((frame >> 63) == (address >> 63))
                {
                    Assert.Equal(address, frame);
                    compared++;
                }
            }
        }

        Assert.True(compared > 5_000, $"{compared} samples");
    }

    [Fact]
    public void All_7180_image_identities_belong_to_an_image_event()
    {
        RepositoryFiles.Corpus();
        KernelTotals totals = Totals.Value;
        Assert.Equal((7_180, 7_180), (totals.ImageIds.Count, totals.ImageIds.Count(totals.Images.Contains)));
    }

    [Fact]
    public void Every_file_version_belongs_to_an_image_identity()
    {
        RepositoryFiles.Corpus();
        KernelTotals totals = Totals.Value;
        Assert.Equal((705, 705), (totals.FileVersions.Count, totals.FileVersions.Count(totals.Identities.Contains)));
    }
}
