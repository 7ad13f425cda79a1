namespace Tracer.Measure.Ground;

/// <summary>
/// The calls of Ramamritham's Table 1, as it names them: a machine says which of its own stands for which
/// (<see cref="TimedCall.Counterpart"/>).
/// </summary>
internal static class PaperCalls
{
    public const string NewProcess = "CreateProcess()";

    /// <summary>Takes the process to the real-time class.</summary>
    public const string ToRealTime = "SetPriorityClass(), normal to real-time";

    /// <summary>Takes it to another class.</summary>
    public const string OtherClasses = "SetPriorityClass(), other combinations";

    public const string OwnPriority = "SetThreadPriority(), a thread for itself";

    /// <summary>A thread changes another's.</summary>
    public const string OthersPriority = "SetThreadPriority(), of another thread";

    public const string ReadingTime = "QueryPerformanceCounter()";
}
