using Tracer.Capture.Driver.Install;
using Tracer.Capture.Driver.Verifier;

namespace Tracer.Capture.Tests;

/// <summary>A machine whose services, folder of drivers and driver are those of a test.</summary>
internal static class FakeDriverMachine
{
    public static DriverMachine Of(string folder, FakeServices services, FakeDriver driver) => new()
    {
        Services = services,
        Place = new FakePlace(folder),
        OpenDevice = driver.Open,
        Modules = new FakeModules(),
        Verified = new FakeVerified(),
        ProgramFolder = folder,
        Patience = TimeSpan.FromMilliseconds(50),
    };
}

/// <summary>A kernel's list of verified drivers, as a test has it.</summary>
internal sealed class FakeVerified : IVerifiedDrivers
{
    /// <summary>What it tells; null where it does not.</summary>
    public Func<IReadOnlyList<VerifiedDriver>?> Tell { get; set; } = static () => [];

    public IReadOnlyList<VerifiedDriver>? List() => Tell();
}
