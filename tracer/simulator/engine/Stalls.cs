namespace Tracer.Simulator.Engine;

/// <summary>Times in which no CPU runs anything: time passes, hardware goes on, interrupts stay pending.</summary>
internal sealed class Stalls(MachineState state, CpuAccounts accounts)
{
    /// <summary>Those that came during another one.</summary>
    private readonly Queue<(Stall Stall, long Ns)> _nextStalls = new();

    /// <summary>When the machine came to stand; those that follow each other are one.</summary>
    private long _stalledSinceNs;

    private bool _isStallFollowing;

    /// <summary>All CPUs stop, or stop longer: one that comes during another follows it.</summary>
    public void Begin(Stall stall, long ns)
    {
        if (state.IsMuted(stall.Owner))
        {
            return;
        }

        if (state.Stall is not null)
        {
            _nextStalls.Enqueue((stall, ns));
            return;
        }

        foreach (Cpu cpu in state.Cpus)
        {
            accounts.Account(cpu);
            cpu.StepVersion++;
            cpu.StepPlannedNs = -1;
        }

        _stalledSinceNs = _isStallFollowing ? _stalledSinceNs : state.NowNs;
        state.Stall = stall;
        state.Happenings.Add(state.NowNs + ns, HappeningKind.StallEnd, stall);
    }

    /// <summary>The stall is over; the next one follows where one came meanwhile.</summary>
    public void End()
    {
        foreach (Cpu cpu in state.Cpus)
        {
            accounts.Account(cpu);
            cpu.IsWokenByStall = cpu.Sleep is not null && state.Options.ResumeFromStall is not null;
            state.AskToSettle(cpu);
        }

        Action<Machine>? then = state.Stall!.Then;
        state.Stall = null;
        if (_nextStalls.Count == 0)
        {
            state.Truth.StallEnded(_stalledSinceNs, state.NowNs);
        }

        then?.Invoke(state.Machine);
        if (_nextStalls.TryDequeue(out (Stall Stall, long Ns) next))
        {
            _isStallFollowing = true;
            Begin(next.Stall, next.Ns);
            _isStallFollowing = false;
        }
    }
}

/// <summary>All CPUs stand still.</summary>
/// <param name="Code">With what code; null for none of a CPU.</param>
/// <param name="Mechanism">What the truth calls that; null where its code tells.</param>
/// <param name="Then">What its end brings; null for nothing.</param>
internal sealed record Stall(CodeOwner Owner, CodeStretch? Code, Mechanism? Mechanism = null, Action<Machine>? Then = null);
