using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>
/// Manifests in pieces as .NET's EventSource sends them; the real ones stand in compressed buffers. The text is written after theirs.
/// </summary>
public class EventSourceManifestTests
{
    private const string Text =
        """
        <instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
         <instrumentation xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
          <events xmlns="http://schemas.microsoft.com/win/2004/08/events">
        <provider name="My-Source" guid="{a61ea624-4944-55fc-c2a8-37838829438d}" resourceFileName="x" messageFileName="x" symbol="My">
         <tasks>
          <task name="Tracing" value="1"/>
          <task name="Log" value="65534"/>
         </tasks>
         <opcodes>
          <opcode name="Handled" message="$(string.opcode_Handled)" value="11"/>
         </opcodes>
         <maps>
          <valueMap name="Level">
           <map value="0x1" message="$(string.map_Level.Low)"/>
           <map value="2" message="$(string.map_Level.High)"/>
          </valueMap>
          <bitMap name="Flags">
           <map value="0x1" message="$(string.map_Flags.A)"/>
           <map value="0x2" message="plain"/>
          </bitMap>
         </maps>
         <events>
          <event value="1" version="0" level="win:Informational" opcode="win:Start" task="Tracing" template="StartArgs"/>
          <event value="2" version="0" level="win:Informational" opcode="win:Info" task="Log" template="LogArgs"/>
          <event value="3" version="2" level="win:Informational" opcode="Handled" task="Tracing"/>
          <event value="4" version="0" level="win:Informational" symbol="Alone" opcode="win:Stop"/>
          <event value="5" version="0" level="win:Informational" template="Absent"/>
          <event value="6" version="0" task="Log" template="OddArgs"/>
         </events>
         <templates>
          <template tid="StartArgs">
           <data name="count" inType="win:UInt16"/>
           <struct name="parts" count="count">
            <data name="id" inType="win:UInt8"/>
            <data name="name" inType="win:AnsiString"/>
           </struct>
           <data name="size" inType="win:UInt32"/>
           <data name="bytes" inType="win:Binary" length="size"/>
           <data name="pair" inType="win:UInt8" count="2"/>
           <data name="code" inType="win:UInt32" outType="win:HResult"/>
          </template>
          <template tid="LogArgs">
           <data name="message" inType="win:UnicodeString"/>
           <data name="level" inType="win:UInt32" map="Level"/>
           <data name="flags" inType="win:UInt32" map="Flags"/>
           <data name="other" inType="win:UInt32" map="NoSuchMap"/>
          </template>
          <template tid="OddArgs">
           <data name="a" inType="win:UInt8"/>
           <data name="b" inType="win:NoSuchType"/>
          </template>
         </templates>
        </provider>
        </events></instrumentation>
        <localization><resources culture="en-US"><stringTable>
           <string id="map_Level.Low" value="Low"/>
           <string id="map_Level.High" value="High &amp; up"/>
           <string id="map_Flags.A" value="A"/>
        </stringTable></resources></localization>
        </instrumentationManifest>
        """;

    private static readonly Guid Provider = ProviderIdFromName.Compute("MySource");
    private static readonly byte[] Xml = Encoding.UTF8.GetBytes(Text);

    [Fact]
    public void A_manifest_names_events_and_their_fields()
    {
        EventDecoder decoder = Learned([Xml]);
        AssertEvent(
            decoder,
            id: 1,
            version: 0,
            "02 00 07 41 00 08 42 00 03 00 00 00 aa bb cc 01 02 05 00 07 80",
            "My-Source/Tracing/Start",
            "count=2 parts=[{id=7 name=A} {id=8 name=B}] size=3 bytes=aabbcc pair=[1 2] code=0x80070005");
        AssertEvent(
            decoder,
            id: 2,
            version: 0,
            "41 00 00 00 02 00 00 00 07 00 00 00 09 00 00 00",
            "My-Source/Log",
            "message=A level=High & up flags=A|plain|0x4 other=9");
        AssertEvent(decoder, id: 3, version: 2, "", "My-Source/Tracing/Handled", "");
        AssertEvent(decoder, id: 4, version: 0, "", "My-Source/Alone", "");
        AssertEvent(decoder, id: 5, version: 0, "", "My-Source/EventID(5)", "");
        EventSourceManifests manifests = decoder.Manifests;
        Assert.Equal((1, 6, 0, 0), (manifests.Known, manifests.Events, manifests.Incomplete, manifests.Malformed));
    }

    [Fact]
    public void A_type_that_nobody_knows_ends_the_fields()
    {
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(Provider, 6, [1, 2]));
        var text = new FieldText();
        Assert.Equal(PayloadOutcome.Undecodable, Learned([Xml]).WriteFields(in traceEvent, text).Outcome);
        Assert.Equal("a=1", text.ToString());
    }

    [Fact]
    public void An_event_that_the_manifest_lacks_has_its_provider_named()
    {
        EventDecoder decoder = Learned([Xml]);
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(Provider, 99, [1, 2]));
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
        Assert.Equal(("My-Source/EventID(99)", EventSchemaSource.ProviderOnly), (schema!.FullName, schema.Source));
        Assert.Equal(new PayloadResult(PayloadOutcome.Unknown, 0, 2), decoder.WriteFields(in traceEvent, new FieldText()));
    }

    [Theory]
    [InlineData(2, false)]
    [InlineData(7, false)]
    [InlineData(7, true)]
    public void Pieces_are_put_together_in_any_order(int pieces, bool reversed)
    {
        List<byte[]> chunks = Chunks(Xml, pieces, process: 1);
        if (reversed)
        {
            chunks.Reverse();
        }

        var decoder = new EventDecoder();
        Learn(decoder, chunks[..^1]);
        Assert.Equal((0, 1), (decoder.Manifests.Known, decoder.Manifests.Incomplete));
        Learn(decoder, chunks[^1..]);
        Assert.Equal((1, 0), (decoder.Manifests.Known, decoder.Manifests.Incomplete));
        AssertEvent(decoder, id: 4, version: 0, "", "My-Source/Alone", "");
    }

    [Fact]
    public void Pieces_of_several_processes_and_providers_may_alternate()
    {
        Guid other = ProviderIdFromName.Compute("Other");
        byte[] otherXml = Encoding.UTF8.GetBytes(Text
            .Replace("My-Source", "Other", StringComparison.Ordinal)
            .Replace("a61ea624-4944-55fc-c2a8-37838829438d", other.ToString(), StringComparison.Ordinal));
        byte[] newer = Encoding.UTF8.GetBytes(Text.Replace("\"Alone\"", "\"Renamed\"", StringComparison.Ordinal));
        List<byte[]> first = Chunks(Xml, 3, process: 1);
        List<byte[]> second = Chunks(newer, 3, process: 2);
        List<byte[]> third = Chunks(otherXml, 3, process: 1, provider: other);
        var decoder = new EventDecoder();
        Learn(decoder, [.. Enumerable.Range(0, 3).SelectMany(i => new[] { first[i], third[2 - i], second[i] })]);
        Assert.Equal((3, 0), (decoder.Manifests.Known, decoder.Manifests.Incomplete));
        AssertEvent(decoder, id: 4, version: 0, "", "My-Source/Alone", "", process: 1);
        AssertEvent(decoder, id: 4, version: 0, "", "My-Source/Renamed", "", process: 2);
        AssertEvent(decoder, id: 4, version: 0, "", "My-Source/Alone", "", process: 3); // Wrote none of its own.
        AssertEvent(decoder, id: 4, version: 0, "", "Other/Alone", "", process: 1, provider: other);
    }

    [Fact]
    public void The_same_manifest_again_counts_once()
    {
        var decoder = new EventDecoder();
        Learn(decoder, Chunks(Xml, 1, process: 1));
        Learn(decoder, Chunks(Xml, 1, process: 2));
        Learn(decoder, Chunks(Xml, 4, process: 1));
        Learn(decoder, Chunks(Xml, 4, process: 1));
        Assert.Equal((1, 6, 0), (decoder.Manifests.Known, decoder.Manifests.Events, decoder.Manifests.Incomplete));
    }

    [Fact]
    public void A_missing_piece_leaves_the_manifest_incomplete()
    {
        var decoder = new EventDecoder();
        List<byte[]> chunks = Chunks(Xml, 3, process: 1);
        Learn(decoder, [chunks[0], chunks[2], chunks[2]]);
        Assert.Equal((0, 1, 0), (decoder.Manifests.Known, decoder.Manifests.Incomplete, decoder.Manifests.Malformed));
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(Provider, 4, []));
        Assert.False(decoder.TryDescribe(in traceEvent, out _));
    }

    [Fact]
    public void Pieces_that_cannot_be_are_refused()
    {
        var decoder = new EventDecoder();
        Learn(decoder, [Chunk(total: 2, index: 2, []), Chunk(total: 0, index: 0, []), Chunk(total: 60_000, index: 0, [])]);
        Assert.Equal((0, 3), (decoder.Manifests.Known, decoder.Manifests.Incomplete));
    }

    [Theory]
    [InlineData("")]
    [InlineData("no XML")]
    [InlineData("<instrumentationManifest>")]
    [InlineData("<instrumentationManifest/>")]
    [InlineData("<?xml version='1.0' encoding='no-such'?><a/>")]
    [InlineData("<!DOCTYPE a [<!ENTITY b 'c'>]><instrumentationManifest><provider name='&b;'/></instrumentationManifest>")]
    public void What_is_no_manifest_is_counted(string text)
    {
        EventDecoder decoder = Learned([Encoding.UTF8.GetBytes(text)]);
        Assert.Equal((0, 1), (decoder.Manifests.Known, decoder.Manifests.Malformed));
    }

    [Fact]
    public void A_manifest_cut_anywhere_is_counted()
    {
        var decoder = new EventDecoder();
        for (int length = 0; length < Xml.Length; length += 37)
        {
            Learn(decoder, Chunks(Xml[..length], 1, process: 1));
        }

        Assert.Equal((0, (Xml.Length + 36) / 37), (decoder.Manifests.Known, decoder.Manifests.Malformed));
    }

    [Fact]
    public void A_piece_is_an_event_with_a_name_of_its_own()
    {
        EventDecoder decoder = Learned([Xml]);
        EtlEvent piece = EventBytes.Read(Chunk(total: 3, index: 1, Xml));
        Assert.True(decoder.TryDescribe(in piece, out EventSchema? schema));
        var text = new FieldText();
        Assert.Equal(PayloadOutcome.Complete, decoder.WriteFields(in piece, text).Outcome);
        Assert.Equal(
            ("My-Source/ManifestData", "Format=1 MajorVersion=1 MinorVersion=0 Magic=91 TotalChunks=3 ChunkNumber=1"),
            (schema!.FullName, text.ToString()));
        Assert.True(new EventDecoder().TryDescribe(in piece, out schema));
        Assert.Equal($"{Provider}/ManifestData", schema!.FullName);
    }

    [Fact]
    public void No_changed_byte_makes_reading_throw() => Prop.ForAll(
        ArbMap.Default.ArbFor<NonNegativeInt>(),
        ArbMap.Default.ArbFor<byte[]>(),
        (place, noise) =>
        {
            byte[] changed = [.. Xml];
            int at = place.Get * 97 % changed.Length;
            noise.AsSpan(0, Math.Min(noise.Length, changed.Length - at)).CopyTo(changed.AsSpan(at));
            EventDecoder decoder = Learned([changed]);
            return decoder.Manifests.Known + decoder.Manifests.Malformed == 1;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(500));

    private static void AssertEvent(
        EventDecoder decoder, ushort id, byte version, string payload, string name, string fields, uint process = 1, Guid? provider = null)
    {
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(provider ?? Provider, id, EventBytes.Hex(payload), process, version));
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
        var text = new FieldText();
        PayloadResult result = decoder.WriteFields(in traceEvent, text);
        Assert.Equal((name, fields, PayloadOutcome.Complete), (schema!.FullName, text.ToString(), result.Outcome));
        Assert.Equal(EventSchemaSource.Manifest, schema.Source);
    }

    private static EventDecoder Learned(byte[][] manifests)
    {
        var decoder = new EventDecoder();
        foreach (byte[] manifest in manifests)
        {
            Learn(decoder, Chunks(manifest, 1, process: 1));
        }

        return decoder;
    }

    private static void Learn(EventDecoder decoder, List<byte[]> records)
    {
        foreach (byte[] record in records)
        {
            EtlEvent traceEvent = EventBytes.Read(record);
            decoder.Learn(in traceEvent);
        }
    }

    private static List<byte[]> Chunks(byte[] xml, int pieces, uint process, Guid? provider = null) =>
    [
        .. Enumerable.Range(0, pieces).Select(i => Chunk(
            pieces, i, xml[(xml.Length * i / pieces)..(xml.Length * (i + 1) / pieces)], process, provider)),
    ];

    private static byte[] Chunk(int total, int index, byte[] text, uint process = 1, Guid? provider = null) => EventBytes.Event(
        provider ?? Provider,
        0xFFFE,
        [1, 1, 0, 0x5B, (byte)total, (byte)(total >> 8), (byte)index, (byte)(index >> 8), .. text],
        process,
        version: 1,
        opcode: 0xFE);
}
