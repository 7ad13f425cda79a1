using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>A session of ours, through advapi32.</summary>
internal sealed unsafe class EtwSession : ITraceSession
{
    private readonly ulong _handle;
    private readonly List<string> _missing = [];
    private readonly List<string> _refusals = [];
    private bool _isFlushedPlainly;
    private int _isStopped;

    public EtwSession(SessionPlan plan, ulong handle)
    {
        Plan = plan;
        _handle = handle;
    }

    public SessionPlan Plan { get; }

    public KernelMasks Granted { get; private set; }

    public bool IsGrantedTold { get; private set; } = true;

    public IReadOnlyList<StackRequest> GrantedStacks { get; private set; } = [];

    public IReadOnlyList<string> Missing => _missing;

    public IReadOnlyList<string> Refusals => _refusals;

    /// <summary>
    /// Switches on what the plan wants, as far as this Windows goes along, and asks what is on. What it does not tell is not known, and
    /// ends nothing.
    /// </summary>
    public void Configure()
    {
        CheckRuns();
        // A session that is no system logger has no kernel events that could be switched.
        bool hasKernelEvents = Plan.Role != SessionRole.Events;
        if (hasKernelEvents)
        {
            GrantedStacks = KernelStackList.Apply(_handle, Plan.Stacks, _missing);
            Granted = KernelMaskSetting.Apply(_handle, Plan.Masks, Plan.WithConfiguration);
        }

        foreach (ProviderRequest provider in Plan.Providers)
        {
            if (ProviderEnabling.Enable(_handle, provider) != EtwError.Success)
            {
                _missing.Add(provider.Name);
            }
        }

        if (hasKernelEvents)
        {
            KernelMasks? told = KernelMaskSetting.Query(_handle);
            IsGrantedTold = told is not null;
            Granted = told ?? Granted;
            _missing.AddRange(RecordedEvents.Missing(Plan.Masks, Granted));
        }
    }

    public SessionCounters Query()
    {
        PropertiesBlock block = PropertiesBlock.ForAnswer();
        Check("ControlTrace (query)", TraceFunctions.ControlTrace(_handle, null, block.Pointer, EtwConstants.ControlQuery));
        EventTraceProperties answer = block.Properties;
        return new SessionCounters(
            answer.NumberOfBuffers, answer.FreeBuffers, answer.BuffersWritten, answer.EventsLost, answer.RealTimeBuffersLost);
    }

    public void Snapshot(string path)
    {
        try
        {
            if (File.Exists(path))
            {
                File.Delete(path); // Whether Windows would replace it is not documented.
            }
        }
        catch (IOException)
        {
            throw EtwFailures.Of("DeleteFile", EtwError.SharingViolation);
        }

        uint code = _isFlushedPlainly ? EtwError.InvalidParameter : Flush(PropertiesBlock.ForSnapshot(Plan, path));
        if (code == EtwError.InvalidParameter)
        {
            code = Flush(PropertiesBlock.ForPlainSnapshot(path)); // What it was started with is no business of a flush, perhaps.
            if (code == EtwError.Success && !_isFlushedPlainly)
            {
                _isFlushedPlainly = true;
                _refusals.Add(
                    "ControlTrace (flush) failed with 87 where it had all that the session was started with: the ring is written by one "
                    + "that has the names alone");
            }
        }

        Check("ControlTrace (flush)", code);
    }

    public void Stop()
    {
        if (Interlocked.Exchange(ref _isStopped, 1) != 0)
        {
            return;
        }

        // By name and with all that it was started with, as TraceEvent stops its sessions: what an empty block would lose nobody tells.
        PropertiesBlock block = PropertiesBlock.ForStart(Plan);
        uint code = TraceFunctions.ControlTrace(0, Plan.Name, block.Pointer, EtwConstants.ControlStop);
        GC.KeepAlive(block);
        if (code != EtwError.InstanceNotFound) // Somebody else stopped it.
        {
            Check("ControlTrace (stop)", code);
        }
    }

    public void Dispose()
    {
        try
        {
            Stop();
        }
        catch (EtwException)
        {
            // Nothing more can be done here; the next start finds the session by its name and stops it.
        }
    }

    /// <summary>A session that runs has buffers. Wine's StartTrace reports success, and nothing runs.</summary>
    private void CheckRuns()
    {
        SessionCounters counters;
        try
        {
            counters = Query();
        }
        catch (EtwException refusal) when (!refusal.IsOfGoneSession && refusal.Code != EtwError.CallNotImplemented)
        {
            _refusals.Add($"whether '{Plan.Name}' has buffers is not known: {refusal.Message}");
            return;
        }

        if (counters.Buffers == 0)
        {
            throw EtwFailures.NothingRuns();
        }
    }

    private uint Flush(PropertiesBlock block)
    {
        uint code = TraceFunctions.ControlTrace(_handle, null, block.Pointer, EtwConstants.ControlFlush);
        GC.KeepAlive(block); // Its memory lives as long as it does.
        return code;
    }

    private static void Check(string function, uint code)
    {
        if (code != EtwError.Success)
        {
            throw EtwFailures.Of(function, (int)code);
        }
    }
}
