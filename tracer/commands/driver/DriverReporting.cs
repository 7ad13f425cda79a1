using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Commands.Driver;

/// <summary>Asks the service manager and the driver how they are, for <c>tracer driver status</c>.</summary>
public static class DriverReporting
{
    private const int HighestPriority = 31;

    /// <summary>Asks the service manager and, where the driver is loaded, the driver.</summary>
    /// <param name="open">Opens the driver's device; called only where the driver is loaded.</param>
    /// <exception cref="DriverException">Windows or the driver refused.</exception>
    public static DriverReport Of(RegisteredService? service, Func<DriverClient> open)
    {
        ArgumentNullException.ThrowIfNull(open);
        DriverServiceState state = service?.State switch
        {
            null => DriverServiceState.NotInstalled,
            ServiceState.Stopped => DriverServiceState.Stopped,
            ServiceState.Running => DriverServiceState.Loaded,
            _ => DriverServiceState.Changing,
        };
        DriverRunReport? driver = null;
        IReadOnlyList<PhaseLatencies> latencies = [];
        if (state == DriverServiceState.Loaded)
        {
            using DriverClient client = open();
            DriverStatus status = client.Status();
            driver = Of(in status);
            latencies = [.. LatenciesOf(client)];
        }

        return new DriverReport { Service = state, Path = service?.Path, Driver = driver, Latencies = latencies };
    }

    public static DriverRunReport Of(in DriverStatus status)
    {
        Duration floor = DriverClient.FloorOf(in status);
        return new()
        {
            IsRunning = status.State == DriverState.Running,
            Mode = status.Mode switch
            {
                ProbeMode.Apic => "apic",
                ProbeMode.Timer => "timer",
                _ => null,
            },
            Clock = status.Clock switch
            {
                ProbeClock.Tsc => "tsc",
                ProbeClock.Qpc => "qpc",
                _ => null,
            },
            ClockHz = status.ClockHz,
            Cpus = status.Cpus,
            Capabilities = [.. CapabilitiesOf(status.Capabilities)],
            Refusal = status.Refusal == DriverRefusal.None ? null : DriverRefusalWords.Of(status.Refusal, floor),
            Threshold = DurationOf(status.ThresholdNs),
            Period = DurationOf(status.PeriodNs),
            Floor = floor == Duration.Zero ? null : floor,
            Tick = OrNull(status.TickNs),
            Own = OrNull(status.OwnNs),
            Run = OrNull(status.RunNs),
            OwnShare = status is { OwnNs: > 0, RunNs: > 0, Cpus: > 0 } ? status.OwnNs / ((double)status.RunNs * status.Cpus) : null,
            TimerCpu = status is { Mode: ProbeMode.Timer, Probes: > 0 } ? status.TimerCpu : null,
            LateTimers = status.LateTimers,
            Discarded = status.Discarded,
            UnmeasuredCpus = status.UnmeasuredCpus,
            LongestLock = OrNull(status.LongestLockNs),
            Probes = status.Probes,
            OverThreshold = status.OverThreshold,
            Worst = status.Probes == 0 ? null : DurationOf(status.WorstNs),
            Dropped = status.Dropped,
            EventsLogged = status.EventsLogged,
        };
    }

    private static IEnumerable<string> CapabilitiesOf(DriverCapabilities capabilities) =>
        from capability in Enum.GetValues<DriverCapabilities>()
        where capability != DriverCapabilities.None && capabilities.HasFlag(capability)
        select KebabCase.Of(capability);

    /// <summary>Each phase with counts; the phases that end in a thread also by priority, where there is more than one.</summary>
    private static IEnumerable<PhaseLatencies> LatenciesOf(DriverClient client)
    {
        foreach (LatencyPhase phase in Enum.GetValues<LatencyPhase>())
        {
            if (client.Histogram(phase) is not { Total: > 0 } histogram)
            {
                continue;
            }

            yield return Of(phase, null, histogram);
            if (phase is LatencyPhase.Thread or LatencyPhase.Total)
            {
                foreach (PhaseLatencies ofPriority in ByPriority(client, phase, histogram.Total))
                {
                    yield return ofPriority;
                }
            }
        }
    }

    private static IEnumerable<PhaseLatencies> ByPriority(DriverClient client, LatencyPhase phase, ulong total)
    {
        for (byte priority = HighestPriority; priority > 0; priority--)
        {
            if (client.Histogram(phase, priority: priority) is { Total: > 0 } histogram && histogram.Total < total)
            {
                yield return Of(phase, priority, histogram);
            }
        }
    }

    private static PhaseLatencies Of(LatencyPhase phase, int? priority, LatencyHistogram histogram) => new()
    {
        Phase = KebabCase.Of(phase),
        Priority = priority,
        Count = histogram.Total,
        P50 = histogram.Percentile(0.5) ?? Duration.Zero,
        P99 = histogram.Percentile(0.99) ?? Duration.Zero,
        P999 = histogram.Percentile(0.999) ?? Duration.Zero,
        Max = histogram.Max,
    };

    private static Duration? OrNull(ulong nanoseconds) => nanoseconds == 0 ? null : DurationOf(nanoseconds);

    private static Duration DurationOf(ulong nanoseconds) => new((long)Math.Min(nanoseconds, long.MaxValue));
}
