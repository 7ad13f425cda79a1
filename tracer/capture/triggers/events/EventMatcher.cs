using Tracer.Etl.Decoding;

namespace Tracer.Capture.Triggers.Events;

/// <summary>Says of each event whether it is one of those that are to trigger. Not safe for several threads at once.</summary>
public sealed class EventMatcher
{
    private readonly EventDecoder _decoder = new();
    private readonly IReadOnlyList<EventRule> _rules;
    private readonly TestSink _sink = new();

    public EventMatcher(IReadOnlyList<EventRule> rules)
    {
        ArgumentNullException.ThrowIfNull(rules);
        _rules = rules;
        foreach (byte[] description in rules.SelectMany(static rule => rule.Descriptions))
        {
            EventRule.Teach(description, _decoder);
        }
    }

    /// <summary>Events of the right ids whose field could not be read, because nothing tells what they look like.</summary>
    public long Unreadable { get; private set; }

    public bool IsMatch(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader)
        {
            return false;
        }

        if (EventSourceManifests.IsChunk(in traceEvent))
        {
            _decoder.Learn(in traceEvent); // A piece of a manifest is no event of the program's.
            return false;
        }

        foreach (EventRule rule in _rules)
        {
            if (rule.Provider == traceEvent.ProviderId && (rule.Ids.Count == 0 || rule.Ids.Contains(traceEvent.Id))
                && (rule.Test is null || Passes(rule.Test, in traceEvent)))
            {
                return true;
            }
        }

        return false;
    }

    private bool Passes(FieldTest test, in EtlEvent traceEvent)
    {
        _sink.Begin(test);
        _decoder.WriteFields(in traceEvent, _sink);
        Unreadable += _sink.HasField ? 0 : 1;
        return _sink.HasPassed;
    }

    /// <summary>Looks for one field, at the top or in a struct. Any of several passes.</summary>
    private sealed class TestSink : IFieldSink
    {
        private FieldTest? _test;

        public bool HasField { get; private set; }

        public bool HasPassed { get; private set; }

        public void Begin(FieldTest test)
        {
            _test = test;
            HasField = false;
            HasPassed = false;
        }

        public void Field(string name, in FieldValue value)
        {
            if (name.Equals(_test!.Field, StringComparison.OrdinalIgnoreCase))
            {
                HasField = true;
                HasPassed |= _test.Passes(in value);
            }
        }

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
}
