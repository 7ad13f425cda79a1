namespace Tracer.Analysis.Machine;

/// <summary>What an event changed that others follow.</summary>
internal enum LaneChange : byte
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>An ISR or DPC returned: it is the newest of the history, and waits to be counted.</summary>
    Routine,

    /// <summary>A threaded DPC or passive-level ISR returned.</summary>
    ThreadRoutine,

    /// <summary>The CPU went to another thread.</summary>
    Switch,
}
