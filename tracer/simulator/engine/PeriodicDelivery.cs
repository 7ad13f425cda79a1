using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>The interrupts of the clock and the profile: what they cost and what they leave.</summary>
internal sealed class PeriodicDelivery(MachineState state, StackTaking stacks, DpcQueues dpcs)
{
    /// <summary>
    /// How long until a profile interrupt is due, in nanoseconds: what stops the machine is proven from then on. 0 where there are none.
    /// </summary>
    /// <param name="only">The CPU it is asked of; null for whichever comes first.</param>
    public long UntilNextSampleNs(int? only = null)
    {
        long next = long.MaxValue;
        foreach (Cpu cpu in state.Cpus)
        {
            next = (only is null || only == cpu.Index) && cpu.NextProfileNs > state.NowNs ? Math.Min(next, cpu.NextProfileNs) : next;
        }

        return next == long.MaxValue ? 0 : next - state.NowNs;
    }

    public void ServeProfile(Cpu cpu)
    {
        state.Truth.ProfileServed(cpu, state.NowNs);
        PeriodicInterrupts periodic = state.Options.Periodic;
        // As with the place that a sample hits: what one costs follows from its time alone.
        var random = new RandomSequence(state.Options.Seed ^ (((ulong)state.NowNs * 64) + (ulong)cpu.Index) ^ 0x5A5A);
        long before = periodic.BeforeSample?.Next(random) ?? 0;
        long cost = ProfileCost(cpu, random);
        var frame = new Frame(FrameKind.Profile, Irql.High, state.Options.Kernel.Profile)
        {
            StartNs = state.NowNs,
            RemainingNs = before > 0 ? before : cost,
            AfterSampleNs = Math.Max(1, cost - before),
        };
        PushPeriodic(cpu, frame, periodic.ProfileRecord);
        if (before == 0)
        {
            LogSample(cpu, frame);
        }
    }

    public void PushClock(Cpu cpu)
    {
        PeriodicInterrupts periodic = state.Options.Periodic;
        var random = new RandomSequence(state.Options.Seed ^ (((ulong)state.NowNs * 64) + (ulong)cpu.Index) ^ 0xC10C);
        var frame = new Frame(FrameKind.Clock, Irql.Clock, state.Options.Kernel.Clock)
        {
            StartNs = state.NowNs,
            RemainingNs = periodic.Clock?.Next(random) ?? state.Options.ClockCostNs,
            IsEntered = true,
        };
        PushPeriodic(cpu, frame, cpu.Index == 0 ? periodic.ClockRecord : null);
    }

    /// <summary>A stretch of the interrupt is done: the sample is taken, or it has returned.</summary>
    public void Advance(Cpu cpu, Frame top)
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
            state.Truth.LevelEnds(cpu, state.NowNs);
        }

        if (state.Records(Recording.Isr))
        {
            state.Log.Isr(top.StartNs, state.NowNs, cpu.Index, record.Routine, record.Vector, isClaimed: true, message: null);
        }
    }

    private long ProfileCost(Cpu cpu, RandomSequence random)
    {
        PeriodicInterrupts periodic = state.Options.Periodic;
        Spread? cost = cpu.RunsCode ? periodic.ProfileOnBusyCpu
            : state.IsMachineIdle() ? periodic.ProfileOnIdleMachine ?? periodic.ProfileOnIdleCpu
            : periodic.ProfileOnIdleCpu;
        return cost?.Next(random) ?? state.Options.ProfileCostNs;
    }

    /// <summary>Where it leaves an ISR record, the CPU is at the level of ISRs as with any other.</summary>
    private void PushPeriodic(Cpu cpu, Frame frame, InterruptRecord? record)
    {
        frame.Record = record;
        cpu.Push(frame, state.NowNs);
        if (record is not null && cpu.LevelDepth++ == 0)
        {
            state.Truth.LevelBegins(cpu, state.NowNs);
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

        ulong instruction = stacks.Point(cpu, cpu.At(depth - 1)).Frames.Span[0];
        int priority = cpu.Current.IsIdleThread ? 16 : cpu.Current.Priority;
        ReadOnlySpan<ulong> stack = stacks.Stack(cpu, Recording.SampleStacks, depth);
        state.Log.Sample(state.NowNs, cpu.Index, instruction, cpu.Current.Id, priority, isInDpc, isInIsr, stack);
        if (state.Options.Periodic.StackWalk is KernelRoutine walk && state.Records(Recording.SampleStacks)
            && cpu.Current.Process.Id > state.Machine.SystemProcess.Id)
        {
            cpu.StackWalk ??= new Dpc(
                state.Options.Kernel.Owner, walk.Routine, state.Machine.Body($"stack walk {cpu.Index}", walk.Code, walk.Length))
            {
                RoutineName = walk.Name,
                Key = walk.Routine + (0x100 * (1 + (ulong)cpu.Index)),
            };
            dpcs.Queue(cpu.StackWalk);
        }
    }
}
