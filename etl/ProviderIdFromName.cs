using System.Security.Cryptography;
using System.Text;

namespace Tracer.Etl;

/// <summary>
/// The GUID of a provider that has only a name, by the rule that EventSource and TraceLogging share (GenerateGuidFromName in the
/// source of .NET): SHA-1 over a fixed namespace and the upper-cased name in big-endian UTF-16, first 16 bytes, version nibble 5.
/// </summary>
public static class ProviderIdFromName
{
    private static ReadOnlySpan<byte> Namespace =>
        [0x48, 0x2C, 0x2D, 0xB2, 0xC3, 0x90, 0x47, 0xC8, 0x87, 0xF8, 0x1A, 0x15, 0xBF, 0xC1, 0x30, 0xFB];

    /// <summary>Computes the GUID: "MySource" gives a61ea624-4944-55fc-c2a8-37838829438d.</summary>
    /// <param name="providerName">The provider's name; case does not matter.</param>
    public static Guid Compute(string providerName)
    {
        ArgumentNullException.ThrowIfNull(providerName);
        byte[] name = Encoding.BigEndianUnicode.GetBytes(providerName.ToUpperInvariant());
#pragma warning disable CA5350 // The rule prescribes SHA-1; it is a name, not a secret.
        byte[] hash = SHA1.HashData([.. Namespace, .. name]);
#pragma warning restore CA5350
        Span<byte> id = hash.AsSpan(0, 16);
        id[7] = (byte)((id[7] & 0x0F) | 0x50);
        return new Guid(id);
    }
}
