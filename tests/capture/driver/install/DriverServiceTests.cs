using System.Runtime.InteropServices;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;

namespace Tracer.Capture.Tests;

public sealed class DriverServiceTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;
    private readonly FakeServices _services = new();
    private readonly FakePlace _place;
    private readonly DriverService _driver;

    public DriverServiceTests()
    {
        _place = new FakePlace(_folder);
        _driver = new DriverService(_services, _place, TimeSpan.FromMilliseconds(50));
    }

    private string Installed => Path.Combine(_place.Folder, DriverService.FileName);

    private string Image => TestImages.DriverIn(_folder, DriverService.FileName);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void It_is_installed_loaded_unloaded_and_removed_and_what_is_done_already_is_said()
    {
        Assert.Null(_driver.Find());
        Assert.Equal(new DriverInstallation(DriverInstallationKind.New, Installed, DriverSignature.Good), _driver.Install(Image));
        Assert.Equal(DriverInstallationKind.AlreadyThere, _driver.Install(Image).Kind);
        Assert.Equal(new RegisteredService(ServiceState.Stopped, Installed), _driver.Find());
        Assert.Equal(File.ReadAllBytes(Image), File.ReadAllBytes(Installed));
        Assert.True(_driver.Load());
        Assert.False(_driver.Load());
        Assert.True(_driver.Unload());
        Assert.False(_driver.Unload());
        _driver.Load();
        Assert.Equal(Installed, _driver.Uninstall());
        Assert.Empty(_services.Registered);
        Assert.Empty(Directory.GetFiles(_place.Folder));
        Assert.Null(_driver.Uninstall());
    }

    [Fact]
    public void Another_version_takes_the_place_of_one_that_is_not_loaded()
    {
        _driver.Install(Image);
        byte[] other = [.. TestImages.Bytes(), 1];
        File.WriteAllBytes(Path.Combine(_folder, DriverService.FileName), other);
        _driver.Load();
        string path = Path.Combine(_folder, DriverService.FileName);
        Assert.Contains("is loaded", Assert.Throws<DriverException>(() => _driver.Install(path)).Message, StringComparison.Ordinal);
        _driver.Unload();
        Assert.Equal(DriverInstallationKind.Replaced, _driver.Install(path).Kind);
        Assert.Equal(other, File.ReadAllBytes(Installed));
        Assert.True(_driver.Load());
        Assert.Equal(["TracerLatency.sys", "TracerLatency.sys.sha256"], Directory.GetFiles(_place.Folder).Select(Path.GetFileName).Order());
    }

    /// <summary>What an older version registered where the user had the file is not loaded, and install mends it.</summary>
    [Fact]
    public void A_file_in_a_folder_of_the_users_is_told_and_mended()
    {
        _services.Create(DriverService.Name, "x", Image);
        DriverException told = Assert.Throws<DriverException>(() => _driver.Load());
        Assert.Contains($"'tracer driver install {Image}' copies it", told.Message, StringComparison.Ordinal);
        DriverInstallation mended = _driver.Install(Image);
        Assert.Equal((DriverInstallationKind.Moved, Installed, Image), (mended.Kind, mended.Path, mended.Before));
        Assert.True(_driver.Load());
        _driver.Uninstall();
        Assert.True(File.Exists(Image));
    }

    [Fact]
    public void An_older_installation_is_removed_without_its_file()
    {
        _services.Create(DriverService.Name, "x", Image);
        Assert.Equal(Image, _driver.Uninstall());
        Assert.True(File.Exists(Image));
    }

    [Theory]
    [InlineData("changed", "has changed since it was installed")]
    [InlineData("gone", "is not there")]
    [InlineData("no hash", "has no SHA-256 beside it")]
    public void What_is_not_as_it_was_installed_is_not_loaded(string what, string words)
    {
        _driver.Install(Image);
        switch (what)
        {
            case "changed":
                File.AppendAllText(Installed, "x");
                break;
            case "gone":
                File.Delete(Installed);
                break;
            default:
                File.Delete(Installed + ".sha256");
                break;
        }

        Assert.Contains(words, Assert.Throws<DriverException>(() => _driver.Load()).Message, StringComparison.Ordinal);
        Assert.Equal(ServiceState.Stopped, _services.Registered[DriverService.Name].State);
    }

    [Theory]
    [InlineData(DriverSignature.Missing, "is not signed: kdriver/sign.sh")]
    [InlineData(DriverSignature.Broken, "is not what was signed")]
    public void An_unsigned_or_changed_file_is_neither_installed_nor_loaded(DriverSignature signature, string words)
    {
        _place.Signature = signature;
        Assert.Contains(words, Assert.Throws<DriverException>(() => _driver.Install(Image)).Message, StringComparison.Ordinal);
        Assert.Empty(_services.Registered);
        Assert.Empty(Directory.GetFiles(_place.Folder));
        _place.Signature = DriverSignature.NotTrusted;
        Assert.Equal(DriverSignature.NotTrusted, _driver.Install(Image).Signature);
        _place.Signature = signature;
        Assert.Contains(words, Assert.Throws<DriverException>(() => _driver.Load()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_installation_that_the_service_manager_refuses_leaves_no_file()
    {
        _services.Errors.Add("Create", Win32Error.AccessDenied);
        Assert.Throws<DriverException>(() => _driver.Install(Image));
        Assert.Empty(Directory.GetFiles(_place.Folder));
    }

    [Fact]
    public void Another_driver_is_not_installed_over_one()
    {
        _driver.Install(Image);
        string other = TestImages.DriverIn(_folder, DriverService.LaboratoryFileName);
        Assert.StartsWith(Installed, Assert.Throws<DriverException>(() => _driver.Install(other)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_no_driver_for_this_machine_is_not_installed()
    {
        string path = Path.Combine(_folder, "x.sys");
        Assert.Contains("is not there", Assert.Throws<DriverException>(() => _driver.Install(path)).Message, StringComparison.Ordinal);
        File.WriteAllText(path, "no image");
        Assert.Contains("is not a driver", Assert.Throws<DriverException>(() => _driver.Install(path)).Message, StringComparison.Ordinal);
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
    [InlineData("Start", Win32Error.FileNotFound, "its file is no longer there")]
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
