using System.Runtime.Versioning;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>The trace sessions of this Windows, through advapi32.</summary>
[SupportedOSPlatform("windows")]
public sealed unsafe class EtwSessions : ITraceSessions
{
    private const int MostSessions = 1024;

    public uint ProfileInterval
    {
        get
        {
            // Whether the question wants it too is not documented; without it Windows answers or refuses by itself.
            _ = SystemProfilePrivilege.Enable();
            TraceProfileInterval interval = default;
            uint code = TraceFunctions.TraceQueryInformation(
                0, TraceInformationClass.TraceSampledProfileIntervalInfo, &interval, (uint)sizeof(TraceProfileInterval), out _);
            Check("TraceQueryInformation (profile interval)", code);
            return interval.Interval;
        }

        set
        {
            SystemProfilePrivilege.Enable(); // Without it, the call is refused and says so.
            TraceProfileInterval interval = new() { Interval = value };
            Check("TraceSetInformation (profile interval)", TraceFunctions.TraceSetInformation(
                0, TraceInformationClass.TraceSampledProfileIntervalInfo, &interval, (uint)sizeof(TraceProfileInterval)));
        }
    }

    public int? Places
    {
        get
        {
            uint places = 0;
            uint code = TraceFunctions.TraceQueryInformation(
                0, TraceInformationClass.TraceMaxLoggersQuery, &places, sizeof(uint), out _);
            return code == EtwError.Success && places is > 0 and <= MostSessions ? (int)places : null;
        }
    }

    public ITraceSession Start(SessionPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        if (plan.Role != SessionRole.Events)
        {
            _ = SystemProfilePrivilege.Enable(); // Without it, there are no samples, and the granted masks say so.
        }

        PropertiesBlock block = PropertiesBlock.ForStart(plan);
        uint code = TraceFunctions.StartTrace(out ulong handle, plan.Name, block.Pointer);
        GC.KeepAlive(block); // Its memory lives as long as it does.
        if (code == EtwError.NoSystemResources)
        {
            throw EtwFailures.NoPlace("StartTrace", plan, RunningOrNone(), Places ?? SessionPlaces.All);
        }

        Check("StartTrace", code);
        EtwSession session = new(plan, handle);
        try
        {
            session.Configure();
            return session;
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    public IReadOnlyList<RunningSession> Running()
    {
        for (int places = SessionPlaces.All; ; places *= 2)
        {
            PropertiesBlock[] blocks = [.. Enumerable.Range(0, places).Select(static _ => PropertiesBlock.ForAnswer())];
            EventTraceProperties*[] pointers = new EventTraceProperties*[places];
            for (int i = 0; i < places; i++)
            {
                pointers[i] = blocks[i].Pointer;
            }

            uint code;
            uint count;
            fixed (EventTraceProperties** first = pointers)
            {
                code = TraceFunctions.QueryAllTraces(first, (uint)places, out count);
            }

            GC.KeepAlive(blocks);
            if (code == EtwError.MoreData && places < MostSessions)
            {
                continue;
            }

            Check("QueryAllTraces", code);
            return [.. blocks.Take((int)Math.Min(count, (uint)places)).Select(Describe)];
        }
    }

    public bool Stop(string name)
    {
        if (!SessionPlans.IsOwn(name))
        {
            throw new ArgumentException($"'{name}' is not one of our sessions", nameof(name));
        }

        PropertiesBlock block = PropertiesBlock.ForAnswer();
        uint code = TraceFunctions.ControlTrace(0, name, block.Pointer, EtwConstants.ControlStop);
        GC.KeepAlive(block);
        if (code == EtwError.InstanceNotFound)
        {
            return false;
        }

        Check("ControlTrace (stop)", code);
        return true;
    }

    public void ReadRealTime(string name, IInterruptWorkSink sink) => RealTimeReading.Read(name, sink);

    public void ReadEvents(string name, IRealTimeSink sink) => RealTimeReading.Read(name, sink);

    private IReadOnlyList<RunningSession> RunningOrNone()
    {
        try
        {
            return Running();
        }
        catch (EtwException)
        {
            return []; // It is another failure that is being told.
        }
    }

    private static RunningSession Describe(PropertiesBlock block)
    {
        string name = block.LoggerName;
        return new RunningSession(
            name,
            (block.Properties.LogFileMode & EtwConstants.ModeSystemLogger) != 0
                || SessionPlaces.Reserved.Contains(name, StringComparer.OrdinalIgnoreCase));
    }

    private static void Check(string function, uint code)
    {
        if (code != EtwError.Success)
        {
            throw EtwFailures.Of(function, (int)code);
        }
    }
}
