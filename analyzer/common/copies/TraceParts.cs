using System.Buffers.Binary;
using System.Security.Cryptography;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerCommand.Common.Copies;

/// <summary>
/// Tells which traces are parts of others beside them, whoever cut them out: both are of one session, by their headers, the switches, ISRs
/// and DPCs of the one are all in the other, byte for byte, and the other is no slice itself.
/// </summary>
/// <remarks>Only traces of one session are read, and each in its turn: of their records some are kept, told by what they hold.</remarks>
internal static class TraceParts
{
    /// <summary>So many records of a part are looked for at most.</summary>
    private const int MostKept = 4096;

    /// <summary>A part with fewer tells nothing.</summary>
    private const int LeastKept = 16;

    /// <summary>What a trace and its parts share; null where a file does not begin as a trace.</summary>
    /// <param name="begin">The beginning of the file.</param>
    public static TraceSession? SessionOf(byte[] begin)
    {
        try
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(begin));
            EtlFileHeader header = reader.Header;
            return reader.HasHeader && header.Clock.StartFileTime > 0
                ? new TraceSession(header.Clock.StartFileTime, header.BootFileTime, header.Clock.TicksPerSecond, header.Clock.HeaderTicks)
                : null;
        }
        catch (Exception failure) when (failure is IOException or EtlFormatException)
        {
            return null;
        }
    }

    /// <summary>The parts among files of one session, each with the one that has it.</summary>
    /// <param name="paths">The files, in their order.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static IEnumerable<InputCopy> Among(IReadOnlyList<string> paths, Func<string, Stream> open)
    {
        List<Kept> all = [.. paths.Select(path => KeptOf(path, open)).Where(kept => kept.Digests.Count >= LeastKept)];
        foreach (Kept part in all.ToArray())
        {
            if (all.Find(other => other != part && !other.IsSlice
                && other.FirstTicks <= part.FirstTicks && other.LastTicks >= part.LastTicks
                && Has(other.Path, open, part.Digests)) is { } whole)
            {
                all.Remove(part); // Should both hold the same, one counts.
                yield return new InputCopy(part.Path, whole.Path) { IsPart = true };
            }
        }
    }

    private static Kept KeptOf(string path, Func<string, Stream> open)
    {
        HashSet<UInt128> kept = [];
        UInt128 mask = 0;
        (long first, long last) = (long.MaxValue, long.MinValue);
        bool isSlice = Read(path, open, (digest, ticks) =>
        {
            (first, last) = (Math.Min(first, ticks), Math.Max(last, ticks));
            if ((digest & mask) == 0 && kept.Add(digest) && kept.Count > MostKept)
            {
                mask = (mask << 1) | 1;
                kept.RemoveWhere(one => (one & mask) != 0);
            }

            return true;
        });
        return new Kept(path, kept, first, last, isSlice);
    }

    private static bool Has(string path, Func<string, Stream> open, HashSet<UInt128> part)
    {
        HashSet<UInt128> left = [.. part];
        Read(path, open, (digest, _) => !left.Remove(digest) || left.Count > 0);
        return left.Count == 0;
    }

    /// <returns>Whether the file tells that it is a slice.</returns>
    private static bool Read(string path, Func<string, Stream> open, Func<UInt128, long, bool> take)
    {
        using EtlReader reader = EtlReader.Open(open(path), path);
        var sink = new Sink(take);
        reader.Read(EtlOrder.Any, ref sink);
        return sink.IsSlice;
    }

    /// <param name="Digests">Of some of its records, spread over all of it.</param>
    /// <param name="FirstTicks">When the first of all of them was logged.</param>
    /// <param name="IsSlice">
    /// Whether it tells that it is a slice: what it holds beside the part that it was made for is no more than what led to that.
    /// </param>
    private sealed record Kept(string Path, HashSet<UInt128> Digests, long FirstTicks, long LastTicks, bool IsSlice);

    private struct Sink(Func<UInt128, long, bool> take) : IEtlEventSink
    {
        private readonly EventDecoder _decoder = new(() => null);

        public bool IsSlice { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId is not (KernelHook.ContextSwitch or KernelHook.ReadyThread or KernelHook.Isr
                or KernelHook.IsrMessageSignalled or KernelHook.Dpc or KernelHook.TimerDpc))
            {
                IsSlice |= traceEvent.IsEventHeader && traceEvent.ProviderId == TracerProvider.Id
                    && _decoder.TryDescribe(in traceEvent, out EventSchema? schema) && schema!.EventName == TracerProvider.Slice.Name;
                return true;
            }

            Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
            SHA256.HashData(traceEvent.Record, digest);
            return take(BinaryPrimitives.ReadUInt128LittleEndian(digest), traceEvent.TimestampTicks);
        }
    }
}

internal sealed record TraceSession(long StartFileTime, long BootFileTime, long TicksPerSecond, long HeaderTicks);
