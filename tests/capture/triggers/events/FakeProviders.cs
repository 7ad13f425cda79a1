using System.Buffers.Binary;
using System.Text;
using Tracer.Capture.Triggers.Events;

namespace Tracer.Capture.Tests;

/// <summary>A machine with two providers: one whose events are described, and one that is registered and has no manifest.</summary>
internal sealed class FakeProviders : IProviderCatalog
{
    public const string Audio = "Contoso-Audio";
    public const string Bare = "Contoso-Bare";

    public const ushort Starvation = 33;
    public const ushort Opened = 40;

    public static Guid AudioId { get; } = new("11111111-2222-3333-4444-555555555555");

    public static Guid BareId { get; } = new("99999999-2222-3333-4444-555555555555");

    public IReadOnlyList<RegisteredProvider> Providers() => [new(Audio, AudioId), new(Bare, BareId), .. More];

    /// <summary>Providers besides, without a manifest.</summary>
    public List<RegisteredProvider> More { get; } = [];

    public IReadOnlyList<ManifestEvent>? Events(Guid provider) =>
        provider == AudioId ? [new(Starvation, 0), new(Starvation, 1), new(Opened, 0)] : null;

    /// <summary>Starvation has a number, and from version 1 on a text; Opened has nothing.</summary>
    public byte[]? Describe(Guid provider, ManifestEvent one) => (one.Id, one.Version) switch
    {
        (Starvation, 0) => Info(one, ("BytesAvailable", 8)),
        (Starvation, 1) => Info(one, ("BytesAvailable", 8), ("Endpoint", 1)),
        _ => Info(one),
    };

    /// <summary>TRACE_EVENT_INFO of an event with plain fields: a head of 112 bytes, 24 for each field, then the names.</summary>
    private static byte[] Info(ManifestEvent one, params (string Name, ushort InType)[] fields)
    {
        var names = new MemoryStream();
        int namesAt = 112 + (24 * fields.Length);
        byte[] info = new byte[namesAt];
        AudioId.TryWriteBytes(info);
        BinaryPrimitives.WriteUInt16LittleEndian(info.AsSpan(0x20), one.Id);
        info[0x22] = one.Version;
        Put(0x34, Name(Audio));
        Put(0x44, Name("Glitch"));
        Put(0x64, (uint)fields.Length);
        Put(0x68, (uint)fields.Length);
        for (int i = 0; i < fields.Length; i++)
        {
            Put(112 + (24 * i) + 4, Name(fields[i].Name));
            BinaryPrimitives.WriteUInt16LittleEndian(info.AsSpan(112 + (24 * i) + 8), fields[i].InType);
            BinaryPrimitives.WriteUInt16LittleEndian(info.AsSpan(112 + (24 * i) + 16), 1);
        }

        return [.. info, .. names.ToArray()];

        void Put(int offset, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(info.AsSpan(offset), value);

        uint Name(string text)
        {
            uint offset = (uint)(namesAt + names.Length);
            names.Write(Encoding.Unicode.GetBytes(text + "\0"));
            return offset;
        }
    }
}
