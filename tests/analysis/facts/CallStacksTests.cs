using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>Stacks are counted by what they hold of the kernel.</summary>
public class CallStacksTests
{
    private const ulong Kernel = 0xFFFFF800_10000000;

    [Fact]
    public void The_same_stack_counts_twice_and_what_a_process_called_is_left_out()
    {
        var stacks = new CallStacks(8);
        stacks.Add([Kernel, Kernel + 1, Kernel + 2, 0x401000, 0x402000], 50);
        stacks.Add([Kernel, Kernel + 1, Kernel + 2, 0x555000], 10);
        stacks.Add([Kernel, Kernel + 2, Kernel + 1], 70);
        Assert.Equal(
            ["0 1 2: 2 at 50", "0 2 1: 1 at 70"],
            stacks.All.Select(stack =>
                $"{string.Join(' ', stack.Frames.ToArray().Select(frame => frame - Kernel))}: {stack.Count} at {stack.Ticks}"));
    }

    [Theory]
    [InlineData(2, 0)]
    [InlineData(3, 3)]
    [InlineData(64, 64)]
    [InlineData(65, 64)]
    public void Too_short_ones_tell_nothing_and_long_ones_are_cut(int frames, int kept)
    {
        var stacks = new CallStacks(8);
        stacks.Add([.. Enumerable.Range(0, frames).Select(frame => Kernel + (ulong)frame)], 1);
        Assert.Equal(kept, stacks.All.Sum(stack => stack.Frames.Length));
    }

    /// <summary>Frames are looked at in fours, and then one by one: the border may lie in either, at each place.</summary>
    [Theory]
    [InlineData(8, 0x8000_0000_0000_0000)]
    [InlineData(4, 0x8000_0000)]
    public void The_kernel_begins_with_its_lowest_address_wherever_a_stack_leaves_it(int pointerBytes, ulong lowest)
    {
        for (int kept = 3; kept <= 9; kept++)
        {
            var stacks = new CallStacks(pointerBytes);
            stacks.Add([.. Enumerable.Repeat(lowest, kept), lowest - 1, .. Enumerable.Repeat(lowest, 9 - kept)], 1);
            Assert.Equal(kept, stacks.All.Single().Frames.Length);
        }
    }

    [Fact]
    public void A_kernel_of_32_bits_begins_lower()
    {
        var stacks = new CallStacks(4);
        stacks.Add([0x8100_0000, 0x8100_0004, 0x8100_0008, 0x7700_0000], 1);
        Assert.Equal(3, stacks.All.Single().Frames.Length);
    }

    [Fact]
    public void Memory_is_limited_whatever_comes()
    {
        var stacks = new CallStacks(8);
        ulong[] frames = new ulong[64];
        for (int i = 0; i < 70_000; i++)
        {
            frames.AsSpan().Fill(Kernel + (ulong)i);
            stacks.Add(frames.AsSpan(0, i % 2 == 0 ? 64 : 3), i);
        }

        stacks.Add([Kernel, Kernel, Kernel], 1);
        Assert.InRange(stacks.All.Sum(stack => stack.Frames.Length), 1 << 19, 1 << 20);
        Assert.InRange(stacks.All.Count(), 16_000, 1 << 16);
    }

    /// <summary>Of all lengths, so that stacks end at every place of the blocks that they are kept in.</summary>
    [Fact]
    public void Each_of_many_stacks_is_kept_as_it_came()
    {
        var stacks = new CallStacks(8);
        var random = new Random(7);
        ulong[][] made = [.. Enumerable.Range(0, 5_000).Select(_ =>
            Enumerable.Range(0, random.Next(3, 65)).Select(_ => Kernel + (ulong)random.Next(8)).ToArray())];
        foreach (ulong[] frames in made.Concat(made))
        {
            stacks.Add(frames, 1);
        }

        Dictionary<string, int> expected =
            made.GroupBy(frames => string.Join(' ', frames)).ToDictionary(one => one.Key, one => 2 * one.Count());
        Assert.Equal(expected, stacks.All.ToDictionary(stack => string.Join(' ', stack.Frames.ToArray()), stack => stack.Count));
        stacks.Clear();
        Assert.Empty(stacks.All);
    }
}
