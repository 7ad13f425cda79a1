using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>What our own driver and probe process log, in the trace's clock.</summary>
public class TracerEventsTests
{
    private const long StartFileTime = 134_000_000_000_000_000;
    private const long Hz = 10_000_000;
    private const ulong CycleHz = 3_000_000_000;
    private const byte Cycles = 0;
    private const byte Counter = 1;
    private const byte Timer = 1;
    private const byte Process = 2;

    [Fact]
    public void Wakeups_of_the_cycle_counter_are_converted_between_the_times_that_are_known_in_both_clocks()
    {
        TracerEvents events = Read(log =>
        {
            log.Wakeup(2500, expected: 600_000, isr: 603_000, dpc: 606_000, thread: 609_000);
            log.Wakeup(900, expected: 240_000, isr: 0, dpc: 240_300, thread: 0);
            log.Wakeup(9000, expected: 2_400_000, isr: 0, dpc: 0, thread: 2_400_300);
            log.Sync(1000, clock: 300_000, counter: 1000);
            log.Sync(3000, clock: 900_000, counter: 3000);
            log.Sync(5000, clock: 1_200_000, counter: 5000); // The cycles slowed to half.
            log.Start(10, Timer, Cycles, CycleHz);
        });
        Assert.Equal((0, 0, 1), (events.Bad, events.Dropped, events.Runs));
        Assert.Equal([800L, 2000, 9000], events.Wakeups.Select(one => one.ExpectedTicks));
        MeasuredWakeup middle = events.Wakeups[1];
        Assert.Equal((2010L, 2020L, 2030L, 2030L), (middle.IsrTicks, middle.DpcTicks, middle.ThreadTicks, middle.ServedTicks));
        Assert.Equal(
            (3, (byte)28, Timer, 8u, 0xFFFF_F800_1234_5678, 2500L),
            (middle.Cpu, middle.Priority, middle.Mode, middle.ThreadId, middle.InterruptedIp, middle.LoggedTicks));
        Assert.Equal((null, 801L, null, 801L),
            (events.Wakeups[0].IsrTicks, events.Wakeups[0].DpcTicks, events.Wakeups[0].ThreadTicks, events.Wakeups[0].ServedTicks));
        Assert.Equal(500_000UL, events.ThresholdNanoseconds);
    }

    [Fact]
    public void The_performance_counter_needs_no_conversion_where_the_trace_counts_it()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Process, Counter, Hz);
            log.Wakeup(2500, 2000, 0, 0, 2400, Process);
        });
        Assert.Equal((2000, 2400L), (events.Wakeups[0].ExpectedTicks, events.Wakeups[0].ThreadTicks));
    }

    [Fact]
    public void In_a_trace_of_another_clock_the_time_stamps_of_the_times_count()
    {
        const long Begin = 133_000_000_000_000_000; // A FILETIME, as such stamps are.
        TracerEvents events = Read(
            log =>
            {
                log.Start(Begin + 10, Process, Counter, Hz);
                log.Sync(Begin + 1000, 500_000, 500_000);
                log.Sync(Begin + 2000, 501_000, 501_000);
                log.Wakeup(Begin + 1600, 500_500, 0, 0, 500_600, Process);
            },
            TraceClockKind.SystemTime);
        Assert.Equal((Begin + 1500, Begin + 1600), (events.Wakeups[0].ExpectedTicks, events.Wakeups[0].ThreadTicks));
    }

    [Fact]
    public void A_driver_and_a_probe_process_that_run_at_once_have_their_own_clocks()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Timer, Cycles, CycleHz);
            log.Start(20, Process, Counter, Hz);
            log.Sync(1000, 300_000, 1000);
            log.Sync(1001, 1001, 1001);
            log.Wakeup(2500, 2000, 0, 0, 2400, Process);
            log.Wakeup(2500, 600_000, 0, 600_300, 0, Timer);
        });
        Assert.Equal(0, events.Bad);
        Assert.Equal([(2000L, Timer), (2000L, Process)], events.Wakeups.Select(one => (one.ExpectedTicks, one.Mode)).Order());
    }

    [Theory]
    [InlineData("no start")]
    [InlineData("no moment")]
    [InlineData("no rate")]
    [InlineData("thread before expected")]
    [InlineData("thread before DPC")]
    [InlineData("nothing measured")]
    [InlineData("a minute late")]
    [InlineData("no such mode")]
    [InlineData("no such processor")]
    [InlineData("cut")]
    [InlineData("cut behind the first version")]
    [InlineData("other fields")]
    public void What_makes_no_sense_is_left_out_and_counted(string what)
    {
        TracerEvents events = Read(log =>
        {
            if (what != "no start")
            {
                log.Start(10, Timer, Cycles, what == "no rate" ? 0 : CycleHz);
            }

            if (what != "no moment")
            {
                log.Sync(1000, 300_000, 1000);
            }

            switch (what)
            {
                case "thread before expected":
                    log.Wakeup(2500, 600_000, 0, 0, 599_000);
                    break;
                case "thread before DPC":
                    log.Wakeup(2500, 600_000, 0, 609_000, 606_000);
                    break;
                case "nothing measured":
                    log.Wakeup(2500, 600_000, 0, 0, 0);
                    break;
                case "a minute late":
                    log.Wakeup(2500, 600_000, 0, 0, 600_000 + (61 * CycleHz));
                    break;
                case "no such mode":
                    log.Wakeup(2500, 600_000, 0, 0, 609_000, mode: 7);
                    break;
                case "no such processor":
                    log.Wakeup(2500, 600_000, 0, 0, 609_000, cpu: EtlBufferHeader.MaximumProcessors);
                    break;
                case "cut":
                    log.Write(TracerProvider.WakeupVersion1, 2500, new byte[53]);
                    break;
                case "cut behind the first version":
                    log.Write(TracerProvider.Wakeup, 2500, new byte[79]);
                    break;
                case "other fields":
                    log.Write(TracerProvider.Wakeup with { Fields = [.. TracerProvider.Wakeup.Fields.Skip(1)] }, 2500, new byte[54]);
                    break;
                default:
                    log.Wakeup(2500, 600_000, 0, 0, 609_000);
                    break;
            }
        });
        Assert.Equal((1, 0), (events.Bad, events.Wakeups.Count));
    }

    [Fact]
    public void A_time_at_which_the_clock_went_back_is_left_out()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Timer, Cycles, CycleHz);
            log.Sync(1000, 300_000, 1000);
            log.Sync(2000, 200_000, 2000);
            log.Sync(3000, 900_000, 3000);
            log.Wakeup(2500, 600_000, 0, 0, 603_000);
        });
        Assert.Equal((1, 2000), (events.Bad, events.Wakeups[0].ExpectedTicks));
    }

    [Fact]
    public void A_schema_that_appends_a_field_is_known()
    {
        ProviderField more = new("more", TraceLoggingInType.UInt8, TraceLoggingOutType.Default, IsArray: false, "later");
        TracerEvents events = Read(log =>
        {
            log.Start(10, Timer, Counter, Hz);
            log.Start(11, Process, Counter, Hz);
            ProviderEvent first = TracerProvider.WakeupVersion1;
            log.Wakeup(2500, 2000, 0, 0, 2400, Timer, first with { Fields = [.. first.Fields, more] });
            log.Tick(2600, 2000, tick: 2100, thread: 2500);
        });
        Assert.Equal((0, 2), (events.Bad, events.Wakeups.Count));
    }

    /// <summary>
    /// Version 2: latency counts from the clock tick that should have served the timer. That may lie before the due time that the process
    /// knows, because the kernel's own is a little earlier; then the thread may even have run before that due time.
    /// </summary>
    [Fact]
    public void Latency_counts_from_the_tick_that_the_probe_names()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Process, Counter, Hz);
            log.Tick(2500, 2000, tick: 2100, thread: 2400);
            log.Tick(2600, 2500, tick: 2480, thread: 2490);
            log.Tick(3600, 3000, tick: 0, thread: 3500);
        });
        Assert.Equal(0, events.Bad);
        Assert.Equal(
            [(2100L, 2100L, 2400L), (2480, 2480, 2490), (null, 3000, 3500)],
            events.Wakeups.Select(one => (one.TickTicks, one.FromTicks, one.ServedTicks)));
    }

    /// <summary>
    /// Of our driver: one timer serves all CPUs, and latency counts from when the callback queued the CPU's own DPC. A tick behind the
    /// callback is the driver's error, and the timer was in time.
    /// </summary>
    [Fact]
    public void Latency_counts_from_when_the_timer_of_all_CPUs_queued_the_DPC()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Timer, Cycles, CycleHz);
            log.Sync(1000, 300_000, 1000);
            log.Sync(3000, 900_000, 3000);
            log.Timed(2500, expected: 600_000, tick: 603_000, callback: 606_000, queued: 609_000, dpc: 612_000, thread: 615_000);
            log.Timed(2600, expected: 630_000, tick: 639_000, callback: 636_000, queued: 639_000, dpc: 642_000, thread: 645_000);
            log.Timed(2700, expected: 660_000, tick: 0, callback: 663_000, queued: 664_500, dpc: 666_000, thread: 669_000);
        });
        Assert.Equal(0, events.Bad);
        Assert.Equal(
            [(2010L, 2020L, 2030L, 10L, 2050L), (2130, 2120, 2130, 0, 2150), (null, 2210, 2215, 0, 2230)],
            events.Wakeups.Select(one => (one.TickTicks, one.CallbackTicks!.Value, one.FromTicks, one.TimerLateTicks, one.ServedTicks)));
        Assert.Equal([5, 5, 5], events.Wakeups.Select(one => one.TimerCpu));
    }

    [Theory]
    [InlineData("queued without a callback")]
    [InlineData("a callback that queued nothing")]
    [InlineData("queued before the callback")]
    [InlineData("DPC before it was queued")]
    [InlineData("a callback on no processor")]
    [InlineData("a callback in no clock")]
    [InlineData("a callback more than a minute behind its tick")]
    public void A_timer_of_all_CPUs_that_makes_no_sense_is_left_out_and_counted(string what)
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Timer, Counter, Hz);
            switch (what)
            {
                case "queued without a callback":
                    log.Timed(2500, 2000, tick: 2000, callback: 0, queued: 2100, dpc: 2200, thread: 2300);
                    break;
                case "a callback that queued nothing":
                    log.Timed(2500, 2000, tick: 2000, callback: 2100, queued: 0, dpc: 2200, thread: 2300);
                    break;
                case "queued before the callback":
                    log.Timed(2500, 2000, tick: 2000, callback: 2100, queued: 2099, dpc: 2200, thread: 2300);
                    break;
                case "DPC before it was queued":
                    log.Timed(2500, 2000, tick: 2000, callback: 2100, queued: 2150, dpc: 2149, thread: 2300);
                    break;
                case "a callback on no processor":
                    log.Timed(2500, 2000, 2000, 2100, 2150, 2200, 2300, timerCpu: EtlBufferHeader.MaximumProcessors);
                    break;
                case "a callback more than a minute behind its tick":
                    const ulong Late = (60 * (ulong)Hz) + 1;
                    log.Timed(2500 + (long)Late, 2000 + Late, 2000, 2000 + Late, 2100 + Late, 2200 + Late, 2300 + Late);
                    break;
                default:
                    log.Timed(2500, 2000, tick: 2000, callback: ulong.MaxValue, queued: 2150, dpc: 2200, thread: 2300);
                    break;
            }
        });
        Assert.Equal((1, 0), (events.Bad, events.Wakeups.Count));
    }

    /// <summary>Each run tells its state several times; the last of each counts, in whatever order they stand in the file.</summary>
    [Fact]
    public void The_last_state_of_the_timer_of_each_run_counts()
    {
        TracerEvents events = Read(log =>
        {
            log.State(9_000, own: 5, run: 400, floor: 70, late: 2, unmeasured: 3);
            log.State(1_000, own: 0, run: 0, floor: 40, late: 0);
            log.State(5_000, own: 30, run: 1_000, floor: 60, late: 9);
            log.State(7_000, own: 0, run: 10, floor: 70, late: 0);
            log.Write(TracerProvider.TimerState, 9_500, new byte[59]);
        });
        Assert.Equal(1, events.Bad);
        Assert.Equal([(60UL, 9UL), (70UL, 2UL)], events.Timers.OfRuns.Select(state => (state.FloorNs, state.LateTimers)));
        Assert.Equal((35.0, 1_400.0), (events.Timers.OwnNanoseconds, events.Timers.RunNanoseconds));
        Assert.Equal([(0UL, 17UL, (ushort)0), (0, 17, 3)],
            events.Timers.OfRuns.Select(state => (state.TickNs, state.Discarded, state.UnmeasuredCpus)));
    }

    [Fact]
    public void A_tick_behind_the_time_that_it_served_is_none()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Process, Counter, Hz);
            log.Tick(2500, 2000, tick: 2401, thread: 2400);
        });
        Assert.Equal((1, 0), (events.Bad, events.Wakeups.Count));
    }

    [Fact]
    public void Dumped_samples_belong_to_the_episode_of_their_run()
    {
        TracerEvents events = Read(log =>
        {
            log.Start(10, Timer, Counter, Hz);
            log.Episode(100, number: 1, latency: 7_000_000);
            log.Sample(110, episode: 1, index: 1, clock: 95, callers: [5, 6]);
            log.Sample(111, episode: 1, index: 0, clock: 90, callers: []);
            log.EpisodeEnd(112, number: 1, smis: DriverAbi.SmiNotRead);
            log.Start(500, Timer, Counter, Hz);
            log.Episode(600, number: 1, latency: 8_000_000);
            log.Sample(610, episode: 1, index: 0, clock: 590, callers: [7]);
            log.EpisodeEnd(612, number: 1, smis: 3);
            log.Write(TracerProvider.Stop, 700, [.. BitConverter.GetBytes(9L), .. BitConverter.GetBytes(4L)]);
        });
        Assert.Equal(0, events.Bad);
        Assert.Equal([(7_000_000UL, null), (8_000_000UL, 3u)], events.Episodes.Select(one => (one.LatencyNanoseconds, one.SmiCount)));
        Assert.Equal([(0, 0u, 90L), (0, 1u, 95L), (1, 0u, 590L)], events.PitSamples.Select(one => (one.Episode, one.Index, one.Ticks)));
        Assert.Equal([5UL, 6UL], events.PitSamples[1].Callers);
        Assert.Equal((0xFFFF_F800_1234_5678, 1, 2), (events.PitSamples[0].Ip, events.PitSamples[0].Source, events.PitSamples[0].Cpu));
        Assert.Equal((4UL, 2), (events.LostByDriver, events.Runs));
    }

    private static TracerEvents Read(Action<Log> write, TraceClockKind kind = TraceClockKind.Qpc)
    {
        using var file = new MemoryStream();
        var header = new EtlFileHeader { Clock = new TraceClock(kind, Hz, 0, StartFileTime), ProcessorCount = 1 };
        using (EtlWriter writer = EtlWriter.Create(file, header, leaveOpen: true))
        {
            write(new Log(writer));
            writer.Complete(StartFileTime);
        }

        using EtlReader reader = EtlReader.Open(new MemoryStream(file.ToArray()));
        return TraceFacts.Read(reader).Tracer;
    }

    /// <summary>Logs as the driver does.</summary>
    private sealed class Log(EtlWriter writer)
    {
        private static readonly TraceLoggingProvider Provider = new(TracerProvider.Name, TracerProvider.Id);

        public void Start(long ticks, byte mode, byte clock, ulong clockHz) => Write(
            TracerProvider.Start,
            ticks,
            [mode, clock, .. Bytes(clockHz, 500_000, 1_000_000, 0), 1, 0, 28, .. BitConverter.GetBytes(0u)]);

        public void Sync(long ticks, ulong clock, ulong counter) => Write(TracerProvider.ClockSync, ticks, Bytes(clock, counter));

        public void Wakeup(
            long ticks,
            ulong expected,
            ulong isr,
            ulong dpc,
            ulong thread,
            byte mode = Timer,
            ProviderEvent? shape = null,
            ushort cpu = 3) => Write(
            shape ?? TracerProvider.WakeupVersion1,
            ticks,
            [
                .. Bytes(1), .. BitConverter.GetBytes(cpu), mode, .. Bytes(expected, isr, dpc, thread), 28,
                .. Bytes(0xFFFF_F800_1234_5678), 0x10, 0,
            ]);

        public void Tick(long ticks, ulong expected, ulong tick, ulong thread) => Write(
            TracerProvider.Wakeup,
            ticks,
            [
                .. Bytes(1), 3, 0, Process, .. Bytes(expected, 0, 0, thread), 28, .. Bytes(0), 0, 0,
                .. Bytes(tick), 0, 0, .. Bytes(0, 0),
            ]);

        public void Timed(
            long ticks, ulong expected, ulong tick, ulong callback, ulong queued, ulong dpc, ulong thread, ushort timerCpu = 5) => Write(
            TracerProvider.Wakeup,
            ticks,
            [
                .. Bytes(1), 3, 0, Timer, .. Bytes(expected, 0, dpc, thread), 28, .. Bytes(0), 0, 0,
                .. Bytes(tick), .. BitConverter.GetBytes(timerCpu), .. Bytes(callback, queued),
            ]);

        public void State(long ticks, ulong own, ulong run, ulong floor, ulong late, ushort unmeasured = 0) => Write(
            TracerProvider.TimerState,
            ticks,
            [2, 0, .. Bytes((ulong)ticks, floor, 0, own, run, late, 17), .. BitConverter.GetBytes(unmeasured)]);

        public void Episode(long ticks, uint number, ulong latency) => Write(
            TracerProvider.EpisodeBegin, ticks, [.. BitConverter.GetBytes(number), .. Bytes(latency), 2, 0]);

        public void Sample(long ticks, uint episode, uint index, ulong clock, ulong[] callers) => Write(
            TracerProvider.PitSample,
            ticks,
            [
                .. BitConverter.GetBytes(episode), .. BitConverter.GetBytes(index), 2, 0, .. Bytes(0xFFFF_F800_1234_5678), 0x10, 0,
                .. Bytes(clock, 0x246), 1, (byte)callers.Length, 0, .. Bytes(callers),
            ]);

        public void EpisodeEnd(long ticks, uint number, uint smis) => Write(
            TracerProvider.EpisodeEnd,
            ticks,
            [.. BitConverter.GetBytes(number), .. BitConverter.GetBytes(2u), .. Bytes(0), .. BitConverter.GetBytes(smis)]);

        public void Write(ProviderEvent shape, long ticks, byte[] payload)
        {
            var schema = new TraceLoggingEventSchema(Provider, shape.Name, shape.Fields.Select(Field));
            writer.Write(0, schema.Header(ticks, 4, 8), payload, schema.Items);
        }

        private static TraceLoggingField Field(ProviderField field)
        {
            var made = new TraceLoggingField(field.Name, field.InType, field.OutType);
            return field.IsArray ? made.AsArray() : made;
        }

        private static byte[] Bytes(params ulong[] numbers) => [.. numbers.SelectMany(BitConverter.GetBytes)];
    }
}
