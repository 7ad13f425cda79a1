using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Tests.Modules;

/// <summary>Who may be passed over when somebody is looked for behind a module, and who must stay guilty.</summary>
public class FrameworkTableTests
{
    /// <summary>Drivers of Windows and of vendors that do the work themselves, next to those that the table knows.</summary>
    public static TheoryData<string> Guilty =>
    [
        "stornvme.sys", "storahci.sys", "iaStorAC.sys", "atapi.sys", "usbstor.sys", "uaspstor.sys", "sdstor.sys", "msdsm.sys", "vhdmp.sys",
        "e1d68x64.sys", "rt640x64.sys", "netvsc.sys", "storvsc.sys", "nvlddmkm.sys", "BasicDisplay.sys", "usbaudio.sys", "HdAudio.sys",
        "drmk.sys", "usbvideo.sys", "usbser.sys", "serial.sys", "winusb.sys", "hidinterrupt.sys", "CmBatt.sys", "tpm.sys", "http.sys",
        "srv2.sys", "mrxsmb.sys", "WdFilter.sys", "mpsdrv.sys", "ndisuio.sys", "wof.sys", "intelppm.sys", "amdppm.sys", "processr.sys",
    ];

    [Fact]
    public void A_module_stands_in_the_table_once() =>
        Assert.Distinct(Modules().Select(module => module.Name), StringComparer.OrdinalIgnoreCase);

    [Fact]
    public void Every_module_has_an_ending_a_part_and_a_note()
    {
        Every.Item(Modules(), module => Assert.Matches(@"\A[\w.-]+\.(sys|exe|dll)\z", module.Name));
        Every.Item(Modules(), module => Assert.NotEqual(ModuleRole.Driver, module.Role));
        Every.Item(Modules(), module => Assert.NotEmpty(module.Note));
    }

    [Fact]
    public void Every_group_names_a_public_page() => Every.Item(FrameworkTable.Groups, group =>
    {
        Assert.NotEmpty(group.Sources);
        Every.Item(group.Sources, source => Assert.True(Uri.TryCreate(source, UriKind.Absolute, out Uri? uri) && uri.Scheme == "https"));
    });

    /// <summary>Only behind a framework is somebody looked for by the class of his device: a layer is at work for itself.</summary>
    [Fact]
    public void Only_frameworks_have_classes_of_clients() =>
        Every.Item(Modules().Where(module => module.Clients.Length > 0), module => Assert.Equal(ModuleRole.Framework, module.Role));

    [Theory]
    [MemberData(nameof(Guilty))]
    public void Who_does_the_work_himself_stays_guilty(string name) => Assert.Equal(ModuleRole.Driver, Frameworks.RoleOf(name));

    [Theory]
    [InlineData("MSGPIOCLX.SYS", nameof(ModuleRole.Framework))]
    [InlineData("vmbkmcl.sys", nameof(ModuleRole.Framework))]
    [InlineData("sdport.sys", nameof(ModuleRole.Framework))]
    [InlineData("HDAudBus.sys", nameof(ModuleRole.Layer))]
    [InlineData("hidparse.sys", nameof(ModuleRole.Library))]
    [InlineData("acpi.sys", nameof(ModuleRole.Firmware))]
    [InlineData("ntoskrnl.exe", nameof(ModuleRole.Kernel))]
    public void A_module_plays_its_part_however_its_name_is_written(string name, string role) =>
        Assert.Equal(role, Frameworks.RoleOf(name).ToString());

    private static IEnumerable<KnownModule> Modules() => FrameworkTable.Groups.SelectMany(group => group.Modules);
}
