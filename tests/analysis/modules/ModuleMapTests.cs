using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Tests.Facts;

namespace Tracer.Analysis.Tests.Modules;

/// <summary>Whose a stack is, by the parts of the modules on it.</summary>
public class ModuleMapTests
{
    private const ulong Base = 0xFFFF_F800_1000_0000;
    private const ulong Size = 0x10_0000;

    /// <summary>An address behind all images.</summary>
    private const string Unknown = "?";

    private static readonly string[] Names =
        ["ntoskrnl.exe", "ndis.sys", "tcpip.sys", "cng.sys", "hidparse.sys", "ACPI.sys", "nic.sys", "helper.sys"];

    private static readonly ModuleMap Map = Made();

    /// <summary>Stacks, the innermost first, with the owner that they show and the index of its frame.</summary>
    [Theory]
    [InlineData("nic.sys ndis.sys ntoskrnl.exe", "nic.sys", 0)]
    [InlineData("ntoskrnl.exe nic.sys ndis.sys", "nic.sys", 1)]
    [InlineData("helper.sys nic.sys ndis.sys", "nic.sys", 1)]
    [InlineData("tcpip.sys ndis.sys nic.sys ndis.sys", "nic.sys", 2)]
    [InlineData("ndis.sys ntoskrnl.exe", null, 2)]
    [InlineData("ntoskrnl.exe ntoskrnl.exe", null, 2)]
    [InlineData("tcpip.sys ndis.sys", "tcpip.sys", 0)]
    [InlineData("ntoskrnl.exe ACPI.sys ntoskrnl.exe", "ACPI.sys", 1)]

    // Time in a library is its caller's, through whatever it called itself.
    [InlineData("cng.sys nic.sys ndis.sys", "nic.sys", 1)]
    [InlineData("ntoskrnl.exe cng.sys hidparse.sys nic.sys", "nic.sys", 3)]
    [InlineData("cng.sys tcpip.sys ntoskrnl.exe", "tcpip.sys", 1)]
    [InlineData("helper.sys cng.sys nic.sys", "nic.sys", 2)]
    [InlineData("cng.sys ndis.sys ntoskrnl.exe", null, 3)]

    // Nobody but the kernel asked for it; where the stack is cut, somebody may have.
    [InlineData("ntoskrnl.exe cng.sys ntoskrnl.exe", "cng.sys", 1)]
    [InlineData("hidparse.sys cng.sys ntoskrnl.exe", "hidparse.sys", 0)]
    [InlineData("cng.sys cng.sys", null, 2)]
    [InlineData("ntoskrnl.exe cng.sys ?", null, 3)]
    public void The_owner_is_the_innermost_that_answers_for_itself(string stack, string? owner, int depth)
    {
        LoadedImage? found = Map.OwnerIn(Frames(stack), 1, out int at);
        Assert.Equal((owner, depth), (found?.Name, at));
    }

    [Theory]
    [InlineData("nic.sys ntoskrnl.exe", "nic.sys", 1)]
    [InlineData("ntoskrnl.exe ndis.sys nic.sys", "ndis.sys", 2)]
    [InlineData("ntoskrnl.exe cng.sys nic.sys ndis.sys", "nic.sys", 3)]
    [InlineData("cng.sys ntoskrnl.exe", "cng.sys", 2)]
    [InlineData("ntoskrnl.exe ?", null, 2)]
    public void Kernel_and_libraries_work_for_the_nearest_that_is_neither(string stack, string? whom, int frames)
    {
        LoadedImage? found = Map.WorkedFor(Frames(stack), 1, out int count);
        Assert.Equal((whom, frames), (found?.Name, count));
    }

    [Fact]
    public void Only_frameworks_and_firmware_are_stood_through()
    {
        List<LoadedImage> through = [];
        Map.AddFrameworksOutside(Frames("nic.sys cng.sys ndis.sys tcpip.sys ACPI.sys ndis.sys ntoskrnl.exe"), 0, 1, through);
        Assert.Equal(["ndis.sys", "ACPI.sys"], through.Select(image => image.Name));
    }

    private static ulong[] Frames(string stack) =>
        [.. stack.Split(' ').Select(name => Base + ((ulong)(name == Unknown ? Names.Length : Array.IndexOf(Names, name)) * Size) + 0x100)];

    private static ModuleMap Made()
    {
        var images = new ImageTable(pointerBytes: 8);
        for (int i = 0; i < Names.Length; i++)
        {
            byte[] image = MadeEvent.Image(Base + ((ulong)i * Size), Size, 0, @"\SystemRoot\System32\drivers\" + Names[i]);
            MadeEvent.Give(MadeEvent.Kernel(KernelHook.ImageDCStart, 3, 0, image), images.Add);
        }

        images.Complete();
        return new ModuleMap(images, new ModuleCalls());
    }
}
