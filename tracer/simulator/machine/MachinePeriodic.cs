namespace Tracer.Simulator;

/// <summary>The interrupts of the clock and the profile: what they cost and what they leave.</summary>
public sealed partial class Machine
{
    /// <summary>
    /// How long until a profile interrupt is due, in nanoseconds: what stops the machine is proven from then on. 0 where there are none.
    /// </summary>
    /// <param name="only">The CPU it is asked of; null for whichever comes first.</param>
    public long UntilNextSampleNs(int? only = null)
    {
        long next = long.MaxValue;
        foreach (Cpu cpu in _cpus)
        {
            next = (only is null || only == cpu.Index) && cpu.NextProfileNs > NowNs ? Math.Min(next, cpu.NextProfileNs) : next;
        }

        return next == long.MaxValue ? 0 : next - NowNs;
    }

    private void ServeProfile(Cpu cpu)
    {
        _truth.ProfileServed(cpu, NowNs);
        PeriodicInterrupts periodic = _options.Periodic;
        // As with the place that a sample hits: what one costs follows from its time alone.
        var random = new RandomSequence(_options.Seed ^ (((ulong)NowNs * 64) + (ulong)cpu.Index) ^ 0x5A5A);
        long before = periodic.BeforeSample?.Next(random) ?? 0;
        long cost = ProfileCost(cpu, random);
        var frame = new Frame(FrameKind.Profile, Irql.High, _options.Kernel.Profile)
        {
            StartNs = NowNs,
            RemainingNs = before > 0 ? before : cost,
            AfterSampleNs = Math.Max(1, cost - before),
        };
        PushPeriodic(cpu, frame, periodic.ProfileRecord);
        if (before == 0)
        {
            LogSample(cpu, frame);
        }
    }

    private long ProfileCost(Cpu cpu, RandomSequence random)
    {
        PeriodicInterrupts periodic = _options.Periodic;
        Spread? cost = cpu.RunsCode ? periodic.ProfileOnBusyCpu
            : IsMachineIdle() ? periodic.ProfileOnIdleMachine ?? periodic.ProfileOnIdleCpu
            : periodic.ProfileOnIdleCpu;
        return cost?.Next(random) ?? _options.ProfileCostNs;
    }

    private bool IsMachineIdle()
    {
        foreach (Cpu cpu in _cpus)
        {
            if (!cpu.Current.IsIdleThread)
            {
                return false;
            }
        }

        return true;
    }

    private void PushClock(Cpu cpu)
    {
        PeriodicInterrupts periodic = _options.Periodic;
        var random = new RandomSequence(_options.Seed ^ (((ulong)NowNs * 64) + (ulong)cpu.Index) ^ 0xC10C);
        var frame = new Frame(FrameKind.Clock, Irql.Clock, _options.Kernel.Clock)
        {
            StartNs = NowNs,
            RemainingNs = periodic.Clock?.Next(random) ?? _options.ClockCostNs,
            IsEntered = true,
        };
        PushPeriodic(cpu, frame, cpu.Index == 0 ? periodic.ClockRecord : null);
    }

    /// <summary>Where it leaves an ISR record, the CPU is at the level of ISRs as with any other.</summary>
    private void PushPeriodic(Cpu cpu, Frame frame, InterruptRecord? record)
    {
        frame.Record = record;
        cpu.Push(frame, NowNs);
        if (record is not null && cpu.LevelDepth++ == 0)
        {
            _truth.LevelBegins(cpu, NowNs);
        }
    }

    /// <summary>A stretch of the interrupt is done: the sample is taken, or it has returned.</summary>
    private void AdvancePeriodic(Cpu cpu, Frame top)
    {
        if (!top.IsEntered)
        {
            LogSample(cpu, top);
            top.RemainingNs = top.AfterSampleNs;
            return;
        }

        cpu.Pop();
        if (top.Record is not InterruptRecord record)
        {
            return;
        }

        if (--cpu.LevelDepth == 0)
        {
            _truth.LevelEnds(cpu, NowNs);
        }

        if (Records(Recording.Isr))
        {
            _log.Isr(top.StartNs, NowNs, cpu.Index, record.Routine, record.Vector, isClaimed: true, message: null);
        }
    }

    /// <summary>Takes the sample of what the profile interrupt on top has interrupted.</summary>
    private void LogSample(Cpu cpu, Frame profile)
    {
        profile.IsEntered = true;
        int depth = cpu.Depth - 1;
        bool isInDpc = false;
        bool isInIsr = false;
        for (int i = 0; i < depth; i++)
        {
            isInDpc |= cpu.At(i).Kind == FrameKind.Dpc;
            isInIsr |= cpu.At(i).Kind == FrameKind.Isr;
        }

        ulong instruction = Point(cpu, cpu.At(depth - 1)).Frames.Span[0];
        int priority = cpu.Current.IsIdleThread ? 16 : cpu.Current.Priority;
        ReadOnlySpan<ulong> stack = Stack(cpu, Recording.SampleStacks, depth);
        _log.Sample(NowNs, cpu.Index, instruction, cpu.Current.Id, priority, isInDpc, isInIsr, stack);
        if (_options.Periodic.StackWalk is KernelRoutine walk && Records(Recording.SampleStacks)
            && cpu.Current.Process.Id > SystemProcess.Id)
        {
            cpu.StackWalk ??= new Dpc(
                _options.Kernel.Owner, walk.Routine, Body($"stack walk {cpu.Index}", walk.Code, walk.Length))
            {
                RoutineName = walk.Name,
                Key = walk.Routine + (0x100 * (1 + (ulong)cpu.Index)),
            };
            QueueDpc(cpu.StackWalk);
        }
    }
}
