using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Stacks;

/// <summary>Which event a stack record belongs to, and stacks in extended items.</summary>
public class StackJoinerTests
{
    private const ulong K = TypedTrace.K;
    private const EventStackParts None = EventStackParts.None;
    private const EventStackParts Kernel = EventStackParts.Kernel;
    private const EventStackParts User = EventStackParts.User;
    private const EventStackParts Both = Kernel | User;
    private const EventStackParts Shared = EventStackParts.SharedUser;
    private const EventStackParts Pending = EventStackParts.UserPending;

    [Fact]
    public void Keyed_parts_come_together_with_their_event_and_are_themselves_taken_out()
    {
        TypedTrace trace = new TypedTrace()
            .Sample(10, 7).KernelKey(11, 10, 7, key: 1).UserKey(20, 10, 7, key: 2).Sample(30, 8)
            .Delete(40, 1, K + 1, K + 2).Rundown(41, 2, 0xA, 0xB);
        StackedEvents events = trace.Join();
        Assert.Equal(
            [
                new StackedEvent(10, 0x0F2E, 0, "fffff80000000001 fffff80000000002", "a b", Both),
                new StackedEvent(30, 0x0F2E, 0, "", "", None),
            ],
            events.All);
        AssertHealthy(trace);
    }

    [Fact]
    public void Stack_records_are_passed_in_their_place_where_wanted()
    {
        StackedEvents events = new TypedTrace()
            .Sample(10, 7).KernelKey(11, 10, 7, key: 1).Sample(12, 8).UserKey(20, 10, 7, key: 2)
            .Delete(40, 1, K).Rundown(41, 2, 0xA).UserHalf(42, 1, 6, matchId: 9, 0xA).Join(passStackRecords: true);
        Assert.Equal([10, 11, 12, 20, 40, 41, 42], events.All.Select(stacked => stacked.Ticks));
        Every.Item(events.All.Where(stacked => stacked.HookId != 0x0F2E), stacked => Assert.Equal(None, stacked.Parts));
    }

    [Fact]
    public void A_key_that_is_used_again_means_another_stack()
    {
        StackedEvents events = new TypedTrace()
            .Sample(10, 7).UserKey(11, 10, 7, key: 1).Delete(12, 1, 0xA).Sample(20, 7).UserKey(21, 20, 7, key: 1).Delete(22, 1, 0xB)
            .Join();
        Assert.Equal(["a", "b"], events.All.Select(stacked => stacked.User));
    }

    [Fact]
    public void A_whole_record_is_split_where_user_addresses_begin()
    {
        TypedTrace trace = new TypedTrace()
            .Sample(10, 7).Sample(11, 8).Sample(12, 9)
            .Whole(20, 10, 7, [K + 1, K + 2, 0xA, 0xB]).Whole(21, 11, 8, [K + 3]).Whole(22, 12, 9, [0xC, 0xD]).Whole(23, 11, 8, [0xE]);
        StackedEvents events = trace.Join();
        Assert.Equal(
            [("fffff80000000001 fffff80000000002", "a b"), ("fffff80000000003", "e"), ("", "c d")],
            events.All.Select(stacked => (stacked.Kernel, stacked.User)));
        Assert.Equal([Both, Both, User], events.All.Select(stacked => stacked.Parts));
        AssertHealthy(trace);
    }

    [Fact]
    public void Addresses_of_32_bits_are_the_kernels_from_half_of_them_on()
    {
        StackedEvent stacked = new TypedTrace().ImageLoad(10, 7).Whole32(20, 10, 7, 0x80000000, 0x7FFFFFFF).Join()[10];
        Assert.Equal(("80000000", "7fffffff"), (stacked.Kernel, stacked.User));
    }

    [Fact]
    public void One_user_part_belongs_to_all_events_of_its_entry_into_the_kernel()
    {
        // The second event of the entry gets the user part of the first; the third is of a later entry, whose own part comes later.
        TypedTrace trace = new TypedTrace()
            .ImageLoad(10, 7).Whole(11, 10, 7, [K + 1])
            .ImageLoad(20, 7).Whole(21, 20, 7, [K + 2])
            .Whole(30, 10, 7, [0xA])
            .ImageLoad(40, 7).Whole(41, 40, 7, [K + 3])
            .Whole(50, 40, 7, [0xB]);
        StackedEvents events = trace.Join();
        Assert.Equal(["a", "a", "b"], events.All.Select(stacked => stacked.User));
        Assert.Equal([Both, Both | Shared, Both], events.All.Select(stacked => stacked.Parts));
        AssertHealthy(trace);
    }

    [Fact]
    public void A_user_part_of_a_later_entry_ends_the_waiting_without_one()
    {
        TypedTrace trace = new TypedTrace()
            .ImageLoad(10, 7).Whole(11, 10, 7, [K + 1]).ImageLoad(20, 7).Whole(22, 20, 7, [0xB]).ImageLoad(30, 8).Whole(31, 30, 8, [K]);
        StackedEvents events = trace.Join();
        Assert.Equal([Kernel, User, Kernel | Pending], events.All.Select(stacked => stacked.Parts));
        AssertHealthy(trace);
    }

    [Fact]
    public void A_user_part_of_another_thread_changes_nothing()
    {
        StackedEvents events = new TypedTrace()
            .ImageLoad(10, 7).Whole(11, 10, 7, [K + 1]).ImageLoad(12, 8).Whole(20, 12, 8, [0xB]).Whole(30, 10, 7, [0xA]).Join();
        Assert.Equal(["a", "b"], events.All.Select(stacked => stacked.User));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    public void Threads_without_user_mode_wait_for_no_user_part(uint process) =>
        Assert.Equal(Kernel, new TypedTrace().Sample(10, 7).Whole(11, 10, 7, [K + 1], process: process).Join()[10].Parts);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_own_user_part_replaces_one_that_was_shared(bool isHeldBack)
    {
        StackedEvents events = Begun(isHeldBack)
            .ImageLoad(10, 7).Whole(11, 10, 7, [K + 1]).ImageLoad(20, 7).Whole(21, 20, 7, [K + 2])
            .Whole(30, 10, 7, [0xA]).Whole(31, 20, 7, [0xB]).Join();
        Assert.Equal(("a", Both), (events[10].User, events[10].Parts));
        Assert.Equal(("b", Both), (events[20].User, events[20].Parts));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_part_that_comes_when_an_event_is_complete_changes_nothing_however_long_it_is_held(bool isHeldBack)
    {
        StackedEvents events = Begun(isHeldBack)
            .ImageLoad(10, 7).Whole(11, 10, 7, [K + 1]).ImageLoad(20, 7).Whole(21, 20, 7, [K + 2])
            .Whole(30, 10, 7, [0xA]).ImageLoad(20_000, 8).Whole(20_001, 20, 7, [0xB]) // 2 ms behind the part that it shares.
            .ImageLoad(30_000, 9).ImageLoad(2_000_000, 8).Whole(2_000_001, 30_000, 9, [K + 3]) // 197 ms behind its event.
            .Join();
        Assert.Equal(("a", Both | EventStackParts.SharedUser), (events[20].User, events[20].Parts));
        Assert.Equal(default, events[30_000].Parts);
    }

    /// <summary>A trace whose first event waits for its user part to the end, or that has no such event.</summary>
    private static TypedTrace Begun(bool isHeldBack) =>
        isHeldBack ? new TypedTrace().Sample(9, 5).Whole(9, 9, 5, [K]) : new TypedTrace().ImageLoad(8, 5).Whole(8, 8, 5, [K + 1, 5]);

    [Fact]
    public void A_context_switch_has_the_stack_of_the_new_thread()
    {
        TypedTrace trace = new TypedTrace()
            .Switch(10, newThread: 7, oldThread: 8).Whole(11, 10, 8, [K + 1]).Whole(12, 10, 7, [K + 2], process: 4);
        Assert.Equal("fffff80000000002", trace.Join()[10].Kernel);
        Assert.Equal(1, trace.Health[HealthCounter.UnmatchedStacks]);
    }

    [Fact]
    public void Of_events_at_one_time_the_one_of_the_thread_gets_the_stack()
    {
        StackedEvents events = new TypedTrace().Sample(10, 7, cpu: 0).Dpc(10, cpu: 1).Sample(10, 8, cpu: 1)
            .Whole(11, 10, 7, [K + 7], cpu: 0).Whole(11, 10, 8, [K + 8], cpu: 1).Join();
        Assert.Equal(["fffff80000000007", "", "fffff80000000008"], events.All.Select(stacked => stacked.Kernel));
    }

    [Fact]
    public void An_event_without_a_thread_gets_a_stack_of_its_cpu_only()
    {
        TypedTrace trace = new TypedTrace().Dpc(10, cpu: 0).Dpc(10, cpu: 1).Whole(11, 10, 7, [K + 7], cpu: 1).Whole(12, 10, 7, [K], cpu: 2);
        Assert.Equal(["", "fffff80000000007"], trace.Join().All.Select(stacked => stacked.Kernel));
        Assert.Equal(1, trace.Health[HealthCounter.UnmatchedStacks]);
    }

    [Fact]
    public void Its_user_part_may_then_come_from_any_cpu() =>
        Assert.Equal("a", new TypedTrace().Dpc(10).Whole(11, 10, 7, [K + 7]).Whole(20, 10, 7, [0xA], cpu: 3).Join()[10].User);

    [Fact]
    public void Of_equal_events_the_one_of_the_same_cpu_then_the_nearest_gets_the_stack()
    {
        StackedEvents events = new TypedTrace()
            .Sample(10, 0, cpu: 0).Sample(10, 0, cpu: 1).Sample(10, 0, cpu: 1).Sample(10, 0, cpu: 2)
            .Whole(11, 10, 0, [K + 1], cpu: 1, process: 0).Whole(12, 10, 0, [K + 2], cpu: 1, process: 0).Join();
        Assert.Equal(["", "fffff80000000002", "fffff80000000001", ""], events.All.Select(stacked => stacked.Kernel));
    }

    [Fact]
    public void A_user_part_goes_to_the_event_that_has_the_kernel_part()
    {
        StackedEvents events = new TypedTrace()
            .Sample(10, 7).Whole(10, 10, 7, [K + 1]).Sample(10, 7).Whole(12, 10, 7, [0xA]).Join();
        Assert.Equal(["a", ""], events.All.Select(stacked => stacked.User));
    }

    [Fact]
    public void A_stack_without_an_event_is_counted()
    {
        TypedTrace trace = new TypedTrace().Sample(10, 7).Whole(11, 9, 7, [K + 1]).Whole(12, 10, 8, [0xA]);
        Assert.Equal(None, trace.Join()[10].Parts);
        Assert.Equal(2, trace.Health[HealthCounter.UnmatchedStacks]);
    }

    [Fact]
    public void A_stack_that_comes_after_its_event_was_given_on_is_counted_as_late()
    {
        var window = new StackWindow { FirstPartNanoseconds = 5_000 };
        TypedTrace trace = new TypedTrace().Sample(10, 7).Sample(15, 7).Sample(16, 7).Whole(17, 10, 7, [K + 1]).Whole(18, 15, 7, [0xA]);
        Assert.Equal(["", "a", ""], trace.Join(window).All.Select(stacked => stacked.User));
        Assert.Equal(
            (1, 0, 0),
            (trace.Health[HealthCounter.LateStacks], trace.Health[HealthCounter.UnmatchedStacks],
                trace.Health[HealthCounter.StackWaitsEvicted]));
    }

    [Fact]
    public void A_full_window_lets_the_oldest_event_go_and_counts_it()
    {
        var window = new StackWindow { MaximumEvents = 2 };
        TypedTrace trace = new TypedTrace()
            .Sample(10, 7).Whole(11, 10, 7, [K + 1]).Sample(20, 8).Sample(30, 9).Whole(40, 10, 7, [0xA]).Whole(41, 20, 8, [0xB]);
        StackedEvents events = trace.Join(window);
        Assert.Equal([10, 20, 30], events.All.Select(stacked => stacked.Ticks));
        Assert.Equal([Kernel | Pending, User, None], events.All.Select(stacked => stacked.Parts));
        Assert.Equal((1, 1), (trace.Health[HealthCounter.StackWaitsEvicted], trace.Health[HealthCounter.LateStacks]));
    }

    [Fact]
    public void Frames_that_find_no_room_let_events_go_too()
    {
        // The least window is 512 KB, in two halves: each has room for four stacks of 64 KB and their events.
        var window = new StackWindow { MaximumBytes = 1 };
        ulong[] frames = [.. Enumerable.Range(1, 8000).Select(i => K + (ulong)i)];
        var trace = new TypedTrace();
        for (uint i = 1; i <= 9; i++)
        {
            trace.Sample(10 * i, i).Whole((10 * i) + 1, 10 * i, i, frames);
        }

        StackedEvents events = trace.Join(window);
        Assert.Equal(9, events.All.Count);
        Every.Item(events.All, stacked => Assert.Equal((Kernel | Pending, 8000), (stacked.Parts, stacked.Kernel.Split(' ').Length)));
        Assert.InRange(trace.Health[HealthCounter.StackWaitsEvicted], 1, 8);
    }

    [Fact]
    public void A_key_without_a_definition_is_counted_and_told()
    {
        TypedTrace trace = new TypedTrace().Sample(10, 7).KernelKey(11, 10, 7, key: 1).UserKey(12, 10, 7, key: 2);
        Assert.Equal(Both | EventStackParts.UnresolvedKernel | EventStackParts.UnresolvedUser, trace.Join()[10].Parts);
        Assert.Equal(2, trace.Health[HealthCounter.UnresolvedStackKeys]);
    }

    [Fact]
    public void A_definition_of_the_other_part_is_not_believed()
    {
        TypedTrace trace = new TypedTrace()
            .Sample(10, 7).KernelKey(11, 10, 7, key: 1).UserKey(12, 10, 7, key: 2).Rundown(20, 1, 0xA).Rundown(21, 2, K);
        StackedEvent stacked = trace.Join()[10];
        Assert.Equal(("", ""), (stacked.Kernel, stacked.User));
        Assert.Equal(Both | EventStackParts.UnresolvedKernel | EventStackParts.UnresolvedUser, stacked.Parts);
        Assert.Equal(2, trace.Health[HealthCounter.ContradictoryStackKeys]);
    }

    [Theory]
    [InlineData(6, K)]
    [InlineData(5, 0x80000000)]
    public void A_stack_that_an_event_carries_is_complete(ushort itemKind, ulong kernel)
    {
        TypedTrace trace = new TypedTrace().Extended(10, 7, itemKind, matchId: 0, kernel, kernel + 1, 0xA, 0xB);
        StackedEvent alone = trace.Join()[10];
        Assert.Equal(($"{kernel:x} {kernel + 1:x}", "a b", Both), (alone.Kernel, alone.User, alone.Parts));
        Assert.Equal(alone, trace.Sample(20, 7).Whole(21, 20, 7, [0xC]).Join()[10]); // Held behind others, or not.
        Assert.Equal(alone, new TypedTrace().Sample(9, 7).Extended(10, 7, itemKind, 0, kernel, kernel + 1, 0xA, 0xB)
            .Whole(21, 9, 7, [0xC]).Join()[10]);
    }

    [Fact]
    public void Kernel_halves_get_the_user_half_of_their_match_id_and_thread()
    {
        TypedTrace trace = new TypedTrace()
            .Extended(10, 7, 6, matchId: 55, K + 1).Extended(11, 7, 6, matchId: 55, K + 2)
            .Extended(12, 8, 6, matchId: 55, K + 3).Extended(13, 7, 6, matchId: 56, K + 4)
            .UserHalf(20, 7, 6, matchId: 55, 0xA, 0xB).UserHalf(21, 7, 6, matchId: 99, 0xC);
        StackedEvents events = trace.Join();
        Assert.Equal(["a b", "a b", "", ""], events.All.Select(stacked => stacked.User));
        Assert.Equal([Both, Both, Kernel | Pending, Kernel | Pending], events.All.Select(stacked => stacked.Parts));
        Assert.Equal(1, trace.Health[HealthCounter.UnmatchedStacks]);
    }

    [Fact]
    public void A_kernel_half_does_not_wait_where_no_user_half_is_in_the_trace()
    {
        var sink = new StackedEvents();
        TypedTrace trace = new TypedTrace().Extended(10, 7, 6, matchId: 55, K + 1);
        var joiner = new StackJoiner<StackedEvents>(sink, trace.Definitions(), TypedTrace.Clock, trace.Health);
        trace.Give(ref joiner);
        Assert.Equal(Kernel | Pending, sink[10].Parts);
    }

    [Fact]
    public void A_key_in_an_extended_item_is_looked_up()
    {
        StackedEvents events = new TypedTrace()
            .Extended(10, 7, 18, matchId: 0, 1).Extended(11, 7, 18, matchId: 55, 2).UserHalf(20, 7, 18, matchId: 55, 3)
            .Delete(30, 1, K + 1, 0xA).Delete(30, 2, K + 2).Delete(30, 3, 0xB).Join();
        Assert.Equal([("fffff80000000001", "a"), ("fffff80000000002", "b")], events.All.Select(stacked => (stacked.Kernel, stacked.User)));
    }

    [Fact]
    public void An_event_of_another_provider_with_the_number_of_a_user_half_is_an_event() =>
        Assert.Single(new TypedTrace().UserHalf(10, 7, itemKind: 1, matchId: 0).Join().All);

    [Fact]
    public void A_trace_without_stacks_holds_nothing_back()
    {
        var sink = new StackedEvents();
        TypedTrace trace = new TypedTrace().Sample(10, 7).Dpc(11).ImageLoad(12, 7);
        var joiner = new StackJoiner<StackedEvents>(sink, trace.Definitions(), TypedTrace.Clock, trace.Health);
        trace.Give(ref joiner);
        Assert.Equal((3, 0), (sink.All.Count, joiner.HeldEvents));
    }

    [Fact]
    public void A_sink_that_wants_no_more_gets_no_more()
    {
        TypedTrace trace = new TypedTrace().Sample(10, 7).Whole(11, 10, 7, [0xA]).Sample(12, 8).Sample(13, 8).Dpc(1_000_000);
        var joiner = new StackJoiner<OnceSink>(default, trace.Definitions(), TypedTrace.Clock, trace.Health);
        bool goesOn = true;
        trace.Visit((in EtlEvent traceEvent) => goesOn &= joiner.OnEvent(in traceEvent));
        Assert.False(goesOn);
        Assert.False(joiner.Complete());
        Assert.Equal(1, joiner.Sink.Events);
    }

    [Fact]
    public void No_records_make_joining_throw_or_lose_an_event()
    {
        var random = new Random(1);
        for (int round = 0; round < 300; round++)
        {
            var trace = new TypedTrace();
            int events = 0;
            for (int i = 0; i < 200; i++)
            {
                long ticks = round % 3 == 0 ? random.NextInt64(long.MinValue, long.MaxValue) : random.Next(50);
                uint thread = (uint)random.Next(4);
                ulong[] frames = [.. Enumerable.Range(0, random.Next(4)).Select(_ => (ulong)random.Next(2) * K)];
                ulong key = (ulong)random.Next(5);
                int kind = random.Next(10);
                events += kind < 5 ? 1 : 0;
                _ = kind switch
                {
                    0 => trace.Sample(ticks, thread, cpu: random.Next(2)),
                    1 => trace.Dpc(ticks, random.Next(2)),
                    2 => trace.Switch(ticks, thread, thread + 1),
                    3 => trace.ImageLoad(ticks, thread),
                    4 => trace.Extended(ticks, thread, (ushort)(random.Next(2) == 0 ? 6 : 5), key, frames),
                    5 => trace.Whole(ticks, random.Next(50), thread, frames, random.Next(2)),
                    6 => trace.KernelKey(ticks, random.Next(50), thread, key),
                    7 => trace.UserKey(ticks, random.Next(50), thread, key),
                    8 => trace.UserHalf(ticks, thread, 6, key, frames),
                    _ => trace.Delete(ticks, key, frames),
                };
            }

            var window = new StackWindow { MaximumEvents = 1 + random.Next(40), FirstPartNanoseconds = random.Next(100_000) };
            Assert.Equal(events, trace.Join(window).All.Count);
        }
    }

    private struct OnceSink : IStackedEventSink
    {
        public int Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            Events++;
            return false;
        }
    }

    private static void AssertHealthy(TypedTrace trace) =>
        Every.Item(Enum.GetValues<HealthCounter>(), counter => Assert.Equal(0, trace.Health[counter]));
}
