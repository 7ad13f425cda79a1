namespace Tracer.Analysis.Facts;

/// <summary>
/// Finds the image at an address and a time, in one address space. Images of one base do not overlap in time. Where images of several bases
/// do, which no sound trace has, the one loaded latest wins.
/// </summary>
/// <remarks>
/// The address space is cut at each address where an image begins or ends; each piece knows the bases whose images reach into it, nearly
/// always one. Not thread-safe: the last answer is cached.
/// </remarks>
internal sealed class AddressMap
{
    /// <summary>Most bases that are kept for one piece; the images of others are ignored there.</summary>
    private const int MaximumOverlap = 16;

    private readonly LoadedImage[] _images;

    /// <summary>Index of the first image of each base; the last element is the number of images.</summary>
    private readonly int[] _firstOfBase;
    private readonly ulong[] _pieceStarts;

    /// <summary>Index of the first base of each piece in <see cref="_basesOfPieces"/>; the last element is the number of entries.</summary>
    private readonly int[] _firstOfPiece;
    private readonly int[] _basesOfPieces;

    private LoadedImage? _hit;
    private ulong _hitStart;
    private ulong _hitEnd;
    private long _hitFrom;
    private long _hitTo;

    /// <param name="images">The images of an address space, sorted by base and then by time.</param>
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

    /// <summary>How many bases were ignored because too many overlap.</summary>
    public long Dropped { get; private set; }

    /// <summary>A map of the same images with a last answer of its own.</summary>
    public AddressMap Copy() => (AddressMap)MemberwiseClone();

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

    /// <summary>Index of the last image of a base that was loaded by a given time; -1 where there is none.</summary>
    private int LatestLoad(int whichBase, long ticks)
    {
        int first = _firstOfBase[whichBase];
        int low = SortedSearch.FirstNot(
            first, _firstOfBase[whichBase + 1], (_images, ticks), static (at, i) => at._images[i].LoadTicks <= at.ticks);
        return low > first ? low - 1 : -1;
    }

    /// <summary>An address where the images of a base begin or just after which they end. At one address ends come first.</summary>
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
