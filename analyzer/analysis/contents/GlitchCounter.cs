namespace Tracer.Analysis.Contents;

/// <summary>
/// Counts Windows' own records that something was late while they come, in order of time, and keeps none: as many glitches as
/// <see cref="GlitchRecords"/> finds in a trace of the same time.
/// </summary>
public sealed class GlitchCounter(TraceClock clock)
{
    private readonly GlitchReading _reading = new(clock);
    private readonly GlitchJoin _join = new(clock);

    /// <summary>Glitches that were heard.</summary>
    public long Audio { get; private set; }

    /// <summary>Glitches that were seen: frames that the compositor missed.</summary>
    public long Frames { get; private set; }

    /// <summary>Deadlines of its own that the audio engine missed.</summary>
    public long DeadlinesMissed { get; private set; }

    /// <summary>When the latest of them began, in ticks; null where there is none.</summary>
    public long? LastTicks { get; private set; }

    /// <summary>Adds an event without a hook id; others than these records are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader || GlitchKind.Find(traceEvent.ProviderId, traceEvent.Id) is not { } kind
            || kind.Use is not (GlitchUse.Glitch or GlitchUse.End))
        {
            return;
        }

        Span<long> fields = stackalloc long[GlitchReading.MostFields];
        if (!GlitchReading.TryRead(kind, in traceEvent, fields))
        {
            return;
        }

        DeadlinesMissed += kind.IsMissedDeadline ? 1 : 0;
        if (_join.Begun(_reading.RecordOf(kind, in traceEvent, fields)) is { } glitch)
        {
            Audio += glitch.IsSound ? 1 : 0;
            Frames += glitch.IsSound ? 0 : 1;
            LastTicks = glitch.Ticks;
        }
    }
}
