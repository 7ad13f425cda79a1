using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Puts the manifests together that EventSources write into a trace, piece by piece (ManifestEnvelope in the source of .NET):
/// pieces of several providers and processes may alternate, come in any order, come twice or be missing. Holds at most
/// <see cref="MaximumBytes"/> of unfinished pieces and what was read out of at most <see cref="MaximumReadBytes"/> of finished text.
/// </summary>
public sealed class EventSourceManifests
{
    /// <summary>Unfinished pieces that are held, and the longest manifest.</summary>
    public const int MaximumBytes = 16 << 20;

    /// <summary>Finished text whose events are held; the same text twice counts once.</summary>
    public const int MaximumReadBytes = 16 << 20;

    /// <summary>Pieces of one manifest.</summary>
    public const int MaximumChunks = 1024;

    /// <summary>Event id, task and (low byte) opcode of a piece.</summary>
    internal const ushort ManifestEventId = 0xFFFE;

    internal const int ChunkHeaderBytes = 8;
    private const byte XmlFormat = 1;
    private const byte Magic = 0x5B;
    private const int MaximumUnfinished = 1024;
    private const int MaximumProcesses = 1 << 16;

    private readonly Dictionary<PieceKey, byte[]?[]> _unfinished = [];
    private readonly Dictionary<Guid, ProviderManifests> _providers = [];
    private readonly DescriptionLimits _limits = new();
    private int _unfinishedBytes;
    private int _readBytes;
    private int _processes;
    private int _refused;

    /// <summary>Manifests of which pieces are missing or were refused because they would take too much memory.</summary>
    public int Incomplete => _unfinished.Count + _refused;

    /// <summary>Manifests that are no XML, or describe no provider.</summary>
    public int Malformed { get; private set; }

    /// <summary>Different manifests that were read.</summary>
    public int Known { get; private set; }

    /// <summary>Events that they describe.</summary>
    public int Events { get; private set; }

    /// <summary>Names in them that were too long and are cut.</summary>
    public int NamesCut => _limits.NamesCut;

    /// <summary>Fields, events and values in them that were left out because there were too many.</summary>
    public int DefinitionsLeftOut => _limits.DefinitionsLeftOut;

    /// <summary>Whether an event is a piece of a manifest.</summary>
    public static bool IsChunk(in EtlEvent traceEvent) =>
        traceEvent.IsEventHeader && traceEvent.Id == ManifestEventId && traceEvent.Opcode == 0xFE
        && traceEvent.Payload.Length >= ChunkHeaderBytes && traceEvent.Payload[0] == XmlFormat && traceEvent.Payload[3] == Magic;

    /// <summary>Takes a piece; reads the manifest when it was the last missing one.</summary>
    /// <param name="traceEvent">An event for which <see cref="IsChunk"/> holds.</param>
    public void Add(in EtlEvent traceEvent)
    {
        ReadOnlySpan<byte> payload = traceEvent.Payload;
        if (!IsChunk(in traceEvent))
        {
            return;
        }

        int total = BinaryPrimitives.ReadUInt16LittleEndian(payload[4..]);
        int index = BinaryPrimitives.ReadUInt16LittleEndian(payload[6..]);
        ReadOnlySpan<byte> text = payload[ChunkHeaderBytes..];
        if (index >= total || total > MaximumChunks)
        {
            _refused++;
            return;
        }

        var key = new PieceKey(traceEvent.ProviderId, traceEvent.ProcessId, payload[1], payload[2], total);
        if (total == 1)
        {
            Read(in key, text.ToArray());
        }
        else
        {
            Keep(in key, index, text);
        }
    }

    /// <summary>What a manifest of the trace says about an event.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <returns>The manifest of the event's own process counts first; null when none describes the event.</returns>
    public EventSchema? Find(in EtlEvent traceEvent)
    {
        if (!_providers.TryGetValue(traceEvent.ProviderId, out ProviderManifests? manifests))
        {
            return null;
        }

        int key = Manifest.Key(traceEvent.Id, (byte)traceEvent.Version);
        if (manifests.ByProcess.TryGetValue(traceEvent.ProcessId, out Manifest? own)
            && own.Events.TryGetValue(key, out EventSchema? schema))
        {
            return schema;
        }

        return manifests.Events.GetValueOrDefault(key);
    }

    /// <summary>The name of a provider that wrote a manifest; null for others.</summary>
    public string? ProviderName(Guid provider) =>
        _providers.TryGetValue(provider, out ProviderManifests? manifests) ? manifests.Name : null;

    private void Keep(in PieceKey key, int index, ReadOnlySpan<byte> text)
    {
        bool isNew = !_unfinished.TryGetValue(key, out byte[]?[]? pieces);
        pieces ??= new byte[]?[key.Total];
        if (pieces[index] is not null)
        {
            return; // The same manifest again, as a rundown writes it.
        }

        if (_unfinishedBytes + text.Length > MaximumBytes || (isNew && _unfinished.Count == MaximumUnfinished))
        {
            _refused += isNew ? 1 : 0;
            return;
        }

        pieces[index] = text.ToArray();
        _unfinishedBytes += text.Length;
        _unfinished[key] = pieces;
        if (Array.TrueForAll(pieces, piece => piece is not null))
        {
            _unfinished.Remove(key);
            byte[] whole = [.. pieces.SelectMany(piece => piece!)];
            _unfinishedBytes -= whole.Length;
            Read(in key, whole);
        }
    }

    private void Read(in PieceKey key, byte[] xml)
    {
        string hash = Convert.ToHexString(SHA256.HashData(xml));
        if (!_providers.TryGetValue(key.Provider, out ProviderManifests? manifests)
            || !manifests.ByText.TryGetValue(hash, out Manifest? manifest))
        {
            if (_readBytes + xml.Length > MaximumReadBytes)
            {
                _refused++;
                return;
            }

            manifest = ManifestDocument.Parse(xml, key.Provider, _limits);
            _readBytes += xml.Length;
            if (manifest is null)
            {
                Malformed++;
                return;
            }

            manifests ??= new ProviderManifests(manifest.ProviderName);
            _providers[key.Provider] = manifests;
            manifests.Add(hash, manifest);
            Known++;
            Events += manifest.Events.Count;
        }

        if (_processes < MaximumProcesses && manifests.ByProcess.TryAdd(key.Process, manifest))
        {
            _processes++;
        }
    }

    private readonly record struct PieceKey(Guid Provider, uint Process, byte Major, byte Minor, int Total);

    private sealed class ProviderManifests(string name)
    {
        public string Name { get; } = name;

        public Dictionary<string, Manifest> ByText { get; } = [];

        public Dictionary<uint, Manifest> ByProcess { get; } = [];

        /// <summary>The events of all manifests; of two that describe the same, the first counts.</summary>
        public Dictionary<int, EventSchema> Events { get; } = [];

        public void Add(string text, Manifest manifest)
        {
            ByText.Add(text, manifest);
            foreach ((int key, EventSchema schema) in manifest.Events)
            {
                Events.TryAdd(key, schema);
            }
        }
    }
}
