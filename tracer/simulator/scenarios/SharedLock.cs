using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A lock that threads of one program share: by the seed one of the program, a resource or a push lock of the kernel.</summary>
internal sealed class SharedLock
{
    private readonly ThreadLock _lock = new();
    private readonly CodeStretch _waits;
    private readonly byte _reason;

    public SharedLock(SimulatedMachine machine, InventoryProcess process)
    {
        StackBuilder stacks = machine.Stacks;
        bool isModern = machine.Inventory.Build.IsModern;
        (_reason, string call, string[] inside) = machine.Random.NextBelow(3) switch
        {
            0 => (WaitReason.Resource, "NtSetInformationFile", ["ExpWaitForResource", "ExAcquireResourceExclusiveLite"]),
            1 => (WaitReason.PushLock, "NtSetInformationObject", ["ExfAcquirePushLockExclusive"]),
            _ when isModern => (WaitReason.AlertByThreadId, "NtWaitForAlertByThreadId", Array.Empty<string>()),
            _ => (WaitReason.KeyedEvent, "NtWaitForKeyedEvent", Array.Empty<string>()),
        };
        _waits = SimulatedMachine.Stretch(null, SimulatedMachine.Several(4, () => stacks.SystemCall(
            process,
            call,
            [
                stacks.At("KiSwapContext"), stacks.At("KiSwapThread"), stacks.At("KiCommitThreadWait"), stacks.At("KeWaitForSingleObject"),
                .. inside.Select(stacks.At),
            ])));
    }

    public Step Take() => Step.TakeLock(_lock, _waits, _reason);

    public Step Give() => Step.GiveLock(_lock);
}
