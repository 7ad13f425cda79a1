namespace Tracer.Etl.Tests.Kernel;

/// <summary>The records that an analysis reads millions of times, by their properties; real bytes where there are public ones.</summary>
public class HotRecordTests
{
    [Fact]
    public void A_real_interrupt_is_read()
    {
        // Posted in microsoft/perfview issue 234; the header's time stamp was 27 ticks later.
        byte[] bytes = RecordLayout.PerfInfo(0x0F43, 2, 8, Convert.FromHexString("ef6083e0d001000010f3a89e06f8ffff01610000"));
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent traceEvent));
        Assert.True(IsrRecord.TryRead(in traceEvent, out IsrRecord isr));
        Assert.Equal(1_996_631_531_786 - 27, isr.InitialTime);
        Assert.Equal((0xFFFFF8069EA8F310, 1u, (ushort)0x61, null), (isr.Routine, isr.ReturnValue, isr.Vector, isr.MessageNumber));
    }

    [Fact]
    public void A_real_context_switch_is_read()
    {
        // A real trace of Windows 11 build 26200, version 5.
        byte[] payload = Convert.FromHexString("90620000e4a00000090900001710090200000000ecbb000001000000");
        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0524, 5, 8, payload), 0, 0, out EtlEvent traceEvent));
        Assert.True(ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord cswitch));
        Assert.Equal((25232u, 41188u), (cswitch.NewThreadId, cswitch.OldThreadId));
        Assert.Equal((9, 9), (cswitch.NewThreadPriority, cswitch.OldThreadPriority));
        Assert.Equal((KernelThreadState.ProcessInSwap, (WaitReason)0x17), (cswitch.OldThreadState, cswitch.OldThreadWaitReason));
        Assert.Equal(ThreadWaitMode.Kernel, cswitch.OldThreadWaitMode);
        Assert.Equal(((byte)0, (byte)1), (cswitch.OldThreadQosLevel, cswitch.NewThreadQosLevel));
        Assert.Equal(((byte)2, 0u), (cswitch.OldThreadIdealProcessor, cswitch.NewThreadWaitTime));
        Assert.Equal((0xBBEC, 1u), (cswitch.OldThreadRemainingQuantum, cswitch.Unknown24));
    }

    [Fact]
    public void The_idle_state_is_given_only_where_idle_was_left()
    {
        byte[] payload = RecordLayout.Payload("01000000 00000000 08 00 02 00 00 00 02 00 00000000 00000000", 8);
        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0524, 4, 8, payload), 0, 0, out EtlEvent traceEvent));
        Assert.True(ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord cswitch));
        Assert.Equal(((byte)2, null), (cswitch.PreviousCState, cswitch.OldThreadRank));
    }

    [Theory]
    [InlineData(8, "ef6083e0d0010000 10f3a89e06f8ffff", 0xFFFFF8069EA8F310)]
    [InlineData(4, "ef6083e0d0010000 10f3a882", 0x82A8F310)]
    public void A_dpc_is_read_with_both_widths(int pointerBytes, string hex, ulong routine)
    {
        byte[] bytes = RecordLayout.PerfInfo(0x0F44, 2, pointerBytes, RecordLayout.Payload(hex, pointerBytes));
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent traceEvent));
        Assert.True(DpcRecord.TryRead(in traceEvent, out DpcRecord dpc));
        Assert.Equal((1_996_631_531_759, routine), (dpc.InitialTime, dpc.Routine));
    }

    [Theory]
    [InlineData(8, "ef6083e0d0010000 10f3a89e06f8ffff 00 6103 00 05000000")]
    [InlineData(4, "ef6083e0d0010000 10f3a882 00 6103 00 05000000")]
    public void A_message_signalled_interrupt_has_its_message(int pointerBytes, string hex)
    {
        byte[] bytes = RecordLayout.PerfInfo(0x0F32, 2, pointerBytes, RecordLayout.Payload(hex, pointerBytes));
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent traceEvent));
        Assert.True(IsrRecord.TryRead(in traceEvent, out IsrRecord isr));
        Assert.Equal((0u, (ushort)0x361, 5u), (isr.ReturnValue, isr.Vector, isr.MessageNumber));
    }

    [Theory]
    [InlineData(0x81, true, false, 16)]
    [InlineData(0x42, false, true, 8)]
    [InlineData(0xF8, false, false, 31)]
    public void Flags_of_a_sample_tell_where_it_was_taken(byte flags, bool isInDpc, bool isInIsr, int priority)
    {
        byte[] payload = RecordLayout.Payload($"10f3a89e06f8ffff 02000000 0100 {flags:x2} 00", 8);
        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0F2E, 2, 8, payload), 0, 0, out EtlEvent traceEvent));
        Assert.True(SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample));
        Assert.Equal((isInDpc, isInIsr, priority), (sample.IsInDpc!.Value, sample.IsInIsr!.Value, sample.ThreadPriority!.Value));

        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0F2E, 1, 8, payload.AsSpan(0, 14)), 0, 0, out EtlEvent older));
        Assert.True(SampledProfileRecord.TryRead(in older, out sample));
        Assert.Equal((null, null, null, null), (sample.IsInDpc, sample.IsInIsr, sample.ThreadPriority, sample.Flags));
    }

    [Fact]
    public void A_readied_thread_tells_who_woke_it()
    {
        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0532, 2, 8, [5, 0, 0, 0, 1, 2, 9, 0]), 0, 0, out EtlEvent traceEvent));
        Assert.True(ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready));
        Assert.Equal((5u, ReadyAdjustReason.Unwait, 2, true), (ready.ThreadId, ready.AdjustReason, ready.AdjustIncrement, ready.IsFromDpc));
    }

    [Fact]
    public void A_group_is_on_where_its_bit_is_set()
    {
        byte[] payload = RecordLayout.Payload("01000000 80000000 z24 46000000", 8);
        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0005, 2, 8, payload), 0, 0, out EtlEvent traceEvent));
        Assert.True(GroupMasksRecord.TryRead(in traceEvent, out GroupMasksRecord masks));
        Assert.Equal((true, true, false, 70u), (masks.IsOn(0x1), masks.IsOn(0x20000080), masks.IsOn(0x20000004), masks.KernelEventVersion));
    }

    [Fact]
    public void A_packed_switch_tells_waits_from_states()
    {
        // Form 2 with StateWr 10, and 43 (state 3 where there are 40 wait reasons).
        byte[] payload = RecordLayout.Payload("z88 02140b00 02560b00 00", 8);
        Assert.True(EtlEvent.TryRead(RecordLayout.PerfInfo(0x0525, 2, 8, payload), 0, 0, out EtlEvent traceEvent));
        Assert.True(CompactContextSwitchRecord.TryRead(in traceEvent, out CompactContextSwitchRecord batch));
        CompactContextSwitchEnumerator entries = batch.Entries;
        Assert.True(entries.MoveNext());
        Assert.True(entries.TryGetWaitReason(40, out WaitReason reason, out KernelThreadState? state));
        Assert.Equal((WaitReason.WrPoolAllocation, KernelThreadState.Waiting), (reason, state));
        Assert.True(entries.MoveNext());
        Assert.False(entries.TryGetWaitReason(40, out _, out state));
        Assert.Equal(KernelThreadState.Standby, state);
        Assert.False(entries.MoveNext());
    }

    [Fact]
    public void Reading_allocates_nothing()
    {
        byte[][] records =
        [
            RecordLayout.PerfInfo(0x0F43, 2, 8, new byte[20]), RecordLayout.PerfInfo(0x0F44, 2, 8, new byte[16]),
            RecordLayout.PerfInfo(0x0524, 5, 8, new byte[28]), RecordLayout.PerfInfo(0x0532, 2, 8, new byte[8]),
            RecordLayout.PerfInfo(0x0F2E, 2, 8, new byte[16]), RecordLayout.PerfInfo(0x1820, 2, 8, new byte[64]),
            RecordLayout.PerfInfo(0x0304, 4, 8, new byte[80]), RecordLayout.PerfInfo(0x1403, 3, 8, new byte[80]),
            RecordLayout.PerfInfo(0x0525, 2, 8, new byte[120]),
        ];
        ReadOften(records, 100); // Compiled before it is measured.

        // What the runtime allocates when it compiles a method anew counts for the thread that runs it, once.
        Assert.Equal(0, Enumerable.Range(0, 3).Min(_ =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            ReadOften(records, 10_000);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }));
    }

    private static long ReadOften(byte[][] records, int times)
    {
        long sum = 0;
        for (int i = 0; i < times; i++)
        {
            foreach (byte[] record in records)
            {
                Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent traceEvent));
                sum += KernelRecordCatalog.Find(in traceEvent, out string group, out string name) is null ? 1 : group.Length + name.Length;
                sum += Touch(in traceEvent);
            }
        }

        return sum;
    }

    private static long Touch(in EtlEvent traceEvent)
    {
        switch (traceEvent.HookId)
        {
            case 0x0F43 when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                return isr.InitialTime + (long)isr.Routine + isr.Vector.GetValueOrDefault();
            case 0x0F44 when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                return dpc.InitialTime + (long)dpc.Routine;
            case 0x0524 when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord cswitch):
                return cswitch.NewThreadId + cswitch.NewThreadWaitTime.GetValueOrDefault() + (long)cswitch.OldThreadState;
            case 0x0532 when ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready):
                return ready.ThreadId + (ready.IsFromDpc ? 1 : 0);
            case 0x0F2E when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                return (long)sample.InstructionPointer + sample.Flags.GetValueOrDefault();
            case 0x1820 when StackRecord.TryRead(in traceEvent, out StackRecord stack):
                return stack.EventTimeStamp + (long)stack.Frame(stack.FrameCount - 1);
            case 0x0304 when ProcessRecord.TryRead(in traceEvent, out ProcessRecord process):
                return process.Sid.Length + process.CommandLine.Length;
            case 0x1403 when ImageRecord.TryRead(in traceEvent, out ImageRecord image):
                return (long)image.ImageBase + image.FileName.Length;
            case 0x0525 when CompactContextSwitchRecord.TryRead(in traceEvent, out CompactContextSwitchRecord batch):
                long sum = 0;
                foreach (CompactContextSwitchEnumerator entry in batch.Entries)
                {
                    sum += entry.TimestampTicks + entry.OldThreadId;
                }

                return sum;
            default:
                throw new InvalidOperationException();
        }
    }
}
