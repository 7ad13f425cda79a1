namespace Tracer.Etl.Tests.Reading;

/// <summary>One event as a reader gave it, copied.</summary>
internal sealed record ReadEvent(int Cpu, long Ticks, long BufferOffset, string Record);

internal sealed class KeepingSink : IEtlEventSink
{
    public List<ReadEvent> Events { get; } = [];

    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        Events.Add(new ReadEvent(
            traceEvent.Cpu, traceEvent.TimestampTicks, traceEvent.BufferOffset, Convert.ToBase64String(traceEvent.Record)));
        return true;
    }
}

/// <summary>Reading into lists, for tests that compare.</summary>
internal static class ReadEvents
{
    public static List<ReadEvent> Of(byte[] file, EtlOrder order)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        return Of(reader, order);
    }

    public static List<ReadEvent> Of(EtlReader reader, EtlOrder order)
    {
        var sink = new KeepingSink();
        Assert.True(reader.Read(order, ref sink));
        return sink.Events;
    }

    /// <summary>Counters and places of damage, to be compared.</summary>
    public static string Text(TraceHealth health) => string.Join('\n', [
        .. Enum.GetValues<HealthCounter>().Where(counter => health[counter] != 0).Select(counter => $"{counter} {health[counter]}"),
        .. health.Damage.Select(damage => $"0x{damage.FileOffset:x}: {damage.Reason}")]);
}
