using System.Runtime.InteropServices.JavaScript;
using System.Runtime.Versioning;

namespace Tracer.Browser;

/// <summary>What the worker's script does for this program: viewer/src/worker.ts. All calls return at once.</summary>
[SupportedOSPlatform("browser")]
internal static partial class PageFiles
{
    /// <summary>The name under which the script offers its functions.</summary>
    private const string Module = "page";

    /// <summary>Reads some bytes of a file that the user gave.</summary>
    /// <param name="set">Which files: those that were given at once have one number.</param>
    /// <returns>How many; -1 where the file cannot be read any more.</returns>
    [JSImport("read", Module)]
    public static partial int Read(
        int set, int file, double offset, [JSMarshalAs<JSType.MemoryView>] Span<byte> bytes);

    /// <summary>Reads some bytes of what was unpacked.</summary>
    [JSImport("readCopy", Module)]
    public static partial int ReadCopy(int set, double offset, [JSMarshalAs<JSType.MemoryView>] Span<byte> bytes);

    /// <summary>Writes some bytes of what is unpacked.</summary>
    [JSImport("writeCopy", Module)]
    public static partial bool WriteCopy(int set, double offset, [JSMarshalAs<JSType.MemoryView>] Span<byte> bytes);

    /// <summary>Lets go of what was unpacked.</summary>
    [JSImport("dropCopy", Module)]
    public static partial void DropCopy(int set);

    /// <summary>Tells how far the reading is, 0 to 1; -1 where that is not known.</summary>
    [JSImport("progress", Module)]
    public static partial void Progress(double share);

    /// <param name="bytes">UTF-8.</param>
    [JSImport("give", Module)]
    public static partial void Give(string name, [JSMarshalAs<JSType.MemoryView>] Span<byte> bytes);
}
