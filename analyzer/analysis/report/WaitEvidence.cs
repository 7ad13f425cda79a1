using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Says in sentences what a blame for waits rests on: for locks, for CPUs that idle, that are parked, or that run slow.</summary>
internal sealed class WaitEvidence(BlameFindings findings)
{
    /// <summary>Adds the sentences about one suspect.</summary>
    /// <param name="evidence">Takes them.</param>
    /// <param name="suspect">The suspect.</param>
    /// <param name="main">Its main part.</param>
    public void Add(List<string> evidence, Suspect suspect, NamedCause main)
    {
        switch (main.Mechanism)
        {
            case Mechanism.SpinWait:
                AddSpinWait(evidence, suspect, main);
                break;
            case Mechanism.Scheduler:
                AddScheduler(evidence, main);
                break;
            case Mechanism.IdleExit when main.IdleExit is { } exit:
                AddIdleExit(evidence, suspect, exit);
                break;
            case Mechanism.Blackout or Mechanism.Hypervisor when main is { UsualExitTicks: { } usual, IdleExit: { } exit }:
                evidence.Add(Text(
                    $"The CPU idled in state {exit.State} and had work to do; it did not answer for up to "
                    + $"{ReadableDuration.Of(findings.Length(suspect.Parts.Max(part => part.Cause.Ticks)))}, although leaving that state "
                    + $"takes at most {ReadableDuration.Of(findings.Length(usual))} in 19 of 20 cases: the machine, or a "
                    + $"hypervisor, kept it."));
                break;
            case Mechanism.Blackout or Mechanism.Hypervisor when main.UsualRunTicks is { } usual:
                evidence.Add(Text(
                    $"{main.Routine}, an interrupt of the system that comes all the time and takes "
                    + $"{ReadableDuration.Of(findings.Length(usual))} on average, took up to "
                    + $"{ReadableDuration.Of(findings.Length(suspect.Parts.Max(part => part.Cause.Ticks)))} longer: nothing interrupts it, "
                    + $"so the machine, or a hypervisor, kept the CPU."));
                break;
        }

        if (main.Slowdown is { } slow)
        {
            string others = slow.Others switch
            {
                0 => "no other routine ran often enough at both speeds to compare",
                1 => "another routine was slow there as well",
                _ => Text($"{slow.Others} other routines, most of them slow there as well, were compared"),
            };
            evidence.Add(Text(
                $"On this CPU at this speed {main.Waiter} takes {slow.Times:0.0} times as long ({slow.SlowRuns} runs) as at another, "
                + $"{ReadableDuration.Of(findings.Length(slow.FastTicks))} ({slow.FastRuns} runs); {others}."));
        }
    }

    private static void AddSpinWait(List<string> evidence, Suspect suspect, NamedCause main)
    {
        string[] waiters = [.. suspect.Parts.Where(part => part.Cause.Waiter is not null).Select(part => part.Cause.Waiter!)
            .Distinct(StringComparer.OrdinalIgnoreCase).Order(StringComparer.OrdinalIgnoreCase).Take(3)];
        if (main.IsLockRecorded && main.Routine is not null)
        {
            evidence.Add(Text($"Records of the lock show who held it: {main.Routine}."));
        }

        string who = waiters.Length > 0 ? string.Join(", ", waiters) : "The code on the victim's CPU";
        evidence.Add(Text($"{who} only waited meanwhile, in the kernel's code, for a lock or another CPU that {main.Name} kept."));
        if (main.Pair is { IsRepeated: true })
        {
            evidence.Add(Text(
                $"It ended on its CPU when the wait did {main.Pair.Times} times or more, the same two each time: "
                + $"chance does not explain that."));
        }
        else if (main.Confidence == Confidence.Possible)
        {
            evidence.Add(main.Pair is { Times: 0 }
                ? "That its code ran on another CPU through all of the wait is all that ties them together."
                : "That it ended on its CPU when the wait did is all that ties them together.");
        }
    }

    private void AddScheduler(List<string> evidence, NamedCause main)
    {
        evidence.Add("The victims were ready, a CPU that they may use idled, and yet they were not dispatched there but waited behind "
            + "another thread.");
        if (main.IsParked)
        {
            evidence.Add("Power records say that all CPUs that idled were parked: look at core parking in the power plan.");
        }
        else if (!findings.Facts.Parked.IsKnown)
        {
            evidence.Add("Whether that CPU was parked is not recorded: add the provider Microsoft-Windows-Kernel-Processor-Power.");
        }
    }

    private void AddIdleExit(List<string> evidence, Suspect suspect, IdleExit exit)
    {
        long longest = suspect.Parts.Where(part => part.Cause.IdleExit is not null).Max(part => part.Cause.Ticks);
        string source = exit.IsRecorded ? "Records of its idling" : "The switch from the idle thread";
        evidence.Add(Text(
            $"{source} say that the CPU was in idle state {exit.State} when there was work for it; it took up to "
            + $"{ReadableDuration.Of(findings.Length(longest))} to come out, and nothing ran on it meanwhile."));
    }

    private static string Text(InvariantText text) => text.Take();
}
