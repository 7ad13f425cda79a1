namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// Gives each field of a JSON object a key of its own, whatever the trace calls its fields: the second of a name gets <c>#2</c> behind it,
/// the third <c>#3</c>, and so on; fields without a name are <c>""</c>, <c>#2</c>, <c>#3</c>.
/// </summary>
internal sealed class ObjectKeys
{
    /// <summary>So many names are compared one by one; more are looked up.</summary>
    private const int ComparedOneByOne = 16;

    private readonly List<Scope> _scopes = [];
    private int _open;

    /// <summary>Whether what comes next is an element of an array, and so has no key.</summary>
    public bool IsInArray => _open > 0 && _scopes[_open - 1].IsArray;

    /// <summary>Begins an object or array inside of the last one that was begun.</summary>
    public void Begin(bool isArray)
    {
        if (_open == _scopes.Count)
        {
            _scopes.Add(new Scope());
        }

        _scopes[_open++].Clear(isArray);
    }

    public void End() => _open--;

    public string Of(string name) => _scopes[_open - 1].KeyOf(name);

    private sealed class Scope
    {
        private readonly List<string> _names = [];
        private readonly HashSet<string> _looked = new(StringComparer.Ordinal);
        private readonly Dictionary<string, int> _counts = new(StringComparer.Ordinal);

        public bool IsArray { get; private set; }

        public void Clear(bool isArray)
        {
            IsArray = isArray;
            _names.Clear();
            _looked.Clear();
            _counts.Clear();
        }

        public string KeyOf(string name)
        {
            if (TryAdd(name))
            {
                return name;
            }

            int number = _counts.GetValueOrDefault(name, 1);
            string key;
            do
            {
                key = string.Create(CultureInfo.InvariantCulture, $"{name}#{++number}");
            }
            while (!TryAdd(key));
            _counts[name] = number;
            return key;
        }

        private bool TryAdd(string name)
        {
            if (_names.Count < ComparedOneByOne)
            {
                if (_names.Contains(name))
                {
                    return false;
                }

                _names.Add(name);
                return true;
            }

            if (_looked.Count == 0)
            {
                _looked.UnionWith(_names);
            }

            return _looked.Add(name);
        }
    }
}
