using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.AnalyzerCommand.Commands.Pack;

internal sealed record PackedCase(PackContents Contents, byte[] Bytes, int Files);

/// <summary>Cuts the trace of a pack, and packs it.</summary>
/// <param name="redaction">Takes the names out; null where they are kept.</param>
/// <param name="mostBytes">Most bytes that the pack may have.</param>
internal sealed class PackCutting(string path, EtlReader reader, BlameReport whole, Redaction? redaction, long mostBytes)
{
    /// <summary>A trace shrinks no more than that when it is packed: a larger one need not be tried.</summary>
    private const int Shrinks = 4;

    private readonly PackedVerdict _whole = PackContents.VerdictOf(whole, name => redaction?.NameOf(name) ?? name);

    /// <returns>Null where it would be too large.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    /// <exception cref="MeaninglessRequestException">The trace has no such part.</exception>
    public PackedCase? Pack(BlameRequest request)
    {
        try
        {
            using var slice = new BoundedMemory(Shrinks * mostBytes);
            SliceResult result = TraceSlicing.Cut(path, reader, request, episode: null, slice, redaction);

            // Of what was compared only the verdict is needed any more, and its episodes are most of it.
            result = result with { Report = result.Report with { Episodes = [] } };
            BlameRequest asked = request with { Times = null, Zero = null, At = null, From = null, To = null };
            var contents = new PackContents(slice.ToArray(), result, _whole, redaction?.Asked(asked) ?? asked, redaction);
            (byte[] bytes, int files) = contents.Zip();
            return bytes.Length <= mostBytes ? new PackedCase(contents, bytes, files) : null;
        }
        catch (PackTooLargeException)
        {
            return null;
        }
    }

    /// <summary>Whether blame of a pack has the verdict of the whole trace.</summary>
    public bool SaysTheSame(PackedCase pack)
    {
        PackedVerdict part = PackContents.VerdictOf(pack.Contents.Slice.Report, static name => name);
        return part.Verdict == _whole.Verdict && part.Culprit == _whole.Culprit;
    }
}
