namespace Tracer.Capture.Driver.Install;

public enum DriverInstallationKind
{
    /// <summary>It is installed, and was not before.</summary>
    New,

    /// <summary>The same file was installed already.</summary>
    AlreadyThere,

    /// <summary>Its file is another one now.</summary>
    Replaced,

    /// <summary>It was registered where others than administrators may write, and no longer is.</summary>
    Moved,
}

/// <param name="Signature">What the system says of its signature.</param>
public sealed record DriverInstallation(DriverInstallationKind Kind, string Path, DriverSignature Signature)
{
    /// <summary>Where it was registered before; null where it was not.</summary>
    public string? Before { get; init; }
}

/// <summary>Which signatures a driver may have.</summary>
internal static class DriverTrust
{
    private const string What = "kdriver/sign.sh signs it for a test machine; elsewhere only a driver that Microsoft signed loads";

    /// <summary>Refuses a file that is not signed, or is not what was signed.</summary>
    /// <exception cref="DriverException">With what to do.</exception>
    public static void Check(string path, DriverSignature signature)
    {
        string? fault = signature switch
        {
            DriverSignature.Missing => $"{path} is not signed: {What}",
            DriverSignature.Broken => $"{path} is not what was signed: get it again from where you got it. {What}",
            _ => null,
        };
        if (fault is not null)
        {
            throw DriverException.Because(fault);
        }
    }
}
