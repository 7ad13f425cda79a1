using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Etl.Decoding;

namespace Tracer.Capture.Tests;

/// <summary>Sizes of buffers follow the machine; masks and stacks are the recorder's list.</summary>
public sealed class SessionPlansTests
{
    private static readonly TimeSpan Covered = TimeSpan.FromSeconds(3.75);

    [Theory]
    [InlineData(1, 16, 32)] // never less
    [InlineData(4, 16, 81)]
    [InlineData(16, 32, 321)]
    [InlineData(64, 256, 1281)]
    [InlineData(64, 8, 409)] // 5 % of memory
    [InlineData(1, 0, 1)]
    public void TheRingFollowsCpusAndStaysWithinAPartOfMemory(int cpus, int memoryGb, int expectedMb) =>
        Assert.Equal(expectedMb, CaptureRingDefault.Mb(new MachineSize(cpus, (long)memoryGb << 30), Covered));

    [Theory]
    [InlineData(4, 256, 64, 4096)]
    [InlineData(4, 257, 128, 2056)]
    [InlineData(64, 1281, 512, 2562)]
    [InlineData(64, 16384, 1024, 16384)] // no larger buffers than these
    [InlineData(64, 1, 64, 128)] // two for each CPU at least
    public void LargeRingsHaveLargerBuffers(int cpus, int ringMb, int bufferKb, int buffers)
    {
        SessionPlan plan = SessionPlans.Recorder(new MachineSize(cpus, 64L << 30), Covered, ringMb);
        Assert.Equal((bufferKb, buffers), (plan.BufferKb, plan.Buffers));
    }

    [Fact]
    public void TheRecorderWantsTheseWords()
    {
        KernelMasks masks = SessionPlans.Recorder(new MachineSize(4, 16L << 30), Covered).Masks;
        uint[] expected =
        [
            0x0000_2007, // hard faults, images, threads, processes
            0x0004_4286, // DPC queue, interrupts, dispatcher, DPCs, switches, profile
            0x0404_8000, // exit latency, clock interrupt, idle
            0,
            0x0300_8000, // WDF interrupts and DPCs, power
            0,
            0,
            0,
        ];
        Assert.Equal(expected, ((ReadOnlySpan<uint>)masks).ToArray());
    }

    [Fact]
    public void SpinLocksAreRecordedWhereTheyAreAskedForOnly()
    {
        MachineSize machine = new(4, 16L << 30);
        Assert.False(SessionPlans.Recorder(machine, Covered).Masks.Has(RecordedEvents.SpinLocks.Mask));
        KernelMasks asked = SessionPlans.Recorder(machine, Covered, withSpinLocks: true).Masks;
        Assert.True(asked.Has(RecordedEvents.SpinLocks.Mask));
        Assert.Equal(["SPINLOCK"], RecordedEvents.Missing(asked, SessionPlans.Recorder(machine, Covered).Masks));
    }

    /// <summary>Blame reads begin and end of the runtime's pauses, which are informational (ClrEtwAll.man).</summary>
    [Fact]
    public void TheRuntimeIsAskedForNoMoreThanBlameReads()
    {
        ProviderRequest runtime = RecordedEvents.Providers.Single(one => one.Id == ClrEvents.ProviderId);
        Assert.Equal((4, 1UL), (runtime.Level, runtime.Keywords));
        Assert.Superset(new HashSet<ushort> { 3, 7, 9 }, runtime.EventIds.ToHashSet());
    }

    [Fact]
    public void WithoutStacksThereAreNone()
    {
        MachineSize machine = new(4, 16L << 30);
        Assert.Empty(SessionPlans.Recorder(machine, Covered, withStacks: false).Stacks);
        Assert.Equal(RecordedEvents.Stacks, SessionPlans.Recorder(machine, Covered).Stacks);
    }

    [Fact]
    public void AllOurSessionsAreKnownByTheirNames()
    {
        MachineSize machine = MachineSize.Here;
        SessionPlan[] plans =
        [
            SessionPlans.Recorder(machine, Covered),
            SessionPlans.Trigger(machine, [TriggerKind.Dpc]),
            SessionPlans.Rundown(machine, "x.etl"),
            SessionPlans.Process(machine),
            SessionPlans.Events(machine, []),
            SessionPlans.Monitor(machine, withJobs: true),
        ];
        Assert.Equal(SessionPlans.ProcessName, SessionPlans.Jobs(machine).Name);
        Every.Item(plans, static plan => Assert.StartsWith(SessionPlan.NamePrefix, plan.Name, StringComparison.Ordinal));
        Assert.Equal(SessionPlans.OwnNames, plans.Select(static plan => plan.Name));
        Assert.False(SessionPlans.IsOwn(SessionPlan.NamePrefix + "Vision"));
    }

    [Fact]
    public void WhatIsNotGrantedIsNamed()
    {
        KernelMasks wanted = RecordedEvents.MasksOf(RecordedEvents.Recorder);
        KernelMasks granted = RecordedEvents.MasksOf(
            RecordedEvents.Recorder.Where(static one => !one.Name.StartsWith("WDF", StringComparison.Ordinal)));
        Assert.Equal(["WDF_DPC", "WDF_INTERRUPT"], RecordedEvents.Missing(wanted, granted));
        Assert.Empty(RecordedEvents.Missing(granted, wanted));
    }

    [Fact]
    public void FlagsInThePlaceOfMasksCountAsThem()
    {
        KernelMasks masks = default;
        masks.Add(0x0000_0070); // switches, DPCs and interrupts, as EVENT_TRACE_FLAG_*
        KernelMasks known = RecordedEvents.WithFlagsAsMasks(masks);
        Assert.True(known.Has(0x2000_0004) && known.Has(0x2000_0080) && known.Has(0x2000_4000));
        Assert.False(known.Has(0x2000_0002));
    }
}
