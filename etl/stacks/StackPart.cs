using Tracer.Etl.Kernel;

namespace Tracer.Etl.Stacks;

/// <summary>What a stack record brings: one part of a stack, or both, as frames or as a key.</summary>
internal readonly ref struct StackPart
{
    private readonly StackRecord _record;

    private StackPart(StackRecord record, int pointerBytes)
    {
        _record = record;
        EventTicks = record.EventTimeStamp;
        ThreadId = record.ThreadId;
        ProcessId = record.ProcessId;
        FrameCount = record.FrameCount;
        while (KernelFrameCount < FrameCount && StackHooks.IsKernelAddress(record.Frame(KernelFrameCount), pointerBytes))
        {
            KernelFrameCount++;
        }

        HasKernel = KernelFrameCount > 0;
        HasUser = KernelFrameCount < FrameCount;
    }

    private StackPart(StackKeyRecord record, bool isKernel)
    {
        EventTicks = record.EventTimeStamp;
        ThreadId = record.ThreadId;
        ProcessId = record.ProcessId;
        Key = record.Key;
        IsKey = true;
        HasKernel = isKernel;
        HasUser = !isKernel;
    }

    /// <summary>Time stamp of the event that it belongs to.</summary>
    public long EventTicks { get; }

    public uint ThreadId { get; }

    public uint ProcessId { get; }

    public bool IsKey { get; }

    public ulong Key { get; }

    public bool HasKernel { get; }

    public bool HasUser { get; }

    /// <summary>How many frames it has; 0 for a key.</summary>
    public int FrameCount { get; }

    /// <summary>How many of them, from the innermost, lie in the kernel.</summary>
    public int KernelFrameCount { get; }

    /// <summary>Whether the thread's process has no user mode, so that no user part will follow: idle and system.</summary>
    public bool IsOfSystem => ProcessId is 0 or 4;

    /// <returns>False for a record that is too short, or that defines a key.</returns>
    public static bool TryRead(in EtlEvent traceEvent, out StackPart part)
    {
        switch (traceEvent.HookId)
        {
            case KernelHook.Stack when StackRecord.TryRead(in traceEvent, out StackRecord whole):
                part = new StackPart(whole, traceEvent.PointerBytes);
                return true;
            case KernelHook.StackKernelKey or KernelHook.StackUserKey when StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord keyed):
                part = new StackPart(keyed, traceEvent.HookId == KernelHook.StackKernelKey);
                return true;
            default:
                part = default;
                return false;
        }
    }

    public void CopyTo(Span<ulong> frames)
    {
        for (int i = 0; i < FrameCount; i++)
        {
            frames[i] = _record.Frame(i);
        }
    }
}
