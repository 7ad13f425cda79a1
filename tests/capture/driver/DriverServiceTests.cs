using System.Runtime.InteropServices;

namespace Tracer.Capture.Tests.Driver;

/// <summary>The driver as a service.</summary>
public sealed class DriverServiceTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;
    private readonly FakeServices _services = new();
    private readonly DriverService _driver;

    public DriverServiceTests() => _driver = new DriverService(_services, TimeSpan.FromMilliseconds(50));

    private string Image => TestImages.DriverIn(_folder, DriverService.FileName);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void It_is_installed_loaded_unloaded_and_removed_and_what_is_done_already_is_said()
    {
        Assert.Null(_driver.Find());
        Assert.True(_driver.Install(Image));
        Assert.False(_driver.Install(Image));
        Assert.Equal(new RegisteredService(ServiceState.Stopped, Image), _driver.Find());
        Assert.True(_driver.Load());
        Assert.False(_driver.Load());
        Assert.True(_driver.Unload());
        Assert.False(_driver.Unload());
        _driver.Load();
        Assert.Equal(Image, _driver.Uninstall());
        Assert.Empty(_services.Registered);
        Assert.Null(_driver.Uninstall());
    }

    [Fact]
    public void Another_driver_is_not_installed_over_one()
    {
        _driver.Install(Image);
        string other = TestImages.DriverIn(_folder, DriverService.LaboratoryFileName);
        Assert.StartsWith(Image, Assert.Throws<DriverException>(() => _driver.Install(other)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_no_driver_for_this_machine_is_not_installed()
    {
        string path = Path.Combine(_folder, "x.sys");
        Assert.Contains("is not there", Assert.Throws<DriverException>(() => _driver.Install(path)).Message, StringComparison.Ordinal);
        File.WriteAllText(path, "no image");
        Assert.Contains("is no driver", Assert.Throws<DriverException>(() => _driver.Install(path)).Message, StringComparison.Ordinal);
        File.Copy(typeof(DriverServiceTests).Assembly.Location, path, overwrite: true);
        if (RuntimeInformation.OSArchitecture == Architecture.X64)
        {
            Assert.Contains("is for X86", Assert.Throws<DriverException>(() => _driver.Install(path)).Message, StringComparison.Ordinal);
        }

        Assert.Empty(_services.Registered);
    }

    [Fact]
    public void A_driver_whose_device_is_open_elsewhere_is_not_said_to_be_unloaded()
    {
        _driver.Install(Image);
        _driver.Load();
        _services.IsDeviceHeld = true;
        DriverException failure = Assert.Throws<DriverException>(() => _driver.Unload());
        Assert.Contains("still has its device open", failure.Message, StringComparison.Ordinal);
        Assert.Throws<DriverException>(() => _driver.Uninstall());
        Assert.NotEmpty(_services.Registered);
    }

    [Theory]
    [InlineData("Create", Win32Error.AccessDenied, "Run as administrator")]
    [InlineData("Create", Win32Error.ServiceMarkedForDelete, "somebody still holds it")]
    [InlineData("Start", Win32Error.InvalidImageHash, "testsigning on")]
    [InlineData("Start", Win32Error.DriverBlocked, "a policy of this machine")]
    [InlineData("Start", Win32Error.BlockedByPolicy, "application control")]
    [InlineData("Start", Win32Error.ServiceDisabled, "start= demand")]
    [InlineData("Start", Win32Error.FileNotFound, "no longer where it was installed from")]
    [InlineData("Start", Win32Error.ProcedureNotFound, "kernel routine")]
    [InlineData("Start", Win32Error.ServiceDoesNotExist, "tracer driver install")]
    [InlineData("Start", 4711, "failed with error 4711")]
    [InlineData("Stop", Win32Error.ServiceControlNotValid, "restart Windows")]
    [InlineData("Delete", Win32Error.AccessDenied, "uninstalling the driver failed with error 5")]
    public void Errors_of_Windows_say_what_to_do(string call, int error, string words)
    {
        _services.Errors.Add(call, error);
        DriverException failure = Assert.Throws<DriverException>(() =>
        {
            _driver.Install(Image);
            _driver.Load();
            _driver.Uninstall();
        });
        Assert.Equal(error, failure.Code);
        Assert.Contains(words, failure.Message, StringComparison.Ordinal);
    }
}
