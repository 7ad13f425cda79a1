using Tracer.Capture.Driver.Install;

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
        ProgramFolder = folder,
        Patience = TimeSpan.FromMilliseconds(50),
    };
}
