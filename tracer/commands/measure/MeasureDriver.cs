using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Measure.Ground;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>
/// The kernel driver beside a measurement: loaded where it is not, a run of its own that hands over every wake-up, and unloaded again. A
/// run that somebody else has on stays as it is.
/// </summary>
internal sealed class MeasureDriver(DriverMachine machine) : IMeasureDriver
{
    public DriverMeasured Run(DriverWish wish, Action<DriverWakeup> take, CancellationToken stop)
    {
        bool isLaboratory = false;
        string before = "unknown";
        string? got = null;
        string? refusal = null;
        var records = new Records(wish.Cpu, take);
        try
        {
            RegisteredService? service = machine.Driver().Find();
            before = StateOf(service);
            isLaboratory = string.Equals(
                NameOf(service?.Path), DriverService.LaboratoryFileName, StringComparison.OrdinalIgnoreCase);
            (got, refusal) = Loaded(wish, isLaboratory, records, stop);
        }
        catch (DriverException failure)
        {
            refusal = failure.Message;
        }

        string after = State();
        return new DriverMeasured(
            new MeasureSetting
            {
                Name = "driver",
                Before = before,
                Wanted = Words(isLaboratory ? ProbeMode.Apic : ProbeMode.Timer),
                Got = got ?? after,
                Refusal = refusal,
                IsRestored = after == before,
            },
            records.Lost,
            records.Floor);
    }

    private static string NameOf(string? path) => path is null ? "" : path[(path.LastIndexOfAny(['\\', '/']) + 1)..];

    private static string Words(ProbeMode mode) => $"a run in {KebabCase.Of(mode)} mode";

    private static string StateOf(RegisteredService? service) => service?.State switch
    {
        null => "not installed",
        ServiceState.Stopped => "not loaded",
        ServiceState.Running => "loaded",
        _ => "changing",
    };

    private string State()
    {
        try
        {
            return StateOf(machine.Driver().Find());
        }
        catch (DriverException)
        {
            return "unknown";
        }
    }

    private (string Got, string? Refusal) Loaded(DriverWish wish, bool isLaboratory, Records records, CancellationToken stop)
    {
        bool wasLoadedHere = machine.Driver().Load();
        try
        {
            using DriverClient client = machine.OpenClient();
            if (!isLaboratory)
            {
                Measure(client, wish, ProbeMode.Timer, records, stop);
                return (Words(ProbeMode.Timer), null);
            }

            try
            {
                Measure(client, wish, ProbeMode.Apic, records, stop);
                return (Words(ProbeMode.Apic), null);
            }
            catch (DriverException refused) when (refused.Refusal is not (DriverRefusal.None or DriverRefusal.Running))
            {
                Measure(client, wish, ProbeMode.Timer, records, stop);
                return (Words(ProbeMode.Timer), refused.Message);
            }
        }
        finally
        {
            if (wasLoadedHere)
            {
                machine.Driver().Unload();
            }
        }
    }

    private static void Measure(DriverClient client, DriverWish wish, ProbeMode mode, Records records, CancellationToken stop)
    {
        var plan = new DriverRunPlan
        {
            Period = wish.Interval,
            Priorities = [MeasuredTrace.OnWindows(wish.Priority)],
            Mode = mode,
            AllWakeups = true,
        };
        try
        {
            Read(plan);
        }
        catch (DriverException refused) when (refused.Refusal == DriverRefusal.Threshold && refused.Floor > Duration.Zero)
        {
            // Every wake-up is wanted, so the threshold may be whatever the driver takes.
            Read(plan with { Threshold = refused.Floor + refused.Floor });
        }

        void Read(DriverRunPlan wanted)
        {
            using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
            records.OnBegin = () => end.CancelAfter(TimeSpan.FromTicks(Math.Max(1, wish.Duration.Nanoseconds / 100)));
            DriverRun.Read(client, wanted, records, end.Token);
        }
    }

    /// <summary>Takes the records of a run apart.</summary>
    private sealed class Records(int? cpu, Action<DriverWakeup> take) : IDriverRecordSink
    {
        private const ulong LongestNanoseconds = 60_000_000_000;

        private ulong _hz;
        private ulong _first;
        private ulong _dropped;
        private long _bad;

        /// <summary>Called when the driver measures: a start takes it a second.</summary>
        public Action OnBegin { get; set; } = static () => { };

        public Duration? Floor { get; private set; }

        public long Lost => (long)Math.Min(_dropped, long.MaxValue / 2) + _bad;

        public void Begin(in DriverStatus status)
        {
            _hz = status.ClockHz;
            Floor = DriverClient.FloorOf(in status) is { Nanoseconds: > 0 } floor ? floor : null;
            OnBegin();
        }

        public void Take(scoped in DriverBatch batch)
        {
            _dropped = batch.Dropped;
            foreach (ReadOnlySpan<byte> record in batch)
            {
                if (DriverBatch.TypeOf(record) == DriverRecordType.Wakeup)
                {
                    WakeupRecord wakeup = DriverRecordShape.WakeupOf(record);
                    if (cpu is null || wakeup.Header.Cpu == cpu)
                    {
                        Take(in wakeup);
                    }
                }
            }
        }

        private void Take(in WakeupRecord wakeup)
        {
            bool isQueued = wakeup.Callback > 0;
            ulong begin = isQueued ? wakeup.Queued : wakeup.Expected;
            _first = _first == 0 ? begin : _first;
            if (Between(wakeup.Dpc, wakeup.Thread) is { } thread && Between(begin, wakeup.Thread) is { } total)
            {
                take(new DriverWakeup(
                    Between(_first, begin, most: ulong.MaxValue) ?? 0,
                    isQueued ? Between(wakeup.Tick, wakeup.Callback) : null,
                    isQueued ? null : Between(wakeup.Expected, wakeup.Isr),
                    Between(isQueued ? wakeup.Queued : wakeup.Isr, wakeup.Dpc),
                    thread,
                    total));
            }
            else
            {
                _bad++;
            }
        }

        /// <summary>Nanoseconds between two moments; null where one of them is not known, or that can't be.</summary>
        private long? Between(ulong from, ulong to, ulong most = LongestNanoseconds)
        {
            if (_hz == 0 || from == 0 || to < from)
            {
                return null;
            }

            UInt128 length = (UInt128)(to - from) * 1_000_000_000 / _hz;
            return length > most || length > long.MaxValue ? null : (long)length;
        }
    }
}
