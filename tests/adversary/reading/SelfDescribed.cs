using System.Buffers.Binary;
using System.Text;

namespace Tracer.Adversary;

/// <summary>TraceLogging events whose own descriptions make more of them than they hold.</summary>
internal static class SelfDescribed
{
    private const byte StructType = 24;
    private const byte NullType = 0;
    private const byte ByteType = 4;
    private const byte FixedCount = 0x20;
    private const byte HasOut = 0x80;

    private static readonly Guid Provider = new("5ca1ab1e-0001-4000-8000-00000000ad5e");

    /// <summary>Ten structs in each other, each an array, of members without bytes.</summary>
    public static byte[] NestedZeros(int bytes)
    {
        var schema = new List<byte> { 0, 0, 0, (byte)'e', 0 };
        for (int depth = 0; depth < 10; depth++)
        {
            schema.AddRange([(byte)'s', 0, StructType | FixedCount | HasOut, 1, 4, 0]);
        }

        schema.AddRange([(byte)'z', 0, NullType]);
        return Written(bytes, _ => schema);
    }

    /// <summary>As many fields as fit 4,000 bytes, named after the event's number.</summary>
    public static byte[] Schemas(int bytes) => Written(bytes, number =>
    {
        List<byte> schema = [0, 0, 0, .. Encoding.UTF8.GetBytes($"e{number}"), 0];
        while (schema.Count < 4000)
        {
            schema.AddRange([0, ByteType]);
        }

        return schema;
    });

    private static byte[] Written(int bytes, Func<int, List<byte>> schemaOf) =>
        AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
        {
            int number = 0;
            for (int written = 0; written < bytes; number++)
            {
                byte[] schema = [.. schemaOf(number)];
                BinaryPrimitives.WriteUInt16LittleEndian(schema, (ushort)schema.Length);
                writer.Write(
                    0,
                    EtlEventHeader.Event(Provider, 0, 0, AdversaryTrace.FirstTicks + number, 4, 8) with { Channel = 11 },
                    [],
                    [new EtlExtendedItem(EtlExtendedItemKind.TraceLoggingSchema, schema)]);
                written += 80 + 8 + ((schema.Length + 7) & ~7);
            }
        });
}
