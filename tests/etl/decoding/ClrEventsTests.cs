using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>What the baselines do not show of the runtime's events; their values are compared in <see cref="RealDecodingTests"/>.</summary>
public class ClrEventsTests
{
    [Theory]
    [InlineData(1, 0, "05 00 00 00 01 00 00 00", "GC/Start", "Count=5 Reason=Induced")]
    [InlineData(
        1,
        1,
        "05 00 00 00 02 00 00 00 00 00 00 00 01 00 00 00 08 00",
        "GC/Start",
        "Count=5 Depth=2 Reason=AllocSmall Type=BackgroundGC ClrInstanceID=8")]
    [InlineData(
        205,
        3,
        "b8 5f 47 00 00 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 1e 00 00 00 08 00"
            + "01 00 00 00 3b 00 00 00 00 00 00 00 00 00 00 00",
        "GC/GlobalHeapHistory",
        "FinalYoungestDesired=4677560 NumHeaps=1 CondemnedGeneration=1 Gen0ReductionCount=0 Reason=Induced"
            + " GlobalMechanisms=Compaction|Promotion|Demotion|CardBundles ClrInstanceID=8 PauseMode=Interactive MemoryPressure=59"
            + " CondemnReasons0=0 CondemnReasons1=0")]
    [InlineData(91, 1, "00 08 00 00 00 00 00 00 00 f8 3f", "Contention/Stop", "ContentionFlags=Managed ClrInstanceID=8 DurationNs=1.5")]
    public void Layouts_follow_the_version(ushort id, byte version, string payload, string name, string fields) => Assert.Equal(
        ("Microsoft-Windows-DotNETRuntime/" + name, fields, PayloadOutcome.Complete), Decode(id, version, payload));

    [Fact]
    public void A_newer_version_starts_as_the_newest_known() => Assert.Equal(
        ("Microsoft-Windows-DotNETRuntime/GC/Stop", "Count=1 Depth=2 ClrInstanceID=8", PayloadOutcome.BytesLeft),
        Decode(2, 9, "01 00 00 00 02 00 00 00 08 00 ff"));

    [Fact]
    public void Reasons_without_a_name_stay_numbers() => Assert.Equal(
        "Reason=99 ClrInstanceID=8", Decode(35, 0, "63 00 00 00 08 00").Fields);

    [Fact]
    public void Every_layout_can_be_walked()
    {
        int walked = 0;
        for (int id = 0; id <= ushort.MaxValue; id++)
        {
            for (int version = 0; version < 8; version++)
            {
                if (ClrEvents.Find((ushort)id, (byte)version) is EventSchema schema)
                {
                    // Zeros are no count, empty text: every field is there.
                    PayloadResult result = PayloadDecoder.Decode(schema, new byte[512], 8, new FieldText());
                    Assert.True(result.Outcome is PayloadOutcome.BytesLeft or PayloadOutcome.Complete, $"{schema.FullName}: {result}");
                    walked++;
                }
            }
        }

        Assert.InRange(walked, 50, 200);
    }

    private static (string Name, string Fields, PayloadOutcome Outcome) Decode(ushort id, byte version, string payload)
    {
        var decoder = new EventDecoder();
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(ClrEvents.ProviderId, id, EventBytes.Hex(payload), version: version));
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
        var text = new FieldText();
        PayloadResult result = decoder.WriteFields(in traceEvent, text);
        return (schema!.FullName, text.ToString(), result.Outcome);
    }
}
