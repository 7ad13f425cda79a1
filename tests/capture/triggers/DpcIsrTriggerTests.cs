using System.Collections.Concurrent;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;
using Tracer.Capture.Triggers;

namespace Tracer.Capture.Tests;

/// <summary>What the trigger session tells becomes measurements; what does not come is counted; its end is told.</summary>
public sealed class DpcIsrTriggerTests
{
    private const long Hz = 10_000_000;

    private static readonly MachineSize Machine = new(2, 8L << 30);

    [Fact]
    public void DurationsAreNanosecondsFromEntryToExit()
    {
        using Setup setup = new(TriggerKind.Dpc, TriggerKind.Isr);
        setup.Sessions.Feed(new InterruptWork(IsIsr: false, Cpu: 3, BeginQpc: 1000, EndQpc: 6001, Routine: 0xFFFF_8000_0000_1234));
        setup.Sessions.Feed(new InterruptWork(IsIsr: true, Cpu: 1, BeginQpc: 2000, EndQpc: 2001, Routine: 7));
        Assert.Equal(
            [
                new TriggerMeasurement(TriggerKind.Dpc, 1000, 500_100, 3, 0xFFFF_8000_0000_1234),
                new TriggerMeasurement(TriggerKind.Isr, 2000, 100, 1, 7),
            ],
            setup.Drain().Measurements);
    }

    [Fact]
    public void OnlyTheKindsThatWereAskedForCome()
    {
        using Setup setup = new(TriggerKind.Isr);
        Assert.Equal(TriggerKind.Isr, setup.Trigger.Kind);
        Assert.Equal(0x4000u, setup.Sessions.Plan!.Masks[1]);
        setup.Sessions.Feed(new InterruptWork(false, 0, 0, 10, 1));
        setup.Sessions.Feed(new InterruptWork(true, 0, 0, 10, 2));
        Sink sink = setup.Drain();
        Assert.Equal(TriggerKind.Isr, Assert.Single(sink.Measurements).Kind);
        Assert.Equal(0, sink.Lost);
    }

    [Theory]
    [InlineData(5, 4)]
    [InlineData(0, (60 * Hz) + 1)]
    [InlineData(long.MinValue, long.MaxValue)]
    public void AbsurdDurationsAreCountedAndLeftOut(long begin, long end)
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.Feed(new InterruptWork(false, 0, begin, end, 1));
        Sink sink = setup.Drain();
        Assert.Empty(sink.Measurements);
        Assert.Equal(1, sink.Lost);
    }

    [Fact]
    public void WhatTheSessionLosesIsToldOnceASecond()
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.Counters = new SessionCounters(16, 8, 100, EventsLost: 5, RealTimeBuffersLost: 2);
        Assert.Equal(0, setup.Drain().Lost);
        setup.Clock.Qpc += Hz;
        Assert.Equal(7, setup.Drain().Lost);
        setup.Clock.Qpc += Hz;
        Assert.Equal(0, setup.Drain().Lost);
    }

    /// <summary>What Windows refuses to count once is counted a second later.</summary>
    [Fact]
    public void ARefusedCountEndsNothing()
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.Counters = new SessionCounters(16, 8, 100, EventsLost: 5, RealTimeBuffersLost: 2);
        setup.Sessions.RefusesCounters = true;
        setup.Clock.Qpc += Hz;
        Assert.Equal(0, setup.Drain().Lost);
        setup.Sessions.RefusesCounters = false;
        setup.Clock.Qpc += Hz;
        Assert.Equal(7, setup.Drain().Lost);
    }

    /// <summary>That losses are not known is told, and once.</summary>
    [Fact]
    public void ARefusedCountIsToldOnce()
    {
        using Setup setup = new(TriggerKind.Dpc);
        Assert.Empty(setup.Trigger.TakeRemarks());
        setup.Sessions.RefusesCounters = true;
        for (int second = 0; second < 3; second++)
        {
            setup.Clock.Qpc += Hz;
            setup.Drain();
        }

        (CaptureNoteLevel level, string text) = Assert.Single(setup.Trigger.TakeRemarks());
        Assert.Equal(CaptureNoteLevel.Warning, level);
        Assert.Equal(
            "what 'Tracer.Trigger' loses is not known as long as Windows does not tell: ControlTrace (query) failed with 5: access denied",
            text);
        setup.Clock.Qpc += Hz;
        setup.Drain();
        Assert.Empty(setup.Trigger.TakeRemarks());
    }

    [Fact]
    public void NoticesThatComeAfterTheCountersAreTheSameLosses()
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.Counters = new SessionCounters(16, 8, 100, EventsLost: 0, RealTimeBuffersLost: 3);
        setup.Clock.Qpc += Hz;
        Assert.Equal(3, setup.Drain().Lost);
        setup.Sessions.FeedLost(3);
        setup.Clock.Qpc += Hz;
        Assert.Equal(0, setup.Drain().Lost);
        setup.Sessions.FeedLost(1);
        setup.Clock.Qpc += Hz;
        Assert.Equal(1, setup.Drain().Lost);
    }

    [Fact]
    public void NoticesOfLossCountWhereTheCountersSayLess()
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.FeedLost(3);
        setup.Clock.Qpc += Hz;
        Assert.Equal(3, setup.Drain().Lost);
    }

    [Fact]
    public void ASessionThatSomebodyStopsIsAFailure()
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.Feed(new InterruptWork(false, 0, 0, 10, 1));
        setup.Sessions.End();
        Sink sink = new();
        EtwException failure = Assert.Throws<EtwException>(() => DrainUntilItThrows(setup.Trigger, sink));
        Assert.Equal(EtwError.InstanceNotFound, failure.Code);
        Assert.Single(sink.Measurements); // What came before is not lost.
    }

    [Fact]
    public void ASessionThatCannotBeReadIsAFailure()
    {
        using Setup setup = new(TriggerKind.Dpc);
        setup.Sessions.End(EtwFailures.Of("OpenTrace", EtwError.AccessDenied));
        Assert.Equal(
            EtwError.AccessDenied, Assert.Throws<EtwException>(() => DrainUntilItThrows(setup.Trigger, new Sink())).Code);
    }

    [Fact]
    public void WithoutItsEventsItDoesNotStart()
    {
        using Setup setup = new([TriggerKind.Dpc], granted: default);
        Assert.Contains("DPC", Assert.Throws<EtwException>(setup.Trigger.Start).Message, StringComparison.Ordinal);
        Assert.True(setup.Sessions.IsStopped);
    }

    [Fact]
    public void DisposingStopsTheSession()
    {
        Setup setup = new(TriggerKind.Dpc);
        setup.Dispose();
        Assert.True(setup.Sessions.IsStopped);
    }

    [Fact]
    public void ARingTakesNothingMoreThanItHolds()
    {
        InterruptWorkRing ring = new(4);
        for (int i = 0; i < 6; i++)
        {
            ring.Put(new InterruptWork(false, i, 0, 0, 0));
        }

        Assert.Equal(2, ring.Lost);
        for (int i = 0; i < 4; i++)
        {
            Assert.True(ring.TryTake(out InterruptWork work));
            Assert.Equal(i, work.Cpu);
        }

        Assert.False(ring.TryTake(out _));
    }

    [Fact]
    public void TwoThreadsSeeTheSameWorkInTheSameOrder()
    {
        const int Count = 300_000;
        InterruptWorkRing ring = new(256);
        Thread putting = new(() =>
        {
            for (long i = 0; i < Count; i++)
            {
                ring.Put(new InterruptWork(false, (int)i, i, i, (ulong)i));
            }
        });
        putting.Start();
        long taken = 0;
        long last = -1;
        while (taken + ring.Lost < Count || putting.IsAlive)
        {
            while (ring.TryTake(out InterruptWork work))
            {
                Assert.True(work.BeginQpc > last);
                Assert.Equal((work.BeginQpc, work.BeginQpc, work.BeginQpc), (work.EndQpc, work.Cpu, (long)work.Routine));
                last = work.BeginQpc;
                taken++;
            }
        }

        while (ring.TryTake(out _))
        {
            taken++;
        }

        Assert.Equal(Count, taken + ring.Lost);
    }

    [Fact]
    public void PuttingAndTakingAllocateNothing()
    {
        InterruptWorkRing ring = new(1024);
        InterruptWork work = new(false, 0, 0, 0, 0);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10_000; i++)
        {
            ring.Put(in work);
            ring.TryTake(out _);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    private static void DrainUntilItThrows(DpcIsrTrigger trigger, Sink sink)
    {
        for (DateTime end = DateTime.UtcNow.AddSeconds(100); DateTime.UtcNow < end; Thread.Sleep(1))
        {
            trigger.Drain(sink);
        }
    }

    /// <summary>A trigger that has been started on sessions of a test.</summary>
    private sealed class Setup : IDisposable
    {
        public Setup(params TriggerKind[] kinds)
            : this(kinds, RecordedEvents.MasksOf(kinds.Select(RecordedEvents.Trigger))) => Trigger.Start();

        public Setup(TriggerKind[] kinds, KernelMasks granted)
        {
            Sessions = new FedSessions(granted);
            Trigger = new DpcIsrTrigger(Sessions, SessionPlans.Trigger(Machine, kinds), Clock, kinds);
        }

        public FedSessions Sessions { get; }

        public ManualClock Clock { get; } = new();

        public DpcIsrTrigger Trigger { get; }

        /// <summary>Waits until the reader has taken what was fed, and drains.</summary>
        public Sink Drain()
        {
            Sessions.WaitUntilRead();
            Sink sink = new();
            Trigger.Drain(sink);
            return sink;
        }

        public void Dispose() => Trigger.Dispose();
    }

    private sealed class ManualClock : ICaptureClock
    {
        public long Qpc { get; set; }

        public long QpcHz => Hz;

        public DateTime UtcNow => DateTime.UnixEpoch;

        public void Wait(TimeSpan time, CancellationToken cancellation) => throw new NotSupportedException();
    }

    private sealed class Sink : ITriggerSink
    {
        public List<TriggerMeasurement> Measurements { get; } = [];

        public long Lost { get; private set; }

        public void OnMeasurement(in TriggerMeasurement measurement) => Measurements.Add(measurement);

        public void OnLost(TriggerKind kind, long count) => Lost += count;
    }

    /// <summary>One session whose events come from the test.</summary>
    private sealed class FedSessions(KernelMasks granted) : ITraceSessions, ITraceSession
    {
        private readonly BlockingCollection<Action<IInterruptWorkSink>> _feed = [];
        private int _pending;

        public SessionPlan? Plan { get; private set; }

        SessionPlan ITraceSession.Plan => Plan!;

        public KernelMasks Granted => granted;

        public IReadOnlyList<StackRequest> GrantedStacks => [];

        public SessionCounters Counters { get; set; }

        public bool IsStopped { get; private set; }

        public uint ProfileInterval { get; set; }

        public void Feed(InterruptWork work) => Add(sink => sink.OnWork(in work));

        public void FeedLost(int count) => Add(sink => sink.OnLost(count));

        public void End(EtwException? failure = null)
        {
            if (failure is not null)
            {
                Add(_ => throw failure);
            }

            _feed.CompleteAdding();
        }

        public void WaitUntilRead() =>
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref _pending) == 0, TimeSpan.FromSeconds(100)), "the reader does not read");

        public ITraceSession Start(SessionPlan plan)
        {
            Plan = plan;
            return this;
        }

        public void ReadEvents(string name, IRealTimeSink sink) => throw new NotSupportedException();

        public void ReadRealTime(string name, IInterruptWorkSink sink)
        {
            Assert.Equal(Plan!.Name, name);
            foreach (Action<IInterruptWorkSink> one in _feed.GetConsumingEnumerable())
            {
                one(sink);
                Interlocked.Decrement(ref _pending);
            }
        }

        public bool RefusesCounters { get; set; }

        public SessionCounters Query() => RefusesCounters ? throw new EtwException("ControlTrace (query)", 5, "access denied") : Counters;

        public void Stop()
        {
            IsStopped = true;
            _feed.CompleteAdding();
        }

        public void Dispose() => Stop();

        public bool Stop(string name) => throw new NotSupportedException();

        public IReadOnlyList<RunningSession> Running() => throw new NotSupportedException();

        public void Snapshot(string path) => throw new NotSupportedException();

        private void Add(Action<IInterruptWorkSink> one)
        {
            Interlocked.Increment(ref _pending);
            _feed.Add(one);
        }
    }
}
