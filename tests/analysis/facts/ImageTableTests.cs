using Tracer.Analysis.Facts;
using Tracer.Symbols;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>From an address and a time to the driver, from records in any order of which some are missing.</summary>
public class ImageTableTests
{
    private const ulong Base = 0xFFFF_F800_1000_0000;
    private const ulong Other = 0xFFFF_F800_2000_0000;
    private const string Nic = @"\SystemRoot\System32\drivers\Nic.sys";
    private const string Disk = @"\SystemRoot\System32\drivers\disk.sys";

    [Theory]
    [InlineData(KernelHook.ImageDCStart)]
    [InlineData(KernelHook.ImageDCEnd)]
    public void An_image_of_a_rundown_counts_from_before_the_trace(ushort hookId)
    {
        ImageTable table = Table(Record(hookId, 5000, Base, 0x1000, Nic));
        LoadedImage image = Assert.Single(table.Images);
        Assert.Equal(("Nic.sys", long.MinValue, long.MaxValue), (image.Name, image.LoadTicks, image.UnloadTicks));
        Assert.Same(image, table.Find(Base, long.MinValue));
        Assert.Same(image, table.Find(Base + 0xFFF, 1));
        Assert.Null(table.Find(Base + 0x1000, 1));
        Assert.Null(table.Find(Base - 1, 1));
        Assert.Null(table.Find(0, 1));
    }

    [Fact]
    public void Several_records_of_one_image_are_one()
    {
        ImageTable table = Table(
            Record(KernelHook.ImageDCEnd, 900, Base, 0x1000, @"\Windows\System32\drivers\nic.sys"),
            Record(KernelHook.ImageLoad, 100, Base, 0x1000, Nic, processId: 4),
            Record(KernelHook.ImageDCStart, 150, Base, 0x1000, Nic),
            Record(KernelHook.ImageLoadOfImageGroup, 100, Base, 0x1000, Nic, processId: uint.MaxValue));
        LoadedImage image = Assert.Single(table.Images);
        Assert.Equal((100, long.MaxValue, 0u, 1), (image.LoadTicks, image.UnloadTicks, image.ProcessId, table.KernelImageCount));
        Assert.Null(table.Find(Base, 99));
        Assert.Same(image, table.Find(Base, 100));
    }

    [Fact]
    public void An_address_that_another_driver_takes_over_is_told_apart_by_time()
    {
        ImageTable table = Table(
            Record(KernelHook.ImageLoad, 300, Base, 0x3000, Disk),
            Record(KernelHook.ImageUnload, 200, Base, 0x1000, Nic));
        Assert.Equal("Nic.sys", table.Find(Base, 50)?.Name);
        Assert.Equal("Nic.sys", table.Find(Base, 200)?.Name);
        Assert.Null(table.Find(Base, 250));
        Assert.Equal("disk.sys", table.Find(Base + 0x2FFF, 300)?.Name);
        Assert.Null(table.Find(Base + 0x2FFF, 200));
    }

    [Fact]
    public void A_driver_that_is_loaded_twice_is_two_images_of_one_name()
    {
        ImageTable table = Table(
            Record(KernelHook.ImageDCStart, 10, Base, 0x1000, Nic),
            Record(KernelHook.ImageUnload, 100, Base, 0x1000, Nic),
            Record(KernelHook.ImageUnload, 100, Base, 0x1000, Nic),
            Record(KernelHook.ImageLoad, 200, Other, 0x1000, Nic),
            Record(KernelHook.ImageUnload, 300, Other, 0x1000, Nic),
            Record(KernelHook.ImageDCEnd, 900, Base, 0x1000, Nic));
        Assert.Equal(
            [(Base, long.MinValue, 100L), (Base, 100L, long.MaxValue), (Other, 200L, 300L)],
            table.Images.Select(image => (image.Base, image.LoadTicks, image.UnloadTicks)));
        Assert.Same(table.Images[0].Name, table.Images[2].Name);
        Assert.Equal([0, 1, 2], table.Images.Select(image => image.Number));
    }

    [Fact]
    public void What_comes_to_an_address_ends_what_was_not_unloaded()
    {
        ImageTable table = Table(
            Record(KernelHook.ImageDCStart, 10, Base, 0x1000, Nic),
            Record(KernelHook.ImageLoad, 500, Base, 0x2000, Disk));
        Assert.Equal("Nic.sys", table.Find(Base, 499)?.Name);
        Assert.Equal("disk.sys", table.Find(Base, 501)?.Name);
    }

    [Fact]
    public void Where_images_overlap_the_one_that_was_loaded_latest_counts()
    {
        ImageTable table = Table(
            Record(KernelHook.ImageDCStart, 10, Base, 0x4000, Nic),
            Record(KernelHook.ImageLoad, 500, Base + 0x1000, 0x1000, Disk));
        foreach (long ticks in new long[] { 499, 600, 499 })
        {
            Assert.Equal("Nic.sys", table.Find(Base + 0xFFF, ticks)?.Name);
            Assert.Equal(ticks < 500 ? "Nic.sys" : "disk.sys", table.Find(Base + 0x1000, ticks)?.Name);
            Assert.Equal("Nic.sys", table.Find(Base + 0x2000, ticks)?.Name);
        }
    }

    [Fact]
    public void Images_of_processes_are_found_by_process_and_kernel_addresses_in_each()
    {
        const ulong User = 0x7FF6_0000_0000;
        ImageTable table = Table(
            Record(KernelHook.ImageLoad, 10, User, 0x1000, @"\Device\HarddiskVolume1\a.exe", processId: 100),
            Record(KernelHook.ImageDCStart, 10, User, 0x1000, @"\Device\HarddiskVolume1\ntdll.dll", processId: 0),
            Record(KernelHook.ImageDCEnd, 10, User, 0x1000, @"\Device\HarddiskVolume1\b.exe", processId: 200),
            Record(KernelHook.ImageDCEnd, 10, Base, 0x1000, Nic, processId: 300));
        Assert.Equal(["Nic.sys", "ntdll.dll", "a.exe", "b.exe"], table.Images.Select(image => image.Name));
        Assert.Equal(1, table.KernelImageCount);
        Assert.Equal("a.exe", table.FindUser(100, User, 20)?.Name);
        Assert.Equal("b.exe", table.FindUser(200, User, 20)?.Name);
        Assert.Equal("Nic.sys", table.FindUser(100, Base, 20)?.Name);
        Assert.Null(table.FindUser(300, User, 20));
        Assert.Null(table.Find(User, 20));
    }

    [Fact]
    public void The_kernel_of_a_32_bit_system_begins_at_2_GB()
    {
        var table = new ImageTable(pointerBytes: 4);
        byte[] payload = MadeEvent.Image(0x8060_0000, 0x1000, 0, Nic, pointerBytes: 4);
        MadeEvent.Give(MadeEvent.Kernel(KernelHook.ImageDCEnd, 2, 5, payload, pointerBytes: 4), table.Add);
        table.Complete();
        Assert.True(table.IsKernelAddress(0x8000_0000));
        Assert.False(table.IsKernelAddress(0x7FFF_FFFF));
        Assert.Equal("Nic.sys", table.Find(0x8060_0FFF, 1)?.Name);
    }

    [Fact]
    public void Control_characters_do_not_reach_a_name()
    {
        ImageTable table = Table(Record(KernelHook.ImageDCEnd, 5, Base, 0x1000, "\\x\\e\u001b[31mv\u202Eil\uD800.sys\r\n "));
        Assert.Equal("e[31mvil\uFFFD.sys", table.Images[0].Name);
    }

    [Fact]
    public void An_image_without_a_name_has_its_address()
    {
        ImageTable table = Table(Record(KernelHook.ImageDCEnd, 5, Base, 0x1000, ""));
        Assert.Equal("image@0xfffff80010000000", table.Images[0].Name);
        Assert.Null(table.Images[0].Description);
    }

    [Fact]
    public void Vendor_version_and_path_come_from_what_merging_adds()
    {
        const uint Stamp = 1_500_000_000;
        var table = new ImageTable(8, new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        byte[] info = new byte[24 + 2];
        KernelPayloadWriter.WriteImageIdInfo(info, new KernelImage(Base, 0x1000, 0, Stamp, ""));
        byte[] version =
        [
            .. MadeEvent.Numbers(0x1000, Stamp),
            .. MadeEvent.Text("nic.sys"), .. MadeEvent.Text("A NIC"), .. MadeEvent.Text("1.2.3 (build)"), .. MadeEvent.Text("1.2.3.0"),
            .. MadeEvent.Text("en"), .. MadeEvent.Text("NICs"), .. MadeEvent.Text("Vendor, Inc."),
        ];
        Guid configEx = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
        MadeEvent.GiveOther(MadeEvent.Classic(KernelRecordCatalog.ImageIdClass, 64, 0, 9, version), table.Add);
        MadeEvent.GiveOther(MadeEvent.Classic(KernelRecordCatalog.ImageIdClass, 0, 2, 5, info), table.Add);
        MadeEvent.GiveOther(Mapping(@"\SystemRoot\", @"C:\Windows\"), table.Add);
        MadeEvent.GiveOther(Mapping(@"\", @"X:\"), table.Add);
        MadeEvent.Give(Record(KernelHook.ImageDCEnd, 5, Base, 0x1000, Nic), table.Add);
        table.Complete();
        Assert.Equal(
            (@"C:\Windows\System32\drivers\Nic.sys", "1.2.3 (build)", "Vendor, Inc.", DateTime.UnixEpoch.AddSeconds(Stamp)),
            (table.Images[0].Description!.Path, table.Images[0].Description!.Version,
                table.Images[0].Description!.Company, table.Images[0].Description!.Timestamp));

        byte[] Mapping(string nt, string dos) =>
            MadeEvent.Classic(configEx, 35, 0, 9, [.. MadeEvent.Text(nt), .. MadeEvent.Text(dos)]);
    }

    [Fact]
    public void A_time_stamp_from_after_the_trace_is_a_hash()
    {
        var table = new ImageTable(8, new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        byte[] payload = MadeEvent.Image(Base, 0x1000, 0, Nic, stamp: 0xF234_5678);
        MadeEvent.Give(MadeEvent.Kernel(KernelHook.ImageDCEnd, 3, 5, payload), table.Add);
        table.Complete();
        Assert.Null(table.Images[0].Description!.Timestamp);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void The_order_of_records_does_not_matter_and_a_slow_search_agrees(int seed)
    {
        var random = new Random(seed);
        var records = new List<byte[]>();
        ushort[] hooks = [KernelHook.ImageLoad, KernelHook.ImageUnload, KernelHook.ImageDCStart, KernelHook.ImageDCEnd];
        for (int i = 0; i < 300; i++)
        {
            ulong imageBase = Base + (0x1000 * (ulong)random.Next(12));
            ulong size = 0x1000 * (ulong)random.Next(1, 4);
            records.Add(Record(hooks[random.Next(4)], random.Next(200), imageBase, size, $@"\d\{(char)('a' + random.Next(5))}.sys"));
        }

        ImageTable one = Table([.. records]);
        random.Shuffle(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(records));
        ImageTable other = Table([.. records]);
        Assert.Equal(one.Images.Select(Text), other.Images.Select(Text));
        for (int i = 0; i < 5000; i++)
        {
            ulong address = Base - 0x800 + (0x800 * (ulong)random.Next(40));
            long ticks = random.Next(-5, 210);
            LoadedImage? slow = one.Images
                .GroupBy(image => image.Base)
                .Select(images => images.LastOrDefault(image => image.LoadTicks <= ticks))
                .Where(image => image is not null && image.UnloadTicks >= ticks && image.Covers(address))
                .OrderBy(image => image!.LoadTicks).ThenBy(image => image!.Base)
                .LastOrDefault();
            Assert.Same(slow, one.Find(address, ticks));
        }

        static string Text(LoadedImage image) =>
            $"{image.Number} {image.Name} {image.Base:x} {image.Size:x} {image.LoadTicks} {image.UnloadTicks}";
    }

    [Fact]
    public void Damaged_records_are_left_out_and_counted()
    {
        ImageTable table = Table(
            MadeEvent.Kernel(KernelHook.ImageLoad, 3, 5, new byte[20]),
            Record(KernelHook.ImageLoad, 5, Base, 0, Nic),
            Record(KernelHook.ImageLoad, 5, ulong.MaxValue - 10, ulong.MaxValue, Disk));
        Assert.Equal(2, table.Dropped);
        Assert.Equal("disk.sys", table.Find(ulong.MaxValue, 6)?.Name);
    }

    [Fact]
    public void Finding_allocates_nothing()
    {
        ImageTable table = Table(
            Record(KernelHook.ImageDCEnd, 5, Base, 0x1000, Nic), Record(KernelHook.ImageDCEnd, 5, Other, 0x1000, Disk));
        int found = Count(table);
        long before = GC.GetAllocatedBytesForCurrentThread();
        found += Count(table);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(40, found);

        static int Count(ImageTable table)
        {
            int found = 0;
            for (int i = 0; i < 30; i++)
            {
                found += table.Find(i % 3 == 0 ? Base : i % 3 == 1 ? Other : 5, i) is null ? 0 : 1;
            }

            return found;
        }
    }

    /// <summary>Records of identities stand beside those of images, in any order; an address that is used again has two.</summary>
    [Fact]
    public void An_image_has_the_pdb_and_the_time_stamp_that_were_logged_while_it_was_there()
    {
        Guid first = new("11111111-2222-3333-4444-555555555555");
        Guid second = new("66666666-7777-8888-9999-aaaaaaaaaaaa");
        var table = new ImageTable(pointerBytes: 8);
        MadeEvent.GiveOther(Rsds(900, Base, second, 3, "other.pdb"), table.Add);
        MadeEvent.GiveOther(Rsds(100, Base, first, 1, @"D:\obj\nic.pdb"), table.Add);
        MadeEvent.Give(Record(KernelHook.ImageDCStart, 100, Base, 0x1000, Nic), table.Add);
        MadeEvent.Give(Record(KernelHook.ImageUnload, 500, Base, 0x1000, Nic), table.Add);
        MadeEvent.Give(
            MadeEvent.Kernel(KernelHook.ImageLoad, 3, 600, MadeEvent.Image(Base, 0x2000, 0, Disk, stamp: 0x12345678)), table.Add);
        MadeEvent.Give(Record(KernelHook.ImageDCStart, 100, Other, 0x1000, Disk), table.Add);
        table.Complete();
        Assert.Equal(
            [new ImagePdb(@"D:\obj\nic.pdb", new PdbId(first, 1)), new ImagePdb("other.pdb", new PdbId(second, 3)), null],
            table.Images.Select(image => image.Pdb));
        Assert.Equal([0u, 0x12345678u, 0u], table.Images.Select(image => image.TimeDateStamp));
    }

    private static byte[] Rsds(long ticks, ulong imageBase, Guid id, uint age, string name)
    {
        byte[] payload = new byte[128];
        int bytes = KernelPayloadWriter.WriteImageIdRsds(payload, imageBase, 0, id, age, name);
        return MadeEvent.Classic(KernelRecordCatalog.ImageIdClass, KernelPayloadWriter.ImageIdRsdsOpcode, 2, ticks, payload[..bytes]);
    }

    private static byte[] Record(ushort hookId, long ticks, ulong imageBase, ulong size, string path, uint processId = 0) =>
        MadeEvent.Kernel(hookId, 3, ticks, MadeEvent.Image(imageBase, size, processId, path));

    private static ImageTable Table(params byte[][] records)
    {
        var table = new ImageTable(pointerBytes: 8);
        foreach (byte[] record in records)
        {
            MadeEvent.Give(record, table.Add);
        }

        table.Complete();
        return table;
    }
}
