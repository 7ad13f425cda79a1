namespace Tracer.Etl.Tests.Kernel;

/// <summary>All typed layouts, and the classes that the catalog lists.</summary>
internal static class KnownRecords
{
    private static readonly Dictionary<string, Guid> ClassIds = new()
    {
        ["ImageId"] = new("b3e675d7-2554-4f18-830b-2762732560de"),
        ["SystemConfigEx"] = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0"),
        ["EventMetadata"] = new("bbccf6c1-6cd1-48c4-80ff-839482e37671"),
        ["WinSat"] = new("ed54dff8-c409-4cf6-bf83-05e1e61a09c4"),
        ["Lost"] = new("6a399ae0-4bc6-4de9-870b-3657f8947e7e"),
    };

    /// <summary>Every typed layout.</summary>
    public static IEnumerable<(string Event, int Version, string Layout, string Fields)> Layouts =>
    [
        .. InterruptLayouts.Rows, .. SampleLayouts.Rows, .. ThreadLayouts.Rows, .. ProcessLayouts.Rows, .. MachineLayouts.Rows,
        .. IoLayouts.Rows,
    ];

    /// <summary>Everything in the catalog, as "0F44" or "ImageId:36", with its class.</summary>
    public static IEnumerable<(string Event, KernelRecordClass Class)> Catalog
    {
        get
        {
            for (int hook = 0; hook <= ushort.MaxValue; hook++)
            {
                if (KernelRecordCatalog.FindHook((ushort)hook) is KernelRecordClass hookClass)
                {
                    yield return ($"{hook:X4}", hookClass);
                }
            }

            foreach ((string name, Guid classId) in ClassIds)
            {
                for (int opcode = 0; opcode < 256; opcode++)
                {
                    if (KernelRecordCatalog.FindClassic(in classId, (byte)opcode) is KernelRecordClass classic)
                    {
                        yield return ($"{name}:{opcode}", classic);
                    }
                }
            }
        }
    }

    /// <summary>The bytes of a record of such an event.</summary>
    public static byte[] Record(string name, int version, int pointerBytes, ReadOnlySpan<byte> payload) =>
        name.Split(':') is [string className, string opcode]
            ? RecordLayout.Classic(ClassIds[className], int.Parse(opcode, null), version, pointerBytes, payload)
            : RecordLayout.PerfInfo(Convert.ToInt32(name, 16), version, pointerBytes, payload);

    /// <summary>The fields of such a record as text; null where the payload is too short.</summary>
    public static string? Fields(string name, int version, int pointerBytes, ReadOnlySpan<byte> payload)
    {
        Assert.True(EtlEvent.TryRead(Record(name, version, pointerBytes, payload), 0, 0, out EtlEvent traceEvent));
        var text = new FieldText();
        KernelRecordClass? recordClass = KernelRecordCatalog.Find(in traceEvent);
        Assert.NotNull(recordClass);
        return recordClass.WriteFields(in traceEvent, text) ? text.ToString() : null;
    }
}
