using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Calibration;

/// <summary>
/// What is measured of real machines, chosen for one that is simulated: habits by its Windows, how busy it is, and where its interrupts
/// and timers go.
/// </summary>
internal sealed class MachineCalibration
{
    private const ushort ProfileVector = 0xFD;
    private const ushort ClockVector = 0xD1;
    private const int Points = 3;

    /// <summary>A machine of few CPUs has as many devices as another: they do not all have less to do.</summary>
    private const double LeastPerCpu = 0.35;

    private readonly MachineInventory _inventory;

    /// <summary>Chooses by Windows and seed.</summary>
    /// <param name="isIdle">Whether its CPUs are to idle, so that it does as little as machines do.</param>
    /// <param name="intensity">How busy it is beside the machine that was measured; null for the seed's choice.</param>
    public MachineCalibration(MachineInventory inventory, bool isIdle, double? intensity)
    {
        _inventory = inventory;
        IsIdle = isIdle;
        MachineProfile chosen = isIdle && inventory.Profile == MachineProfile.Game ? MachineProfile.Idle : inventory.Profile;
        Habits = chosen switch
        {
            MachineProfile.Laptop => Windows7Habits.Machine,
            MachineProfile.Desktop or MachineProfile.Arm64 => DesktopHabits.Machine,
            MachineProfile.Idle => Windows11Habits.Idle,
            MachineProfile.HyperV => Windows11Habits.HyperV,
            _ => Windows11Habits.Game,
        };
        double drawn = !chosen.IsLikeDesktop() ? 1 : DesktopHabits.Intensity(new RandomSequence(inventory.Seed, "intensity"));
        drawn = isIdle && chosen.IsLikeDesktop() ? Math.Min(drawn, DesktopHabits.LeastIntensity) : drawn;
        Intensity = intensity ?? drawn;
        // Machines with more than one group of CPUs have no more devices than one with a full group.
        double perCpu = (double)Math.Min(inventory.CpuCount, ProcessorGroups.CpusOfFullGroup) / Habits.ReportedCpus;
        PerCpu = chosen switch
        {
            MachineProfile.Laptop => 1,
            MachineProfile.Desktop or MachineProfile.Arm64 => Math.Max(LeastPerCpu, perCpu),
            _ => perCpu,
        };
    }

    /// <summary>What goes on, at the rates of the machine that was measured.</summary>
    public MachineHabits Habits { get; }

    /// <summary>Whether its CPUs are to idle.</summary>
    public bool IsIdle { get; }

    /// <summary>How busy it is beside the machine that was measured.</summary>
    public double Intensity { get; }

    /// <summary>What devices and programs do, by its CPUs, as a part of the machine that was measured; 1 where that is the same.</summary>
    public double PerCpu { get; }

    /// <summary>The CPUs that take a device's interrupts: on old machines the first, on newer ones one of its own or, with a message for
    /// each, all.</summary>
    public int[] CpusOf(ImageRole role)
    {
        if (Habits.UsesOnlyFirstCpu)
        {
            return [0];
        }

        if (role is ImageRole.NetworkMiniport or ImageRole.StorageMiniport)
        {
            return [.. Enumerable.Range(0, _inventory.CpuCount)];
        }

        var random = new RandomSequence(_inventory.Seed, "routing " + role);
        return [random.Happens(0.6) ? 0 : (int)random.NextBelow(_inventory.CpuCount)];
    }

    /// <summary>
    /// The CPUs that take a device's interrupts, each as often as the same part of the CPUs of the measured machine did: those of a
    /// message for several.
    /// </summary>
    /// <param name="shares">In percent, by CPU of the measured machine.</param>
    public int[] CpusOf(IReadOnlyList<int> shares) =>
        [.. shares.SelectMany((share, index) => Enumerable.Repeat(CpuOf(index, shares.Count), share))];

    /// <summary>The CPUs on which a timer expires, with a name of its own for each and the part of it that expires there.</summary>
    public IEnumerable<(string Name, int Cpu, double Part)> PlacesOf(TimerHabit habit) =>
        habit.Cpus.Count > 0
            ? habit.Cpus.Select((share, index) => ($"{habit.Name} {index}", CpuOf(index, habit.Cpus.Count), share / 100.0))
                .Where(place => place.Item3 > 0)
        : habit.IsOnEachCpu ? Enumerable.Range(0, _inventory.CpuCount).Select(cpu => ($"{habit.Name} {cpu}", cpu, 1.0))
        : [(habit.Name, CpuOfTimer(habit.Name), 1)];

    private int CpuOf(int measured, int count) => measured * _inventory.CpuCount / Math.Max(count, _inventory.CpuCount);

    private int CpuOfTimer(string name)
    {
        var random = new RandomSequence(_inventory.Seed, "routing " + name);
        return Habits.UsesOnlyFirstCpu || random.Happens(0.6) ? 0 : (int)random.NextBelow(_inventory.CpuCount);
    }

    /// <summary>Idle states, the clock and the profile.</summary>
    public MachineOptions Complete(MachineOptions options) => options with
    {
        IdleStates = Habits.IdleStates,
        ExitPersistence = 0.7,
        ResumeFromStall = Spread.Measured((0, 0.2), (0.5, 2.5), (0.9, 5), (1, 6.5)),
        Periodic = Periodic() with { ProfileBeat = Beat(options.SampleIntervalNs) },
    };

    private PeriodicInterrupts Periodic()
    {
        if (!_inventory.Build.RecordsPeriodicInterrupts)
        {
            return DesktopHabits.Periodic;
        }

        var stacks = new StackBuilder(_inventory, new RandomSequence(_inventory.Seed, "periodic instructions"));
        var walk = new CodeStretch(
            null,
            [.. Enumerable.Range(0, Points).Select(_ => new CodePoint(1, stacks.Dpc(stacks.At("EtwpStackWalkDpc"))))]);
        ulong routine = _inventory.Routine(ImageRole.Kernel, "EtwpStackWalkDpc");
        return Windows7Habits.Periodic(
            new InterruptRecord(_inventory.Routine(ImageRole.Hal, "HalpProfileInterrupt"), ProfileVector),
            new InterruptRecord(_inventory.Routine(ImageRole.Hal, "HalpClockInterrupt"), ClockVector),
            (routine, _inventory[ImageRole.Kernel].Describe(routine), walk));
    }

    /// <summary>
    /// The profile timers of all CPUs are started one right behind the other, so most beat together; one may have been started anew. They
    /// miss the nominal interval by a little, all by the same.
    /// </summary>
    private Func<int, (long FirstNs, long IntervalNs)> Beat(long nominalNs)
    {
        var random = new RandomSequence(_inventory.Seed, "profile beat");
        bool isTogether = _inventory.Build.RecordsPeriodicInterrupts || random.Happens(0.5);
        long first = random.NextBelow(nominalNs);
        long millionths = _inventory.Build.RecordsPeriodicInterrupts ? random.Between(-70, 70) : random.Between(-100, 1_000);
        long interval = nominalNs + (nominalNs * millionths / 1_000_000);
        int alone = random.Happens(0.3) ? (int)random.NextBelow(_inventory.CpuCount) : -1;
        return cpu =>
        {
            var own = new RandomSequence(_inventory.Seed, $"profile beat {cpu}");
            long offset = own.NextBelow(isTogether && cpu != alone ? Math.Min(16_000, nominalNs) : nominalNs);
            return ((first + offset) % nominalNs, cpu == alone ? interval - (nominalNs / 10_000) : interval);
        };
    }
}
