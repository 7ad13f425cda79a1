using Tracer.Etl.Kernel;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Writes the stacks of events: whole behind the event, or by keys that are defined later.</summary>
internal sealed class StackWriting(MachineInventory machine, CpuStreams streams, bool usesKeys)
{
    private const int MostFrames = 192;
    private const int HeadBytes = 16;
    private const byte Version = 2;

    private readonly int _pointerBytes = machine.Build.PointerBytes;
    private readonly StackKeys? _keys = usesKeys ? new StackKeys(machine) : null;

    /// <summary>Writes the stack of the event that this CPU has just logged.</summary>
    /// <param name="frames">The stack, innermost first; nothing is written for an empty one.</param>
    public void Write(int cpu, long ticks, uint threadId, ReadOnlySpan<ulong> frames)
    {
        frames = frames[..Math.Min(frames.Length, MostFrames)];
        if (frames.IsEmpty)
        {
            return;
        }

        if (_keys is null)
        {
            WriteWhole(cpu, ticks, threadId, frames);
            return;
        }

        int kernelFrames = 0;
        while (kernelFrames < frames.Length && frames[kernelFrames] >> ((8 * _pointerBytes) - 1) != 0)
        {
            kernelFrames++;
        }

        WritePart(cpu, ticks, threadId, KernelHook.StackKernelKey, frames[..kernelFrames]);
        WritePart(cpu, ticks, threadId, KernelHook.StackUserKey, frames[kernelFrames..]);
    }

    /// <summary>Defines all keys that are still in use, as a session does when it ends.</summary>
    public void DefineKeys(int cpu, long ticks)
    {
        foreach ((ulong key, ulong[] frames) in _keys?.InUse() ?? [])
        {
            Define(cpu, ticks, KernelHook.StackKeyRundown, key, frames);
        }
    }

    private void WritePart(int cpu, long ticks, uint threadId, ushort hook, ReadOnlySpan<ulong> frames)
    {
        if (frames.IsEmpty)
        {
            return;
        }

        if (!_keys!.TryKeyOf(frames, ticks, out ulong key, out (ulong Key, ulong[] Frames)? givenUp))
        {
            WriteWhole(cpu, ticks, threadId, frames);
            return;
        }

        Span<byte> room = stackalloc byte[HeadBytes + sizeof(ulong)];
        var payload = new PayloadSpan(room, _pointerBytes);
        LayHead(ref payload, ticks, threadId);
        payload.Pointer(key);
        Emit(cpu, ticks, hook, payload);
        if (givenUp is { } old)
        {
            Define(cpu, ticks, KernelHook.StackKeyDelete, old.Key, old.Frames);
        }
    }

    private void WriteWhole(int cpu, long ticks, uint threadId, ReadOnlySpan<ulong> frames)
    {
        Span<byte> room = stackalloc byte[HeadBytes + (sizeof(ulong) * frames.Length)];
        var payload = new PayloadSpan(room, _pointerBytes);
        LayHead(ref payload, ticks, threadId);
        LayFrames(ref payload, frames);
        Emit(cpu, ticks, KernelHook.Stack, payload);
    }

    private void Define(int cpu, long ticks, ushort hook, ulong key, ReadOnlySpan<ulong> frames)
    {
        Span<byte> room = stackalloc byte[sizeof(ulong) * (1 + frames.Length)];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Pointer(key);
        LayFrames(ref payload, frames);
        Emit(cpu, ticks, hook, payload);
    }

    private void LayHead(ref PayloadSpan payload, long ticks, uint threadId)
    {
        payload.Int64(ticks);
        payload.UInt32(machine.ProcessIdOf(threadId));
        payload.UInt32(threadId);
    }

    private static void LayFrames(ref PayloadSpan payload, ReadOnlySpan<ulong> frames)
    {
        foreach (ulong frame in frames)
        {
            payload.Pointer(frame);
        }
    }

    private void Emit(int cpu, long ticks, ushort hook, in PayloadSpan payload) =>
        streams.Write(cpu, EtlEventHeader.PerfInfo(hook, Version, ticks, _pointerBytes), payload.Written);
}
