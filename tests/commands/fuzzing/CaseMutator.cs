using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>
/// Makes files of cases that nobody wrote: fields of another type or far out of range, texts and lists that are huge, histograms that
/// overflow, lines that are cut, doubled or no JSON.
/// </summary>
internal sealed class CaseMutator(Random random)
{
    private const int Cases = 24;
    private const int Machines = 8;
    private const int LongText = 100_000;
    private const int LongList = 4000;
    private const int DeepJson = 3000;

    private static readonly string[] Texts =
    [
        "", " ", "'", "\u0000", "\t\n", "=1+1", "a\u202eb", "\ud800", "%s{0}", "x+0x7fffffffffff", "x+0xffffffffffff", "x!", "!f", "!",
        "+0x", "nic.sys+0x1C00", "~12", "?", "nic.sys!f+0x10", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999Z",
        "1969-12-31T23:59:59Z",
        "2262-04-12T00:00:00+14:00", "driver nic.sys", "(no version)", "dpc", "unexplained", "9223372036854775808",
    ];

    private static readonly double[] Numbers =
    [
        0, -1, 1, 0.0005, -0.5, 1e-300, 1e9, 9_007_199_254_740_993, 9.2233720368547748e15, 9.2233720368547758e18, -9.2e18, 1e19, 1e308,
        int.MaxValue, int.MinValue, 2_147_483_648,
    ];

    private static readonly long[] Wholes =
    [
        0, -1, 1, 2, 31, 1000, int.MaxValue, int.MaxValue - 1L, int.MinValue, 1L << 31, 1L << 53, long.MaxValue / 1000,
        9_223_372_036_854_775, long.MaxValue, long.MinValue,
    ];

    private static readonly byte[][] Raw =
    [
        [.. "\n"u8], [.. "{}\n"u8], [.. "null\n"u8], [.. "[]\n"u8], [0xFF, 0xFE, 0x0A], [.. "{\"schema\":\"tracer.case/2\"}\n"u8],
        Encoding.ASCII.GetBytes($"{new string('[', DeepJson)}\n"),
        Encoding.ASCII.GetBytes($"{{\"schema\":\"tracer.case/1\",\"x\":{new string('[', DeepJson)}{new string(']', DeepJson)}}}\n"),
    ];

    public byte[] Next()
    {
        List<JsonNode> cases = [.. Enumerable.Range(0, Cases).Select(i => JsonNode.Parse(MadeCase.Line(Case(i)))!)];
        for (int i = random.Next(1, 4); i > 0; i--)
        {
            Change(cases[random.Next(Cases)].AsObject());
        }

        List<byte[]> lines = [.. cases.Select(one => Encoding.UTF8.GetBytes(one.ToJsonString() + "\n"))];
        switch (random.Next(12))
        {
            case 0:
                lines.Insert(random.Next(Cases), Raw[random.Next(Raw.Length)]);
                break;
            case 1:
                lines.Add(lines[random.Next(Cases)]);
                break;
            case 2:
                lines[^1] = lines[^1][..random.Next(lines[^1].Length)];
                break;
            case 3:
                byte[] line = lines[random.Next(Cases)];
                line[random.Next(line.Length)] ^= (byte)(1 << random.Next(8));
                break;
            default:
                break;
        }

        return [.. lines.SelectMany(line => line)];
    }

    private static CaseReport Case(int number)
    {
        int machine = number % Machines;
        (string, string)[] drivers = [("nic.sys", $"{machine % 2}.0"), ("disk.sys", "1.0"), ($"own{machine}.sys", "1.0")];
        CaseChain[] chains = machine % 2 == 1 ? []
            : number % 3 == 0 ? [MadeCase.Chain("nic.sys", Mechanism.Dpc, $"nic.sys+0x{0x1000 + (number * 0x90):x}")]
            : number % 3 == 1
                ? [MadeCase.Chain("nic.sys", Mechanism.Dpc, "nic.sys!Receive"), MadeCase.Chain(null, Mechanism.Unexplained, null)]
            : [MadeCase.Chain("hardware/firmware", Mechanism.Blackout, null, beat: 0.7 + (number / 10.0), kind: CulpritKind.Hardware)];
        return MadeCase.Of(number, machine, number, drivers, chains);
    }

    /// <summary>Changes one field somewhere in a case.</summary>
    private void Change(JsonObject one)
    {
        JsonObject at = one;
        while (true)
        {
            string name = at.Select(field => field.Key).ElementAt(random.Next(at.Count));
            switch (at[name])
            {
                case JsonObject { Count: > 0 } inner when random.Next(4) > 0:
                    at = inner;
                    continue;
                case JsonArray { Count: > 0 } list
                    when random.Next(4) > 0 && list[random.Next(list.Count)] is JsonObject { Count: > 0 } entry:
                    if (random.Next(12) == 0)
                    {
                        Repeat(list, entry);
                        return;
                    }

                    at = entry;
                    continue;
                default:
                    break;
            }

            if (random.Next(10) == 0)
            {
                at.Remove(name);
            }
            else
            {
                at[name] = random.Next(8) == 0 ? Any() : Alike(name, at[name]);
            }

            return;
        }
    }

    /// <summary>Makes a list long: of equal entries, or of such as differ in a text.</summary>
    private void Repeat(JsonArray list, JsonObject entry)
    {
        string? name = random.Next(2) == 0 ? null
            : entry.Where(field => field.Value is JsonValue value && value.TryGetValue(out string? _)).Select(field => field.Key)
                .FirstOrDefault();
        for (int i = 0; i < LongList; i++)
        {
            JsonObject copy = entry.DeepClone().AsObject();
            if (name is not null)
            {
                copy[name] = $"{i}.sys+0x{i * 0x300:x}";
            }

            list.Add(copy);
        }
    }

    /// <summary>Another value of the same type, as far as there is one.</summary>
    private JsonNode? Alike(string name, JsonNode? old) => old?.GetValueKind() switch
    {
        JsonValueKind.String when name == "histogram" => Histogram(),
        JsonValueKind.String => random.Next(6) == 0
            ? new string((char)random.Next(32, 0x3000), LongText)
            : Texts[random.Next(Texts.Length)],
        JsonValueKind.Number => random.Next(3) == 0 ? Numbers[random.Next(Numbers.Length)]
            : random.Next(3) == 0 ? random.NextInt64(long.MinValue, long.MaxValue)
            : Wholes[random.Next(Wholes.Length)],
        JsonValueKind.Array => new JsonArray(),
        JsonValueKind.Null or null => Any(),
        _ => null,
    };

    private JsonNode? Any() => random.Next(7) switch
    {
        0 => null,
        1 => new JsonArray(),
        2 => new JsonObject(),
        3 => random.Next(2) == 0,
        4 => Numbers[random.Next(Numbers.Length)],
        _ => Texts[random.Next(Texts.Length)],
    };

    /// <summary>A histogram of few values, each counted as often as there are numbers; or one of any layout, or none.</summary>
    private string Histogram()
    {
        var histogram = new HdrHistogram(random.Next(2) == 0 ? HdrLayout.Latencies : new HdrLayout(1, long.MaxValue, random.Next(1, 4)));
        long left = long.MaxValue;
        for (int i = random.Next(4); i >= 0; i--)
        {
            long count = random.NextInt64(left);
            left -= count;
            histogram.Record(random.NextInt64(Math.Min(histogram.Layout.Highest, 1L << random.Next(1, 62))), count);
        }

        byte[] bytes = Convert.FromBase64String(HdrEncoding.Encode(histogram));
        if (random.Next(3) == 0)
        {
            bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
        }
        else if (random.Next(3) == 0)
        {
            BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(random.Next(bytes.Length - sizeof(long))), random.NextInt64());
        }

        return Convert.ToBase64String(bytes);
    }
}
