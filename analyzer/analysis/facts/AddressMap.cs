namespace Tracer.Analysis;

/// <summary>
/// Finds the image at an address and a time, in one address space. Images of one base do not overlap in time; where those of several
/// bases do, which no sound trace has, the one that was loaded latest is meant.
/// </summary>
/// <remarks>
/// The address space is cut where any image begins or ends; each piece knows the bases that reach into it, nearly always one.
/// Not for several threads at once: the last answer is kept.
/// </remarks>
internal sealed class AddressMap
{
    /// <summary>So many bases that reach into one piece are told apart; images of more are left out there.</summary>
    private const int MaximumOverlap = 16;

    private readonly LoadedImage[] _images;

    /// <summary>Where the images of each base begin among all, and at last their number.</summary>
    private readonly int[] _firstOfBase;
    private readonly ulong[] _pieceStarts;

    /// <summary>Where the bases of each piece begin in <see cref="_basesOfPieces"/>, and at last their number.</summary>
    private readonly int[] _firstOfPiece;
    private readonly int[] _basesOfPieces;

    private LoadedImage? _hit;
    private ulong _hitStart;
    private ulong _hitEnd;
    private long _hitFrom;
    private long _hitTo;

    /// <summary>Makes one.</summary>
    /// <param name="images">The images of an address space, by base and then by time.</param>
    public AddressMap(LoadedImage[] images)
    {
        _images = images;
        var firsts = new List<int>();
        var edges = new List<Edge>();
        for (int i = 0; i < images.Length;)
        {
            ulong last = 0;
            int first = i;
            for (; i < images.Length && images[i].Base == images[first].Base; i++)
            {
                last = Math.Max(last, LastAddress(images[i]));
            }

            edges.Add(new Edge(images[first].Base, firsts.Count, IsStart: true));
            if (last < ulong.MaxValue)
            {
                edges.Add(new Edge(last + 1, firsts.Count, IsStart: false));
            }

            firsts.Add(first);
        }

        firsts.Add(images.Length);
        _firstOfBase = [.. firsts];
        edges.Sort();
        var starts = new List<ulong>();
        var firstOfPiece = new List<int>();
        var bases = new List<int>();
        var reaching = new List<int>();
        for (int i = 0; i < edges.Count;)
        {
            ulong at = edges[i].Address;
            for (; i < edges.Count && edges[i].Address == at; i++)
            {
                if (!edges[i].IsStart)
                {
                    reaching.Remove(edges[i].Base);
                }
                else if (reaching.Count < MaximumOverlap)
                {
                    reaching.Add(edges[i].Base);
                }
                else
                {
                    Dropped++;
                }
            }

            starts.Add(at);
            firstOfPiece.Add(bases.Count);
            bases.AddRange(reaching);
        }

        firstOfPiece.Add(bases.Count);
        _pieceStarts = [.. starts];
        _firstOfPiece = [.. firstOfPiece];
        _basesOfPieces = [.. bases];
    }

    /// <summary>How many bases were left out where too many overlap.</summary>
    public long Dropped { get; private set; }

    /// <summary>The image at an address and a time; null where there is none.</summary>
    public LoadedImage? Find(ulong address, long ticks)
    {
        if (address >= _hitStart && address < _hitEnd && ticks >= _hitFrom && ticks <= _hitTo)
        {
            return _hit;
        }

        int piece = Array.BinarySearch(_pieceStarts, address);
        piece = piece < 0 ? ~piece - 1 : piece;
        if (piece < 0)
        {
            return null;
        }

        LoadedImage? found = null;
        int foundAt = 0;
        for (int i = _firstOfPiece[piece]; i < _firstOfPiece[piece + 1]; i++)
        {
            int at = LatestLoad(_basesOfPieces[i], ticks);
            if (at >= 0
                && _images[at] is { } image
                && ticks <= image.UnloadTicks
                && image.Covers(address)
                && (found is null || image.LoadTicks > found.LoadTicks
                    || (image.LoadTicks == found.LoadTicks && image.Base > found.Base)))
            {
                found = image;
                foundAt = at;
            }
        }

        if (found is not null && _firstOfPiece[piece + 1] - _firstOfPiece[piece] == 1)
        {
            Keep(found, foundAt, piece);
        }

        return found;
    }

    private static ulong LastAddress(LoadedImage image)
    {
        ulong last = unchecked(image.Base + image.Size - 1);
        return last < image.Base ? ulong.MaxValue : last;
    }

    private void Keep(LoadedImage image, int at, int piece)
    {
        _hit = image;
        _hitStart = _pieceStarts[piece];
        ulong behind = piece + 1 < _pieceStarts.Length ? _pieceStarts[piece + 1] : ulong.MaxValue;
        _hitEnd = Math.Min(behind, LastAddress(image) is < ulong.MaxValue and ulong last ? last + 1 : ulong.MaxValue);
        _hitFrom = image.LoadTicks;
        bool isFollowed = at + 1 < _images.Length && _images[at + 1].Base == image.Base && _images[at + 1].LoadTicks > image.LoadTicks;
        _hitTo = isFollowed ? Math.Min(image.UnloadTicks, _images[at + 1].LoadTicks - 1) : image.UnloadTicks;
    }

    /// <summary>The last image of a base that was loaded by then; -1 where there is none.</summary>
    private int LatestLoad(int whichBase, long ticks)
    {
        int first = _firstOfBase[whichBase];
        int low = SortedSearch.FirstNot(
            first, _firstOfBase[whichBase + 1], (_images, ticks), static (at, i) => at._images[i].LoadTicks <= at.ticks);
        return low > first ? low - 1 : -1;
    }

    /// <summary>Where images of a base begin or are behind all of them; at one address those that end come first.</summary>
    private readonly record struct Edge(ulong Address, int Base, bool IsStart) : IComparable<Edge>
    {
        public int CompareTo(Edge other)
        {
            int order = Address.CompareTo(other.Address);
            order = order != 0 ? order : IsStart.CompareTo(other.IsStart);
            return order != 0 ? order : Base.CompareTo(other.Base);
        }
    }
}
