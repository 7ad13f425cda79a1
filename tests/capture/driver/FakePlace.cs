using Tracer.Capture.Driver.Install;

namespace Tracer.Capture.Tests;

/// <summary>A folder of installed drivers, and a system that says of every signature what it is told to.</summary>
internal sealed class FakePlace : IDriverPlace
{
    public FakePlace(string folder) => Folder = Directory.CreateDirectory(Path.Combine(folder, "drivers")).FullName;

    public string Folder { get; }

    public DriverSignature Signature { get; set; } = DriverSignature.Good;

    public DriverSignature SignatureOf(string path) => File.Exists(path) ? Signature : DriverSignature.Missing;
}
