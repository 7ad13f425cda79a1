using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Stacks;

/// <summary>One event as a sink got it.</summary>
internal sealed record StackedEvent(long Ticks, ushort HookId, int Cpu, string Kernel, string User, EventStackParts Parts)
{
    public override string ToString() => $"{Ticks} {HookId:x4} [{Kernel}] [{User}] {Parts}";
}

/// <summary>Keeps what a joiner gives.</summary>
internal sealed class StackedEvents : IStackedEventSink
{
    public List<StackedEvent> All { get; } = [];

    public StackedEvent this[long ticks] => Assert.Single(All, stacked => stacked.Ticks == ticks);

    public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
    {
        All.Add(new StackedEvent(
            traceEvent.TimestampTicks, traceEvent.HookId, traceEvent.Cpu, Hex(stack.Kernel), Hex(stack.User), stack.Parts));
        return true;
    }

    private static string Hex(ReadOnlySpan<ulong> frames) => string.Join(' ', frames.ToArray().Select(frame => $"{frame:x}"));
}
