namespace Tracer.Symbols.Pdb;

/// <summary>
/// The inlined calls at an address, the innermost first. They are made while they are enumerated; nothing is allocated for names that were
/// made before.
/// </summary>
public readonly struct PdbInlineFrames
{
    private readonly ModuleSymbols? _module;
    private readonly InlineSites? _sites;
    private readonly int _innermost;
    private readonly uint _rva;
    private readonly PdbInlineFrame[]? _made;

    internal PdbInlineFrames(PdbInlineFrame[] made)
    {
        _made = made;
        _innermost = InlineSites.None;
    }

    internal PdbInlineFrames(ModuleSymbols module, InlineSites sites, uint rva)
    {
        _module = module;
        _sites = sites;
        _innermost = sites.Innermost(rva);
        _rva = rva;
    }

    /// <summary>Whether there are none.</summary>
    public bool IsEmpty => _made is { } made
        ? made.Length == 0
        : _sites is null || _innermost == InlineSites.None;

    /// <summary>How many calls were inlined at the address.</summary>
    public int Count
    {
        get
        {
            int count = _made?.Length ?? 0;
            int first = _made is not null || IsEmpty ? InlineSites.None : _innermost;
            for (int site = first; site != InlineSites.None; site = _sites!.Parent(site))
            {
                count++;
            }

            return count;
        }
    }

    /// <summary>Enumerates them, the innermost first.</summary>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>All of them, the innermost first.</summary>
    public PdbInlineFrame[] ToArray()
    {
        var frames = new PdbInlineFrame[Count];
        int at = 0;
        foreach (PdbInlineFrame frame in this)
        {
            frames[at++] = frame;
        }

        return frames;
    }

    /// <summary>Goes from the innermost call to the outermost.</summary>
    public struct Enumerator
    {
        private readonly PdbInlineFrames _frames;
        private int _next;
        private int _nextMade;

        internal Enumerator(PdbInlineFrames frames)
        {
            _frames = frames;
            _next = frames._made is not null || frames.IsEmpty ? InlineSites.None : frames._innermost;
        }

        /// <summary>The call that was moved to.</summary>
        public PdbInlineFrame Current { get; private set; }

        /// <summary>Moves to the call around the last one.</summary>
        public bool MoveNext()
        {
            if (_frames._made is { } made && _nextMade < made.Length)
            {
                Current = made[_nextMade++];
                return true;
            }

            if (_next == InlineSites.None)
            {
                return false;
            }

            Current = _frames._module!.Frame(_frames._sites!, _next, _frames._rva);
            _next = _frames._sites!.Parent(_next);
            return true;
        }
    }
}
