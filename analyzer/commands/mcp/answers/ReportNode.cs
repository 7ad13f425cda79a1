using System.Text.Json.Nodes;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>Reports of the contract as JSON that can be cut and put together; small ones only.</summary>
internal static class ReportNode
{
    /// <param name="write">Writes one object as UTF-8.</param>
    public static JsonObject Of(Action<Stream> write)
    {
        using var bytes = new MemoryStream();
        write(bytes);
        return JsonNode.Parse(bytes.GetBuffer().AsSpan(0, (int)bytes.Length))!.AsObject();
    }

    /// <summary>How many bytes something is as JSON, which is not kept.</summary>
    public static long Measure(Action<Stream> write)
    {
        using var count = new Counting();
        write(count);
        return count.Length;
    }

    /// <summary>Takes fields out of an object, at any depth.</summary>
    public static JsonObject Without(JsonObject data, params ReadOnlySpan<string> names)
    {
        foreach (string name in names)
        {
            data.Remove(name);
        }

        foreach ((_, JsonNode? value) in data)
        {
            if (value is JsonObject inner)
            {
                Without(inner, names);
            }
        }

        return data;
    }

    /// <summary>The fields of the others added to an object.</summary>
    public static JsonObject Take(JsonObject from, params ReadOnlySpan<string> names)
    {
        var taken = new JsonObject();
        foreach (string name in names)
        {
            if (from[name] is { } value)
            {
                from.Remove(name);
                taken[name] = value;
            }
        }

        return taken;
    }

    private sealed class Counting : Stream
    {
        private long _length;

        public override bool CanRead => false;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => _length;

        public override long Position
        {
            get => _length;
            set => throw new NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => _length += count;

        public override void Write(ReadOnlySpan<byte> buffer) => _length += buffer.Length;
    }
}
