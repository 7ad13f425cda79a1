using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Our kernel driver in its timer mode: one timer for the machine, which sets itself again from its callback. The callback queues a DPC to
/// each CPU whose probe has run its course, that DPC wakes a thread of high priority, and the thread tells when each of them came. A probe
/// that is still on its way is left out, and joins at a later expiry.
/// </summary>
internal sealed class MeasuringDriver
{
    private const int Priority = 28;
    private const long PeriodNs = 1_000_000;
    private const long SyncNs = 1_000_000_000;
    private const long FloorNs = 30_000;
    private const long CallbackNs = 400;
    private const long QueueNs = 250;
    private const long DpcNs = 700;
    private const long ThreadNs = 1_600;

    /// <summary>The driver finds the clock's ticks from its own callbacks, and is wrong by up to this.</summary>
    private const long TickErrorNs = 3_000;

    private const string FileName = "TracerLatency.sys";

    private readonly SimulatedMachine _machine;
    private readonly long _phaseNs;
    private readonly bool _tellsAll;
    private readonly CodeOwner _owner;
    private readonly CodeStretch _callback;
    private readonly CodeStretch _deferred;
    private readonly CodeStretch _measure;
    private readonly CodeStretch _wait;
    private readonly RandomSequence _errors;
    private readonly List<Probe> _probes = [];
    private readonly SimulatedImage _image;
    private KernelTimer? _timer;
    private ulong _sequence;
    private long _ownNs;
    private long _lateTimers;

    private MeasuringDriver(SimulatedMachine machine, int timerCpu)
    {
        _machine = machine;
        _phaseNs = machine.Engine.ClockPhaseNs(timerCpu);
        _errors = machine.Engine.Random("ticks as the driver finds them");
        _tellsAll = new RandomSequence(machine.Inventory.Seed, "all wake-ups").Happens(0.3);
        _image = machine.Inventory.AddDriver(FileName);
        machine.Inventory.Load(_image);
        _owner = new CodeOwner(CulpritKind.Driver, FileName);
        StackBuilder stacks = machine.Stacks;
        _wait = SimulatedMachine.Stretch(null, [stacks.Waiting(machine.Inventory.SystemProcess)]);
        _measure = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => stacks.KernelThread(new CodeFrame(_image, "MeasuringThread"))));
        _callback = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => stacks.Dpc(new CodeFrame(_image, "TimerCallback"))));
        _deferred = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => stacks.Dpc(new CodeFrame(_image, "MeasuredDpc"))));
    }

    private long Now => _machine.Engine.NowNs;

    private IKernelLog Log => _machine.Engine.Log;

    public static void Add(SimulatedMachine machine, int timerCpu)
    {
        var driver = new MeasuringDriver(machine, timerCpu);
        for (int cpu = 0; cpu < machine.Inventory.CpuCount; cpu++)
        {
            driver.AddProbe(cpu);
        }

        driver._timer = machine.Engine.AddTimer(
            "the driver's timer",
            timerCpu,
            Arrivals.Random(Spread.Uniform(PeriodNs * 3 / 4, PeriodNs * 5 / 4)),
            driver.DpcOf("TimerCallback", driver.Callback));
    }

    private void AddProbe(int cpu)
    {
        var probe = new Probe { Cpu = cpu };
        probe.Measured = DpcOf("MeasuredDpc", () => Measured(probe), DpcImportance.MediumHigh, cpu);
        probe.Reference = DpcOf("ReferenceDpc", Reference, DpcImportance.High, cpu);
        probe.Thread = _machine.AddThread(
            _machine.Inventory.SystemProcess, Priority, () => Program(probe), _wait, SimulatedMachine.Only(cpu), _owner);
        _probes.Add(probe);
    }

    private Dpc DpcOf(string name, Func<IEnumerable<Step>> body, DpcImportance importance = DpcImportance.Medium, int? cpu = null)
    {
        ulong routine = _image.Routine(name);
        return new Dpc(_owner, routine, body)
        {
            RoutineName = _image.Describe(routine),
            Importance = importance,
            TargetCpu = cpu,
            Key = cpu is not { } of ? 0
                : (routine & ~0xFFFUL) + (ulong)(0x100 * (of + 1)) + (importance == DpcImportance.High ? 0x40UL : 0),
        };
    }

    private IEnumerable<Step> Callback()
    {
        long callbackNs = Now;
        long dueNs = _timer!.DueNs;
        long interval = _machine.Engine.Options.ClockIntervalNs;
        long tickNs = dueNs + ((interval - ((dueNs - _phaseNs) % interval)) % interval);
        _machine.Engine.MeasureTimer(tickNs);
        long foundNs = Math.Max(dueNs, tickNs + _errors.Between(-(int)TickErrorNs, (int)TickErrorNs));
        bool isLate = callbackNs - foundNs >= _machine.Engine.Options.ThresholdNs;
        _lateTimers += isLate ? 1 : 0;
        yield return Run(_callback, CallbackNs);
        foreach (Probe probe in _probes)
        {
            if (!probe.IsArmed)
            {
                continue;
            }

            probe.IsArmed = false;
            probe.DueNs = dueNs;
            probe.TickNs = foundNs;
            probe.CallbackNs = callbackNs;
            probe.TimerCpu = _machine.Engine.CurrentCpu;
            probe.IsTimerLate = isLate;
            probe.QueuedNs = Now;
            yield return Step.Queue(probe.Reference!);
            yield return Step.Queue(probe.Measured!);
            yield return Run(_callback, QueueNs);
        }
    }

    private IEnumerable<Step> Reference()
    {
        yield return Run(_deferred, DpcNs / 2);
    }

    private IEnumerable<Step> Measured(Probe probe)
    {
        probe.DpcNs = Now;
        yield return Run(_deferred, DpcNs);
        yield return Step.Signal(probe.Signalled);
    }

    private IEnumerable<Step> Program(Probe probe)
    {
        SimulatedThread self = probe.Thread!;
        bool isFirst = probe == _probes[0];
        long nextSync = SyncNs;
        if (isFirst)
        {
            Log.MeasuringStarted(Now, probe.Cpu, self.Id, Priority, PeriodNs, _machine.Engine.Options.ThresholdNs);
            Log.ClocksRelated(Now, probe.Cpu, self.Id);
            Log.TimerTold(Now, probe.Cpu, self.Id, State());
        }

        probe.IsArmed = true;
        while (_machine.DurationNs == 0 || Now < _machine.DurationNs - (20 * PeriodNs))
        {
            yield return Step.Wait(probe.Signalled, _wait);
            _machine.Engine.MeasureFromQueue(self, probe.QueuedNs);
            var wakeup = new SimulatedWakeup
            {
                Sequence = ++_sequence,
                DueNs = probe.DueNs,
                TickNs = probe.TickNs,
                CallbackNs = probe.CallbackNs,
                QueuedNs = probe.QueuedNs,
                TimerCpu = probe.TimerCpu,
                IsrNs = null,
                DpcNs = probe.DpcNs,
                ThreadNs = Now,
                Priority = Priority,
            };
            bool isTold = _tellsAll || probe.IsTimerLate || Now - probe.QueuedNs >= _machine.Engine.Options.ThresholdNs;
            yield return Run(_measure, ThreadNs);
            if (isTold)
            {
                Log.WakeupMeasured(Now, probe.Cpu, self.Id, wakeup);
            }

            probe.IsArmed = true;
            if (isFirst && Now >= nextSync)
            {
                Log.ClocksRelated(Now, probe.Cpu, self.Id);
                nextSync += SyncNs;
            }
        }

        probe.IsArmed = false;
        if (isFirst)
        {
            Log.ClocksRelated(Now, probe.Cpu, self.Id);
            Log.TimerTold(Now, probe.Cpu, self.Id, State());
            Log.MeasuringStopped(Now, probe.Cpu, self.Id, _sequence);
        }
    }

    private SimulatedTimerState State() => new(FloorNs, _machine.Engine.Options.ClockIntervalNs, _ownNs, Now, _lateTimers);

    private Step Run(CodeStretch code, long ns)
    {
        _ownNs += ns;
        return Step.Run(code, ns);
    }

    /// <summary>What the driver keeps of one CPU.</summary>
    private sealed class Probe
    {
        public required int Cpu { get; init; }

        public KernelEvent Signalled { get; } = new();

        public Dpc? Measured { get; set; }

        public Dpc? Reference { get; set; }

        public SimulatedThread? Thread { get; set; }

        public bool IsArmed { get; set; }

        public bool IsTimerLate { get; set; }

        public int TimerCpu { get; set; }

        public long DueNs { get; set; }

        public long TickNs { get; set; }

        public long CallbackNs { get; set; }

        public long QueuedNs { get; set; }

        public long DpcNs { get; set; }
    }
}
