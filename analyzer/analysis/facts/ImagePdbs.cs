using Tracer.Etl;
using Tracer.Etl.Kernel;
using Tracer.Symbols;

namespace Tracer.Analysis;

/// <summary>
/// Which PDB belongs to which image, as merging writes it beside the images (TraceEvent's DbgIDRSDSTraceData). Takes its records in any
/// order; memory is bounded.
/// </summary>
internal sealed class ImagePdbs
{
    private const byte RsdsOpcode = 36;
    private const int MaximumRecords = 1 << 18;

    private readonly NamePool _names;
    private readonly int _pointerBytes;
    private readonly List<Entry> _entries = [];

    /// <summary>Starts with nothing.</summary>
    /// <param name="names">Keeps the texts.</param>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public ImagePdbs(NamePool names, int pointerBytes)
    {
        _names = names;
        _pointerBytes = pointerBytes;
    }

    /// <summary>How many records were left out.</summary>
    public long Dropped { get; private set; }

    /// <summary>Takes an event of the class ImageID; those of other kinds are passed over.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.Opcode != RsdsOpcode || !ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord record))
        {
            return;
        }

        if (_entries.Count == MaximumRecords)
        {
            Dropped++;
            return;
        }

        _entries.Add(new Entry(
            ImageSighting.SpaceOf(record.ProcessId, record.ImageBase, _pointerBytes),
            record.ImageBase,
            traceEvent.TimestampTicks,
            _entries.Count,
            new ImagePdb(_names.OfText8(record.PdbFileName), new PdbId(record.PdbGuid, record.Age))));
    }

    /// <summary>Sorts; then it may be asked.</summary>
    public void Complete() => _entries.Sort(static (one, other) => one.CompareTo(other));

    /// <summary>The PDB of an image; null where no record tells.</summary>
    /// <param name="space">Its address space.</param>
    /// <param name="imageBase">Its first address.</param>
    /// <param name="loadTicks">When it was mapped.</param>
    /// <param name="unloadTicks">When it was unmapped.</param>
    public ImagePdb? Of(long space, ulong imageBase, long loadTicks, long unloadTicks)
    {
        int low = SortedSearch.FirstNot(
            0,
            _entries.Count,
            (_entries, space, imageBase, unloadTicks),
            static (at, i) => !at._entries[i].IsBehind(at.space, at.imageBase, at.unloadTicks));

        return low > 0 && _entries[low - 1] is var found && found.Space == space && found.Base == imageBase && found.Ticks >= loadTicks
            ? found.Pdb
            : null;
    }

    private readonly record struct Entry(long Space, ulong Base, long Ticks, int Order, ImagePdb Pdb)
    {
        public int CompareTo(in Entry other)
        {
            int order = Space.CompareTo(other.Space);
            order = order != 0 ? order : Base.CompareTo(other.Base);
            order = order != 0 ? order : Ticks.CompareTo(other.Ticks);

            // Events of one time are read in no certain order: which of two that differ counts must not depend on it.
            order = order != 0 ? order : Pdb.Id.Guid.CompareTo(other.Pdb.Id.Guid);
            order = order != 0 ? order : Pdb.Id.Age.CompareTo(other.Pdb.Id.Age);
            order = order != 0 ? order : string.CompareOrdinal(Pdb.Name, other.Pdb.Name);
            return order != 0 ? order : Order.CompareTo(other.Order);
        }

        public bool IsBehind(long space, ulong imageBase, long ticks) =>
            Space != space ? Space > space : Base != imageBase ? Base > imageBase : Ticks > ticks;
    }
}

/// <summary>The PDB that an image was linked with.</summary>
/// <param name="Name">Its name as the linker wrote it, or a path; foreign text. Empty where the trace has none.</param>
/// <param name="Id">Its identity.</param>
public readonly record struct ImagePdb(string Name, PdbId Id);
