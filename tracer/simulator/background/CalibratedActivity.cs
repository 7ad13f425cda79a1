using Tracer.Simulator.Calibration;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Background;

/// <summary>
/// Adds to a machine what goes on below every scenario: interrupts, timers and the kernel's own DPCs, as they were measured.
/// </summary>
internal sealed class CalibratedActivity
{
    private const int Points = 4;
    private const long Millisecond = 1_000_000;
    private const long PowerCheckNs = 31_200_000;
    private const string PowerCheck = "PpmCheckPeriodicStart";

    private static readonly Spread PowerCheckLength = Spread.Measured(
        (0, 2.3), (0.1, 3.7), (0.25, 5.1), (0.5, 7.9), (0.75, 19.1), (0.9, 22.9), (0.99, 63), (1, 105));

    private readonly SimulatedMachine _machine;
    private readonly MachineCalibration _calibration;

    private CalibratedActivity(SimulatedMachine machine, MachineCalibration calibration)
    {
        _machine = machine;
        _calibration = calibration;
    }

    private MachineInventory Inventory => _machine.Inventory;

    /// <param name="machine">The machine, on which the scenario has put its own devices.</param>
    public static void Add(SimulatedMachine machine, MachineCalibration calibration)
    {
        var activity = new CalibratedActivity(machine, calibration);
        foreach (DeviceHabit device in calibration.Habits.Devices)
        {
            activity.AddDevice(device);
        }

        foreach (TimerHabit timer in calibration.Habits.Timers)
        {
            activity.AddTimers(timer);
        }

        activity.AddKernelDpcs();
        ProgramActivity.Add(machine, calibration);
    }

    /// <summary>
    /// A device that interrupts as often as was measured. One that the scenario has put there does that too, with the lengths that the
    /// scenario gave it; but those of ACPI are what its scenarios are about.
    /// </summary>
    private void AddDevice(DeviceHabit habit)
    {
        InterruptingDevice? device = _machine.FindDevice(habit.Role);
        if (device is not null && habit.Role == ImageRole.Acpi)
        {
            return;
        }

        device ??= Make(habit);
        double slower = 1 / (_calibration.PerCpu * _calibration.Intensity);
        _machine.Engine.RaiseAgain(
            $"interrupts of {habit.Role}", device.Isr, Arrivals.Random(slower == 1 ? habit.Interval : habit.Interval.Times(slower)));
    }

    private InterruptingDevice Make(DeviceHabit habit)
    {
        DriverShape shape = ShapeOf(habit.Role);
        Dpc? second = habit.SecondDpc is Spread length ? SecondDpc(shape, length) : null;
        return new InterruptingDevice(
            _machine, shape, _machine.Innocent(habit.Isr), _machine.Innocent(habit.Dpc),
            second is null ? null : () => [Step.Queue(second)],
            habit.Cpus.Count == 0 ? null : _calibration.CpusOf(habit.Cpus),
            manner: new DeviceManner
            {
                DpcPart = habit.DpcPart,
                OwnDpc = OwnDpc(shape, habit),
                OwnDpcPart = Math.Min(1, habit.OwnDpcsPerInterrupt),
            });
    }

    /// <summary>A DPC that is the driver's alone. Where there are more of them than interrupts it queues itself again.</summary>
    private Dpc? OwnDpc(DriverShape shape, DeviceHabit habit)
    {
        if (habit.OwnDpc is not Spread length)
        {
            return null;
        }

        RandomSequence random = _machine.Engine.Random($"{shape.Role} own again");
        double again = Math.Max(0, 1 - (1 / habit.OwnDpcsPerInterrupt));
        Dpc? own = null;
        own = Dpc(
            $"{shape.Role} own", _machine.OwnerOf(shape.Role, shape.Through), [new(Inventory[shape.Role], "OwnDpc")], length,
            then: () => random.Happens(again) ? own : null);
        return own;
    }

    private Dpc SecondDpc(DriverShape shape, Spread length)
    {
        CodeFrame[] frames = [new(Inventory[shape.Role], "EvaluateEvent"), new(Inventory[shape.Role], "SecondDpc")];
        return Dpc($"{shape.Role} second", _machine.OwnerOf(shape.Role, shape.Through), frames, length);
    }

    private DriverShape ShapeOf(ImageRole role) => role switch
    {
        ImageRole.NetworkMiniport => DriverShape.NetworkMiniport,
        ImageRole.DisplayMiniport => DriverShape.DisplayMiniport,
        ImageRole.StorageMiniport => DriverShape.StorageMiniport,
        ImageRole.UsbController => DriverShape.Usb(Inventory),
        ImageRole.HypervisorInterface => DriverShape.HypervisorInterface,
        _ => DriverShape.Plain(role),
    };

    private void AddTimers(TimerHabit habit)
    {
        CodeFrame[] frames = [.. habit.Frames.Select(frame => new CodeFrame(ModuleOf(frame.Module), frame.Routine))];
        CodeOwner owner = _machine.OwnerOf(frames[0].Image, [.. frames.Skip(1).Select(frame => frame.Image)]);
        long period = (long)(habit.PeriodNs / _calibration.Intensity);
        foreach ((string name, int cpu, double part) in _calibration.PlacesOf(habit))
        {
            long own = (long)(period / part);
            for (int i = 0; i < habit.Together; i++)
            {
                Dpc dpc = Dpc($"{name} {i}", owner, frames, habit.Length);
                long first = new RandomSequence(Inventory.Seed, "first " + name).NextBelow(own);
                Arrivals arrivals = Arrivals.Every(own, first, (long)(own * habit.Jitter));
                _machine.Engine.AddTimer($"{name} {i}", cpu, arrivals, dpc);
            }
        }
    }

    private SimulatedImage ModuleOf(string module) => module switch
    {
        Windows7Habits.Network => Inventory[ImageRole.NetworkMiniport],
        Windows7Habits.Display => Inventory[ImageRole.DisplayMiniport],
        Windows7Habits.Storage => Inventory[ImageRole.StorageMiniport],
        Windows7Habits.Client => Inventory[ImageRole.FrameworkClient],
        _ => Inventory.Module(module),
    };

    /// <summary>The kernel's power management looks at the CPUs with a timer of the first, and sends some of them a DPC.</summary>
    private void AddKernelDpcs()
    {
        if (_calibration.Habits.KernelDpcsPerSecond == 0)
        {
            return;
        }

        SimulatedImage kernel = Inventory[ImageRole.Kernel];
        CodeOwner owner = _machine.OwnerOf(ImageRole.Kernel);
        Dpc[] dpcs = [.. Enumerable.Range(0, Inventory.CpuCount).Select(cpu => Dpc(
            $"kernel {cpu}", owner, [new CodeFrame(kernel, "PpmPerfAction")], _calibration.Habits.KernelDpc, cpu))];
        RandomSequence random = _machine.Engine.Random("kernel dpcs");
        CodeFrame[] frames = [new(kernel, "PpmCheckRun"), new(kernel, PowerCheck)];
        CodeStretch code = Code(frames);
        double perSecond = _calibration.Habits.KernelDpcsPerSecond * _calibration.Intensity;
        double probability = Math.Min(1, perSecond * PowerCheckNs / 1_000 / Millisecond);
        RandomSequence lengths = _machine.Engine.Random("power check");
        Spread length = _machine.Innocent(PowerCheckLength);
        var dpc = new Dpc(owner, kernel.Routine(PowerCheck), Body) { RoutineName = kernel.Describe(kernel.Routine(PowerCheck)) };
        _machine.Engine.AddTimer("power check", 0, Arrivals.Every(PowerCheckNs, 5 * Millisecond), dpc);

        IEnumerable<Step> Body()
        {
            yield return Step.Run(code, length.Next(lengths));
            foreach (Dpc sent in dpcs)
            {
                if (random.Happens(probability))
                {
                    yield return Step.Queue(sent);
                }
            }
        }
    }

    private Dpc Dpc(
        string name, CodeOwner owner, CodeFrame[] frames, Spread length, int? target = null, Func<Dpc?>? then = null)
    {
        CodeStretch code = Code(frames);
        bool isClient = frames.Length > 1 && frames[^1].Image == Inventory[ImageRole.DriverFramework];
        RandomSequence random = _machine.Engine.Random(name + " length");
        Spread limited = _machine.Innocent(length);
        return new Dpc(owner, InterruptingDevice.AddressOf(frames[^1]), Body)
        {
            RoutineName = InterruptingDevice.NameOf(frames[^1]),
            TargetCpu = target,
            Importance = target is null ? DpcImportance.Medium : DpcImportance.MediumHigh,
        };

        IEnumerable<Step> Body()
        {
            if (isClient)
            {
                yield return Step.WdfCallback(InterruptingDevice.AddressOf(frames[0]));
            }

            yield return Step.Run(code, limited.Next(random));
            if (then?.Invoke() is Dpc next)
            {
                yield return Step.Queue(next);
            }
        }
    }

    private CodeStretch Code(CodeFrame[] frames) =>
        SimulatedMachine.Stretch(null, SimulatedMachine.Several(Points, () => _machine.Stacks.Dpc(frames)));
}
