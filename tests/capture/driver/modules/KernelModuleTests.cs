using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using Tracer.Capture.Driver.Modules;

namespace Tracer.Capture.Tests;

/// <summary>The kernel's modules, from what Windows tells to the records of a recording.</summary>
public sealed class KernelModuleTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_list_gives_addresses_sizes_and_plain_paths()
    {
        byte[] list = List(
            (0xFFFFF80000000000, 0x1000, @"\SystemRoot\system32\ntoskrnl.exe"),
            (0, 0x1000, @"\SystemRoot\hidden.sys"),
            (0xFFFFF80000100000, 0x2000, @"\??\C:\drivers\x.sys"),
            (0xFFFFF80000200000, 0x3000, ""));
        Assert.Equal(
            [
                new KernelModule(0xFFFFF80000000000, 0x1000, @"C:\Windows\system32\ntoskrnl.exe"),
                new KernelModule(0xFFFFF80000100000, 0x2000, @"C:\drivers\x.sys"),
            ],
            SystemModuleList.Read(list, @"C:\Windows"));
    }

    [Fact]
    public void A_list_that_is_cut_off_gives_what_is_whole()
    {
        byte[] list = List((1, 1, "a"), (2, 1, "b"));
        for (int length = 0; length <= list.Length; length++)
        {
            int whole = length < 8 ? 0 : (length - 8) / 296;
            Assert.Equal(whole, SystemModuleList.Read(list.AsSpan(0, length), "").Count);
        }
    }

    [Fact]
    public void A_record_has_the_identity_of_the_file_if_it_is_the_loaded_image()
    {
        string path = TestImages.DriverIn(_folder, "nic.sys");
        ModuleRecord record = Assert.Single(ModuleRecords.Of([new KernelModule(0xFFFFF80000100000, TestImages.ImageBytes, path)]));
        Assert.Equal((TestImages.Timestamp, TestImages.CheckSum, 3u), (record.Timestamp, record.Checksum, record.PdbAge));
        Assert.Equal((TestImages.PdbGuid, "nic.sys", TestImages.PdbName), (record.PdbGuid, Text(record.Name), Text(record.PdbName)));
        Assert.Equal((DriverRecordType.Module, 176), (record.Header.Type, record.Header.Size));

        // The kernel counts whole pages, a header need not.
        byte[] odd = TestImages.Bytes();
        BinaryPrimitives.WriteUInt32LittleEndian(odd.AsSpan(TestImages.SizeOffset), TestImages.ImageBytes - 0x180);
        File.WriteAllBytes(Path.Combine(_folder, "odd.sys"), odd);
        record = Assert.Single(ModuleRecords.Of([new KernelModule(1, TestImages.ImageBytes, Path.Combine(_folder, "odd.sys"))]));
        Assert.Equal((TestImages.Timestamp, TestImages.PdbGuid), (record.Timestamp, record.PdbGuid));

        record = Assert.Single(ModuleRecords.Of([new KernelModule(1, TestImages.ImageBytes + 0x1000, path)]));
        Assert.Equal((0u, Guid.Empty, "nic.sys"), (record.Timestamp, record.PdbGuid, Text(record.Name)));
    }

    [Fact]
    public void Where_the_file_can_not_be_read_its_name_is_told_and_where_the_name_does_not_fit_nothing()
    {
        ModuleRecord record = Assert.Single(ModuleRecords.Of([
            new KernelModule(1, 2, Path.Combine(_folder, "gone.sys")),
            new KernelModule(1, 2, new string('x', 64)),
            new KernelModule(1, 2, "")]));
        Assert.Equal((2u, 0u, "gone.sys"), (record.ImageBytes, record.Timestamp, Text(record.Name)));
    }

    private static string Text(NameBytes name)
    {
        ReadOnlySpan<byte> bytes = name;
        return Encoding.UTF8.GetString(bytes[..bytes.IndexOf((byte)0)]);
    }

    private static byte[] List(params (ulong Base, uint Size, string Path)[] modules)
    {
        byte[] list = new byte[8 + (296 * modules.Length)];
        MemoryMarshal.Write(list, (uint)modules.Length);
        for (int i = 0; i < modules.Length; i++)
        {
            Span<byte> entry = list.AsSpan(8 + (296 * i));
            BinaryPrimitives.WriteUInt64LittleEndian(entry[16..], modules[i].Base);
            BinaryPrimitives.WriteUInt32LittleEndian(entry[24..], modules[i].Size);
            Encoding.UTF8.GetBytes(modules[i].Path, entry[40..]);
        }

        return list;
    }
}
