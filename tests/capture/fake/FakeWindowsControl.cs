namespace Tracer.Capture.Tests;

/// <content>StartTraceW, ControlTraceW, QueryAllTracesW.</content>
internal sealed partial class FakeWindows
{
    private const uint TracedGuid = 0x2_0000;
    private const int MostSessions = 64;

    /// <summary>Eight, of which two are for the sessions of these names alone.</summary>
    private const int SystemLoggers = 6;
    private static readonly string[] ReservedNames = ["NT Kernel Logger", "Circular Kernel Context Logger"];

    private const uint Query = 0;
    private const uint Stop = 1;
    private const uint Flush = 3;
    private const ushort RundownComplete = 0x0008;

    private readonly List<Refusal> _refusals = [];
    private ulong _nextHandle = 1;

    /// <summary>A call that fails.</summary>
    /// <param name="Function">Its name; of ControlTraceW and the settings with what is asked behind a dot: ControlTraceW.3.</param>
    /// <param name="Code">The Win32 code.</param>
    /// <param name="Session">Name of the session; null for any.</param>
    private sealed record Refusal(string Function, uint Code, string? Session)
    {
        public int Times { get; set; }
    }

    /// <summary>How often a session described the machine at its end.</summary>
    public int Descriptions { get; private set; }

    /// <summary>Makes the next calls of a function fail.</summary>
    public void Refuse(string function, uint code, string? session = null, int times = int.MaxValue) =>
        _refusals.Add(new Refusal(function, code, session) { Times = times });

    /// <summary>No call fails any more.</summary>
    public void RefuseNothing() => _refusals.Clear();

    public unsafe uint StartTrace(ulong* handle, string? name, byte* properties)
    {
        if (Refused("StartTraceW", name) is uint code)
        {
            return code;
        }

        if (handle is null || string.IsNullOrEmpty(name) || properties is null)
        {
            return WindowsCode.InvalidParameter;
        }

        var block = new SessionBlock(properties);
        if (block.Bytes < SessionBlock.LeastBytes || !block.HasRoom(block.NameOffset, name.Length))
        {
            return WindowsCode.BadLength;
        }

        if (!_options.IsAdministrator)
        {
            return WindowsCode.AccessDenied;
        }

        string file = block.FileName;
        uint mode = block.Mode;
        bool toFile = (mode & FakeSession.FileModes) != 0;
        bool isRing = (mode & FakeSession.Buffering) != 0;
        bool isRealTime = (mode & FakeSession.RealTime) != 0;
        if ((block.Flags & TracedGuid) == 0 || (isRing && (toFile || isRealTime || file.Length > 0)) || (!isRing && !toFile && !isRealTime)
            || (block.EnableFlags != 0 && (mode & FakeSession.SystemLogger) == 0))
        {
            return WindowsCode.InvalidParameter;
        }

        if (toFile && file.Length == 0)
        {
            return WindowsCode.BadPathName;
        }

        lock (_pulse)
        {
            if (_sessions.Exists(session => session.Name.Equals(name, StringComparison.OrdinalIgnoreCase)
                || (block.Guid != Guid.Empty && session.Guid == block.Guid)))
            {
                return WindowsCode.AlreadyExists;
            }

            bool isSystemLogger = (mode & FakeSession.SystemLogger) != 0;
            if (_sessions.Count >= MostSessions
                || (isSystemLogger && !ReservedNames.Contains(name)
                    && _sessions.Count(session => session.IsSystemLogger && !ReservedNames.Contains(session.Name)) >= SystemLoggers))
            {
                return WindowsCode.NoSystemResources;
            }

            if ((block.EnableFlags & 0x100_0000) != 0 && !_hasProfilePrivilege)
            {
                return WindowsCode.PrivilegeNotHeld;
            }

            int least = Math.Max((int)block.MinimumBuffers, 2 * Machine.Header.ProcessorCount);
            var session = new FakeSession(Machine.Header.ProcessorCount)
            {
                Name = name,
                Handle = _nextHandle++,
                Guid = block.Guid,
                Mode = mode,
                ClientContext = block.ClientContext,
                BufferBytes = 1024 * (int)block.BufferKb,
                MinimumBuffers = least,
                MaximumBuffers = Math.Max((int)block.MaximumBuffers, least + 22),
                FlushSeconds = block.FlushSeconds == 0 && isRealTime ? 1 : block.FlushSeconds,
                FilePath = file.Length > 0 ? file : null,
                StartTicks = _now,
                LastFlushTicks = _now,
            };
            if (toFile && Store(session, []) is not WindowsCode.Success and uint failure)
            {
                return failure;
            }

            _sessions.Add(session);
            uint[] masks = new uint[8];
            KernelSwitch.AddFlags(masks, block.EnableFlags);
            SetMasks(session, masks);
            *handle = session.Handle;
            block.Tell(session);
            return WindowsCode.Success;
        }
    }

    public unsafe uint ControlTrace(ulong handle, string? name, byte* properties, uint control)
    {
        lock (_pulse)
        {
            FakeSession? session = Find(handle, name);
            if (Refused($"ControlTraceW.{control}", session?.Name ?? name) is uint code)
            {
                return code;
            }

            if (properties is null || new SessionBlock(properties).Bytes < SessionBlock.LeastBytes)
            {
                return WindowsCode.BadLength;
            }

            if (session is null)
            {
                return WindowsCode.InstanceNotFound;
            }

            if (!_options.IsAdministrator)
            {
                return WindowsCode.AccessDenied;
            }

            var block = new SessionBlock(properties);
            uint answer = control switch
            {
                Query => WindowsCode.Success,
                Stop => End(session),
                Flush => FlushNow(session, block.FileName),
                _ => WindowsCode.InvalidParameter,
            };
            block.Tell(session);
            return answer;
        }
    }

    public unsafe uint QueryAllTraces(byte** blocks, uint count, out uint sessions)
    {
        lock (_pulse)
        {
            sessions = (uint)_sessions.Count;
            if (Refused("QueryAllTracesW", null) is uint code)
            {
                return code;
            }

            if (!_options.IsAdministrator)
            {
                return WindowsCode.AccessDenied;
            }

            for (int index = 0; index < Math.Min(count, _sessions.Count); index++)
            {
                new SessionBlock(blocks[index]).Tell(_sessions[index]);
            }

            return count < sessions ? WindowsCode.MoreData : WindowsCode.Success;
        }
    }

    private FakeSession? Find(ulong handle, string? name) => _sessions.Find(session =>
        handle != 0 ? session.Handle == handle : session.Name.Equals(name, StringComparison.OrdinalIgnoreCase));

    private uint? Refused(string function, string? session)
    {
        Refusal? refusal = _refusals.Find(one =>
            one.Times > 0 && one.Function == function && (one.Session is null || one.Session == session));
        if (refusal is null)
        {
            return null;
        }

        refusal.Times--;
        return refusal.Code;
    }

    /// <summary>Stops a session; what a file session tells at its end is in its file then.</summary>
    private uint End(FakeSession session)
    {
        _sessions.Remove(session);
        if (session.IsSystemLogger && !session.IsRing)
        {
            foreach (byte[] record in _alive.Rundown(session.Masks[0], atEnd: true, _now))
            {
                session.Log(0, _now, record);
            }

            if (!session.HasNoConfiguration)
            {
                Descriptions++;
                foreach (byte[] record in Machine.Configuration)
                {
                    LogNow(session, record);
                }
            }

            LogRundownComplete(session);
        }

        session.Flush();
        session.IsStopped = true;
        SessionBuffer[] full = session.TakeFull();
        if (_options.LosesOneBufferOf > 0 && session.IsSystemLogger)
        {
            SessionBuffer[] all = full;
            full = [.. all.Where((_, index) => index % _options.LosesOneBufferOf != _options.LosesOneBufferOf - 1)];
            session.EventsLost += (uint)(all.Length - full.Length);
        }

        uint answer = session.FilePath is null ? WindowsCode.Success : Store(session, full);
        Monitor.PulseAll(_pulse);
        return answer;
    }

    private uint FlushNow(FakeSession session, string file)
    {
        if (!session.IsRing)
        {
            session.Flush();
            Monitor.PulseAll(_pulse);
            return WindowsCode.Success;
        }

        if (file.Length == 0)
        {
            return WindowsCode.InvalidParameter;
        }

        // The buffers are chosen, and while they are written the machine fills some of them anew.
        SessionBuffer[] chosen = session.InMemory();
        Pass(_now + Clock.Ticks(_options.SnapshotTime));
        uint answer = Store(session, chosen, file);
        if (_options.FlushEmptiesRing)
        {
            session.Flush();
            session.GiveBack(session.TakeFull());
        }

        return answer;
    }

    private uint Store(FakeSession session, SessionBuffer[] buffers, string? file = null)
    {
        try
        {
            return SessionLogFile.Write(file ?? session.FilePath!, session, Machine.Header, _now, buffers, DiskBytes)
                ? WindowsCode.Success
                : WindowsCode.DiskFull;
        }
        catch (DirectoryNotFoundException)
        {
            return WindowsCode.PathNotFound;
        }
        catch (UnauthorizedAccessException)
        {
            return WindowsCode.AccessDenied;
        }
    }

    private void LogNow(FakeSession session, byte[] record)
    {
        byte[] copy = [.. record];
        RecordTime.Set(copy, _now);
        session.Log(0, _now, copy);
    }

    private void LogRundownComplete(FakeSession session)
    {
        byte[] record = new byte[16];
        record[0] = 2;
        record[2] = 17; // PERFINFO64.
        record[3] = 0xC0;
        record[4] = 16;
        record[6] = (byte)RundownComplete;
        LogNow(session, record);
    }
}
