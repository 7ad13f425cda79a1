using Tracer.Capture.Ground;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>A real-time session of one's own: started, read on a thread of its own, and ended with it.</summary>
public sealed class SessionReading(ITraceSessions sessions, SessionPlan plan, ICaptureClock clock) : IDisposable
{
    private static readonly TimeSpan LongestStop = TimeSpan.FromSeconds(10);

    private ITraceSession? _session;
    private Thread? _reader;
    private EtwException? _end;
    private readonly List<string> _remarks = [];
    private long _lossesTold;
    private long _askedQpc;
    private bool _isRefusalTold;

    /// <summary>Why nothing more will come, although nobody has ended it here; null while it is read.</summary>
    public EtwException? End => Volatile.Read(ref _end);

    /// <summary>Starts the session; nothing is read yet.</summary>
    /// <returns>What of the plan Windows does not switch on.</returns>
    /// <exception cref="EtwException">It can't be started.</exception>
    public IReadOnlyList<string> Open()
    {
        _session = sessions.Start(plan);
        _remarks.AddRange(_session.Refusals);
        return _session.Missing;
    }

    /// <summary>Starts the session, all of it: without a part, nothing would trigger.</summary>
    /// <exception cref="EtwException">It can't be started, or not whole; then it does not run.</exception>
    public void OpenWhole()
    {
        if (Open() is { Count: > 0 } missing)
        {
            string names = string.Join(", ", missing);
            Dispose();
            throw new EtwException("StartTrace", EtwError.NotSupported, $"Windows does not switch on {names}, so nothing would trigger");
        }
    }

    /// <param name="read">Reads the session of this name; returns when it has ended.</param>
    public void Begin(Action<string> read)
    {
        _reader = new Thread(() => Read(read)) { IsBackground = true, Name = plan.Name };
        _reader.Start();
    }

    /// <exception cref="EtwException">It does not run any more.</exception>
    public SessionCounters Query() => _session!.Query();

    /// <summary>
    /// Asks the session once a second for what it lost. The notices among the events tell of the same losses, one each and some flushes
    /// later: all together, the larger number counts.
    /// </summary>
    /// <param name="notices">Notices of lost events so far.</param>
    /// <returns>Events that were lost since they were told last; 0 where nobody was asked, the session has ended, or Windows
    /// refused to tell.</returns>
    public long NewLosses(long notices)
    {
        long now = clock.Qpc;
        if (_session is null || End is not null || now - _askedQpc < clock.QpcHz)
        {
            return 0;
        }

        _askedQpc = now;
        SessionCounters counters;
        try
        {
            counters = Query();
        }
        catch (EtwException refusal)
        {
            NoteRefusal(refusal);
            return 0; // It is asked again.
        }

        long news = Math.Max(0, Math.Max((long)counters.EventsLost + counters.RealTimeBuffersLost, notices) - _lossesTold);
        _lossesTold += news;
        return news;
    }

    /// <summary>Has a refused query told, once. One of a session that has ended is not: the end of its reading is told.</summary>
    public void NoteRefusal(EtwException refusal)
    {
        ArgumentNullException.ThrowIfNull(refusal);
        if (!_isRefusalTold && !refusal.IsOfGoneSession)
        {
            _isRefusalTold = true;
            _remarks.Add($"what '{plan.Name}' loses is not known as long as Windows does not tell: {refusal.Message}");
        }
    }

    /// <summary>What Windows refused since the last call: a sentence each, each refusal once.</summary>
    public IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks()
    {
        if (_remarks.Count == 0)
        {
            return [];
        }

        (CaptureNoteLevel, string)[] taken = [.. _remarks.Select(static text => (CaptureNoteLevel.Warning, text))];
        _remarks.Clear();
        return taken;
    }

    public void Dispose()
    {
        Thread? reader = _reader;
        _reader = null; // What ends the reading now is no failure.
        _session?.Dispose();
        _session = null;
        reader?.Join(LongestStop); // Reading returns when the session has stopped. The thread keeps no process alive.
    }

    private void Read(Action<string> read)
    {
        try
        {
            read(plan.Name);
            if (_reader is not null)
            {
                Volatile.Write(ref _end, EtwFailures.Of("ProcessTrace", EtwError.InstanceNotFound));
            }
        }
        catch (EtwException failure)
        {
            Volatile.Write(ref _end, failure);
        }
    }
}
