using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Stacks;

/// <summary>What a key means when.</summary>
public class StackDefinitionsTests
{
    private const ulong Key = 0xFFFF_C004_0000_0040;

    [Theory]
    [InlineData(5, 0xA)]
    [InlineData(10, 0xA)]
    [InlineData(11, 0xB)]
    [InlineData(20, 0xB)]
    [InlineData(21, 0xC)]
    [InlineData(31, null)]
    public void A_key_means_what_the_first_definition_after_its_use_says(long useTicks, int? frame)
    {
        TypedTrace trace = new TypedTrace().Delete(10, Key, 0xA).Delete(15, Key + 1, 0xF).Delete(20, Key, 0xB).Rundown(30, Key, 0xC);
        foreach (bool isBackwards in new[] { false, true })
        {
            StackDefinitions definitions = trace.Definitions(isBackwards: isBackwards);
            Assert.Equal(frame is not null, definitions.TryResolve(Key, useTicks, out ReadOnlySpan<ulong> frames));
            Assert.Equal(frame is null ? [] : [(ulong)frame], frames.ToArray());
        }
    }

    [Theory]
    [InlineData(5, 0xA)] // Used a little before its creation was logged.
    [InlineData(15, 0xA)] // Created, not deleted yet.
    [InlineData(25, 0xB)] // The first creation's delete is lost; the second creation comes after the use, but not this key's.
    [InlineData(45, 0xD)] // Created and never deleted.
    public void A_create_counts_until_its_delete(long useTicks, ulong frame)
    {
        StackDefinitions definitions = new TypedTrace()
            .Create(10, Key, 0xA).Delete(18, Key, 0xA).Create(20, Key, 0xB).Create(30, Key, 0xC).Delete(35, Key, 0xC).Create(40, Key, 0xD)
            .Definitions();
        Assert.True(definitions.TryResolve(Key, useTicks, out ReadOnlySpan<ulong> frames));
        Assert.Equal([frame], frames.ToArray());
    }

    [Fact]
    public void An_unknown_key_is_not_resolved()
    {
        StackDefinitions definitions = new TypedTrace().Delete(10, Key, 0xA).Definitions();
        Assert.False(definitions.TryResolve(Key + 1, 5, out _));
        Assert.False(definitions.TryResolve(Key - 1, 5, out _));
        Assert.False(new StackDefinitions().TryResolve(Key, 5, out _));
    }

    [Fact]
    public void Equal_stacks_are_kept_once()
    {
        var trace = new TypedTrace();
        for (int i = 0; i < 3000; i++)
        {
            trace.Delete(i, (ulong)i, 0x1000, (ulong)(i % 1000), 0x2000);
        }

        StackDefinitions definitions = trace.Definitions();
        Assert.Equal((3000, 1000, 0), (definitions.Count, definitions.DifferentStacks, definitions.Dropped));
        for (int i = 0; i < 3000; i++)
        {
            Assert.True(definitions.TryResolve((ulong)i, 0, out ReadOnlySpan<ulong> frames));
            Assert.Equal([0x1000, (ulong)(i % 1000), 0x2000], frames.ToArray());
        }
    }

    [Fact]
    public void A_stack_without_frames_is_a_definition_too()
    {
        Assert.True(new TypedTrace().Delete(1, Key).Definitions().TryResolve(Key, 0, out ReadOnlySpan<ulong> frames));
        Assert.True(frames.IsEmpty);
    }

    [Fact]
    public void Definitions_beyond_the_memory_allowed_are_left_out_and_counted()
    {
        const int Megabyte = 1024 * 1024;
        var trace = new TypedTrace();
        ulong[] frames = new ulong[100];
        for (int i = 0; i < 3000; i++)
        {
            frames[0] = (ulong)i;
            trace.Delete(i, (ulong)i, frames);
        }

        StackDefinitions definitions = trace.Sample(3000, 1).UserKey(3001, 3000, 1, 2999).Definitions(Megabyte);
        Assert.Equal(3000, definitions.Count + definitions.Dropped);
        Assert.InRange(definitions.Count, 500, Megabyte / 800);
        Assert.True(definitions.TryResolve(0, 0, out _));
        Assert.False(definitions.TryResolve(2999, 0, out _));

        trace.Join(maximumBytes: Megabyte);
        Assert.Equal(definitions.Dropped, trace.Health[HealthCounter.DroppedStackDefinitions]);
        Assert.Equal(1, trace.Health[HealthCounter.UnresolvedStackKeys]);
        Assert.True(trace.Health.HasDataLoss);
    }

    [Fact]
    public void The_first_reading_tells_whether_there_are_stacks()
    {
        Assert.False(new TypedTrace().Sample(1, 1).Delete(2, Key, 0xA).Definitions().HasStacks);
        Assert.False(new TypedTrace().Extended(1, 1, 6, matchId: 5, TypedTrace.K).Definitions().HasStacks);
        Assert.Equal(1, new TypedTrace().UserHalf(1, 1, 6, matchId: 5, 0xA).Definitions().UserHalves);
        Assert.Equal(
            3,
            new TypedTrace().Whole(1, 1, 1, [0xA]).UserKey(2, 1, 1, Key).KernelKey(3, 1, 1, Key).Definitions().StackRecords);
    }
}
