using Tracer.Etl.Decoding;
using Tracer.Etl.Kernel;

namespace Tracer.Simulator.Tests;

/// <summary>The numbers in a kernel record, by the names of their fields.</summary>
internal sealed class RecordFields : IFieldSink
{
    private readonly Dictionary<string, long> _numbers = [];

    public long this[string name] => _numbers[name];

    public static RecordFields Of(scoped in EtlEvent traceEvent)
    {
        var fields = new RecordFields();
        Assert.True(KernelRecordCatalog.Find(in traceEvent)!.WriteFields(in traceEvent, fields));
        return fields;
    }

    public void Field(string name, in FieldValue value) => _numbers[name] = value.SignedBits;

    public void BeginStruct(string name)
    {
    }

    public void EndStruct()
    {
    }

    public void BeginArray(string name)
    {
    }

    public void EndArray()
    {
    }
}
