namespace Tracer.Capture.Driver.Install;

/// <summary>What the system says of the signature in a file.</summary>
public enum DriverSignature
{
    /// <summary>It is whole, and made by somebody whom this machine trusts.</summary>
    Good,

    /// <summary>It is whole, but this machine does not trust who made it: only test signing loads it.</summary>
    NotTrusted,

    /// <summary>There is none.</summary>
    Missing,

    /// <summary>The file is not what was signed.</summary>
    Broken,

    /// <summary>The system checks none: Wine.</summary>
    NotChecked,
}

/// <summary>Where an installed driver lies, and what the system says of its signature.</summary>
public interface IDriverPlace
{
    /// <summary>The folder that drivers are copied to: only administrators may write there.</summary>
    string Folder { get; }

    DriverSignature SignatureOf(string path);
}
