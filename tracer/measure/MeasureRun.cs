using System.Runtime;
using System.Runtime.CompilerServices;
using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure;

/// <summary>
/// Runs a measurement: the process is prepared, the same is done for a moment without being counted, then it is measured while nothing is
/// collected; what was set is restored, and the counter is compared with another clock.
/// </summary>
public static class MeasureRun
{
    /// <summary>So much may be allocated while something is measured, without any being collected.</summary>
    public const long BytesWithoutCollection = 16 << 20;

    private const int CostRounds = 20_000;
    private const int CallsPerRound = 1_000;

    /// <summary>Clocks of a system may differ by this share: they are steered differently.</summary>
    private const double ClockTolerance = 0.001;

    /// <summary>And by this, in nanoseconds: the coarsest of them ticks every 16 ms.</summary>
    private const long ClockGranularity = 50_000_000;

    /// <param name="make">Makes the measurement; called twice where there is a warm-up.</param>
    /// <param name="stop">Ends it early; what was measured until then is told.</param>
    /// <exception cref="MeasureException">A setting was refused that had to be, or a clock jumped, or nothing was measured.</exception>
    public static MeasureReport Run(
        IMeasureMachine machine, MeasureRequest request, Func<IMeasurement> make, CancellationToken stop = default)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(make);
        if (request.Cpu is { } cpu && !machine.Cpus.Contains(cpu))
        {
            throw new MeasureException(
                $"this process may not run on CPU {cpu.ToString(CultureInfo.InvariantCulture)}: choose --cpu among {Listed(machine.Cpus)}");
        }

        IReadOnlyList<SettingState> settings = machine.Prepare(new ProcessWish(
            LockMemory: true, request.TimerMilliseconds, request.StaysAwake));
        try
        {
            Require(settings, request);
            if (request.WarmUp > Duration.Zero)
            {
                // Code is compiled anew, beside what runs, when it has run for a while and then some more.
                for (int half = 0; half < 2; half++)
                {
                    _ = CostOf(machine);
                    var before = new MeasureStage(machine, request, new Duration(request.WarmUp.Nanoseconds / 2), stop);
                    make().Run(before);
                    Require(before.Settings, request);
                }
            }

            return Measure(machine, request, make(), settings, stop);
        }
        finally
        {
            machine.Restore();
        }
    }

    private static MeasureReport Measure(
        IMeasureMachine machine, MeasureRequest request, IMeasurement measurement, IReadOnlyList<SettingState> settings,
        CancellationToken stop)
    {
        (decimal read, decimal record) = CostOf(machine);
        var stage = new MeasureStage(machine, request, request.Duration, stop);
        request.Wakeups?.Clear();
        bool isNoGc = GC.TryStartNoGCRegion(BytesWithoutCollection);
        long begun = machine.Ticks;
        long otherBegun = machine.OtherClock;
        long cpuBegun = machine.CpuTime;
        try
        {
            measurement.Run(stage);
        }
        finally
        {
            if (isNoGc && GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
            {
                GC.EndNoGCRegion();
            }
        }

        long cpu = machine.CpuTime - cpuBegun;
        long elapsed = stage.Time.ToNanoseconds(machine.Ticks - begun);
        long otherElapsed = machine.OtherClock - otherBegun;

        Require(stage.Settings, request);
        RequireSteadyClock(stage, elapsed, otherElapsed);
        var driver = new DriverSeries();
        if (request.Driver is { } beside && measurement is IDriverAided { Interval: var interval } && !stop.IsCancellationRequested)
        {
            driver.Run(beside, new DriverWish(interval, request.Duration, request.Priority, request.Cpu), stop);
        }

        MeasureResult result = driver.AddTo(measurement.ToResult());
        IReadOnlyList<MeasureSetting> others =
            [.. machine.EndPeers(), .. driver.Setting is { } one ? [one] : Array.Empty<MeasureSetting>()];
        Require(others, request);
        machine.Restore();
        return new MeasureReport
        {
            Measurement = measurement.Name,
            Result = result.Sentence,
            Machine = machine.Describe(),
            Parameters = request.Parameters,
            Settings = [.. settings.Concat(stage.Settings).Select(static one => one.ToReport()), .. others],
            Elapsed = new Duration(elapsed),
            WasCutShort = stop.IsCancellationRequested,
            Figures = result.Figures,
            Tables = result.Tables,
            Series = result.Series,
            Cost = new MeasureCost(
                read, record, elapsed <= 0 ? 0 : Math.Round((decimal)cpu / elapsed, 4), stage.AllocatedBytes),
            Notes = request.Wakeups is { Seen: > WakeupLog.Most and var seen }
                ? [.. result.Notes, $"Of {Counted.Of(seen, "wake-up")} the first {WakeupLog.Most} are written as events."]
                : result.Notes,
        };
    }

    private static void Require(IReadOnlyList<SettingState> settings, MeasureRequest request) =>
        Require([.. settings.Select(static one => one.ToReport())], request);

    private static void Require(IReadOnlyList<MeasureSetting> settings, MeasureRequest request)
    {
        if (request.MustHaveSettings && settings.FirstOrDefault(static one => one.Refusal is not null) is { } refused)
        {
            string who = OperatingSystem.IsWindows() ? "an administrator" : "root";
            throw new MeasureException(
                $"the system refused the {refused.Name} '{refused.Wanted}' ({refused.Refusal}): run it as {who}, or without --require");
        }
    }

    private static void RequireSteadyClock(MeasureStage stage, long elapsed, long otherElapsed)
    {
        if (stage.BackwardSteps > 0)
        {
            throw new MeasureException(
                "the counter that measures went backward: bind the measurement to one CPU with --cpu, or choose another clock "
                + "source of the system");
        }

        if (Math.Abs(elapsed - otherElapsed) > ClockGranularity + (ClockTolerance * Math.Abs(otherElapsed)))
        {
            throw new MeasureException(
                $"the counter that measures says {ReadableDuration.Of(new Duration(elapsed))} have passed, another clock of the system "
                + $"{ReadableDuration.Of(new Duration(otherElapsed))}: a clock jumped or the machine slept, measure again");
        }
    }

    /// <summary>The least of some rounds, each of many: what other things do to a round is no cost of ours.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static (decimal Read, decimal Record) CostOf(IMeasureMachine machine)
    {
        var time = new TickTime(machine.TicksPerSecond);
        var scratch = new TimeSeries("", "");
        long read = long.MaxValue;
        long record = long.MaxValue;
        for (int round = 0; round < CostRounds; round += CallsPerRound)
        {
            long begun = machine.Ticks;
            for (int i = 0; i < CallsPerRound; i++)
            {
                _ = machine.Ticks;
            }

            long between = machine.Ticks;
            for (int i = 0; i < CallsPerRound; i++)
            {
                scratch.Record(round, i);
            }

            long ended = machine.Ticks;
            read = Math.Min(read, time.ToNanoseconds(between - begun));
            record = Math.Min(record, time.ToNanoseconds(ended - between));
        }

        // One reading more than there are in the loop ends each stretch.
        decimal readNs = (decimal)read / (CallsPerRound + 1);
        return (Math.Round(readNs, 1), Math.Round(Math.Max(0, record - readNs) / CallsPerRound, 1));
    }

    private static string Listed(IReadOnlyList<int> cpus) =>
        string.Join(", ", cpus.Select(static cpu => cpu.ToString(CultureInfo.InvariantCulture)));
}
