using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Tracer.Capture.Triggers.Events;

/// <summary>
/// The lists that TDH fills in: PROVIDER_ENUMERATION_INFO with its TRACE_PROVIDER_INFOs, and PROVIDER_EVENT_INFO with its
/// EVENT_DESCRIPTORs (tdh.h).
/// <code>
/// 0 u32 count, 4 reserved, then for each provider   0 GUID  16 u32 source of its schema  20 u32 offset of its name in the block
/// 0 u32 count, 4 reserved, then for each event      0 u16 id  2 u8 version  3 channel  4 level  5 opcode  6 u16 task  8 u64 keywords
/// </code>
/// </summary>
internal static class ProviderLists
{
    private const int HeadBytes = 8;
    private const int ProviderBytes = 24;
    private const int NameOffset = 20;
    private const int GuidBytes = 16;
    private const int EventBytes = 16;
    private const int VersionOffset = 2;

    /// <summary>Reads a list of providers. Nothing outside the block is read; a provider whose name is not in it is left out.</summary>
    public static IReadOnlyList<RegisteredProvider> Providers(ReadOnlySpan<byte> block)
    {
        var providers = new List<RegisteredProvider>();
        for (int i = 0, at = HeadBytes; i < Count(block, ProviderBytes); i++, at += ProviderBytes)
        {
            uint offset = BinaryPrimitives.ReadUInt32LittleEndian(block[(at + NameOffset)..]);
            if (offset < HeadBytes || offset >= block.Length)
            {
                continue;
            }

            ReadOnlySpan<char> rest = MemoryMarshal.Cast<byte, char>(block[(int)offset..]);
            int length = rest.IndexOf('\0');
            if (length > 0)
            {
                providers.Add(new RegisteredProvider(rest[..length].ToString(), new Guid(block.Slice(at, GuidBytes))));
            }
        }

        return providers;
    }

    public static IReadOnlyList<ManifestEvent> Events(ReadOnlySpan<byte> block)
    {
        var events = new List<ManifestEvent>();
        for (int i = 0, at = HeadBytes; i < Count(block, EventBytes); i++, at += EventBytes)
        {
            events.Add(new ManifestEvent(BinaryPrimitives.ReadUInt16LittleEndian(block[at..]), block[at + VersionOffset]));
        }

        return events;
    }

    private static int Count(ReadOnlySpan<byte> block, int entryBytes) => block.Length < HeadBytes
        ? 0
        : (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(block), (uint)((block.Length - HeadBytes) / entryBytes));
}
