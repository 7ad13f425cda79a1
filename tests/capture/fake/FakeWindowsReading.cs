namespace Tracer.Capture.Tests;

/// <content>OpenTraceW, ProcessTrace, CloseTrace of real-time sessions and of files.</content>
internal sealed partial class FakeWindows
{
    private readonly Dictionary<ulong, RealTimeReader> _readers = [];

    public unsafe uint OpenTrace(byte* logfile, out ulong trace)
    {
        const int LoggerName = 8;
        const int ProcessTraceMode = 28;
        lock (_pulse)
        {
            trace = ulong.MaxValue;
            char* name = *(char**)(logfile + LoggerName);
            if (Refused("OpenTraceW", name is null ? null : new string(name)) is uint code)
            {
                GiveUp(name is null ? null : Find(0, new string(name)));
                return code;
            }

            if (name is null || (*(uint*)(logfile + ProcessTraceMode) & FakeSession.RealTime) == 0)
            {
                return OpenFile(logfile, out trace);
            }

            if (!_options.IsAdministrator)
            {
                return WindowsCode.AccessDenied;
            }

            FakeSession? session = Find(0, new string(name));
            if (session is null || !session.IsRealTime)
            {
                return WindowsCode.InstanceNotFound;
            }

            var reader = new RealTimeReader(logfile, session, Machine.Header);
            trace = _nextHandle++;
            _readers.Add(trace, reader);
            return reader.WantsRecords ? WindowsCode.Success : WindowsCode.InvalidParameter;
        }
    }

    /// <summary>ProcessTrace: hands over what comes until the session stops, CloseTrace is called or the caller wants no more.</summary>
    public uint ProcessTrace(ReadOnlySpan<ulong> traces)
    {
        RealTimeReader? reader;
        lock (_pulse)
        {
            if (traces.Length != 1 || !_readers.TryGetValue(traces[0], out reader))
            {
                return WindowsCode.InvalidHandle;
            }

            if (Refused("ProcessTrace", reader.Session?.Name) is uint code)
            {
                GiveUp(reader.Session);
                return code;
            }
        }

        if (reader.Session is not { } session)
        {
            reader.DeliverFile();
            return WindowsCode.Success;
        }

        lock (_pulse)
        {
            session.Reader = reader;
            session.HadReader = true;
            Monitor.PulseAll(_pulse);
        }

        while (Take(reader, session) is (SessionBuffer[] buffers, uint lost))
        {
            bool wantsMore = reader.Deliver(buffers, lost);
            lock (_pulse)
            {
                session.GiveBack(buffers);
                reader.IsDelivering = false;
                Monitor.PulseAll(_pulse);
            }

            if (!wantsMore)
            {
                Leave(reader, session);
                return WindowsCode.Cancelled;
            }
        }

        Leave(reader, session);
        return WindowsCode.Success;
    }

    public uint CloseTrace(ulong trace)
    {
        lock (_pulse)
        {
            if (!_readers.Remove(trace, out RealTimeReader? reader))
            {
                return WindowsCode.InvalidHandle;
            }

            reader.IsClosed = true;
            Monitor.PulseAll(_pulse);
            if (reader.Session?.Reader == reader)
            {
                return WindowsCode.ClosePending;
            }

            reader.Dispose();
            return WindowsCode.Success;
        }
    }

    /// <summary>Loses buffers of a real-time session, as when its reader is too slow.</summary>
    public void LoseRealTimeBuffers(string session, uint buffers) => Session(session).RealTimeBuffersLost += buffers;

    private unsafe uint OpenFile(byte* logfile, out ulong trace)
    {
        trace = ulong.MaxValue;
        char* path = *(char**)logfile;
        if (path is null || !File.Exists(new string(path)))
        {
            return WindowsCode.PathNotFound;
        }

        string file = new(path);
        using EtlReader opened = EtlReader.Open(file);
        var reader = new RealTimeReader(logfile, file, opened.Header);
        trace = _nextHandle++;
        _readers.Add(trace, reader);
        return WindowsCode.Success;
    }

    /// <summary>A session's reader could not begin: nobody waits for it any more.</summary>
    private void GiveUp(FakeSession? session)
    {
        if (session is not null)
        {
            session.HadReader = true;
            Monitor.PulseAll(_pulse);
        }
    }

    private (SessionBuffer[] Buffers, uint Lost)? Take(RealTimeReader reader, FakeSession session)
    {
        lock (_pulse)
        {
            while (session.FullBuffers == 0 && !session.IsStopped && !reader.IsClosed)
            {
                Monitor.Wait(_pulse);
            }

            if (reader.IsClosed || session.FullBuffers == 0)
            {
                return null;
            }

            reader.IsDelivering = true;
            return (session.TakeFull(), session.RealTimeBuffersLost);
        }
    }

    private void Leave(RealTimeReader reader, FakeSession session)
    {
        lock (_pulse)
        {
            session.Reader = null;
            Monitor.PulseAll(_pulse);
            if (reader.IsClosed)
            {
                reader.Dispose();
            }
        }
    }
}
