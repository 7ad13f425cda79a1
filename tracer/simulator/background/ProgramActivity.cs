using Tracer.Simulator.Calibration;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Background;

/// <summary>
/// The programs of a machine in use: threads of services, shells and the system that wake up for moments, and one program that works for
/// a second or more, then rests. While it works its CPU is taken and the others idle beside it; while it rests the whole machine idles.
/// </summary>
internal sealed class ProgramActivity
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const int StacksOfThread = 6;
    private const int StacksOfProgram = 24;
    private const int Workers = 4;
    private const int DeepestStack = 192;

    /// <summary>Frames of the stacks of a busy program, as a spread of so many nanoseconds.</summary>
    private static readonly Spread Depth = Spread.Measured(
        (0, 0.004), (0.1, 0.019), (0.25, 0.045), (0.5, 0.059), (0.75, 0.065), (0.98, 0.066), (1, 0.08));

    /// <summary>How long it works, and how long it rests.</summary>
    private static readonly Spread Work = Spread.Measured((0, 250_000), (0.3, 700_000), (0.7, 1_600_000), (1, 4_500_000));
    private static readonly Spread Rest = Spread.Measured((0, 400_000), (0.3, 800_000), (0.7, 1_600_000), (1, 3_000_000));

    private readonly SimulatedMachine _machine;
    private readonly MachineCalibration _calibration;
    private readonly RandomSequence _random;
    private bool _works;

    private ProgramActivity(SimulatedMachine machine, MachineCalibration calibration)
    {
        _machine = machine;
        _calibration = calibration;
        _random = new RandomSequence(machine.Inventory.Seed, "programs");
    }

    public static void Add(SimulatedMachine machine, MachineCalibration calibration)
    {
        var activity = new ProgramActivity(machine, calibration);
        activity.AddThreads();
        if (!calibration.IsIdle)
        {
            activity.AddProgram();
        }
    }

    /// <summary>Many threads, few of which wake up often.</summary>
    private void AddThreads()
    {
        MachineInventory inventory = _machine.Inventory;
        double rate = Math.Max(150, _calibration.Habits.WakeupsPerSecond * _calibration.Intensity * _calibration.PerCpu);
        rate = _calibration.IsIdle ? Math.Min(rate, 120) : Math.Min(rate, 900);
        InventoryProcess[] processes = [.. inventory.Processes.Where(process => process.Images.Count > 0 && process.Name != "smss.exe")];
        (string Name, InventoryProcess Process, int Priority, double Share)[] threads =
        [
            ("worker 0", inventory.SystemProcess, 12, 0.08), ("worker 1", inventory.SystemProcess, 13, 0.08),
            ("worker 2", inventory.SystemProcess, 8, 0.05), ("worker 3", inventory.SystemProcess, 15, 0.03),
            ("clock worker", inventory.SystemProcess, 17, 0.02), ("monitor", inventory.SystemProcess, 30, 0.01),
            ("windows", inventory.Process("csrss.exe"), 14, 0.08), ("compositor", inventory.Process("dwm.exe"), 13, 0.10),
            ("shell", inventory.Process("explorer.exe"), 9, 0.06), ("audio", inventory.Process("audiodg.exe"), 9, 0.03),
        ];
        foreach ((string name, InventoryProcess process, int priority, double share) in threads)
        {
            AddThread(name, process, priority, rate * share);
        }

        // What is left is shared by others, each with three quarters of the wake-ups of the one before.
        double left = rate * 0.46;
        for (int i = 0; i < 14; i++)
        {
            AddThread($"service {i}", _random.OneOf(processes), (int)_random.OneOf<long>(7, 8, 8, 9, 9, 10, 11), Math.Max(1, left * 0.25));
            left *= 0.75;
        }
    }

    private void AddThread(string name, InventoryProcess process, int priority, double perSecond)
    {
        StackBuilder stacks = _machine.Stacks;
        CodeStretch code = SimulatedMachine.Stretch(null, SimulatedMachine.Several(
            StacksOfThread,
            () => process.Images.Count == 0
                ? stacks.WorkItem(stacks.At("MiZeroPage"))
                : stacks.DeepUserCode(process, "OnEvent", (int)_random.Between(4, 30))));
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(process)]);
        RandomSequence random = _machine.Engine.Random("program " + name);
        Spread sleep = Spread.Exponential((long)(1_000 * Millisecond / perSecond));
        // What runs above others must not run long.
        Spread work = priority >= 16 ? _calibration.Habits.ThreadRun.CutOffAt(80 * Microsecond) : _calibration.Habits.ThreadRun;
        _machine.AddThread(process, priority, Program, wait, priority >= 16 ? _machine.RealTimeAffinity : 0);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(sleep.Next(random), wait);
                yield return Step.Run(code, work.Next(random));
            }
        }
    }

    /// <summary>
    /// The program that somebody works with: of its threads one works at a time, now this one, now that one, so that the work goes from CPU
    /// to CPU.
    /// </summary>
    private void AddProgram()
    {
        MachineInventory inventory = _machine.Inventory;
        InventoryProcess process = inventory.AddProcess(inventory.InventProgramName());
        StackBuilder stacks = _machine.Stacks;
        RandomSequence depths = new(inventory.Seed, "stacks of the program");
        // One of a thousand stacks is as deep as a recorder takes them.
        var code = new CodeStretch(
            null,
            [
                .. SimulatedMachine.Several(StacksOfProgram, () => stacks.DeepUserCode(process, "Layout", (int)Depth.Next(depths)))
                    .Select(frames => new CodePoint(1_000 / StacksOfProgram, frames)),
                new CodePoint(1, stacks.DeepUserCode(process, "Layout", DeepestStack)),
            ]);
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(process)]);
        RandomSequence random = _machine.Engine.Random("program");
        _works = _random.Happens(0.5);
        RandomSequence phases = _machine.Engine.Random("phases");
        ChangePhase(_machine.Engine);
        KernelEvent[] turns = [.. Enumerable.Range(0, Workers).Select(_ => new KernelEvent())];
        foreach (KernelEvent turn in turns)
        {
            _machine.AddThread(process, 8, () => Program(turn), wait, idealCpu: (int)_random.NextBelow(inventory.CpuCount));
        }

        void ChangePhase(Machine engine)
        {
            _works = !_works;
            engine.After((_works ? Work : Rest).Next(phases), ChangePhase);
        }

        IEnumerable<Step> Program(KernelEvent turn)
        {
            if (turn != turns[0])
            {
                yield return Step.Wait(turn, wait);
            }

            while (true)
            {
                if (_works)
                {
                    yield return Step.Run(code, random.Between(2 * Millisecond, 160 * Millisecond));
                    yield return Step.Sleep(random.Between(100 * Microsecond, 2 * Millisecond), wait);
                }
                else
                {
                    yield return Step.Sleep(random.Between(20 * Millisecond, 120 * Millisecond), wait);
                    yield return Step.Run(code, random.Between(50 * Microsecond, 900 * Microsecond));
                }

                if (random.Happens(0.15))
                {
                    yield return Step.Signal(turns[(int)random.NextBelow(Workers)]);
                    yield return Step.Wait(turn, wait);
                }
            }
        }
    }
}
