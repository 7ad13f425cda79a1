namespace Tracer.Etl.Tests.Kernel;

/// <summary>
/// Every record and version against bytes typed from the layouts of the reference, with pointers of both widths; never from a writer of
/// ours.
/// </summary>
public class KernelRecordTests
{
    private static readonly int[] Widths = [4, 8];

    public static TheoryData<string, int, string, string> Layouts
    {
        get
        {
            var data = new TheoryData<string, int, string, string>();
            foreach ((string name, int version, string layout, string fields) in KnownRecords.Layouts)
            {
                data.Add(name, version, layout, fields);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Layouts))]
    public void Fields_are_read_with_both_pointer_widths(string name, int version, string layout, string fields)
    {
        foreach (int width in Widths)
        {
            byte[] payload = RecordLayout.Payload(layout, width);
            Assert.Equal(RecordLayout.Expected(fields, width), KnownRecords.Fields(name, version, width, payload));
        }
    }

    [Fact]
    public void Every_class_of_the_catalog_with_fields_has_a_typed_layout() => Assert.Empty(
        from entry in KnownRecords.Catalog
        where entry.Class.HasFields && entry.Event != "030A" && entry.Event != "140A"
        where !KnownRecords.Layouts.Any(layout => layout.Event == entry.Event)
        select entry.Event);

    [Fact]
    public void No_field_of_a_record_comes_twice()
    {
        foreach ((string name, int version, string layout, _) in KnownRecords.Layouts)
        {
            string text = KnownRecords.Fields(name, version, 8, RecordLayout.Payload(layout, 8))!;
            string[] names = [.. text.Split(" { ")[0].Split(' ').Where(part => part.Contains('=')).Select(part => part.Split('=')[0])];
            Assert.True(names.Distinct().Count() == names.Length, $"{name}: {text}");
        }
    }

    [Fact]
    public void A_payload_of_any_length_is_read_or_refused_but_never_throws()
    {
        foreach ((string name, int version, string layout, string fields) in KnownRecords.Layouts)
        {
            foreach (int width in Widths)
            {
                byte[] payload = RecordLayout.Payload(layout, width);
                bool wasRead = false;
                for (int length = 0; length <= payload.Length; length++)
                {
                    bool isRead = KnownRecords.Fields(name, version, width, payload.AsSpan(0, length)) is not null;
                    Assert.True(isRead || !wasRead, $"{name} is read with fewer than {length} bytes, but not with them.");
                    wasRead = isRead;
                }

                Assert.True(wasRead, $"{name} {fields}");
            }
        }
    }

    [Fact]
    public void No_bytes_make_a_record_throw()
    {
        var random = new Random(20261121);
        foreach ((string name, _) in KnownRecords.Catalog)
        {
            for (int round = 0; round < 200; round++)
            {
                byte[] payload = new byte[random.Next(round < 100 ? 80 : 1200)];
                random.NextBytes(payload);
                if (round % 4 == 3)
                {
                    Array.Fill(payload, (byte)0xFF);
                }

                KnownRecords.Fields(name, round % 7, (round & 1) == 0 ? 8 : 4, payload);
            }
        }
    }

    [Theory]
    [InlineData("0F44", 2)]
    [InlineData("0F43", 2)]
    [InlineData("0F32", 2)]
    [InlineData("0F2E", 2)]
    [InlineData("0532", 2)]
    [InlineData("010A", 3)]
    [InlineData("0220", 2)]
    [InlineData("0B0A", 3)]
    [InlineData("0F64", 2)]
    [InlineData("0304", 4)]
    [InlineData("1404", 3)]
    [InlineData("0444", 3)]
    public void What_a_newer_system_appends_is_passed_over(string name, int version)
    {
        foreach (int width in Widths)
        {
            (_, _, string layout, string fields) = KnownRecords.Layouts.First(row => row.Event == name && row.Version == version);
            byte[] payload = [.. RecordLayout.Payload(layout, width), 0xAB, 0xCD];
            Assert.Equal(RecordLayout.Expected(fields, width), KnownRecords.Fields(name, 9, width, payload));
        }
    }
}
