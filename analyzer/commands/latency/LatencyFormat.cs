namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>How <c>analyzer latency</c> prints.</summary>
internal enum LatencyFormat
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>For programs; 'analyzer latency' reads it again and merges it.</summary>
    Json,

    /// <summary>For tables: comma-separated values.</summary>
    Csv,

    /// <summary>The percentile text of HdrHistogram, of one distribution.</summary>
    Hgrm,

    /// <summary>The histogram log of HdrHistogram, of all distributions.</summary>
    Hlog,
}
