using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A victim that works: a program's audio callback, which fills a buffer of 10 ms or 2.67 ms (128 samples at 48 kHz) in 5 to 40 % of that
/// time, in a thread of priority 22 to 26. The next beat is its deadline. A timer wakes it for buffers of 10 ms, an audio device for those
/// of 2.67 ms, or whoever the scenario says.
/// </summary>
internal sealed class AudioCallback
{
    public const long LongPeriodNs = 10_000_000;
    public const long ShortPeriodNs = 2_666_667;

    private const int LeastPriority = 22;
    private const int MostPriority = 26;

    private readonly SimulatedMachine _machine;
    private readonly RandomSequence _random;
    private readonly CodeStretch _work;
    private readonly CodeStretch _wait;

    /// <param name="process">Its program; null for one that the seed invents.</param>
    public AudioCallback(SimulatedMachine machine, long periodNs, int cpu, InventoryProcess? process = null)
    {
        _machine = machine;
        PeriodNs = periodNs;
        Cpu = cpu;
        Process = process ?? machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        _random = machine.Engine.Random($"audio callback {cpu}");
        _work = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(Process, "FillBuffer")));
        _wait = SimulatedMachine.Stretch(null, [machine.Stacks.Waiting(Process)]);
    }

    /// <summary>What it does between the two halves of its work, given how much work that is: nothing when left out.</summary>
    public delegate IEnumerable<Step> Inside(CodeStretch code, RandomSequence random, long workNs);

    public long PeriodNs { get; }

    public int Cpu { get; }

    public InventoryProcess Process { get; }

    /// <summary>Its work as parts of the period, in percent.</summary>
    public Spread Percent { get; init; } = Spread.Uniform(5, 40);

    public Inside? Between { get; init; }

    /// <summary>What becomes of a buffer that it has filled; null for nothing.</summary>
    public Action? Done { get; init; }

    /// <summary>What wakes it; null for its own timer or device.</summary>
    public KernelEvent? Wanted { get; init; }

    /// <summary>One of the two usual periods, by the seed.</summary>
    public static long SomePeriod(SimulatedMachine machine) => machine.Random.Happens(0.5) ? LongPeriodNs : ShortPeriodNs;

    /// <summary>When a callback of a period begins first: anywhere in a period.</summary>
    public static long SomeStart(SimulatedMachine machine, long periodNs) => periodNs + machine.Random.NextBelow(periodNs);

    public SimulatedThread Add()
    {
        KernelEvent wanted = Wanted ?? OwnBeat();
        return _machine.AddThread(
            Process,
            (int)_machine.Random.Between(LeastPriority, MostPriority),
            () => Program(wanted),
            _wait,
            SimulatedMachine.Only(Cpu));
    }

    /// <summary>An event that an audio device signals, each time that it has played a buffer.</summary>
    /// <param name="delayNs">How much later than its beat it comes, each time; null for never.</param>
    public static KernelEvent OfDevice(SimulatedMachine machine, long periodNs, int cpu, Func<long>? delayNs = null)
    {
        long first = SomeStart(machine, periodNs);
        var played = new KernelEvent { Beat = new ExpectedBeat(first, periodNs) };
        bool isPlayed = false;
        var device = new InterruptingDevice(
            machine,
            DriverShape.Plain(ImageRole.AudioBus),
            machine.UsualIsr,
            machine.UsualDpc,
            () => TakeOnce(ref isPlayed) ? [Step.Signal(played)] : [],
            [cpu]);
        machine.Engine.Repeat($"buffers of CPU {cpu}", Arrivals.Every(periodNs, first), engine =>
        {
            long late = delayNs?.Invoke() ?? 0;
            if (late == 0)
            {
                Interrupt(engine);
            }
            else
            {
                engine.After(late, Interrupt);
            }
        });
        return played;

        void Interrupt(Machine engine)
        {
            isPlayed = true;
            engine.Raise(device.Isr);
        }
    }

    /// <summary>The timer of a mixer on a CPU, at a tick of its clock, and the event that it signals after its usual work.</summary>
    public static (KernelTimer Timer, KernelEvent Mixed) Mixer(SimulatedMachine machine, int cpu, long periodNs, long workNs)
    {
        long tick = machine.Engine.Options.ClockIntervalNs;
        long first = periodNs + machine.Engine.ClockPhaseNs(cpu) + (tick * machine.Random.NextBelow(Math.Max(1, periodNs / tick)));
        KernelTimer timer = machine.Engine.AddTimer("mixer", cpu, Arrivals.Every(periodNs, first));
        return (timer, new KernelEvent { Beat = new ExpectedBeat(first + workNs, periodNs) });
    }

    /// <summary>Whether something was asked for that is done now: a device interrupts for other reasons too.</summary>
    public static bool TakeOnce(ref bool isAsked)
    {
        bool was = isAsked;
        isAsked = false;
        return was;
    }

    private KernelEvent OwnBeat() => PeriodNs == ShortPeriodNs
        ? OfDevice(_machine, PeriodNs, Cpu)
        : _machine.Engine.AddTimer(
            $"audio timer {Cpu}", Cpu, Arrivals.Every(PeriodNs, SomeStart(_machine, PeriodNs))).Expired;

    private IEnumerable<Step> Program(KernelEvent wanted)
    {
        while (true)
        {
            yield return Step.Wait(wanted, _wait);
            long work = Percent.Next(_random) * PeriodNs / 100;
            long before = work * _random.Between(20, 60) / 100;
            yield return Step.Run(_work, before);
            foreach (Step step in Between?.Invoke(_work, _random, work) ?? [])
            {
                yield return step;
            }

            yield return Step.Run(_work, work - before);
            Done?.Invoke();
        }
    }
}
