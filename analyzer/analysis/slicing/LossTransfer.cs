namespace Tracer.Analysis.Slicing;

/// <summary>
/// Carries losses of a trace over into the one made of a part of it, to where they were: a reader must not take what is missing for what
/// did not happen.
/// </summary>
/// <remarks>
/// Of the snapshot of a ring, numbers missing between buffers are not carried over: a ring has such gaps wherever it overwrote, and a
/// buffer that was really lost is told by the flag of the next one as well.
/// </remarks>
public sealed class LossTransfer
{
    private readonly EtlWriter _writer;
    private readonly List<TraceLoss> _pending;

    /// <summary>Starts before the first record.</summary>
    /// <param name="losses">Those of the trace, by time.</param>
    public LossTransfer(IReadOnlyList<TraceLoss> losses, TraceWindow window, EtlWriter writer, bool ofRing)
    {
        _writer = writer;
        _pending =
        [
            .. losses.Where(loss => !(ofRing && loss.Kind == LossKind.MissingBuffer) && window.Overlaps(loss.FromTicks, loss.ToTicks)),
        ];
    }

    /// <summary>
    /// Tells that what CPUs logged before their first record is not there, as a ring has overwritten it up to a time of its own on each.
    /// </summary>
    /// <param name="survey">Knows the first records.</param>
    public void AddOverwritten(SliceSurvey survey)
    {
        ArgumentNullException.ThrowIfNull(survey);
        for (int cpu = 0; cpu <= survey.HighestCpu; cpu++)
        {
            long first = survey.FirstTicks(cpu);
            if (first != long.MaxValue && first > survey.Window.Begin)
            {
                _pending.Add(new TraceLoss(cpu, long.MinValue, first, LossKind.BufferLost));
            }
        }
    }

    /// <summary>How many events will be told as lost at their place: the header of the trace counts them already.</summary>
    public static uint EventsToldOf(IReadOnlyList<TraceLoss> losses, TraceWindow window) =>
        (uint)losses.Count(loss => loss.Kind == LossKind.EventsLost && window.Overlaps(loss.FromTicks, loss.ToTicks));

    /// <summary>Called before a record is written: tells of what was lost before it on its CPU.</summary>
    public void Before(int cpu, long ticks)
    {
        for (int i = _pending.Count - 1; i >= 0; i--)
        {
            TraceLoss loss = _pending[i];
            if ((loss.Cpu ?? cpu) == cpu && ticks > loss.FromTicks)
            {
                _pending.RemoveAt(i);
                Tell(cpu, loss.Kind);
            }
        }
    }

    /// <summary>Called behind the last record: tells of losses that nothing followed.</summary>
    public void Finish()
    {
        foreach (TraceLoss loss in _pending)
        {
            Tell(loss.Cpu ?? 0, loss.Kind);
        }

        _pending.Clear();
    }

    private void Tell(int cpu, LossKind kind)
    {
        // A damaged buffer may name any.
        cpu = cpu < _writer.Header.ProcessorCount ? cpu : 0;
        if (kind == LossKind.EventsLost)
        {
            _writer.AddLostEvents(cpu, 1);
        }
        else
        {
            _writer.AddLostBuffers(cpu, 1);
        }
    }
}
