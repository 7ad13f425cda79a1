namespace Tracer.Analysis.Contents;

/// <summary>Which part of a longer trace a trace is. Times in ticks.</summary>
/// <param name="FromTicks">First moment that is judged; 0 for the start.</param>
/// <param name="ToTicks">Last moment that is judged.</param>
/// <param name="KeptFromTicks">First moment of which all is there.</param>
/// <param name="KeptToTicks">Last moment of which all is there.</param>
/// <param name="Routines">Runs of ISRs and DPCs that were left behind.</param>
public sealed record SliceOrigin(
    long FromTicks, long ToTicks, long KeptFromTicks, long KeptToTicks, ulong Samples, ulong Routines, ulong Switches, ulong Stacks)
{
    /// <returns>Null where it makes no sense.</returns>
    public static SliceOrigin? Read(ReadOnlySpan<byte> payload) =>
        !ProviderPayload.TryRead(payload, out SliceEvent slice)
        || slice.From < 0 || slice.To < slice.From || slice.KeptFrom < 0 || slice.KeptTo < slice.KeptFrom
            ? null
            : new SliceOrigin(
                slice.From, slice.To, slice.KeptFrom, slice.KeptTo, slice.Samples, slice.Routines, slice.Switches, slice.Stacks);

    /// <summary>The part in times from the header event.</summary>
    public SlicePart Part(TraceClock clock)
    {
        Duration? Time(long ticks) => ticks is 0 or long.MaxValue ? null : new Duration(clock.NanosecondsFromHeader(ticks));
        return new SlicePart(Time(FromTicks), Time(ToTicks), Time(KeptFromTicks), Time(KeptToTicks));
    }
}
