using System.Buffers.Binary;
using System.Text;

namespace Tracer.Adversary;

/// <summary>Descriptions of events that cost more to use than to write.</summary>
internal static class Manifests
{
    private const int EventBytes = 88;
    private const int ChunkBytes = 60_000;
    private const int MaximumChunks = 1024;

    private static readonly Guid Provider = new("5ca1ab1e-0000-4000-8000-00000000ad5e");

    /// <summary>Half of it manifests with an event each, half of it events that they do not describe.</summary>
    public static byte[] Many(int bytes) => Written(writer =>
    {
        int number = 0;
        for (int written = 0; written < bytes / 2; number++)
        {
            string text = Document("P", $"<events><event value=\"{number % 60_000}\" version=\"{number / 60_000}\"/></events>");
            WriteManifest(writer, text);
            written += text.Length + EventBytes;
        }

        WriteEvents(writer, bytes / 2, id: 65_000);
    });

    /// <summary>Half of it one map, half of it events.</summary>
    public static byte[] LargeMap(int bytes) => Written(writer =>
    {
        var maps = new StringBuilder("<maps><bitMap name=\"m\">");
        for (ulong number = 1; maps.Length < bytes / 2; number++)
        {
            // Two bits or more in each, so that no single bit tells it.
            maps.Append(CultureInfo.InvariantCulture, $"<map value=\"0x{(number * 2_654_435_761) | 3:x}\" message=\"a\"/>");
        }

        maps.Append("</bitMap></maps>");
        WriteManifest(writer, Document(
            "P",
            maps + "<templates><template tid=\"t\"><data name=\"f\" inType=\"win:UInt64\" map=\"m\"/></template></templates>"
            + "<events><event value=\"1\" template=\"t\"/></events>"));
        WriteEvents(writer, bytes / 2, id: 1);
    });

    /// <summary>One manifest, and events of the shortest kind that have its names.</summary>
    public static byte[] LongNames(int bytes) => Written(writer =>
    {
        string name = new('n', 60_000);
        WriteManifest(writer, Document(
            name,
            $"<templates><template tid=\"t\"><data name=\"{name}\" inType=\"win:UInt64\"/></template></templates>"
            + $"<events><event value=\"1\" symbol=\"{name}\" template=\"t\"/></events>"));
        WriteEvents(writer, bytes, id: 1);
    });

    /// <summary>One manifest of fields without bytes, and events.</summary>
    public static byte[] SilentFields(int bytes) => Written(writer =>
    {
        string fields = string.Concat(Enumerable.Range(0, 500).Select(i =>
            $"<data name=\"{new string('f', 80)}{i}\" inType=\"win:Binary\" length=\"0\"/>"));
        WriteManifest(writer, Document(
            "P",
            $"<templates><template tid=\"t\">{fields}</template></templates><events><event value=\"1\" template=\"t\"/></events>"));
        WriteEvents(writer, bytes, id: 1);
    });

    private static string Document(string provider, string contents) =>
        $"<instrumentationManifest><instrumentation><events><provider name=\"{provider}\" guid=\"{Provider:B}\">{contents}"
        + "</provider></events></instrumentation></instrumentationManifest>";

    private static byte[] Written(Action<EtlWriter> write) => AdversaryTrace.Written(1, compress: false, 128 * 1024, write);

    private static void WriteManifest(EtlWriter writer, string text)
    {
        byte[] xml = Encoding.UTF8.GetBytes(text);
        int chunks = Math.Min(MaximumChunks, (xml.Length + ChunkBytes - 1) / ChunkBytes);
        for (int chunk = 0; chunk < chunks; chunk++)
        {
            int start = chunk * ChunkBytes;
            byte[] payload = [1, 1, 0, 0x5B, 0, 0, 0, 0, .. xml.AsSpan(start, Math.Min(ChunkBytes, xml.Length - start))];
            BinaryPrimitives.WriteUInt16LittleEndian(payload.AsSpan(4), (ushort)chunks);
            BinaryPrimitives.WriteUInt16LittleEndian(payload.AsSpan(6), (ushort)chunk);
            writer.Write(
                0,
                EtlEventHeader.Event(Provider, 0xFFFE, 1, AdversaryTrace.FirstTicks, 4, 8) with { Opcode = 0xFE, Task = 0xFFFE },
                payload);
        }
    }

    private static void WriteEvents(EtlWriter writer, int bytes, ushort id)
    {
        for (int number = 0; number < bytes / EventBytes; number++)
        {
            long ticks = AdversaryTrace.FirstTicks + number;
            byte[] payload = AdversaryTrace.Payload(8, unchecked(number * 0x5851_F42D_4C95_7F2D));
            writer.Write(0, EtlEventHeader.Event(Provider, id, 0, ticks, 4, 8), payload);
        }
    }
}
