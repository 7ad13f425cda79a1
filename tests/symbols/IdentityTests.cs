namespace Tracer.Symbols.Tests;

public class IdentityTests
{
    [Fact]
    public void A_pdb_is_kept_under_guid_and_age() =>
        Assert.Equal("497B72F6390A44FC878E5A2D63B6CC4B1", new PdbId(new Guid("497b72f6-390a-44fc-878e-5a2d63b6cc4b"), 1).StoreKey);

    [Fact]
    public void The_age_is_hexadecimal() =>
        Assert.Equal("497B72F6390A44FC878E5A2D63B6CC4B1F", new PdbId(new Guid("497b72f6-390a-44fc-878e-5a2d63b6cc4b"), 31).StoreKey);

    /// <summary>Time stamp 0x542d5742 and size 0x32000: the example of the portable symbol-server key convention.</summary>
    [Fact]
    public void An_image_is_kept_under_time_stamp_and_size() =>
        Assert.Equal("542D574232000", new ImageId(0x542d5742, 0x32000).StoreKey);

    [Fact]
    public void The_time_stamp_keeps_its_leading_zeros() => Assert.Equal("0000000A1f000", new ImageId(0xA, 0x1f000).StoreKey);

    [Fact]
    public void One_byte_of_difference_is_another_pdb()
    {
        var id = new PdbId(new Guid("497b72f6-390a-44fc-878e-5a2d63b6cc4b"), 1);
        Assert.NotEqual(id, id with { Guid = new Guid("497b72f6-390a-44fc-878e-5a2d63b6cc4c") });
        Assert.NotEqual(id, id with { Age = 2 });
    }
}
