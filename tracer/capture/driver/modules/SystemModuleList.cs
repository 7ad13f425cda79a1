using System.Buffers.Binary;
using System.Text;

namespace Tracer.Capture.Driver.Modules;

/// <summary>
/// What NtQuerySystemInformation(SystemModuleInformation) gives a program of 64 bits: RTL_PROCESS_MODULES.
/// <code>
/// 0 u32 count, 4 padding, then for each of them
///   0 section (8)  8 mapped base (8)  16 image base (8)  24 u32 image size  28 u32 flags
///   32 u16 load order  34 u16 init order  36 u16 load count  38 u16 offset of the file name  40 full path (256 bytes, ends in NUL)
/// </code>
/// Layout: System Informer's phnt, ntldr.h.
/// </summary>
internal static class SystemModuleList
{
    private const int HeadBytes = 8;
    private const int EntryBytes = 296;
    private const int BaseOffset = 16;
    private const int SizeOffset = 24;
    private const int PathOffset = 40;
    private const string SystemRoot = @"\SystemRoot\";
    private const string ObjectPath = @"\??\";

    /// <summary>
    /// Reads the list. Modules without an address or a name are left out: Windows 11 24H2 gives addresses to debuggers only.
    /// </summary>
    public static IReadOnlyList<KernelModule> Read(ReadOnlySpan<byte> bytes, string windowsFolder)
    {
        if (bytes.Length < HeadBytes)
        {
            return [];
        }

        uint count = BinaryPrimitives.ReadUInt32LittleEndian(bytes);
        var modules = new List<KernelModule>();
        for (ReadOnlySpan<byte> left = bytes[HeadBytes..]; count > 0 && left.Length >= EntryBytes; left = left[EntryBytes..], count--)
        {
            ulong address = BinaryPrimitives.ReadUInt64LittleEndian(left[BaseOffset..]);
            uint size = BinaryPrimitives.ReadUInt32LittleEndian(left[SizeOffset..]);
            ReadOnlySpan<byte> path = left[PathOffset..EntryBytes];
            int length = path.IndexOf((byte)0);
            if (address != 0 && size != 0 && length > 0)
            {
                modules.Add(new KernelModule(address, size, PlainPath(Encoding.UTF8.GetString(path[..length]), windowsFolder)));
            }
        }

        return modules;
    }

    private static string PlainPath(string path, string windowsFolder) => path switch
    {
        _ when path.StartsWith(SystemRoot, StringComparison.OrdinalIgnoreCase) => $@"{windowsFolder}\{path[SystemRoot.Length..]}",
        _ when path.StartsWith(ObjectPath, StringComparison.Ordinal) => path[ObjectPath.Length..],
        _ => path,
    };
}
