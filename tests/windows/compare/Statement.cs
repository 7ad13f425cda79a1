namespace Tracer.WindowsProof;

/// <summary>What Windows said to a statement.</summary>
public enum Answer
{
    /// <summary>No bundle has been read.</summary>
    NotYet,

    Confirmed,

    /// <summary>It is not so.</summary>
    Refuted,

    /// <summary>The run could not show it.</summary>
    NotShown,
}

/// <param name="Detail">What was found, a phrase.</param>
public sealed record Finding(Answer Answer, string Detail)
{
    public static Finding Confirmed(string detail) => new(Answer.Confirmed, detail);

    public static Finding Refuted(string detail) => new(Answer.Refuted, detail);

    public static Finding NotShown(string detail) => new(Answer.NotShown, detail);
}

/// <summary>Something that is believed of Windows where there is none, and how a bundle shows it.</summary>
/// <param name="Id">Its name in results; never changed.</param>
/// <param name="Text">What is believed, a sentence.</param>
/// <param name="Evidence">Which file of a bundle tells.</param>
/// <param name="IsOptional">Whether a run without it may pass: where it hangs on what the machine has.</param>
/// <param name="IsPortable">Whether a run of the portable parts shows it.</param>
/// <param name="Line">The line of the self-test that tells; null where it is something else.</param>
/// <param name="Code">The file that tries it.</param>
public sealed record Statement(
    string Id,
    string Text,
    string Evidence,
    Func<ProofFolder, Finding> Read,
    bool IsOptional = false,
    bool IsPortable = false,
    string? Line = null,
    string Code = Statement.Script)
{
    /// <summary>What runs everything that the program does not try by itself.</summary>
    public const string Script = "tests/windows/prove.ps1";

    /// <summary>Whether the program tries it by itself, without the toolkit, PowerShell 7 or a build.</summary>
    public bool IsOfProgram => Line is not null;
}
