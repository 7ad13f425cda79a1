using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;

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

    /// <summary>The outcome of a step that failed.</summary>
    internal static (CheckOutcome Outcome, string Finding, string? Why) Failed(string finding, string why) =>
        (CheckOutcome.Fail, finding, why);

    /// <summary>
    /// Tries a step and tells how it came out; whatever it throws is its failure, but for a session of the name that runs already: of a
    /// capture that runs, or a crash left it, and nothing was tried.
    /// </summary>
    /// <returns>Whether it is as it should be.</returns>
    internal static bool Try(
        Action<MachineCheck> told, string name, Func<(CheckOutcome Outcome, string Finding, string? Why)> step)
    {
        (CheckOutcome Outcome, string Finding, string? Why) result;
        try
        {
            result = step();
        }
#pragma warning disable CA1031 // Whatever a step meets is what the user asked for.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            bool isTaken = failure is EtwException { Code: EtwError.AlreadyExists };
            result = (isTaken ? CheckOutcome.Skipped : CheckOutcome.Fail, failure.Message, null);
        }

        told(new MachineCheck(name, result.Outcome, result.Finding, result.Why));
        return result.Outcome == CheckOutcome.Ok;
    }
}
