namespace Tracer.Simulator;

/// <summary>Interrupts: which come through, what they do.</summary>
public sealed partial class Machine
{
    private const int MostStackFrames = 192;

    private readonly ulong[] _stack = new ulong[MostStackFrames];

    private void StartClocks()
    {
        foreach (Cpu cpu in _cpus)
        {
            _happenings.Add(ClockPhaseNs(cpu.Index), HappeningKind.Clock, cpu);
            if (Records(Recording.Samples))
            {
                long random = Random($"profile {cpu.Index}").NextBelow(_options.SampleIntervalNs);
                (long first, long interval) = _options.Periodic.ProfileBeat?.Invoke(cpu.Index) ?? (random, _options.SampleIntervalNs);
                cpu.ProfileIntervalNs = interval;
                cpu.NextProfileNs = first;
                _happenings.Add(first, HappeningKind.Profile, cpu);
            }
        }
    }

    /// <summary>The clock of a CPU strikes; an idle one that has nothing to do with it sleeps on, except for the first.</summary>
    private void ClockIsDue(Cpu cpu)
    {
        _happenings.Add(NowNs + _options.ClockIntervalNs, HappeningKind.Clock, cpu);
        if (cpu.Index == 0 || cpu.IsBusy || cpu.NextThread is not null || cpu.Dpcs.Count > 0 || IsTimerDue(cpu))
        {
            cpu.ClockDueNs = cpu.IsClockPending ? cpu.ClockDueNs : NowNs;
            cpu.IsClockPending = true;
            AskToSettle(cpu);
        }
    }

    private void ProfileIsDue(Cpu cpu)
    {
        cpu.NextProfileNs = NowNs + cpu.ProfileIntervalNs;
        _happenings.Add(cpu.NextProfileNs, HappeningKind.Profile, cpu);
        if (!cpu.IsProfilePending)
        {
            cpu.IsProfilePending = true;
            cpu.ProfileDueNs = NowNs;
            cpu.WasBusyWhenProfileDue = cpu.RunsCode;
        }

        AskToSettle(cpu);
    }

    /// <summary>Serves the pending interrupt of the highest level, where one is above what runs.</summary>
    private bool TryInterrupt(Cpu cpu, Frame top)
    {
        if (cpu.IsProfilePending && top.Irql < Irql.High)
        {
            cpu.IsProfilePending = false;
            ServeProfile(cpu);
            return true;
        }

        if (cpu.IsIpiPending && top.Irql < Irql.Ipi)
        {
            cpu.IsIpiPending = false;
            cpu.Push(new Frame(FrameKind.Ipi, Irql.Ipi, _options.Kernel.Ipi) { RemainingNs = _options.IpiCostNs }, NowNs);
            return true;
        }

        if (cpu.IsClockPending && top.Irql < Irql.Clock)
        {
            cpu.IsClockPending = false;
            ServeClock(cpu);
            return true;
        }

        InterruptLine? line = cpu.TakeLine(top.Irql);
        if (line is null)
        {
            return false;
        }

        PushIsr(cpu, line, 0);
        return true;
    }

    private void ServeClock(Cpu cpu)
    {
        cpu.ClockServedNs = NowNs;
        if (Records(Recording.Clock))
        {
            _log.ClockInterrupt(NowNs, cpu.Index, cpu.Index == 0);
        }

        if (IsTimerDue(cpu))
        {
            cpu.IsTimerExpiryPending = true;
            cpu.IsDispatchRequested = true;
        }

        if (cpu.Dpcs.Count > 0)
        {
            cpu.IsDispatchRequested = true;
        }

        if (!cpu.Current.IsIdleThread && cpu.Current.QuantumUsedNs >= _options.QuantumNs)
        {
            cpu.IsQuantumEnd = true;
        }

        PushClock(cpu);
    }

    private void PushIsr(Cpu cpu, InterruptLine line, int chainIndex)
    {
        Isr isr = line.Chain[chainIndex];
        cpu.Push(
            new Frame(FrameKind.Isr, line.Irql, _options.Kernel.InterruptEntry)
            {
                RemainingNs = _options.InterruptEntryNs,
                Line = line,
                ChainIndex = chainIndex,
                Owner = isr.Owner,
                Routine = isr.RoutineName,
            },
            NowNs);
    }

    /// <summary>The first instruction of an ISR or DPC.</summary>
    private void EnterRoutine(Cpu cpu, Frame top)
    {
        top.IsEntered = true;
        top.StartNs = NowNs;
        if (cpu.LevelDepth++ == 0)
        {
            _truth.LevelBegins(cpu, NowNs);
        }

        if (top.Dpc is not null)
        {
            EnterDpc(cpu, top);
            return;
        }

        Isr isr = top.Line!.Chain[top.ChainIndex];
        // An ISR with nobody to share with takes what comes; one of a shared line looks at its device first.
        top.IsMine = isr.IsAsserted || top.Line.Chain.Length == 1;
        // One that finds nothing to do has an occasion of its own each time.
        isr.Occasion = isr.IsAsserted ? isr.Occasion : Occasion.Of(isr.Occasion, 2);
        top.Occasion = isr.Occasion;
        isr.IsAsserted = false;
        top.Steps = (top.IsMine ? isr.Body() : isr.NotMine?.Invoke() ?? []).GetEnumerator();
    }

    /// <summary>An ISR or DPC has returned.</summary>
    private void LeaveRoutine(Cpu cpu, Frame top)
    {
        cpu.Pop();
        if (--cpu.LevelDepth == 0)
        {
            _truth.LevelEnds(cpu, NowNs);
        }

        if (top.Dpc is not null)
        {
            LogDpc(cpu, top);
            return;
        }

        InterruptLine line = top.Line!;
        Isr isr = line.Chain[top.ChainIndex];
        if (Records(Recording.Isr))
        {
            _log.Isr(top.StartNs, NowNs, cpu.Index, isr.Routine, line.Vector, top.IsMine, isr.Message);
        }

        if (!top.IsMine && top.ChainIndex + 1 < line.Chain.Length)
        {
            PushIsr(cpu, line, top.ChainIndex + 1);
            return;
        }

        foreach (Isr other in line.Chain)
        {
            if (other.IsAsserted)
            {
                cpu.AddPending(line);
            }
        }
    }

    private CodePoint Point(Cpu cpu, Frame frame)
    {
        // Where a sample hits follows from its time alone: no other source of random numbers moves when there are more samples.
        ulong place = (ulong)frame.LeftNs * 64;
        return frame.Code.Pick(new RandomSequence(_options.Seed ^ (place + (ulong)cpu.Index)).NextBits() >> 16);
    }

    /// <summary>The stack of what is on top and of all that it interrupted; empty where such stacks are not recorded.</summary>
    private ReadOnlySpan<ulong> Stack(Cpu cpu, Recording kind) => Stack(cpu, kind, cpu.Depth);

    /// <summary>The stack of the lowest so many frames.</summary>
    private ReadOnlySpan<ulong> Stack(Cpu cpu, Recording kind, int depth)
    {
        if (!Records(kind) || !_options.TakesStacks)
        {
            return [];
        }

        int count = 0;
        for (int i = depth - 1; i >= 0 && count < MostStackFrames; i--)
        {
            ReadOnlySpan<ulong> frames = Point(cpu, cpu.At(i)).Frames.Span;
            int taken = Math.Min(frames.Length, MostStackFrames - count);
            frames[..taken].CopyTo(_stack.AsSpan(count));
            count += taken;
        }

        return _stack.AsSpan(0, count);
    }
}
