using Tracer.Simulator.Calibration;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Background;

/// <summary>
/// The innocent activity below every scenario: the kernel's and the drivers' own housekeeping, and one of the loads. All its ISRs and DPCs
/// together stay far below any threshold.
/// </summary>
internal sealed class BackgroundActivity
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    // Below all others: whoever wakes up runs at once, as on a machine that computes in its spare time.
    private const int ComputingPriority = 4;

    private readonly SimulatedMachine _machine;

    /// <summary>Whose devices are not the scenario's.</summary>
    private HashSet<ImageRole> _own = [];

    private BackgroundActivity(SimulatedMachine machine) => _machine = machine;

    private MachineInventory Inventory => _machine.Inventory;

    /// <param name="machine">The machine, on which the scenario has put its own devices.</param>
    public static void Add(SimulatedMachine machine, BackgroundLoad load, bool isBusy)
    {
        var background = new BackgroundActivity(machine);
        background._own = [.. Enum.GetValues<ImageRole>().Where(role => machine.FindDevice(role) is null)];
        if (machine.Calibration is MachineCalibration calibration)
        {
            CalibratedActivity.Add(machine, calibration);
        }
        else
        {
            background.AddHousekeeping();
        }

        if (isBusy || load == BackgroundLoad.Cpu)
        {
            background.AddComputing();
        }

        switch (load)
        {
            case BackgroundLoad.Disk:
                background.AddDiskLoad();
                break;
            case BackgroundLoad.Net:
                background.AddNetworkLoad();
                break;
            case BackgroundLoad.Tty:
                background.AddConsoleLoad();
                break;
            default:
                break;
        }
    }

    private static CodeStretch Code(Func<ulong[]> make) => SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, make));

    /// <summary>Timers of the kernel, now and then an interrupt of every device, and workers.</summary>
    private void AddHousekeeping()
    {
        StackBuilder stacks = _machine.Stacks;
        CodeOwner kernel = _machine.OwnerOf(ImageRole.Kernel);
        ulong routine = Inventory.Routine(ImageRole.Kernel, "PpmCheckPeriodicStart");
        string name = Inventory[ImageRole.Kernel].Describe(routine);
        CodeStretch code = Code(() => stacks.Dpc(stacks.At("PpmCheckRun"), stacks.At("PpmCheckPeriodicStart")));
        var dpc = new Dpc(kernel, routine, _machine.Engine.Body("power check", code, _machine.UsualDpc)) { RoutineName = name };
        _machine.Engine.AddTimer("power check", 0, Arrivals.Every(15 * Millisecond, 5 * Millisecond), dpc);
        Interrupt(Device(DriverShape.Usb(Inventory)), 40 * Millisecond);
        Interrupt(Device(DriverShape.DisplayMiniport), 1000 * Millisecond / 60);
        Interrupt(Device(DriverShape.NetworkMiniport), 30 * Millisecond);
        AddWorkers();
    }

    private void AddWorkers()
    {
        InventoryProcess system = Inventory.SystemProcess;
        CodeStretch code = Code(() => _machine.Stacks.WorkItem(_machine.Stacks.At("MiZeroPage")));
        AddSleeper("worker", system, 12, code, Spread.Exponential(25 * Millisecond), Spread.LogNormal(60 * Microsecond, 0.8, Millisecond));
        foreach (string name in (string[])["explorer.exe", "dwm.exe", "svchost.exe"])
        {
            InventoryProcess process = Inventory.Process(name);
            CodeStretch user = Code(() => _machine.Stacks.UserCode(process, "Idle"));
            Spread work = Spread.LogNormal(120 * Microsecond, 0.9, 3 * Millisecond);
            AddSleeper(name, process, 8, user, Spread.Exponential(60 * Millisecond), work);
        }
    }

    /// <summary>As many computing threads as CPUs, and one more.</summary>
    private void AddComputing()
    {
        InventoryProcess process = Inventory.AddProcess(Inventory.InventProgramName());
        CodeStretch code = Code(() => _machine.Stacks.UserCode(process, "Compute" + _machine.Random.NextBelow(3)));
        for (int i = 0; i <= Inventory.CpuCount; i++)
        {
            _machine.AddThread(process, ComputingPriority, Compute);
        }

        IEnumerable<Step> Compute()
        {
            while (true)
            {
                yield return Step.Run(code, 50 * Millisecond);
            }
        }
    }

    /// <summary>A program that always has one transfer under way.</summary>
    private void AddDiskLoad()
    {
        InventoryProcess process = Inventory.AddProcess(Inventory.InventProgramName());
        RandomSequence random = _machine.Engine.Random("disk load");
        var done = new KernelEvent();
        InterruptingDevice disk = Device(DriverShape.StorageMiniport, () => [Step.Signal(done)]);
        CodeStretch issue = Code(() => _machine.Stacks.SystemCall(
            process,
            "NtReadFile",
            _machine.Stacks.At(ImageRole.StorageFramework, "RaidAdapterPostScatterGatherExecute"),
            _machine.Stacks.At(ImageRole.DiskClass, "ClassReadWrite"),
            _machine.Stacks.At(ImageRole.FileSystem, "NtfsFsdRead"),
            _machine.Stacks.At(ImageRole.FilterFramework, "FltpDispatch")));
        CodeStretch work = Code(() => _machine.Stacks.UserCode(process, "Copy"));
        CodeStretch wait = SimulatedMachine.Stretch(null, [_machine.Stacks.Waiting(process)]);
        Spread service = Spread.LogNormal(180 * Microsecond, 0.7, 20 * Millisecond);
        uint threadId = 0;
        threadId = _machine.AddThread(process, 8, Copy, wait).Id;

        IEnumerable<Step> Copy()
        {
            while (true)
            {
                yield return Step.Run(issue, random.Between(15, 40) * Microsecond);
                long begun = _machine.Engine.NowNs;
                bool isWrite = random.Happens(0.4);
                uint bytes = (uint)(4096 * random.Between(1, 64));
                _machine.Engine.After(service.Next(random), engine =>
                {
                    disk.Finished?.Enqueue(done);
                    engine.Raise(disk.Isr);
                });
                yield return Step.Wait(done, wait);
                yield return Step.Act(engine =>
                    engine.Log.DiskTransfer(begun, engine.NowNs, engine.CurrentCpu, isWrite, threadId, bytes));
                yield return Step.Run(work, random.Between(20, 400) * Microsecond);
            }
        }
    }

    /// <summary>Packets in bursts; a service that takes them.</summary>
    private void AddNetworkLoad()
    {
        InventoryProcess process = Inventory.Process("svchost.exe");
        var arrived = new KernelEvent(isCounter: false);
        InterruptingDevice nic = Device(DriverShape.NetworkMiniport);
        CodeStretch receive = Code(() => _machine.Stacks.SystemCall(
            process,
            "NtDeviceIoControlFile",
            _machine.Stacks.At(ImageRole.Sockets, "AfdReceive"),
            _machine.Stacks.At(ImageRole.Sockets, "AfdDispatchDeviceControl")));
        RandomSequence random = _machine.Engine.Random("network load");
        Spread length = _machine.Innocent(_machine.Calibration?.Habits.DpcUnderLoad ?? _machine.UsualDpc);
        bool isOwn = _own.Contains(ImageRole.NetworkMiniport);
        _machine.Engine.Repeat("packets", Arrivals.Random(Spread.Exponential(700 * Microsecond)), engine =>
        {
            nic.NextDpcNs = isOwn ? length.Next(random) : nic.NextDpcNs;
            engine.Raise(nic.Isr);
        });
        ulong routine = Inventory.Routine(ImageRole.NetworkStack, "TcpTimerDpc");
        CodeOwner owner = _machine.OwnerOf(ImageRole.NetworkStack);
        CodeStretch code = Code(() => _machine.Stacks.Dpc(_machine.Stacks.At(ImageRole.NetworkStack, "TcpTimerDpc")));
        var timer = new Dpc(owner, routine, _machine.Engine.Body("tcp timer", code, _machine.UsualDpc, Step.Signal(arrived)))
        {
            RoutineName = Inventory[ImageRole.NetworkStack].Describe(routine),
        };
        _machine.Engine.AddTimer("tcp timer", 0, Arrivals.Every(10 * Millisecond, 3 * Millisecond), timer);
        _machine.AddThread(process, 9, Receive);

        IEnumerable<Step> Receive()
        {
            while (true)
            {
                yield return Step.Wait(arrived);
                yield return Step.Run(receive, random.Between(20, 200) * Microsecond);
            }
        }
    }

    /// <summary>A program that prints line by line through the console's process, and keys pressed now and then.</summary>
    private void AddConsoleLoad()
    {
        InventoryProcess program = Inventory.Process("cmd.exe");
        InventoryProcess console = Inventory.Process("csrss.exe");
        CodeStretch print = Code(() => _machine.Stacks.UserCode(program, "Print"));
        CodeStretch draw = Code(() => _machine.Stacks.SystemCall(
            console, "NtGdiFlush", _machine.Stacks.At(ImageRole.WindowSystem, "GreExtTextOut")));
        var line = new KernelEvent();
        var drawn = new KernelEvent();
        RandomSequence random = _machine.Engine.Random("console load");
        _machine.AddThread(program, 8, () => Turns(line, drawn, print, 60, 500));
        _machine.AddThread(console, 13, () => Turns(drawn, line, draw, 80, 700, begins: false));
        InterruptingDevice keyboard = Device(DriverShape.Plain(ImageRole.KeyboardPort));
        Interrupt(keyboard, 120 * Millisecond);

        IEnumerable<Step> Turns(KernelEvent gives, KernelEvent takes, CodeStretch code, long least, long most, bool begins = true)
        {
            while (true)
            {
                if (!begins)
                {
                    yield return Step.Wait(takes);
                }

                if (gives == line && random.Happens(0.3))
                {
                    yield return Step.Sleep(random.Between(1, 4) * Millisecond);
                }

                yield return Step.Run(code, random.Between(least, most) * Microsecond);
                yield return Step.Signal(gives);
                begins = false;
            }
        }
    }

    private InterruptingDevice Device(DriverShape shape, Func<IEnumerable<Step>>? then = null)
    {
        if (_machine.FindDevice(shape.Role) is not InterruptingDevice known)
        {
            return new InterruptingDevice(_machine, shape, _machine.UsualIsr, _machine.UsualDpc, then);
        }

        known.Then ??= then;
        return known;
    }

    private void Interrupt(InterruptingDevice device, long meanNs) => _machine.Engine.RaiseAgain(
        $"interrupts {device.Isr.Routine}", device.Isr, Arrivals.Random(Spread.Exponential(meanNs)));

    private void AddSleeper(string name, InventoryProcess process, int priority, CodeStretch code, Spread sleep, Spread work)
    {
        RandomSequence random = _machine.Engine.Random("sleeper " + name);
        _machine.AddThread(process, priority, Program);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(sleep.Next(random));
                yield return Step.Run(code, work.Next(random));
            }
        }
    }
}
