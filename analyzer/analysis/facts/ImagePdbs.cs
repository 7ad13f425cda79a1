using Tracer.Symbols;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Which PDB belongs to which image, as merging records it beside the images (TraceEvent's DbgIDRSDSTraceData). Accepts records in any
/// order; memory is bounded.
/// </summary>
internal sealed class ImagePdbs
{
    private const byte RsdsOpcode = 36;
    private const int MaximumRecords = 1 << 18;

    private readonly NamePool _names;
    private readonly int _pointerBytes;
    private readonly List<Entry> _entries = [];

    /// <summary>Creates an empty collection.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public ImagePdbs(NamePool names, int pointerBytes)
    {
        _names = names;
        _pointerBytes = pointerBytes;
    }

    /// <summary>How many records were ignored.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds an event of the class ImageID; those of other kinds are ignored.</summary>
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
            ImageLifetimeRecord.SpaceOf(record.ProcessId, record.ImageBase, _pointerBytes),
            record.ImageBase,
            traceEvent.TimestampTicks,
            _entries.Count,
            new ImagePdb(_names.OfText8(record.PdbFileName), new PdbId(record.PdbGuid, record.Age))));
    }

    /// <summary>Sorts the records; queries are valid afterwards.</summary>
    public void Complete() => LongRecords.Sort(
        _entries,
        static (in Entry one) => ImageLifetimeRecord.PlaceOf(one.Space, one.Base),
        static (in Entry one, in Entry other) => one.CompareTo(in other));

    /// <summary>The PDB of an image; null where no record gives it.</summary>
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
        /// <summary>Orders entries of one image's address.</summary>
        public int CompareTo(in Entry other)
        {
            int order = Ticks.CompareTo(other.Ticks);

            // Events with equal time stamps are read in arbitrary order, which must not decide between two that differ.
            order = order != 0 ? order : Pdb.Id.Guid.CompareTo(other.Pdb.Id.Guid);
            order = order != 0 ? order : Pdb.Id.Age.CompareTo(other.Pdb.Id.Age);
            order = order != 0 ? order : string.CompareOrdinal(Pdb.Name, other.Pdb.Name);
            return order != 0 ? order : Order.CompareTo(other.Order);
        }

        public bool IsBehind(long space, ulong imageBase, long ticks) =>
            Space != space ? Space > space : Base != imageBase ? Base > imageBase : Ticks > ticks;
    }
}

/// <param name="Name">The PDB's name or path as the linker wrote it; untrusted text. Empty where the trace has none.</param>
public readonly record struct ImagePdb(string Name, PdbId Id);
