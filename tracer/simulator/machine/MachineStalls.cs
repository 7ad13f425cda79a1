using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>Times in which no CPU runs anything: time passes, hardware goes on, interrupts stay pending.</summary>
public sealed partial class Machine
{
    /// <summary>Those that came during another one.</summary>
    private readonly Queue<(Stall Stall, long Ns)> _nextStalls = new();

    private Stall? _stall;

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

        _stall = stall;
        _happenings.Add(NowNs + ns, HappeningKind.StallEnd, stall);
    }

    private void EndStall()
    {
        foreach (Cpu cpu in _cpus)
        {
            Account(cpu);
            AskToSettle(cpu);
        }

        _stall = null;
        if (_nextStalls.TryDequeue(out (Stall Stall, long Ns) next))
        {
            BeginStall(next.Stall, next.Ns);
        }
    }

    /// <summary>Who stops the machine, and with what code; null for none of a CPU.</summary>
    private sealed record Stall(CodeOwner Owner, CodeStretch? Code, Mechanism? Mechanism = null);
}
