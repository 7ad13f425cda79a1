using System.Security.Cryptography;
using System.Text;
using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Tests;

/// <summary>Keeps what a machine logs, for tests to compute from; checks that its time never goes back.</summary>
internal sealed class RecordedLog : IKernelLog
{
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

    public List<Routine> Routines { get; } = [];

    public List<Switch> Switches { get; } = [];

    public List<Ready> Readied { get; } = [];

    public List<Sampled> Samples { get; } = [];

    public List<Enqueued> DpcsEnqueued { get; } = [];

    public List<(long TimeNs, int Cpu)> Clocks { get; } = [];

    public List<(long TimeNs, int Cpu, bool IsEnter)> Idle { get; } = [];

    public List<(long TimeNs, int Cpu)> All { get; } = [];

    public List<(string Method, bool IsEnd)> Methods { get; } = [];

    public List<(long TimeNs, ulong Routine)> Callbacks { get; } = [];

    public List<(long StartNs, long EndNs)> Transfers { get; } = [];

    public List<(long TimeNs, int Cpu, uint State, long LatencyNs)> Exits { get; } = [];

    public List<(long TimeNs, int Cpu, int New, int Old)> Speeds { get; } = [];

    public List<(long TimeNs, int Cpu, bool IsParked)> Parked { get; } = [];

    public List<SimulatedLockUse> LockUses { get; } = [];

    public List<(long TimeNs, uint ThreadId, int Priority)> Priorities { get; } = [];

    public List<(long TimeNs, uint ThreadId, int OldPriority)> Lifts { get; } = [];

    public bool OnlyCounts { get; init; }

    /// <summary>Whether each record is written down for <see cref="Digest"/>; few tests ask for it, and it is dear.</summary>
    public bool HasDigest { get; init; }

    public long Count { get; private set; }

    public long LastNs { get; private set; }

    public string Digest()
    {
        Assert.True(HasDigest);
        return Convert.ToHexString(_hash.GetCurrentHash());
    }

    public void Isr(long startNs, long endNs, int cpu, ulong routine, ushort vector, bool isClaimed, uint? message)
    {
        if (Note(endNs, cpu, $"isr {startNs} {routine:x} {vector} {isClaimed} {message}"))
        {
            Routines.Add(new Routine(startNs, endNs, cpu, routine, null, isClaimed));
        }
    }

    public void Dpc(long startNs, long endNs, int cpu, DpcRecordKind kind, ulong routine)
    {
        if (Note(endNs, cpu, $"dpc {startNs} {kind} {routine:x}"))
        {
            Routines.Add(new Routine(startNs, endNs, cpu, routine, kind, true));
        }
    }

    public void DpcEnqueued(long timeNs, int cpu, ulong key, int depth, uint count, int targetCpu, byte importance)
    {
        if (Note(timeNs, cpu, $"enqueue {key:x} {depth} {count} {targetCpu} {importance}"))
        {
            DpcsEnqueued.Add(new Enqueued(timeNs, cpu, key, depth, targetCpu));
        }
    }

    public void DpcExecuting(long timeNs, int cpu, ulong routine, ulong key) => Note(timeNs, cpu, $"execute {routine:x} {key:x}");

    public void WdfCallback(long timeNs, int cpu, bool isInterrupt, ulong routine)
    {
        Note(timeNs, cpu, $"wdf {isInterrupt} {routine:x}");
        Callbacks.Add((timeNs, routine));
    }

    public void ReadyThread(long timeNs, int cpu, uint threadId, sbyte boost, bool isFromDpc, ReadOnlySpan<ulong> stack)
    {
        if (Note(timeNs, cpu, $"ready {threadId} {boost} {isFromDpc} {stack.Length}"))
        {
            Readied.Add(new Ready(timeNs, cpu, threadId, isFromDpc));
        }
    }

    public void ContextSwitch(long timeNs, int cpu, in SimulatedSwitch change, ReadOnlySpan<ulong> stack)
    {
        if (Note(timeNs, cpu, $"switch {change} {stack.Length}"))
        {
            Switches.Add(new Switch(timeNs, cpu, change));
        }
    }

    public void Sample(
        long timeNs, int cpu, ulong instruction, uint threadId, int priority, bool isInDpc, bool isInIsr, ReadOnlySpan<ulong> stack)
    {
        if (Note(timeNs, cpu, $"sample {instruction:x} {threadId} {priority} {isInDpc} {isInIsr} {stack.Length}"))
        {
            Samples.Add(new Sampled(timeNs, cpu, instruction, threadId, isInDpc, isInIsr, stack.ToArray()));
        }
    }

    public void ClockInterrupt(long timeNs, int cpu, bool isOwner)
    {
        if (Note(timeNs, cpu, $"clock {isOwner}"))
        {
            Clocks.Add((timeNs, cpu));
        }
    }

    public void IdleEnter(long timeNs, int cpu, uint state)
    {
        if (Note(timeNs, cpu, $"idle {state}"))
        {
            Idle.Add((timeNs, cpu, true));
        }
    }

    public void IdleExit(long timeNs, int cpu, uint state)
    {
        if (Note(timeNs, cpu, $"busy {state}"))
        {
            Idle.Add((timeNs, cpu, false));
        }
    }

    public void HardFault(long startNs, long endNs, int cpu, uint threadId, ulong address, uint bytes) =>
        Note(endNs, cpu, $"fault {startNs}");

    public void DiskTransfer(long startNs, long endNs, int cpu, bool isWrite, uint threadId, uint bytes)
    {
        Note(endNs, cpu, $"disk {startNs}");
        Transfers.Add((startNs, endNs));
    }

    public void SpinLock(in SimulatedLockUse use)
    {
        if (Note(use.ReleasedNs, use.Cpu, $"lock {use}"))
        {
            LockUses.Add(use);
        }
    }

    public void PrioritySet(long timeNs, int cpu, uint threadId, int oldPriority, int newPriority)
    {
        Note(timeNs, cpu, $"priority {threadId} {oldPriority} {newPriority}");
        Priorities.Add((timeNs, threadId, newPriority));
    }

    public void AntiStarvationBoost(long timeNs, int cpu, uint threadId, int queueCpu, int oldPriority)
    {
        Note(timeNs, cpu, $"lift {threadId} {queueCpu} {oldPriority}");
        Lifts.Add((timeNs, threadId, oldPriority));
    }

    public void FirmwareMethod(long timeNs, int cpu, uint threadId, string method, bool isEnd)
    {
        Note(timeNs, cpu, $"method {method} {isEnd}");
        Methods.Add((method, isEnd));
    }

    public void IdleExitLatency(long timeNs, int cpu, uint state, long latencyNs)
    {
        if (Note(timeNs, cpu, $"exit {state} {latencyNs}"))
        {
            Exits.Add((timeNs, cpu, state, latencyNs));
        }
    }

    public void SpeedChanged(long timeNs, int cpu, int newPercent, int oldPercent)
    {
        Note(timeNs, cpu, $"speed {newPercent} {oldPercent}");
        Speeds.Add((timeNs, cpu, newPercent, oldPercent));
    }

    public void Slept(long timeNs, long ns)
    {
    }

    public void StandbyEntered(long timeNs, int cpu, uint threadId)
    {
    }

    public void StandbyLeft(long timeNs, int cpu, uint threadId, long ns, long sleptNs, int sleeps)
    {
    }

    public void CpuParked(long timeNs, int cpu, int parkedCpu, bool isParked)
    {
        Note(timeNs, cpu, $"parked {parkedCpu} {isParked}");
        Parked.Add((timeNs, parkedCpu, isParked));
    }

    public void GarbageCollection(long timeNs, int cpu, uint threadId, CollectionStep step, uint number) =>
        Note(timeNs, cpu, $"collection {step} {number}");

    public void SoundGlitch(long timeNs, int cpu, uint threadId, ushort eventId, long? deadlineNs, ReadOnlySpan<ulong> fields) =>
        Note(timeNs, cpu, $"sound {eventId}");

    public void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false) =>
        Note(timeNs, cpu, $"measuring {threadId}");

    public void ClocksRelated(long timeNs, int cpu, uint threadId) => Note(timeNs, cpu, $"clocks {threadId}");

    public void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup) =>
        Note(timeNs, cpu, $"measured {wakeup}");

    public void TimerTold(long timeNs, int cpu, uint threadId, in SimulatedTimerState state) =>
        Note(timeNs, cpu, $"timer told {state}");

    public void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups) => Note(timeNs, cpu, $"measured all {wakeups}");

    private bool Note(long timeNs, int cpu, FormattableString what)
    {
        Assert.True(timeNs >= LastNs, $"The log went back from {LastNs} to {timeNs} ns.");
        LastNs = timeNs;
        Count++;
        if (OnlyCounts)
        {
            return false;
        }

        All.Add((timeNs, cpu));
        if (HasDigest)
        {
            _hash.AppendData(Encoding.UTF8.GetBytes(FormattableString.Invariant($"{timeNs} {cpu} ") + FormattableString.Invariant(what)));
        }

        return true;
    }

    internal sealed record Routine(long StartNs, long EndNs, int Cpu, ulong Address, DpcRecordKind? Kind, bool IsClaimed);

    internal sealed record Switch(long TimeNs, int Cpu, SimulatedSwitch Change);

    internal sealed record Ready(long TimeNs, int Cpu, uint ThreadId, bool IsFromDpc);

    internal sealed record Sampled(
        long TimeNs, int Cpu, ulong Instruction, uint ThreadId, bool IsInDpc, bool IsInIsr, ulong[] Stack);

    internal sealed record Enqueued(long TimeNs, int Cpu, ulong Key, int Depth, int TargetCpu);
}
