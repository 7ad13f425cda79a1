namespace Tracer.Etl.Tests.Writing;

/// <summary>Payloads against bytes typed from the layouts of images and stacks.</summary>
public class KernelPayloadWriterTests
{
    private static readonly KernelImage Image = new(0x1122_3344_5566_7788, 0x9000, 0x11, 0x5F5F5F5F, @"\a.sys")
    {
        Checksum = 0x0A0B0C0D,
        DefaultBase = 0x0102030405060708,
        SignatureLevel = 0x21,
        SignatureType = 0x22,
    };

    private static readonly KernelImage Image32 = Image with { Base = 0x11223344, DefaultBase = 0x55667788 };

    private readonly byte[] _memory = [.. Enumerable.Repeat((byte)0xEE, 300)];

    [Fact]
    public void A_stack_is_time_process_thread_and_frames()
    {
        ulong[] frames = [0x1122334455667788, 1];
        AssertBytes(
            "0807060504030201 11000000 22000000 8877665544332211 0100000000000000",
            KernelPayloadWriter.WriteStack(_memory, 0x0102030405060708, 0x11, 0x22, frames));
        AssertBytes(
            "0807060504030201 11000000 22000000 44332211 01000000",
            KernelPayloadWriter.WriteStack(_memory, 0x0102030405060708, 0x11, 0x22, [0x11223344, 1], pointerBytes: 4));
        Assert.Throws<ArgumentException>(() => KernelPayloadWriter.WriteStack(_memory, 1, 1, 1, frames, pointerBytes: 4));
        Assert.Throws<ArgumentException>(() => KernelPayloadWriter.WriteStack(new byte[31], 1, 1, 1, frames));
    }

    [Fact]
    public void An_image_has_its_fields_at_the_offsets_of_versions_2_and_3()
    {
        const string Numbers = "11000000 0D0C0B0A 5F5F5F5F 21220000";
        const string Rest = "00000000 00000000 00000000 00000000 5C0061002E007300790073000000";
        AssertBytes(
            $"8877665544332211 0090000000000000 {Numbers} 0807060504030201 {Rest}",
            KernelPayloadWriter.WriteImage(_memory, Image));
        AssertBytes($"44332211 00900000 {Numbers} 88776655 {Rest}", KernelPayloadWriter.WriteImage(_memory, Image32, pointerBytes: 4));
        Assert.Throws<ArgumentException>(() => KernelPayloadWriter.WriteImage(_memory, Image, pointerBytes: 4));
        Assert.Throws<ArgumentException>(() => KernelPayloadWriter.WriteImage(new byte[69], Image));
    }

    [Fact]
    public void An_image_id_has_the_original_name()
    {
        const string Rest = "11000000 5F5F5F5F 5C0061002E007300790073000000";
        AssertBytes($"8877665544332211 0090000000000000 {Rest}", KernelPayloadWriter.WriteImageIdInfo(_memory, Image));
        AssertBytes($"44332211 00900000 {Rest}", KernelPayloadWriter.WriteImageIdInfo(_memory, Image32, pointerBytes: 4));
    }

    [Fact]
    public void An_rsds_record_has_the_pdb()
    {
        var id = new Guid("03020100-0504-0706-0809-0a0b0c0d0e0f");
        const string Rest = "11000000 000102030405060708090A0B0C0D0E0F 03000000 C3A92E706462 00";
        const string Name = "\u00e9.pdb";
        AssertBytes($"8877665544332211 {Rest}", KernelPayloadWriter.WriteImageIdRsds(_memory, Image.Base, 0x11, id, 3, Name));
        AssertBytes($"44332211 {Rest}", KernelPayloadWriter.WriteImageIdRsds(_memory, Image32.Base, 0x11, id, 3, Name, pointerBytes: 4));
    }

    private void AssertBytes(string hex, int bytes)
    {
        Assert.Equal(hex.Replace(" ", "", StringComparison.Ordinal), Convert.ToHexString(_memory.AsSpan(0, bytes)));
        Assert.Equal(0xEE, _memory[bytes]);
        Array.Fill(_memory, (byte)0xEE);
    }
}
