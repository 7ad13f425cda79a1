using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>Times in which no CPU runs anything: time passes, hardware goes on, interrupts stay pending.</summary>
public sealed partial class Machine
{
    /// <summary>Those that came during another one.</summary>
    private readonly Queue<(Stall Stall, long Ns)> _nextStalls = new();

    private Stall? _stall;

    /// <summary>When the machine came to stand; those that follow each other are one.</summary>
    private long _stalledSinceNs;

    private bool _isStallFollowing;

    private void BeginStall(Stall stall, long ns)
    {
        if (IsSilenced(stall.Owner))
        {
            return;
        }

        if (_stall is not null)
        {
            _nextStalls.Enqueue((stall, ns));
            return;
        }

        foreach (Cpu cpu in _cpus)
        {
            Account(cpu);
            cpu.StepVersion++;
            cpu.StepPlannedNs = -1;
        }

        _stalledSinceNs = _isStallFollowing ? _stalledSinceNs : NowNs;
        _stall = stall;
        _happenings.Add(NowNs + ns, HappeningKind.StallEnd, stall);
    }

    private void EndStall()
    {
        foreach (Cpu cpu in _cpus)
        {
            Account(cpu);
            cpu.IsWokenByStall = cpu.Sleep is not null && _options.ResumeFromStall is not null;
            AskToSettle(cpu);
        }

        Action<Machine>? then = _stall!.Then;
        _stall = null;
        if (_nextStalls.Count == 0)
        {
            _truth.StallEnded(_stalledSinceNs, NowNs);
        }

        then?.Invoke(this);
        if (_nextStalls.TryDequeue(out (Stall Stall, long Ns) next))
        {
            _isStallFollowing = true;
            BeginStall(next.Stall, next.Ns);
            _isStallFollowing = false;
        }
    }

    /// <summary>Who stops the machine, and with what code; null for none of a CPU.</summary>
    private sealed record Stall(
        CodeOwner Owner, CodeStretch? Code, Mechanism? Mechanism = null, Action<Machine>? Then = null);
}
