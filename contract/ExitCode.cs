namespace Tracer.Contract;

/// <summary>How <c>analyzer</c> and <c>tracer</c> end; scripts rely on these numbers.</summary>
public static class ExitCode
{
    /// <summary>The work is done and nothing exceeded a threshold that was asked about.</summary>
    public const int Done = 0;

    /// <summary>
    /// The work could not be done: unreadable input, something that needs Windows, an internal error. A line on stderr says which.
    /// </summary>
    public const int Failed = 1;

    /// <summary>
    /// Done, and it was found: <c>--fail-over</c> of <c>analyzer blame</c>, <c>--fail-if worse</c> of <c>analyzer diff</c>, an episode for
    /// <c>tracer capture</c> by any trigger, a latency over <c>--threshold</c> for <c>tracer probe</c>.
    /// </summary>
    public const int OverThreshold = 2;

    /// <summary>
    /// The work is done, it was asked whether something is exceeded, and the trace can't tell: <c>--fail-over</c> of <c>analyzer blame</c>,
    /// <c>--fail-if worse</c> of <c>analyzer diff</c>.
    /// </summary>
    public const int Unknown = 3;

    /// <summary>The command line is wrong; nothing was done. EX_USAGE of BSD's sysexits.h.</summary>
    public const int WrongUsage = 64;
}
