using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>
/// What is below the system takes single CPUs away: a hypervisor that runs something else in place of a virtual processor, or hardware
/// that stops one.
/// </summary>
public sealed partial class Machine
{
    /// <summary>It takes CPUs away again and again.</summary>
    /// <param name="name">Name of its source of random numbers.</param>
    /// <param name="arrivals">When.</param>
    /// <param name="length">For how long.</param>
    /// <param name="allProbability">How often it takes all of them instead of one, 0 to 1.</param>
    public void DescheduleAgain(string name, Arrivals arrivals, Spread length, double allProbability)
    {
        ArgumentNullException.ThrowIfNull(length);
        RandomSequence random = Random(name + " length");
        Repeat(name, arrivals, machine =>
        {
            long ns = length.Next(random);
            int cpu = (int)random.NextBelow(_cpus.Length);
            if (random.Happens(allProbability))
            {
                BeginStall(new Stall(CodeOwner.Hypervisor, null, Mechanism.Hypervisor), ns);
            }
            else
            {
                Deschedule(cpu, ns);
            }
        });
    }

    /// <summary>It takes one CPU away for a time: nothing runs there and interrupts stay pending; the others go on.</summary>
    /// <param name="cpu">The CPU; nothing happens where it is away already.</param>
    /// <param name="ns">Nanoseconds.</param>
    public void Deschedule(int cpu, long ns) => TakeAway(cpu, new Taking(CodeOwner.Hypervisor, Mechanism.Hypervisor), ns);

    /// <summary>Hardware stops one CPU for a time, whatever it runs: the others go on.</summary>
    /// <param name="cpu">The CPU; nothing happens where it stands already.</param>
    /// <param name="owner">Who is to blame.</param>
    /// <param name="ns">Nanoseconds.</param>
    public void StopCpu(int cpu, CodeOwner owner, long ns) => TakeAway(cpu, new Taking(owner, Mechanism.Blackout), ns);

    private void TakeAway(int cpu, Taking taking, long ns)
    {
        Cpu taken = _cpus[cpu];
        if (taken.Power.TakenBy is not null || IsSilenced(taking.Owner))
        {
            return;
        }

        AccountSpinning();
        Account(taken);
        taken.StepVersion++;
        taken.StepPlannedNs = -1;
        taken.Power.TakenBy = taking;
        After(ns, _ =>
        {
            AccountSpinning();
            Account(taken);
            taken.Power.TakenBy = null;
            AskToSettle(taken);
        });
    }
}
