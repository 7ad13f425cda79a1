using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>Puts the codes of the tracing functions into words.</summary>
internal static class EtwFailures
{
    /// <param name="code">Win32 code.</param>
    public static EtwException Of(string function, int code) => new(function, code, Explain(code));

    /// <summary>
    /// StartTrace answered 1450, which stands for three things: no place for another session, none for another system logger, no memory.
    /// Which of them it was follows from the sessions that run.
    /// </summary>
    /// <param name="plan">The session that was to start; all of ours but <see cref="SessionRole.Events"/> are system loggers.</param>
    /// <param name="places">Places for sessions of all kinds.</param>
    public static EtwException NoPlace(
        string function, SessionPlan plan, IReadOnlyList<RunningSession> running, int places = SessionPlaces.All)
    {
        if (running.Count >= places)
        {
            return new EtwException(
                function,
                EtwError.NoSystemResources,
                Invariant($"Windows runs {places} trace sessions at most, and {running.Count} run: ")
                    + $"{Names(running)}; stop one of these that you do not need (logman stop NAME -ets)");
        }

        RunningSession[] loggers = [.. running.Where(static session => session.IsSystemLogger)];
        if (plan.Role != SessionRole.Events && SessionPlaces.FreeOfLoggers(loggers) == 0)
        {
            return new EtwException(
                function,
                EtwError.NoSystemResources,
                "Windows has eight places for sessions with kernel events, two of them reserved, and they are taken by "
                    + $"{Names(loggers)}; stop one of these (logman stop NAME -ets)");
        }

        long kib = (long)plan.BufferKb * plan.Buffers;
        return new EtwException(
            function,
            EtwError.NoSystemResources,
            Invariant($"Windows has places for the session ({running.Count} of {places} are taken, ")
                + Invariant($"{loggers.Length} by system loggers), but no memory for its {kib / 1024:#,0} MiB of buffers; ")
                + "ask for less with --buffer-mb")
        {
            IsMemoryShort = true,
        };
    }

    /// <summary>A call went well, and yet there is no session.</summary>
    public static EtwException NothingRuns() => new(
        "StartTrace",
        EtwError.CallNotImplemented,
        "the call succeeded, but no session runs: this Windows does not trace (Wine?)");

    private static string Names(IEnumerable<RunningSession> sessions) =>
        string.Join(", ", sessions.Select(static session => $"'{session.Name}'"));

    private static string Invariant(FormattableString text) => text.ToString(System.Globalization.CultureInfo.InvariantCulture);

    private static string Explain(int code) => code switch
    {
        EtwError.AccessDenied => "access denied: kernel events need an administrator; start it from an elevated prompt",
        EtwError.PathNotFound => "the folder of the file does not exist",
        EtwError.InvalidHandle => "the session is gone",
        EtwError.NotEnoughMemory or EtwError.OutOfMemory => "not enough memory that is never paged out; ask for less with --buffer-mb",
        EtwError.BadLength => "this Windows expects another size of the data",
        EtwError.SharingViolation or EtwError.BadPathName => "the file is in use, perhaps by another session",
        EtwError.NotSupported => "this Windows cannot do that",
        EtwError.InvalidParameter => "Windows refuses a parameter: it is too old for it, or a virtual machine does not offer it",
        EtwError.DiskFull => "the disk is full",
        EtwError.CallNotImplemented => "this Windows does not trace (Wine?)",
        EtwError.InvalidName => "the name of the file is not valid, or too long",
        EtwError.AlreadyExists => "a session of this name runs already: is another capture running?",
        EtwError.MoreData => "the answer is longer than a session's data can be",
        EtwError.NotAllAssigned or EtwError.PrivilegeNotHeld =>
            "the right to profile the system (SeSystemProfilePrivilege) is missing: administrators have it, unless a policy took it away",
        EtwError.NoSystemResources =>
            "Windows has no room for another session, or not the memory for its buffers; ask for less with --buffer-mb",
        EtwError.InstanceNotFound => "no session of this name runs",
        _ => "see 'net helpmsg " + code.ToString(System.Globalization.CultureInfo.InvariantCulture) + "'",
    };
}
