using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// What is known about one kind of kernel event: its name, and how its payload is read. Made once by <see cref="KernelRecordCatalog"/>.
/// </summary>
public class KernelRecordClass
{
    private readonly ConfirmedLayouts _confirmed;

    internal KernelRecordClass(string group, string name, ConfirmedLayouts confirmed)
    {
        Group = group;
        Name = name;
        _confirmed = confirmed;
    }

    /// <summary>The group of events that it belongs to: "PerfInfo", "Thread", "ImageId".</summary>
    public string Group { get; }

    /// <summary>Its name in the group: "Dpc", "CSwitch", "Load".</summary>
    public string Name { get; }

    /// <summary>Whether the fields of its payload are known; without them <see cref="WriteFields"/> gives none.</summary>
    public virtual bool HasFields => false;

    /// <summary>
    /// Whether the layout was confirmed on real bytes - of files, or of other projects' tests - rather than read in sources alone.
    /// </summary>
    /// <param name="version">Version of the event.</param>
    /// <param name="pointerBytes">Width of its pointers: 4 or 8. Hardly any layout with 4 is confirmed.</param>
    public bool IsConfirmed(int version, int pointerBytes) =>
        _confirmed.Has(version) && (pointerBytes == 8 || _confirmed.InBothWidths);

    /// <summary>Whether the payload of an event of this class is long enough for its version.</summary>
    /// <param name="traceEvent">The event.</param>
    public virtual bool Fits(in EtlEvent traceEvent) => true;

    /// <summary>Gives the fields of an event of this class.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="fields">Takes the fields.</param>
    /// <returns>False when the payload is too short for its version; then nothing was given.</returns>
    public virtual bool WriteFields(in EtlEvent traceEvent, IFieldSink fields) => true;
}

/// <summary>Which layouts of a record were confirmed on real bytes.</summary>
/// <param name="Versions">Bit v is set for version v, the highest bit for every version beyond it.</param>
/// <param name="InBothWidths">Whether with 4-byte pointers too.</param>
internal readonly record struct ConfirmedLayouts(ulong Versions, bool InBothWidths = false)
{
    public static ConfirmedLayouts None => new(0);

    /// <summary>Confirmed where no version makes a difference.</summary>
    public static ConfirmedLayouts AnyVersion => new(ulong.MaxValue);

    public static ConfirmedLayouts Of(params ReadOnlySpan<int> versions)
    {
        ulong bits = 0;
        foreach (int version in versions)
        {
            bits |= 1UL << version;
        }

        return new ConfirmedLayouts(bits);
    }

    public bool Has(int version) => ((Versions >> Math.Min(version, 63)) & 1) != 0;
}

/// <summary>The class of an event whose payload a typed view reads.</summary>
internal sealed class KernelRecordClass<TRecord>(string group, string name, ConfirmedLayouts confirmed)
    : KernelRecordClass(group, name, confirmed)
    where TRecord : IKernelRecord<TRecord>, allows ref struct
{
    public override bool HasFields => true;

    public override bool Fits(in EtlEvent traceEvent) => TRecord.TryRead(in traceEvent, out _);

    public override bool WriteFields(in EtlEvent traceEvent, IFieldSink fields)
    {
        ArgumentNullException.ThrowIfNull(fields);
        if (!TRecord.TryRead(in traceEvent, out TRecord record))
        {
            return false;
        }

        record.WriteFields(fields);
        return true;
    }
}

/// <summary>The class of an event whose payload is read by a row of a table.</summary>
internal sealed class TableRecordClass(string group, string name, KernelLayout layout, ConfirmedLayouts confirmed)
    : KernelRecordClass(group, name, confirmed)
{
    public override bool HasFields => true;

    public override bool Fits(in EtlEvent traceEvent) => layout.Fits(in traceEvent);

    public override bool WriteFields(in EtlEvent traceEvent, IFieldSink fields)
    {
        ArgumentNullException.ThrowIfNull(fields);
        return layout.WriteFields(in traceEvent, fields);
    }
}
