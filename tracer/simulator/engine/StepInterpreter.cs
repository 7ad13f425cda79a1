namespace Tracer.Simulator.Engine;

/// <summary>What each step of a program does to its CPU and to the machine.</summary>
internal sealed class StepInterpreter(
    MachineState state,
    CpuAccounts accounts,
    ThreadDispatcher dispatcher,
    DpcQueues dpcs,
    TimerQueues timers,
    SpinWaits spins,
    Stalls stalls,
    Muting muting)
{
    /// <summary>Does the step that the program of what is on top has come to.</summary>
    public void Do(Cpu cpu, Frame top, in Step step)
    {
        if (muting.TryPass(cpu, top, in step))
        {
            return;
        }

        switch (step.Kind)
        {
            case StepKind.Run:
                accounts.AccountSpinning();
                top.Code = step.Code!;
                top.RemainingNs = step.Number;
                break;
            case StepKind.Wait or StepKind.InsideWait:
                dispatcher.WaitFor(cpu, top, (KernelEvent)step.Subject!, step);
                break;
            case StepKind.Sleep:
                var timer = new KernelTimer(cpu.Index, null, null, null);
                timers.Set(timer, state.EndOf(step.Number));
                dispatcher.WaitFor(cpu, top, timer.Expired, step);
                break;
            case StepKind.Signal:
                dispatcher.Signal((KernelEvent)step.Subject!, step.Detail);
                break;
            case StepKind.Queue:
                dpcs.Queue((Dpc)step.Subject!);
                break;
            case StepKind.SetIrql:
                accounts.AccountSpinning();
                top.Irql = step.Number == Irql.Passive ? LowestIrql(top) : (int)step.Number;
                break;
            case StepKind.Mask or StepKind.Unmask:
                accounts.AccountSpinning();
                top.IsMasked = step.Kind == StepKind.Mask;
                break;
            case StepKind.AcquireSpinLock:
                spins.Acquire(cpu, top, (KernelSpinLock)step.Subject!, step.Code!);
                break;
            case StepKind.ReleaseSpinLock:
                spins.Release(cpu, top, (KernelSpinLock)step.Subject!);
                break;
            case StepKind.CallOtherCpus:
                spins.CallOtherCpus(cpu, top, step.Code!);
                break;
            case StepKind.DeviceAccess:
                accounts.AccountSpinning();
                top.Code = step.Code!;
                top.RemainingNs = step.Number;
                top.IsStanding = true;
                break;
            case StepKind.HeldWait:
                dispatcher.WaitHeld(cpu, top, (HeldWait)step.Subject!, step);
                break;
            case StepKind.TakeLock:
                dispatcher.TakeLock(cpu, top, (ThreadLock)step.Subject!, step);
                break;
            case StepKind.GiveLock:
                dispatcher.GiveLock(cpu, (ThreadLock)step.Subject!, step.Detail);
                break;
            case StepKind.Stall:
                top.Code = step.Code!;
                stalls.Begin(new Stall(step.Code!.Owner ?? top.Owner!, step.Code), step.Number);
                break;
            case StepKind.WdfCallback:
                if (state.Records(Recording.Wdf))
                {
                    state.Log.WdfCallback(state.NowNs, cpu.Index, step.Detail == 1, unchecked((ulong)step.Number));
                }

                break;
            case StepKind.FirmwareMethod:
                if (state.Records(Recording.FirmwareMethods))
                {
                    state.Log.FirmwareMethod(state.NowNs, cpu.Index, cpu.Current.Id, (string)step.Subject!, step.Number == 1);
                }

                break;
            case StepKind.Act:
                ((Action<Machine>)step.Subject!)(state.Machine);
                break;
            default:
                ThreadDispatcher.DoThreadStep(cpu, top, step);
                break;
        }
    }

    private static int LowestIrql(Frame frame) => frame.Kind switch
    {
        FrameKind.Isr => frame.Line!.Irql,
        FrameKind.Dpc => Irql.Dispatch,
        _ => Irql.Passive,
    };
}
