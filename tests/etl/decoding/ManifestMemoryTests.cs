using Tracer.Etl.Decoding;
using Tracer.Etl.Tests.Reading;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>What unfinished manifests hold of the heap.</summary>
[Collection(Alone.Name)]
public class ManifestMemoryTests
{
    [Fact]
    public void Unfinished_pieces_take_only_so_much_memory()
    {
        var decoder = new EventDecoder();
        byte[] text = new byte[60_000];
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < 500; i++)
        {
            EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(
                new Guid(i, 0, 0, new byte[8]), 0xFFFE, [1, 1, 0, 0x5B, 2, 0, 0, 0, .. text], opcode: 0xFE));
            decoder.Learn(in traceEvent);
        }

        Assert.Equal(500, decoder.Manifests.Incomplete);
        Assert.True(GC.GetTotalMemory(forceFullCollection: true) - before < 2 * EventSourceManifests.MaximumBytes);
        GC.KeepAlive(decoder);
    }
}
