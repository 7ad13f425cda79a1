using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Capture.Probe;

namespace Tracer.Capture.Triggers.Events;

/// <summary>The providers and manifests of this Windows, by TDH (tdh.h).</summary>
[SupportedOSPlatform("windows")]
public sealed unsafe partial class WindowsProviderCatalog : IProviderCatalog
{
    private const string Library = "tdh.dll";
    private const uint Success = 0;
    private const uint InsufficientBuffer = 122;

    /// <summary>A provider may come between the two calls: the size is asked for again, but not for ever.</summary>
    private const int MostTries = 4;
    private const uint MostBytes = 64 << 20;

    private IReadOnlyList<RegisteredProvider>? _providers;

    private delegate uint Filling(byte* buffer, uint* bytes);

    public IReadOnlyList<RegisteredProvider> Providers() => _providers ??=
        Fill(static (buffer, bytes) => TdhEnumerateProviders(buffer, bytes)) is { } block ? ProviderLists.Providers(block) : [];

    public IReadOnlyList<ManifestEvent>? Events(Guid provider) =>
        Fill((buffer, bytes) =>
        {
            Guid id = provider;
            return TdhEnumerateManifestProviderEvents(&id, buffer, bytes);
        }) is { } block ? ProviderLists.Events(block) : null;

    public byte[]? Describe(Guid provider, ManifestEvent one) => Fill((buffer, bytes) =>
    {
        Guid id = provider;
        var descriptor = new ProviderEventLog.EventDescriptor { Id = one.Id, Version = one.Version };
        return TdhGetManifestEventInformation(&id, &descriptor, buffer, bytes);
    });

    /// <summary>Asks for a size, then for the bytes; null where Windows has none to give.</summary>
    private static byte[]? Fill(Filling call)
    {
        try
        {
            uint bytes = 0;
            uint code = call(null, &bytes);
            for (int i = 0; i < MostTries && code == InsufficientBuffer && bytes <= MostBytes; i++)
            {
                byte[] block = new byte[bytes];
                fixed (byte* buffer = block)
                {
                    code = call(buffer, &bytes);
                }

                if (code == Success)
                {
                    return block[..(int)Math.Min(bytes, (uint)block.Length)];
                }
            }

            return null;
        }
        catch (Exception lacking) when (lacking is EntryPointNotFoundException or DllNotFoundException or SEHException)
        {
            return null; // The enumeration of events came with Windows 8.1; Wine's tdh has the names, and throws when one is called.
        }
    }

    [LibraryImport(Library)]
    private static partial uint TdhEnumerateProviders(byte* buffer, uint* bytes);

    [LibraryImport(Library)]
    private static partial uint TdhEnumerateManifestProviderEvents(Guid* provider, byte* buffer, uint* bytes);

    [LibraryImport(Library)]
    private static partial uint TdhGetManifestEventInformation(
        Guid* provider, ProviderEventLog.EventDescriptor* descriptor, byte* buffer, uint* bytes);
}
