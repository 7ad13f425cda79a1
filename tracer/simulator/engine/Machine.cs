using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Engine;

/// <summary>
/// A simulated machine under NT: interrupts by IRQL, DPC queues, threads by priority, timers, idle states, masked interrupts and
/// stalls, as a discrete-event simulation in whole nanoseconds. The same options and the same program give the same calls of the log.
/// Build it (threads, lines, timers), <see cref="Run"/> it once, then ask for <see cref="Truth"/>.
/// </summary>
public sealed class Machine
{
    private const ulong ThreadOccasion = 0x7468726561640000;

    private readonly MachineState _state;
    private readonly CpuAccounts _accounts;
    private readonly ThreadPlacement _placement;
    private readonly ThreadDispatcher _dispatcher;
    private readonly ThreadPriorities _priorities;
    private readonly PowerManagement _power;
    private readonly TimerQueues _timers;
    private readonly PeriodicDelivery _periodic;
    private readonly InterruptDelivery _interrupts;
    private readonly Stalls _stalls;
    private readonly CpuTakings _takings;
    private readonly CpuRunner _runner;
    private readonly RandomSequence _idSteps;
    private uint _lastThreadId = 96;
    private bool _hasRun;

    /// <summary>Makes a machine that has not started.</summary>
    public Machine(MachineOptions options, IKernelLog log)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(log);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Cpus, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.Cpus, ProcessorGroups.MostCpus);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.CpusPerReadyQueue, 1);
        _state = new MachineState(this, options, log);
        _accounts = new CpuAccounts(_state);
        _placement = new ThreadPlacement(_state);
        var stacks = new StackTaking(_state);
        _dispatcher = new ThreadDispatcher(_state, _accounts, _placement, stacks);
        _priorities = new ThreadPriorities(_state, _accounts, _placement);
        _power = new PowerManagement(_state, _accounts, _placement);
        _timers = new TimerQueues(_state, _dispatcher);
        var dpcs = new DpcQueues(_state, _dispatcher);
        _periodic = new PeriodicDelivery(_state, stacks, dpcs);
        _interrupts = new InterruptDelivery(_state, _timers, dpcs, _periodic);
        _stalls = new Stalls(_state, _accounts);
        _takings = new CpuTakings(_state, _accounts, _stalls);
        var spins = new SpinWaits(_state, _accounts);
        var muting = new Muting(_state, _dispatcher);
        var steps = new StepInterpreter(_state, _accounts, _dispatcher, dpcs, _timers, spins, _stalls, muting);
        var idling = new IdleSleep(_state);
        _runner = new CpuRunner(_state, _accounts, _dispatcher, dpcs, _timers, _interrupts, _periodic, spins, idling, steps);
        _idSteps = Random("thread ids");
        AddCpus();
        foreach (Cpu cpu in _state.Cpus)
        {
            AddThread(new ThreadOptions
            {
                Process = SystemProcess,
                Program = () => dpcs.ThreadedDpcProgram(cpu),
                Priority = 31,
                Affinity = UInt128.One << cpu.Index,
                IdealCpu = cpu.Index,
                Owner = options.Kernel.Owner,
            });
        }
    }

    /// <summary>The process of the kernel's and drivers' own threads.</summary>
    public SimulatedProcess SystemProcess { get; } = new(4, "System");

    /// <summary>Nanoseconds since the machine was started.</summary>
    public long NowNs => _state.NowNs;

    /// <summary>The CPU whose code asks; -1 outside code of a CPU.</summary>
    public int CurrentCpu => _state.Active?.Index ?? -1;

    /// <summary>Where records go: for those that only a scenario knows of (disk transfers, page faults).</summary>
    public IKernelLog Log => _state.Log;

    /// <summary>All threads but the idle ones.</summary>
    public IReadOnlyList<SimulatedThread> Threads => _state.Threads;

    public MachineOptions Options => _state.Options;

    /// <summary>The thread whose CPU's code asks.</summary>
    internal uint CurrentThreadId => _state.Active!.Current.Id;

    /// <summary>The random numbers of one source, which stay when other sources come or go.</summary>
    public RandomSequence Random(string source) => _state.Random(source);

    /// <summary>A body of one stretch of code that takes a random time.</summary>
    /// <param name="then">What it does at its end; nothing when left out.</param>
    public Func<IEnumerable<Step>> Body(string source, CodeStretch code, Spread length, params Step[] then)
    {
        ArgumentNullException.ThrowIfNull(length);
        ArgumentNullException.ThrowIfNull(then);
        RandomSequence random = Random(source);
        return Steps;

        IEnumerable<Step> Steps()
        {
            yield return Step.Run(code, length.Next(random));
            foreach (Step step in then)
            {
                yield return step;
            }
        }
    }

    /// <summary>Adds a thread; it begins when the machine starts.</summary>
    public SimulatedThread AddThread(ThreadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Priority, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.Priority, 31);
        UInt128 affinity = options.Affinity & (UInt128.MaxValue >> (ProcessorGroups.MostCpus - _state.Cpus.Length));
        ArgumentOutOfRangeException.ThrowIfZero(affinity);
        int ideal = ProcessorGroups.NextIn(affinity, _state.Cpus.Length, options.IdealCpu ?? (_state.Threads.Count % _state.Cpus.Length));
        uint id = options.Id ?? (_lastThreadId += 4 * (uint)(1 + _idSteps.NextBelow(20)));
        var frame = new Frame(FrameKind.Thread, Irql.Passive, options.StartsAt ?? Options.Kernel.Dispatcher)
        {
            Owner = options.Owner ?? options.Process.Owner,
            Steps = options.Program().GetEnumerator(),
        };
        frame.Occasion = Occasion.Of(ThreadOccasion, id);
        var thread = new SimulatedThread(id, options.Process, options.Priority, affinity, ideal, frame);
        _state.Threads.Add(thread);
        return thread;
    }

    /// <summary>Connects ISRs to an interrupt vector, the first to be asked first.</summary>
    /// <param name="irql">The level of the ISRs, 3 to 12.</param>
    /// <param name="cpus">The CPUs that take the interrupt; of several each time a random one.</param>
    /// <param name="chain">The ISRs: one, or several that share the line.</param>
    public InterruptLine Connect(ushort vector, int irql, int[] cpus, params Isr[] chain)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        ArgumentNullException.ThrowIfNull(chain);
        ArgumentOutOfRangeException.ThrowIfZero(cpus.Length);
        ArgumentOutOfRangeException.ThrowIfZero(chain.Length);
        return new InterruptLine(vector, irql, cpus, Random($"line {vector}"), chain);
    }

    /// <param name="dpc">Its DPC; null for none.</param>
    public KernelTimer AddTimer(string name, int cpu, Arrivals schedule, Dpc? dpc = null)
    {
        ArgumentNullException.ThrowIfNull(schedule);
        var timer = new KernelTimer(cpu, schedule.Take(), Random(name), dpc);
        _timers.Set(timer, schedule.Next(timer.Random!));
        return timer;
    }

    /// <summary>A device interrupts now.</summary>
    public void Raise(Isr isr) => _interrupts.Raise(isr);

    public void RaiseAgain(string name, Isr isr, Arrivals arrivals) => Repeat(name, arrivals, machine => machine.Raise(isr));

    /// <summary>All CPUs stop again and again, as firmware or a device does it on its own.</summary>
    /// <param name="then">What its end brings, at that time; null for nothing.</param>
    public void StallAgain(string name, CodeOwner owner, Arrivals arrivals, Spread length, Action<Machine>? then = null)
    {
        ArgumentNullException.ThrowIfNull(length);
        RandomSequence lengths = Random(name + " length");
        Repeat(name, arrivals, machine => machine.StallNow(owner, length.Next(lengths), then));
    }

    /// <param name="then">What its end brings, at that time; null for nothing.</param>
    public void StallNow(CodeOwner owner, long ns, Action<Machine>? then = null) => _stalls.Begin(new Stall(owner, null, null, then), ns);

    /// <summary>It takes CPUs away again and again.</summary>
    /// <param name="allProbability">How often it takes all of them instead of one, 0 to 1.</param>
    public void DescheduleAgain(string name, Arrivals arrivals, Spread length, double allProbability) =>
        _takings.DescheduleAgain(name, arrivals, length, allProbability);

    /// <summary>It takes one CPU away for a time: nothing runs there and interrupts stay pending; the others go on.</summary>
    /// <param name="cpu">The CPU; nothing happens where it is away already.</param>
    public void Deschedule(int cpu, long ns) => _takings.Deschedule(cpu, ns);

    /// <summary>
    /// The machine sleeps, as with Modern Standby, from the first moment on at which no CPU has anything to do. Its own time stands still,
    /// only its performance counter goes on.
    /// </summary>
    /// <param name="withinNs">It does not sleep at all where no such moment comes within this time.</param>
    /// <param name="then">What wakes it, right after the sleep.</param>
    public void SleepWhenIdle(long ns, long withinNs, Action<Machine> then) => _state.Sleeps.WhenIdle(ns, withinNs, then);

    /// <summary>Hardware stops one CPU for a time, whatever it runs: the others go on.</summary>
    /// <param name="cpu">The CPU; nothing happens where it stands already.</param>
    public void StopCpu(int cpu, CodeOwner owner, long ns) => _takings.StopCpu(cpu, owner, ns);

    /// <summary>A CPU runs at a part of its speed from now on: all its code takes longer. Leaves a record of the change.</summary>
    /// <param name="percent">1 to 100 of its nominal speed.</param>
    public void SetSpeed(int cpu, int percent) => _power.SetSpeed(cpu, percent);

    /// <summary>
    /// Core parking: every so often a look at how busy the CPUs were since the last one. One CPU more is used where those in use were busy
    /// for most of the time, one less where the others could do its work with ease. CPU 0 is never parked.
    /// </summary>
    /// <param name="most">Above this part of the time busy one more is used, 0 to 1.</param>
    /// <param name="least">Below it the last one is given up, when the others would stay below it too.</param>
    public void ParkCpus(long everyNs, double most = 0.6, double least = 0.3) => _power.ParkCpus(everyNs, most, least);

    /// <summary>Sets the base priority of a thread, as KeSetPriorityThread does it, wherever it waits or runs.</summary>
    /// <param name="priority">1 to 31.</param>
    public void SetPriority(SimulatedThread thread, int priority) => _priorities.SetPriority(thread, priority);

    /// <summary>A thread measures its own wake-up, with the first instruction that it runs.</summary>
    /// <param name="tickNs">When the tick of the clock that served the timer was due, in nanoseconds.</param>
    /// <param name="isFromTick">Whether its latency counts from that tick, not from when the timer was due.</param>
    public void Measure(KernelTimer timer, SimulatedThread thread, long tickNs, bool isFromTick = false)
    {
        ArgumentNullException.ThrowIfNull(timer);
        ArgumentNullException.ThrowIfNull(thread);
        _accounts.AccountIdle();
        _state.Truth.Holds.Measured(thread, _state.Cpus[timer.Cpu], _state.Active!, isFromTick ? tickNs : timer.DueNs, tickNs, NowNs);
    }

    /// <summary>The callback of a timer that serves all CPUs begins on this one.</summary>
    /// <param name="tickNs">When the tick of the clock was due that should have served the timer, in nanoseconds.</param>
    public void MeasureTimer(long tickNs)
    {
        _accounts.AccountIdle();
        _state.Truth.Holds.TimerServed(_state.Active!, tickNs, NowNs);
    }

    /// <summary>A thread runs, woken by a DPC that such a callback queued for its CPU.</summary>
    public void MeasureFromQueue(SimulatedThread thread, long queuedNs)
    {
        ArgumentNullException.ThrowIfNull(thread);
        _accounts.AccountIdle();
        _state.Truth.Holds.MeasuredFromQueue(thread, _state.Active!, queuedNs, NowNs);
    }

    /// <summary>When the first clock interrupt of a CPU is due, in nanoseconds; the others follow at the clock's interval.</summary>
    public long ClockPhaseNs(int cpu) => _state.ClockPhaseNs(cpu);

    /// <summary>When the clock interrupt that a CPU served last was due, in nanoseconds.</summary>
    public long ClockDueNs(int cpu) => _state.Cpus[cpu].ClockDueNs;

    /// <summary>When the clock interrupt of a CPU was served last, in nanoseconds.</summary>
    public long ClockServedNs(int cpu) => _state.Cpus[cpu].ClockServedNs;

    /// <summary>
    /// How long until a profile interrupt is due, in nanoseconds: what stops the machine is proven from then on. 0 where there are none.
    /// </summary>
    /// <param name="only">The CPU it is asked of; null for whichever comes first.</param>
    public long UntilNextSampleNs(int? only = null) => _periodic.UntilNextSampleNs(only);

    /// <summary>Does something outside the CPUs again and again.</summary>
    public void Repeat(string name, Arrivals arrivals, Action<Machine> action) => _state.Repeat(name, arrivals, action);

    /// <summary>Does something outside the CPUs after a time: a device that has finished interrupts so.</summary>
    public void After(long delayNs, Action<Machine> action) => _state.After(delayNs, action);

    /// <summary>Runs the machine from its start; only once.</summary>
    public void Run(long durationNs)
    {
        if (_hasRun)
        {
            throw new InvalidOperationException("A machine runs once.");
        }

        _hasRun = true;
        _interrupts.Start();
        _priorities.Start();
        foreach (SimulatedThread thread in _state.Threads)
        {
            Begin(thread);
        }

        _runner.SettleAll();
        while (!_state.Happenings.IsEmpty && _state.Happenings.NextTimeNs <= durationNs)
        {
            Happening next = _state.Happenings.Take();
            _state.NowNs = next.TimeNs;
            Handle(next);
            _runner.SettleAll();
        }

        _state.NowNs = durationNs;
        foreach (Cpu cpu in _state.Cpus)
        {
            _accounts.Account(cpu);
            _state.Truth.Jobs.Stops(cpu.Current, cpu, durationNs);
        }
    }

    /// <summary>What really happened, with what the scenario says of itself.</summary>
    public TruthReport Truth(TruthDeclaration declaration) => _state.Truth.Report(declaration, NowNs, _state.Sleeps);

    private void AddCpus()
    {
        var idle = new SimulatedProcess(0, "Idle");
        ReadyQueue? queue = null;
        for (int i = 0; i < _state.Cpus.Length; i++)
        {
            queue = i % Options.CpusPerReadyQueue == 0 ? new ReadyQueue() : queue;
            var frame = new Frame(FrameKind.Idle, Irql.Passive, Options.Kernel.Idle);
            _state.Cpus[i] = new Cpu(i, new SimulatedThread(0, idle, 0, UInt128.One << i, i, frame), queue!);
            _state.Cpus[i].Power.CorePercent =
                ((Options.EfficiencyCpus >> i) & 1) == 1 ? Options.EfficiencyPercent : CpuSpeed.FullPercent;
        }
    }

    private void Begin(SimulatedThread thread)
    {
        const long LatestNs = 4_000_000;
        if (Options.ThreadShift == 0)
        {
            _placement.Place(thread, isPreempted: false);
            return;
        }

        var random = new RandomSequence(Options.Seed, $"beginning {Options.ThreadShift} of {thread.Id}");
        After(random.NextBelow(LatestNs), _ => _placement.Place(thread, isPreempted: false));
    }

    private void Handle(in Happening next)
    {
        _state.OccasionNow = 0;
        switch (next.Kind)
        {
            case HappeningKind.StepEnd:
                var cpu = (Cpu)next.Subject;
                if (cpu.StepVersion == next.Version)
                {
                    cpu.StepPlannedNs = -1;
                    _state.AskToSettle(cpu);
                }

                break;
            case HappeningKind.Clock:
                _interrupts.ClockIsDue((Cpu)next.Subject);
                break;
            case HappeningKind.Profile:
                _interrupts.ProfileIsDue((Cpu)next.Subject);
                break;
            case HappeningKind.StallEnd:
                _stalls.End();
                break;
            case HappeningKind.Arrival:
                ((RepeatedAction)next.Subject).Happen(_state);
                break;
            default:
                ((Action<Machine>)next.Subject)(this);
                break;
        }
    }
}
