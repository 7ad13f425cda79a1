using Tracer.Simulator.Draws;

namespace Tracer.Bench.Fleet;

/// <summary>Damages a trace as storage, transfers and crashes do.</summary>
internal static class TraceDamage
{
    private const int HeaderBytes = 40;
    private const int Overwritten = 4096;
    private const int GarbageBytes = 100_000;

    /// <summary>What can be done to one.</summary>
    public static IReadOnlyList<string> Kinds { get; } = ["emptied", "cut-in-header", "garbage", "cut-in-half", "overwritten"];

    /// <param name="random">Which bytes.</param>
    public static void Do(string kind, string path, RandomSequence random)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite);
        switch (kind)
        {
            case "emptied":
                file.SetLength(0);
                break;
            case "cut-in-header":
                file.SetLength(HeaderBytes);
                break;
            case "garbage":
                file.SetLength(0);
                file.Write(Garbage(GarbageBytes, random));
                break;
            case "cut-in-half":
                file.SetLength((file.Length / 2) + 123);
                break;
            default:
                file.Position = file.Length / 2;
                file.Write(Garbage(Overwritten, random));
                break;
        }
    }

    private static byte[] Garbage(int count, RandomSequence random)
    {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++)
        {
            bytes[i] = (byte)random.NextBits();
        }

        return bytes;
    }
}
