using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>WPP messages of the corpus with their format files, and typed ones for the item types that no message of it has.</summary>
public class WppTests
{
    private const string Guid1 = "744151fd-b3f4-32e6-38eb-0fd11e3fb62d";

    [Theory]
    [InlineData("findneedle-wppstr-sample.etl", "strtrace name=alpha id=0 tag=END\nstrtrace name=bravo id=1 tag=END\n"
        + "strtrace name=charlie id=2 tag=END\nwidetrace user=root role=admin")]
    [InlineData("findneedle-wppenum-sample.etl", "b=true irql=DPC\nset=1|3")]
    [InlineData("findneedle-wpptypes-sample.etl", "sint i=42 neg=-1000 i64=-5000000000\nuint u=4000000000 hex=0xabcdef x64=0xdeadbeefcafe\n"
        + "ptr p=00007FF012345678 null=0000000000000000\nwidths z=00042 h=0000beef\n"
        + "hr=0x80070005 st=0xc0000022 guid=11223344-5566-7788-99aa-bbccddeeff00")]
    public void Real_messages_have_their_text(string file, string expected)
    {
        var decoder = new EventDecoder(TmfCatalog.Load(Path.Combine(RepositoryFiles.Corpus(), "tmf")));
        var texts = new List<string>();
        CorpusEvents.Visit(file, (in EtlEvent traceEvent) =>
        {
            if (traceEvent.Kind != EtlHeaderKind.Message)
            {
                return;
            }

            var fields = new FieldText();
            PayloadResult result = decoder.WriteFields(in traceEvent, fields);
            Assert.Equal(new PayloadResult(PayloadOutcome.Complete, traceEvent.Payload.Length, 0), result);
            Assert.Equal("Message", fields.TopLevel[0].Name);
            texts.Add(fields.TopLevel[0].Value);
        });
        Assert.Equal(expected.Split('\n'), texts);
    }

    [Fact]
    public void Real_messages_without_a_format_file_are_unknown()
    {
        var decoder = new EventDecoder(TmfCatalog.Load(Path.Combine(RepositoryFiles.Corpus(), "tmf")));
        int messages = 0;
        CorpusEvents.Visit("findneedle-wppemitter-sample.etl", (in EtlEvent traceEvent) =>
        {
            if (traceEvent.Kind == EtlHeaderKind.Message)
            {
                Assert.False(decoder.TryDescribe(in traceEvent, out _));
                Assert.Equal(new PayloadResult(PayloadOutcome.Unknown, 0, 8), decoder.WriteFields(in traceEvent, new FieldText()));
                Assert.False(new EventDecoder().TryDescribe(in traceEvent, out _));
                messages++;
            }
        });
        Assert.True(messages > 0);
    }

    [Fact]
    public void Every_real_format_file_is_read_whole()
    {
        var catalog = TmfCatalog.Load(Path.Combine(RepositoryFiles.Corpus(), "tmf"));
        Assert.Equal((22, 0), (catalog.Count, catalog.Malformed));
        foreach (string file in RepositoryFiles.InCorpus("tmf/*.tmf"))
        {
            foreach (WppMessage message in TmfFile.Parse(File.ReadAllText(Path.Combine(RepositoryFiles.Corpus(), "tmf", file))).Messages)
            {
                Every.Item(message.Arguments, argument => Assert.True(Enum.IsDefined(argument.Field.InType), argument.ItemType));
            }
        }
    }

    [Fact]
    public void A_message_tells_where_it_comes_from()
    {
        WppMessage message = Message(
            $"{Guid1} My.Component // SRC=file.cpp MJ= MN=", "#typev file_cpp27 10 \"%0text\" //   LEVEL=WARN FLAGS=INIT FUNC=DriverEntry");
        Assert.Equal(("My.Component/file_cpp27", EventSchemaSource.Wpp), (message.Schema.FullName, message.Schema.Source));
        Assert.Equal(("WARN", "INIT", "DriverEntry", "file.cpp"), (message.Level, message.Flags, message.Function, message.SourceFile));
        Assert.Equal((new Guid(Guid1), 10, "%0text"), (message.Id, message.Number, message.Text));
    }

    [Theory]
    [InlineData("ItemChar", "d", "ff", "-1", "-1")]
    [InlineData("ItemChar", "c", "41", "A", "A")]
    [InlineData("ItemUChar", "u", "ff", "255", "255")]
    [InlineData("ItemUChar", "02x", "0f", "0f", "0xf")]
    [InlineData("ItemShort", "hd", "fe ff", "-2", "-2")]
    [InlineData("ItemShort", "hx", "fe ff", "fffe", "0xfffe")]
    [InlineData("ItemLong", "d", "fe ff ff ff", "-2", "-2")]
    [InlineData("ItemLong", "u", "fe ff ff ff", "4294967294", "4294967294")]
    [InlineData("ItemLong", "#X", "fe ff ff ff", "0XFFFFFFFE", "0xfffffffe")]
    [InlineData("ItemLong", "o", "08 00 00 00", "10", "8")]
    [InlineData("ItemLong", "+6d", "07 00 00 00", "    +7", "7")]
    [InlineData("ItemLong", "-6d", "07 00 00 00", "7     ", "7")]
    [InlineData("ItemLong", "06d", "f9 ff ff ff", "-00007", "-7")]
    [InlineData("ItemLong", "6.3d", "07 00 00 00", "   007", "7")]
    [InlineData("ItemLong", "c", "41 00 00 00", "A", "65")]
    [InlineData("ItemULong", "lu", "fe ff ff ff", "4294967294", "4294967294")]
    [InlineData("ItemLongLong", "I64d", "ff ff ff ff ff ff ff ff", "-1", "-1")]
    [InlineData("ItemULongLong", "I64u", "ff ff ff ff ff ff ff ff", "18446744073709551615", "18446744073709551615")]
    [InlineData("ItemLongLongX", "I64x", "ab 00 00 00 00 00 00 00", "ab", "0xab")]
    [InlineData("ItemLongLongXX", "I64X", "ab 00 00 00 00 00 00 00", "AB", "0xab")]
    [InlineData("ItemLongLongO", "I64o", "08 00 00 00 00 00 00 00", "10", "8")]
    [InlineData("ItemPtr", "p", "10 00 00 00 00 00 00 00", "0000000000000010", "0x10")]
    [InlineData("ItemPtr", "Iu", "10 00 00 00 00 00 00 00", "16", "16")]
    [InlineData("ItemFloat", "s", "00 00 c0 3f", "1.5", "1.5")]
    [InlineData("ItemDouble", "s", "00 00 00 00 00 20 09 40", "3.140625", "3.140625")]
    [InlineData("ItemDouble", "8.2f", "00 00 00 00 00 20 09 40", "    3.14", "3.140625")]
    [InlineData("ItemChar4", "s", "52 47 42 41", "RGBA", "RGBA")]
    [InlineData("ItemString", "s", "41 42 00", "AB", "AB")]
    [InlineData("ItemString", ".1s", "41 42 00", "A", "AB")]
    [InlineData("ItemWString", "6s", "41 00 42 00 00 00", "    AB", "AB")]
    [InlineData("ItemRString", "s", "41 0a 42 0d 0a 00", "A B", "A\nB\r\n")]
    [InlineData("ItemRWString", "s", "41 00 09 00 00 00", "A", "A\t")]
    [InlineData("ItemPString", "s", "02 00 41 42", "AB", "AB")]
    [InlineData("ItemPWString", "s", "04 00 41 00 42 00", "AB", "AB")]
    [InlineData(
        "ItemGuid", "s", "44 33 22 11 66 55 88 77 99 aa bb cc dd ee ff 00",
        "11223344-5566-7788-99aa-bbccddeeff00", "11223344-5566-7788-99aa-bbccddeeff00")]
    [InlineData(
        "ItemCLSID", "s", "44 33 22 11 66 55 88 77 99 aa bb cc dd ee ff 00",
        "11223344-5566-7788-99aa-bbccddeeff00", "11223344-5566-7788-99aa-bbccddeeff00")]
    [InlineData("ItemHRESULT", "s", "05 00 07 80", "0x80070005", "0x80070005")]
    [InlineData("ItemNTSTATUS", "s", "22 00 00 c0", "0xc0000022", "0xc0000022")]
    [InlineData("ItemWINERROR", "s", "02 00 00 00", "2", "2")]
    [InlineData("ItemTimestamp", "s", "00 80 3e d5 de b1 9d 01", "1970-01-01T00:00:00.0000000Z", "1970-01-01T00:00:00.0000000Z")]
    [InlineData("ItemWaitTime", "s", "00 80 3e d5 de b1 9d 01", "1970-01-01T00:00:00.0000000Z", "1970-01-01T00:00:00.0000000Z")]
    [InlineData("ItemTimeDelta", "s", "80 f0 fa 02 00 00 00 00", "5.000s", "50000000")]
    [InlineData("ItemIPAddr", "s", "7f 00 00 01", "127.0.0.1", "127.0.0.1")]
    [InlineData("ItemIPV6Addr", "s", "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01", "::1", "::1")]
    [InlineData("ItemPort", "s", "00 50", "80", "80")]
    [InlineData("ItemMACAddr", "s", "00 11 22 aa bb cc", "00:11:22:aa:bb:cc", "001122aabbcc")]
    [InlineData("ItemHexDump", "s", "02 00 de ad", "dead", "dead")]
    [InlineData("ItemHEXDump", "s", "02 00 de ad", "dead", "dead")]
    [InlineData("ItemSid", "s", "01 01 00 00 00 00 00 05 12 00 00 00", "S-1-5-18", "S-1-5-18")]
    [InlineData("ItemNDIS_STATUS", "s", "0b 00 01 40", "0x4001000b", "0x4001000b")]
    [InlineData("ItemNDIS_OID", "s", "01 01 01 00", "0x10101", "0x10101")]
    [InlineData("ItemEnum(_STATE)", "s", "01 00 00 00", "Active", "Active")]
    [InlineData("ItemEnum(_STATE)", "s", "09 00 00 00", "9", "9")]
    [InlineData("ItemEnum(_STATE)", "s", "ff ff ff ff", "Lost", "Lost")]
    [InlineData("ItemEnum(_OTHER)", "s", "01 00 00 00", "1", "1")]
    [InlineData("ItemFlagsEnum(_FLAGS)", "s", "05 00 00 00", "Read|Exec", "Read|Exec")]
    [InlineData("ItemFlagsEnum(_FLAGS)", "s", "09 00 00 00", "Read|0x8", "Read|0x8")]
    [InlineData("ItemListByte(Low,APC,DPC)", "s", "02", "DPC", "DPC")]
    [InlineData("ItemListShort(false,true)", "s", "01 00", "true", "true")]
    [InlineData("ItemListLong(a,b=5,c)", "s", "06 00 00 00", "c", "c")]
    [InlineData("ItemSetByte(1,2,3)", "s", "05", "1|3", "1|3")]
    [InlineData("ItemSetLong(1,2,3)", "d", "05 00 00 00", "5", "1|3")]
    public void Every_item_type_is_decoded(string item, string conversion, string payload, string text, string value)
    {
        WppMessage message = Message(
            $"{Guid1} Component // SRC=x.cpp",
            $"#typev x_cpp1 7 \"%0<%10!{conversion}!>\" // LEVEL=L FUNC=F",
            "{",
            $"f(a, b), {item} -- 10",
            "}",
            "#enumv _STATE",
            "{",
            "Idle,0x0",
            "Active,1",
            "Lost,-1",
            "}",
            "#enumv _FLAGS",
            "{",
            "Read,0x1",
            "Write,0x2",
            "Exec,0x4",
            "}");
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Message(new Guid(Guid1), 7, EventBytes.Hex(payload)));
        var fields = new FieldText();
        Assert.Equal(PayloadOutcome.Complete, PayloadDecoder.Decode(message.Schema, traceEvent.Payload, 8, fields).Outcome);
        Assert.Equal([("f(a, b)", value)], fields.TopLevel);
        Assert.Equal($"<{text}>", message.Format(in traceEvent));
    }

    [Theory]
    [InlineData("%0%!FUNC! %!LEVEL! %!FILE!:%!LINE! %!NOSUCH!", "F L x.cpp:12 %!NOSUCH!")]
    [InlineData("100%% %10!d!%11!d!%10!d!", "100% 121")]
    [InlineData("%11!d! before %10!d!", "2 before 1")]
    [InlineData("quoted \\\"%10!d!\\\"\\n%n%t%b|", "quoted \"1\"\n\n\t |")]
    [InlineData("%1!s! %2!s! %3!d! %8!u!", "Component x_cpp12 77 88")]
    [InlineData("%10 %12!d! %", "1 <?> %")]
    [InlineData("%10!d", "1!d")]
    [InlineData("%q %", "%q %")]
    public void A_text_is_put_together(string format, string expected)
    {
        WppMessage message = Message(
            $"{Guid1} Component // SRC=x.cpp",
            $"#typ x_cpp12 7 \"{format}\" // LEVEL=L FUNC=F",
            "{",
            "b, ItemLong -- 11", // Out of order: the index is the order.
            "a, ItemLong -- 10",
            "}");
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Message(new Guid(Guid1), 7, [1, 0, 0, 0, 2, 0, 0, 0]));
        Assert.Equal(expected, message.Format(in traceEvent));
    }

    [Fact]
    public void Missing_and_unknown_arguments_are_marked()
    {
        WppMessage message = Message(
            $"{Guid1} Component",
            "#typev x_cpp1 7 \"%10!d! %11!s! %12!d!\"",
            "{",
            "a, ItemLong -- 10",
            "b, ItemNobodyKnows -- 11",
            "c, ItemLong -- 12",
            "}");
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Message(new Guid(Guid1), 7, [1, 0, 0, 0, 2, 0, 0, 0]));
        Assert.Equal("1 <?> <?>", message.Format(in traceEvent));
        traceEvent = EventBytes.Read(EventBytes.Message(new Guid(Guid1), 7, [1, 0]));
        Assert.Equal("<?> <?> <?>", message.Format(in traceEvent));
    }

    [Fact]
    public void Widths_make_no_text_without_bound()
    {
        WppMessage message = Message($"{Guid1} C", "#typev x 7 \"%10!999999999d!%10!.999999999d!\"", "{", "a, ItemLong -- 10", "}");
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Message(new Guid(Guid1), 7, [1, 0, 0, 0]));
        Assert.Equal(2048, message.Format(in traceEvent).Length);
    }

    [Theory]
    [InlineData("#typev x_cpp1 7 \"no GUID before it\"", 0, 1)]
    [InlineData(Guid1 + " C\n#typev x_cpp1 number \"text\"", 0, 1)]
    [InlineData(Guid1 + " C\n#typev x_cpp1 70000 \"text\"", 0, 1)]
    [InlineData(Guid1 + " C\n#typev x_cpp1 7 \"no end", 0, 1)]
    [InlineData(Guid1 + " C\n#typev x_cpp1 7 \"text\"\n{\nno argument\n}", 1, 1)]
    [InlineData(Guid1 + " C\n#typev x_cpp1 7 \"text\"\n{\na, ItemLong -- 10", 1, 0)]
    [InlineData(Guid1 + " C\n#enumv\n{\n}", 0, 1)]
    [InlineData(Guid1 + " C\n#enumv E\n{\nA,x\nB,2\n}", 0, 1)]
    [InlineData("// only a comment", 0, 0)]
    public void What_cannot_be_read_is_counted(string text, int messages, int malformed)
    {
        var file = TmfFile.Parse(text);
        Assert.Equal((messages, malformed), (file.Messages.Count, file.Malformed));
    }

    [Fact]
    public void The_first_description_of_a_message_counts()
    {
        TmfCatalog catalog = TmfCatalog.Load([]);
        catalog.Add($"{Guid1} C\n#typev a 7 \"first\"\n#typev b 7 \"second\"\n");
        catalog.Add($"{Guid1} C\n#typev c 7 \"third\"\n");
        Assert.Equal(1, catalog.Count);
        Assert.Equal("first", catalog.Find(new Guid(Guid1), 7)!.Text);
        Assert.Null(catalog.Find(new Guid(Guid1), 8));
    }

    [Fact]
    public void No_format_and_payload_make_formatting_throw() => Prop.ForAll(
        ArbMap.Default.ArbFor<NonNull<string>>(),
        ArbMap.Default.ArbFor<byte[]>(),
        (noise, payload) =>
        {
            string[] items =
            [
                "ItemChar", "ItemLong", "ItemPtr", "ItemString", "ItemPWString", "ItemDouble", "ItemMACAddr", "ItemTimeDelta",
                "ItemListLong(" + noise.Get + ")", "ItemSetByte(1,2=99,3)", noise.Get,
            ];
            string item = items[payload.Length % items.Length];
            string any = noise.Get;
            int width = payload.Length;
            string format = string.Create(CultureInfo.InvariantCulture, $"%10!{any}! %!{any}! %{any} %10!-+#0{width}.{width}g!");
            string start = $"{Guid1} C\n#typev x 7 \"{format}\"\n{{\n{any}, {item} -- 10\n}}\n";
            var file = TmfFile.Parse($"{start}{any}\n#enumv {any}\n{{\n{any}\n}}");
            foreach (WppMessage message in file.Messages)
            {
                EtlEvent traceEvent = EventBytes.Read(EventBytes.Message(new Guid(Guid1), 7, payload));
                message.Format(in traceEvent);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2000));

    private static WppMessage Message(params string[] lines)
    {
        var file = TmfFile.Parse(string.Join("\r\n", lines));
        Assert.Equal(0, file.Malformed);
        return Assert.Single(file.Messages);
    }
}
