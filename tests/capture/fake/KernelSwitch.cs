namespace Tracer.Capture.Tests;

/// <summary>
/// Which bit of the group masks a kernel event needs: word and bit (krabsetw's list of PERF_* values, ntwmi.h). On purpose not the
/// product's constants.
/// </summary>
internal static class KernelSwitch
{
    public const uint Process = 0x1;
    public const uint Thread = 0x2;
    public const uint Image = 0x4;
    public const uint Profile = 0x2;
    public const int SystemConfigWord = 6;

    private static readonly (int Word, uint Bits, ushort[] Hooks)[] Known =
    [
        (0, Process, [0x0301, 0x0302]),
        (0, Thread, [0x0501, 0x0502]),
        (0, Image, [0x030A, 0x1402, 0x140A]),
        (0, 0x100, [0x010A, 0x010B, 0x010E]),
        (0, 0x2000, [0x0220]),
        (1, Profile, [0x0F2E]),
        (1, 0x4, [0x0524]),
        (1, 0x80, [0x0F42, 0x0F44, 0x0F45, 0x0F46]),
        (1, 0x200, [0x0532]),
        (1, 0x2000, [0x0530, 0x0531, 0x053C]),
        (1, 0x4000, [0x0F32, 0x0F43, 0x0F5F]),
        (1, 0x1_0000, [0x0529]),
        (1, 0x4_0000, [0x0F64, 0x0F65]),
        (2, 0x8000, [0x1239, 0x123A]),
        (2, 0x4_0000, [0x0F4F]),
        (2, 0x400_0000, [0x123C]),
        (4, 0x8000, [0x1233, 0x1234, 0x1235, 0x1236]),
        (4, 0x100_0000, [0x0F62]),
        (4, 0x200_0000, [0x0F60, 0x0F61]),
    ];

    /// <summary>What EVENT_TRACE_FLAG_* of a session block switch on outside word 0 (ntwmi.h).</summary>
    private static readonly (uint Flag, int Word, uint Bits)[] Aliases =
    [
        (0x10, 1, 0x4),
        (0x20, 1, 0x80),
        (0x40, 1, 0x4000),
        (0x800, 1, 0x200),
        (0x100_0000, 1, Profile),
    ];

    public static (int Word, uint Bits) Of(ushort hook)
    {
        foreach ((int word, uint bits, ushort[] hooks) in Known)
        {
            if (hooks.Contains(hook))
            {
                return (word, bits);
            }
        }

        throw new InvalidOperationException($"The fake does not know which switch records hook 0x{hook:X4}.");
    }

    /// <summary>Adds what the flags of a session block switch on.</summary>
    public static void AddFlags(Span<uint> masks, uint flags)
    {
        foreach ((uint flag, int word, uint bits) in Aliases)
        {
            masks[word] |= (flags & flag) != 0 ? bits : 0;
            flags &= ~flag;
        }

        masks[0] |= flags & 0x1FFF_FFFF;
    }
}
