using System.IO.Enumeration;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerShared.Options;

/// <summary>
/// Finds when the first event of a name came, where a time is asked for by one: <c>event:NAME</c>, or <c>event:PROVIDER/NAME</c> as
/// <c>analyzer info</c> lists it; * and ? stand for any text.
/// </summary>
internal static class EventTimes
{
    /// <summary>The times with those of events found; as they are where none is asked for by one.</summary>
    /// <param name="reader">The trace, which is read twice where an event is asked for.</param>
    /// <exception cref="MeaninglessRequestException">The trace has no such event, or no clock.</exception>
    public static RequestedTimes In(RequestedTimes times, EtlReader reader)
    {
        TimePoint?[] points = [times.From, times.To, times.At, times.Zero];
        string[] names = [.. points.Select(point => point?.Event).OfType<string>().Distinct()];
        if (names.Length == 0)
        {
            return times;
        }

        if (!reader.IsClockKnown)
        {
            throw new MeaninglessRequestException($"times have no meaning here: {UnjudgedTrace.WhyWithoutClock(reader)}");
        }

        // What describes an event may stand behind it.
        reader.MakeRereadable();
        reader.Settle();
        var decoder = new EventDecoder(static () => null);
        var learner = new Learner(decoder);
        reader.Read(EtlOrder.Any, ref learner);
        var finder = new Finder(decoder, names);
        reader.Read(EtlOrder.Any, ref finder);
        TimePoint? Found(string option, TimePoint? point)
        {
            if (point?.Event is not { } name)
            {
                return point;
            }

            return finder.TicksOf(name) is { } ticks
                ? point.FoundAt(new Duration(reader.Header.Clock.NanosecondsFromHeader(ticks)))
                : throw new MeaninglessRequestException(
                    $"{option} {point.Text}: this trace has no event of that name; 'analyzer info --top 1000' lists what it has");
        }

        return times with
        {
            From = Found("--from", times.From),
            To = Found("--to", times.To),
            At = Found("--at", times.At),
            Zero = Found("--zero", times.Zero),
        };
    }

    private readonly struct Learner(EventDecoder decoder) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (!traceEvent.IsKernelHook)
            {
                decoder.Learn(in traceEvent);
            }

            return true;
        }
    }

    private readonly struct Finder(EventDecoder decoder, string[] names) : IEtlEventSink
    {
        private readonly long[] _first = [.. names.Select(_ => long.MaxValue)];

        public long? TicksOf(string name) => _first[Array.IndexOf(names, name)] is var ticks and < long.MaxValue ? ticks : null;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            long ticks = traceEvent.TimestampTicks;
            bool isEarlier = false;
            foreach (long first in _first)
            {
                isEarlier |= ticks > 0 && ticks < first;
            }

            if (!isEarlier)
            {
                return true;
            }

            var dumped = DumpedEvent.Of(in traceEvent, decoder);
            for (int i = 0; i < names.Length; i++)
            {
                if (ticks < _first[i] && IsCalled(names[i], in dumped))
                {
                    _first[i] = ticks;
                }
            }

            return true;
        }

        private static bool IsCalled(string pattern, in DumpedEvent dumped)
        {
            ReadOnlySpan<char> name = dumped.Name;
            if (FileSystemName.MatchesSimpleExpression(pattern, name))
            {
                return true;
            }

            ReadOnlySpan<char> provider = dumped.Group.Length > 0 ? dumped.Group : dumped.ProviderName;
            int slash = pattern.IndexOf('/', StringComparison.Ordinal);
            return slash > 0 && FileSystemName.MatchesSimpleExpression(pattern.AsSpan(0, slash), provider)
                && FileSystemName.MatchesSimpleExpression(pattern.AsSpan(slash + 1), name);
        }
    }
}
