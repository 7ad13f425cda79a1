namespace Tracer.Capture.Doctor;

/// <summary>How a check came out.</summary>
public enum CheckOutcome
{
    /// <summary>As it should be.</summary>
    Ok,

    /// <summary>A capture works, but less well, or not with everything.</summary>
    Warn,

    /// <summary>A capture does not work.</summary>
    Fail,

    /// <summary>It could not be tried here.</summary>
    Skipped,
}

/// <summary>One line of <c>tracer doctor</c>.</summary>
/// <param name="Why">Why it matters; null where it is as it should be.</param>
/// <param name="Fix">What can be done; null where nothing is to be done.</param>
public sealed record MachineCheck(string Name, CheckOutcome Outcome, string Finding, string? Why = null, string? Fix = null)
{
    public static MachineCheck Ok(string name, string finding) => new(name, CheckOutcome.Ok, finding);
}
