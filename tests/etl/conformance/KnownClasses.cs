namespace Tracer.Etl.Tests.Conformance;

/// <summary>The kernel records whose fields this library knows.</summary>
internal static class KnownClasses
{
    private static readonly Guid[] OtherClasses =
    [
        new("b3e675d7-2554-4f18-830b-2762732560de"),
        new("9b79ee91-b5fd-41c0-a243-4248e266e9d0"),
    ];

    /// <summary>Group and name of each, in the order of hooks, then of classic classes.</summary>
    public static IEnumerable<string> Names() => Enumerable.Range(0, 0xFFFF)
        .Select(hook => KernelRecordCatalog.FindHook((ushort)hook))
        .Concat(OtherClasses.SelectMany(
            id => Enumerable.Range(0, 256).Select(opcode => KernelRecordCatalog.FindClassic(in id, (byte)opcode))))
        .Where(record => record is not null && record.HasFields)
        .Select(record => $"{record!.Group}/{record.Name}")
        .Distinct();
}
