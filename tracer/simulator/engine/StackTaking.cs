using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>Which code a CPU is in: where samples hit, and the stacks that records carry.</summary>
internal sealed class StackTaking(MachineState state)
{
    private const int MostStackFrames = 192;

    private readonly ulong[] _stack = new ulong[MostStackFrames];

    public CodePoint Point(Cpu cpu, Frame frame)
    {
        // Where a sample hits follows from its time alone: no other source of random numbers moves when there are more samples.
        ulong place = (ulong)frame.LeftNs * 64;
        return frame.Code.Pick(new RandomSequence(state.Options.Seed ^ (place + (ulong)cpu.Index)).NextBits() >> 16);
    }

    /// <summary>The stack of what is on top and of all that it interrupted; empty where such stacks are not recorded.</summary>
    public ReadOnlySpan<ulong> Stack(Cpu cpu, Recording kind) => Stack(cpu, kind, cpu.Depth);

    /// <summary>The stack of the lowest so many frames.</summary>
    public ReadOnlySpan<ulong> Stack(Cpu cpu, Recording kind, int depth)
    {
        if (!state.Records(kind) || !state.Options.TakesStacks)
        {
            return [];
        }

        int count = 0;
        for (int i = depth - 1; i >= 0 && count < MostStackFrames; i--)
        {
            ReadOnlySpan<ulong> frames = Point(cpu, cpu.At(i)).Frames.Span;
            int taken = Math.Min(frames.Length, MostStackFrames - count);
            frames[..taken].CopyTo(_stack.AsSpan(count));
            count += taken;
        }

        return _stack.AsSpan(0, count);
    }
}
