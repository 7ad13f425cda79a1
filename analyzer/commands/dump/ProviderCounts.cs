using System.Runtime.InteropServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>The providers of a trace with how many events they have: what <c>--provider</c> can be asked for.</summary>
internal sealed class ProviderCounts
{
    /// <summary>A damaged trace may have a provider for each event.</summary>
    private const int MaximumProviders = 1 << 16;

    /// <summary>Events of a provider that are asked for its name: those that nothing describes do not tell it.</summary>
    private const int AskedForName = 256;

    private const int NearestNamed = 3;

    private readonly long[] _byHook = new long[1 << 16];
    private readonly Dictionary<Guid, One> _byClass = [];
    private readonly Dictionary<(Guid Provider, string Group), int> _places = [];
    private readonly List<One> _all = [];

    public static ProviderCounts Read(EtlReader reader, EventDecoder decoder, DumpFilter filter)
    {
        var counts = new ProviderCounts();
        var sink = new Sink(counts, decoder, filter);
        reader.Read(EtlOrder.Any, ref sink);
        counts._all.ForEach(one => one.Events += one.Hooks.Sum(hook => counts._byHook[hook]));
        counts._all.Sort(static (one, other) => one.Events != other.Events
            ? other.Events.CompareTo(one.Events)
            : string.CompareOrdinal(one.Label, other.Label));
        return counts;
    }

    /// <summary>Prints a line for each, that with the most events first.</summary>
    public void Print(OutputFormat format, PrintableWriter output)
    {
        foreach (One one in _all)
        {
            output.WriteLine(format == OutputFormat.Json ? one.Json() : $"{one.Events,12}  {one.Provider}  {one.Name ?? "-"}");
        }
    }

    /// <summary>Whether a name that <c>--provider</c> was given means any of these providers.</summary>
    public bool Has(string pattern) => _all.Exists(one => DumpFilter.IsMeant(pattern, one.Provider, one.Group, one.Name));

    /// <summary>Tells which of these providers a name that fits none of them may have meant.</summary>
    public string Nearest(string pattern)
    {
        string written = pattern.Trim('*', '?');
        if (written.Length == 0 || _all.Count == 0)
        {
            return "the trace has no event";
        }

        Dictionary<string, One> byName = [];
        foreach (One one in _all)
        {
            byName.TryAdd(one.Label, one);
        }

        List<string> named = [];
        for (int i = 0; i < NearestNamed && NearestName.Of(written, byName.Keys) is { } near; i++)
        {
            byName.Remove(near, out One? one);
            named.Add(FormattableString.Invariant($"{near} ({one!.Events})"));
        }

        return $"nearest, with their events: {string.Join(", ", named)}; --list-providers lists all";
    }

    private void Add(in EtlEvent traceEvent, EventDecoder decoder)
    {
        if (traceEvent.IsKernelHook)
        {
            if (_byHook[traceEvent.HookId]++ > 0)
            {
                return;
            }
        }
        else if (_byClass.TryGetValue(traceEvent.ProviderId, out One? known)
            && (known.Group.Length > 0 || known.Name is not null || known.Asked >= AskedForName))
        {
            known.Events++;
            return;
        }

        var dumped = DumpedEvent.Of(in traceEvent, decoder);
        One one = Of(dumped.Provider, dumped.Group);
        if (!traceEvent.IsKernelHook)
        {
            _byClass[traceEvent.ProviderId] = one;
            one.Events++;
            one.Asked++;
        }
        else
        {
            one.Hooks.Add(traceEvent.HookId);
        }

        one.Name ??= dumped.Group.Length > 0 ? dumped.Group : dumped.ProviderName is { } name ? DumpAllowance.Cut(name) : null;
    }

    private One Of(Guid provider, string group)
    {
        (Guid, string) key = _all.Count < MaximumProviders ? (provider, group) : (Guid.Empty, "");
        ref int place = ref CollectionsMarshal.GetValueRefOrAddDefault(_places, key, out bool isKnown);
        if (!isKnown)
        {
            place = _all.Count;
            _all.Add(new One(key.Item1, key.Item2));
        }

        return _all[place];
    }

    private sealed class One(Guid provider, string group)
    {
        public Guid Provider => provider;

        public string Group => group;

        public List<ushort> Hooks { get; } = [];

        public string? Name { get; set; }

        public long Events { get; set; }

        public int Asked { get; set; }

        public string Label => Name ?? Provider.ToString();

        public string Json()
        {
            using var bytes = new MemoryStream();
            using (var json = new Utf8JsonWriter(bytes, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
            {
                json.WriteStartObject();
                json.WriteString("provider", Provider);
                json.WriteString(Group.Length > 0 ? "group" : "providerName", Name);
                json.WriteNumber("events", Events);
                json.WriteEndObject();
            }

            return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length);
        }
    }

    private readonly struct Sink(ProviderCounts counts, EventDecoder decoder, DumpFilter filter) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (filter.TakesHeader(in traceEvent) && (filter.TakesAllNames || filter.TakesName(DumpedEvent.Of(in traceEvent, decoder))))
            {
                counts.Add(in traceEvent, decoder);
            }

            return true;
        }
    }
}
