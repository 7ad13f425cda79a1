using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>
/// What is below the system takes single CPUs away: a hypervisor that runs something else in place of a virtual processor, or hardware
/// that stops one.
/// </summary>
internal sealed class CpuTakings(MachineState state, CpuAccounts accounts, Stalls stalls)
{
    /// <param name="allProbability">How often it takes all of them instead of one, 0 to 1.</param>
    public void DescheduleAgain(string name, Arrivals arrivals, Spread length, double allProbability)
    {
        ArgumentNullException.ThrowIfNull(length);
        RandomSequence random = state.Random(name + " length");
        state.Repeat(name, arrivals, _ =>
        {
            long ns = length.Next(random);
            int cpu = (int)random.NextBelow(state.Cpus.Length);
            if (random.Happens(allProbability))
            {
                stalls.Begin(new Stall(CodeOwner.Hypervisor, null, Mechanism.Hypervisor), ns);
            }
            else
            {
                Deschedule(cpu, ns);
            }
        });
    }

    /// <summary>It takes one CPU away for a time: nothing runs there and interrupts stay pending; the others go on.</summary>
    /// <param name="cpu">The CPU; nothing happens where it is away already.</param>
    public void Deschedule(int cpu, long ns) => TakeAway(cpu, new Taking(CodeOwner.Hypervisor, Mechanism.Hypervisor), ns);

    /// <summary>Hardware stops one CPU for a time, whatever it runs: the others go on.</summary>
    /// <param name="cpu">The CPU; nothing happens where it stands already.</param>
    public void StopCpu(int cpu, CodeOwner owner, long ns) => TakeAway(cpu, new Taking(owner, Mechanism.Blackout), ns);

    private void TakeAway(int cpu, Taking taking, long ns)
    {
        Cpu taken = state.Cpus[cpu];
        if (taken.Power.TakenBy is not null || state.IsMuted(taking.Owner))
        {
            return;
        }

        accounts.AccountSpinning();
        accounts.Account(taken);
        taken.StepVersion++;
        taken.StepPlannedNs = -1;
        taken.Power.TakenBy = taking;
        state.After(ns, _ =>
        {
            accounts.AccountSpinning();
            accounts.Account(taken);
            taken.Power.TakenBy = null;
            state.AskToSettle(taken);
        });
    }
}
