using System.Buffers.Binary;
using System.Text;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Reads one of Windows' own records that something was late.</summary>
internal static class GlitchText
{
    private static readonly Dictionary<string, Guid> Providers = new()
    {
        ["glitch"] = new("ae4bd3be-f36f-45b6-8d21-bdd6fb832853"),
        ["frame-glitch"] = new("9e9bba3c-2e38-40cb-99f4-9e8281425164"),
        ["frame"] = new("ca11c036-0102-4a2d-a6ad-f03cfed5d3c9"),
        ["old-frame"] = new("783aca0a-790e-4d7f-8451-aa850511c6b9"),
        ["kernel-frame"] = new("802ec45a-1e99-4b83-9920-87c98277ba9d"),
        ["input"] = new("8c416c79-d49b-4f01-a467-e56d3aa8234c"),
    };

    private const ushort MarkHook = 0x0F22;

    /// <summary>A mark that a person set.</summary>
    public static ScenarioRecord Mark(string name, long at, int cpu) => new(at, cpu, (writer, shape) => writer.Write(
        cpu, EtlEventHeader.PerfInfo(MarkHook, 0, shape.Ticks(at), shape.PointerBytes), Encoding.ASCII.GetBytes(name + "\0")));

    /// <summary>Reads what follows: <c>ID [version N] [cut N] [more N] by TID of PID VALUE...</c>.</summary>
    public static ScenarioRecord Read(ScenarioWords words, string kind, long at, int cpu)
    {
        Guid provider = Providers[kind];
        ushort id = (ushort)words.Number();
        byte version = words.Takes("version") ? (byte)words.Number() : (byte)0;
        int? cut = words.Takes("cut") ? (int)words.Number() : null;
        int more = words.Takes("more") ? (int)words.Number() : 0;
        words.Expect("by");
        uint thread = words.Number();
        words.Expect("of");
        uint process = words.Number();
        string layout = GlitchKind.Find(provider, id)?.Layout ?? "";
        List<ulong> values = [];
        while (!words.IsEnd)
        {
            string word = words.Next();
            values.Add(word.StartsWith("0x", StringComparison.Ordinal)
                ? ulong.Parse(word[2..], NumberStyles.HexNumber, CultureInfo.InvariantCulture)
                : ulong.Parse(word, CultureInfo.InvariantCulture));
        }

        return new ScenarioRecord(at, cpu, (writer, shape) =>
        {
            byte[] payload = new byte[128];
            int length = 0;
            for (int i = 0; i < values.Count; i++)
            {
                // A time of the trace's clock goes with its start.
                long shift = values[i] >= ScenarioShape.UsualStart ? shape.StartTicks - ScenarioShape.UsualStart : 0;
                BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(length), values[i] + (ulong)shift);
                length += i >= layout.Length || layout[i] == '4' ? 4 : layout[i] == 'p' ? shape.PointerBytes : 8;
            }

            writer.Write(
                cpu,
                EtlEventHeader.Event(provider, id, version, shape.Ticks(at), process, thread, shape.PointerBytes),
                payload.AsSpan(0, cut ?? (length + more)));
        });
    }
}
