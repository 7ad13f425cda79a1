using System.Security.Cryptography;
using System.Text;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>
/// What stands in a case for the names of computers and of programs that are no part of Windows. Equal names have equal pseudonyms, so
/// that machines can be compared; without a key, who guesses a name can check the guess.
/// </summary>
/// <param name="key">A secret that pseudonyms follow from; empty for none.</param>
internal sealed class CaseNames(bool withNames, byte[] key)
{
    private const int DigitsOfMachine = 16;
    private const int DigitsOfProgram = 8;

    /// <summary>Whether the names themselves stand there.</summary>
    public bool AreShown => withNames;

    /// <summary>What a computer is called; null for one without a name.</summary>
    public string? Machine(string? computer) => string.IsNullOrWhiteSpace(computer) ? null
        : withNames ? computer
        : $"machine-{Digits("machine", computer, DigitsOfMachine)}";

    public string Program(string process) => withNames || KnownNames.IsProcess(process)
        ? process
        : $"program-{Digits("program", process, DigitsOfProgram)}{Ending(process)}";

    /// <summary>Common words of a device's name, which may hold a person's; null where none is left.</summary>
    public string? Device(string? name) => name is null || withNames ? name
        : HardwareText.Of(name).Trim('*', ' ', ',') is { Length: > 0 } left ? left
        : null;

    private static string Ending(string process) => process.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) ? ".exe" : "";

    private string Digits(string kind, string name, int count)
    {
        byte[] text = Encoding.UTF8.GetBytes($"{kind}:{name.Trim().ToUpperInvariant()}");
        return Convert.ToHexStringLower(HMACSHA256.HashData(key, text))[..count];
    }
}
