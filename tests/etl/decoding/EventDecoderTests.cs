using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>The decoder as a whole; what each source tells has tests of its own.</summary>
public class EventDecoderTests
{
    private static readonly Guid Provider = new("754cdd7a-fc63-5673-dad5-1a2bf23c1aa7");

    [Fact]
    public void Kernel_events_are_left_to_their_typed_records()
    {
        var decoder = new EventDecoder();
        EtlEvent process = EventBytes.Read([4, 0, 0x11, 0xC0, 0x18, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8]);
        decoder.Learn(in process);
        Assert.False(decoder.TryDescribe(in process, out EventSchema? schema));
        Assert.Null(schema);
        Assert.Equal(new PayloadResult(PayloadOutcome.Unknown, 0, 8), decoder.WriteFields(in process, new FieldText()));
    }

    [Fact]
    public void Traits_name_the_provider_of_an_event_without_a_manifest()
    {
        var decoder = new EventDecoder();
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(
            Provider, 5, [1], items: [((ushort)EtlExtendedItemKind.ProviderTraits, [4, 0, 0x50, 0])]));
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
        Assert.Equal(("P/EventID(5)", EventSchemaSource.ProviderOnly), (schema!.FullName, schema.Source));
        decoder.TryDescribe(in traceEvent, out _); // The first comparison of keys makes its comparer.
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? again));
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Same(schema, again);
    }

    [Fact]
    public void An_event_of_which_nothing_is_known_is_unknown()
    {
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(Provider, 5, [1]));
        Assert.False(new EventDecoder().TryDescribe(in traceEvent, out _));
    }

    [Fact]
    public void No_record_makes_the_decoder_throw()
    {
        byte[][] records =
        [
            EventBytes.Event(Provider, 0xFFFE, [1, 1, 0, 0x5B, 1, 0, 0, 0, 0x3C], opcode: 0xFE),
            EventBytes.Event(ClrEvents.ProviderId, 204, new byte[100], version: 3),
            EventBytes.Event(Provider, 1, [1], items: [(12, [4, 0, 0x50, 0]), (11, [7, 0, 0, 0x45, 0, 0x61, 0, 4])]),
            EventBytes.Classic(EventMetadata.ClassId, 32, new byte[200]),
            EventBytes.Classic(EventMetadata.ClassId, 33, new byte[60]),
            EventBytes.Message(Provider, 1, [1, 2, 3]),
        ];
        var catalog = TmfCatalog.Load([]);
        catalog.Add($"{Provider} C\n#typev x 1 \"%10!d! %11!s!\"\n{{\na, ItemLong -- 10\nb, ItemString -- 11\n}}");
        var decoder = new EventDecoder(catalog);
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), ArbMap.Default.ArbFor<NonNegativeInt>(), (noise, place) =>
        {
            foreach (byte[] record in records)
            {
                byte[] changed = [.. record];
                int at = 4 + (place.Get * 13 % (changed.Length - 4));
                noise.AsSpan(0, Math.Min(noise.Length, changed.Length - at)).CopyTo(changed.AsSpan(at));
                if (EtlEvent.TryRead(changed, 0, 0, out EtlEvent traceEvent))
                {
                    decoder.Learn(in traceEvent);
                    var text = new FieldText();
                    PayloadResult result = decoder.WriteFields(in traceEvent, text);
                    Assert.Equal(traceEvent.Payload.Length, result.BytesRead + result.BytesLeft);
                    Assert.True(text.IsBalanced);
                }
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(3000)));
    }
}
