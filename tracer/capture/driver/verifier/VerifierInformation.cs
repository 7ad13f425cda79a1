using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Tracer.Capture.Driver.Verifier;

/// <summary>
/// What NtQuerySystemInformation(SystemVerifierInformation) gives a program of 64 bits: a row for each driver, and behind the rows the
/// letters of their names.
/// <code>
/// Windows 7 to 10 1607            Windows 10 2004 and later
///   0 u32 offset of the next row    0 the same; 0 in the last row
///   4 u32 level                     4 the same
///                                   8 u32 rule classes[2]  16 u32 triage context  20 u32 flags
///   8 name                         24 name: u16 bytes, u16 room, 4 padding, address of its letters (8)
///  68 u32 loads  72 u32 unloads    84 u32 loads  88 u32 unloads
/// </code>
/// In no header of the SDK. Layouts: structures of public symbols (ntdiff: Windows 7 to 10; sdkgen: 1607, 2004, 20H2, 11).
/// </summary>
internal static class VerifierInformation
{
    private const int LevelOffset = 4;
    private const int NameLength = 2;
    private const int NameAddress = 8;
    private const int LoadsBehindName = 60;
    private const int UnloadsBehindName = 64;
    private const int RowBytes = NewerName + UnloadsBehindName + sizeof(uint);
    private const int NewerName = 24;

    /// <summary>Which of the layouts it is follows from the names: an address within the answer stands in one of two places.</summary>
    private static readonly int[] NameOffsets = [8, NewerName];

    /// <param name="answer">The buffer that the system filled, its unused end included.</param>
    /// <param name="address">Where it lies: names are told by address.</param>
    /// <returns>Null where it is no list of a known layout.</returns>
    public static IReadOnlyList<VerifiedDriver>? Read(ReadOnlySpan<byte> answer, ulong address)
    {
        List<VerifiedDriver> drivers = [];
        for (int at = 0; ;)
        {
            ReadOnlySpan<byte> row = answer[at..];
            if (row.Length < RowBytes || NameOf(row, answer, address) is not { } found)
            {
                return null;
            }

            drivers.Add(new VerifiedDriver(
                found.Name,
                BinaryPrimitives.ReadUInt32LittleEndian(row[LevelOffset..]),
                BinaryPrimitives.ReadUInt32LittleEndian(row[(found.Offset + LoadsBehindName)..]),
                BinaryPrimitives.ReadUInt32LittleEndian(row[(found.Offset + UnloadsBehindName)..])));
            uint next = BinaryPrimitives.ReadUInt32LittleEndian(row);
            if (next == 0)
            {
                return drivers;
            }

            if (next > row.Length)
            {
                return null;
            }

            at += (int)next;
        }
    }

    /// <returns>Null where there is a name in none of the places, or in both.</returns>
    private static (string Name, int Offset)? NameOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> answer, ulong address)
    {
        (string, int)? found = null;
        foreach (int offset in NameOffsets)
        {
            int bytes = BinaryPrimitives.ReadUInt16LittleEndian(row[offset..]);
            int room = BinaryPrimitives.ReadUInt16LittleEndian(row[(offset + NameLength)..]);
            ulong from = BinaryPrimitives.ReadUInt64LittleEndian(row[(offset + NameAddress)..]) - address;
            if (bytes == 0 || bytes % sizeof(char) != 0 || room < bytes || from > (ulong)answer.Length || answer.Length - (int)from < bytes)
            {
                continue;
            }

            if (found is not null)
            {
                return null;
            }

            string name = new(MemoryMarshal.Cast<byte, char>(answer.Slice((int)from, bytes)));
            found = (name[(name.LastIndexOf('\\') + 1)..], offset);
        }

        return found;
    }
}
