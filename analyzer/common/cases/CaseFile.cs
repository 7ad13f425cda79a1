using System.Text.Json;

namespace Tracer.AnalyzerCommand.Common.Cases;

/// <summary>
/// The file that takes the cases, a line each, in the order of the traces. Unlike other output it grows as it is written, so that a run
/// that was killed can go on. Beside it, under its name with <c>.paths</c>, stands which line came from which file; that stays with whoever
/// has the traces.
/// </summary>
internal sealed class CaseFile : IDisposable
{
    /// <summary>What follows the name of the file in that of the list of traces.</summary>
    public const string PathsEnding = ".paths";

    /// <summary>Longer lines are none of ours.</summary>
    private const int LongestLine = 1 << 24;

    private static readonly byte[] CaseBegin = [.. "{\"schema\":\"tracer.case/"u8];

    /// <summary>How each line of the list of traces begins.</summary>
    private static readonly byte[] PathBegin = [.. "{\"id\":\""u8];

    private readonly Stream _cases;
    private readonly Stream? _paths;
    private IDisposable? _lock;
    private readonly HashSet<CaseInput> _done = [];

    private CaseFile(Stream cases, Stream? paths)
    {
        _cases = cases;
        _paths = paths;
    }

    /// <summary>How many of them could not be judged.</summary>
    public int EarlierFailed { get; private set; }

    /// <summary>How many traces no server gave to an earlier run: their cases are taken out, and they are to be tried again.</summary>
    public int Unreached { get; private set; }

    /// <summary>Writes to a stream, which is another's.</summary>
    public static CaseFile To(Stream output) => new(output, null);

    /// <summary>Begins a file, or goes on with one.</summary>
    /// <param name="resumes">Whether it may be there already.</param>
    /// <param name="threshold">The threshold that cases in it must have.</param>
    /// <param name="minPriority">The priority that they must have.</param>
    /// <exception cref="IOException">It is there and may not be, is no file of cases, or cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    public static CaseFile Open(string path, bool resumes, Duration threshold, int minPriority)
    {
        if (!resumes && (File.Exists(path) || Directory.Exists(path)))
        {
            throw new IOException($"{path} is there already: go on with it with --resume, or write to another file");
        }

        IDisposable held = GrowingFile.Lock(path);
        try
        {
            CaseFile whole = Read(path, threshold, minPriority);
            if (whole.Unreached > 0)
            {
                int unreached = whole.Unreached;
                whole.Dispose();
                TakeOutUnreached(path);
                whole = Read(path, threshold, minPriority);
                whole.Unreached = unreached;
            }

            whole._lock = held;
            return whole;
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    private static CaseFile Read(string path, Duration threshold, int minPriority)
    {
        bool hadPaths = File.Exists(path + PathsEnding);
        FileStream cases = GrowingFile.Open(path);
        FileStream? paths = null;
        try
        {
            paths = GrowingFile.Open(path + PathsEnding);
            var file = new CaseFile(cases, paths);
            List<(string Id, CaseInput Input)> listed = [];
            KeepWholeLines(paths, path + PathsEnding, PathBegin, line =>
            {
                if (ReadPath(line) is ({ } id, { } input))
                {
                    listed.Add((id, input));
                }
            });
            Dictionary<string, bool> ids = [];
            Dictionary<string, int> places = listed.GroupBy(one => one.Id).ToDictionary(one => one.Key, one => one.Count());
            bool isPlaced = true;
            (long end, long lastBytes) = (0, 0);
            end = KeepWholeLines(cases, path, CaseBegin, line =>
            {
                CaseReport one = ReadLine(path, line);
                if (one.Threshold != threshold || one.MinPriority != minPriority)
                {
                    throw new IOException($"{path} was made with --threshold {one.Threshold} --min-priority {one.MinPriority}: go on with "
                        + "these, or write to another file");
                }

                lastBytes = line.Length + 1;
                places[one.Id] = places.GetValueOrDefault(one.Id) - 1;
                isPlaced = places[one.Id] >= 0;
                if (one.Problem is { MayPass: true })
                {
                    file.Unreached++;
                    return;
                }

                ids[one.Id] = one.Problem is not null;
            });
            if (!isPlaced && hadPaths)
            {
                // The run was killed between the two files: the last case has no place yet, and is made again.
                cases.SetLength(end - lastBytes);
                cases.Position = end - lastBytes;
            }

            foreach ((string id, CaseInput input) in listed)
            {
                if (ids.TryGetValue(id, out bool hasFailed) && file._done.Add(input))
                {
                    file.EarlierFailed += hasFailed ? 1 : 0;
                }
            }

            return file;
        }
        catch
        {
            cases.Dispose();
            paths?.Dispose();
            throw;
        }
    }

    /// <summary>Whether an earlier run judged a trace, and nobody wrote to it since.</summary>
    public bool Has(CaseInput input) => _done.Contains(input.Noted);

    /// <summary>Adds a case; it is in the file when this returns.</summary>
    public void Add(CaseInput input, CaseReport report)
    {
        using var line = new MemoryStream();
        ReportJson.Write(line, report);
        line.WriteByte((byte)'\n');
        Action<Action> undivided = _paths is null ? Interruption.Print : Interruption.Whole;
        undivided(() =>
        {
            _cases.Write(line.GetBuffer().AsSpan(0, (int)line.Length));
            _cases.Flush();
            if (_paths is not null)
            {
                _paths.Write(PathLine(report.Id, input.Noted));
                _paths.Flush();
            }
        });
    }

    public void Dispose()
    {
        _paths?.Dispose();
        if (_paths is not null)
        {
            _cases.Dispose();
        }

        _lock?.Dispose();
    }

    /// <exception cref="IOException">It is none.</exception>
    public static CaseReport ReadLine(string path, ReadOnlySpan<byte> line)
    {
        try
        {
            return ReportJson.Read<CaseReport>(line);
        }
        catch (JsonException failure)
        {
            throw new IOException($"{path} is not a file of 'analyzer blame --format cases': {failure.Message}", failure);
        }
    }

    /// <summary>Reads a line of the list beside it; nulls where it is none.</summary>
    public static (string? Id, CaseInput? Input) ReadPath(ReadOnlySpan<byte> line)
    {
        try
        {
            var reader = new Utf8JsonReader(line);
            using JsonDocument? document = JsonDocument.TryParseValue(ref reader, out JsonDocument? read) ? read : null;
            return document?.RootElement is { ValueKind: JsonValueKind.Object } one
                && one.TryGetProperty("id", out JsonElement id) && id.ValueKind == JsonValueKind.String
                && one.TryGetProperty("path", out JsonElement path) && path.ValueKind == JsonValueKind.String
                && one.TryGetProperty("bytes", out JsonElement bytes) && bytes.TryGetInt64(out long length)
                && one.TryGetProperty("modified", out JsonElement modified) && modified.ValueKind == JsonValueKind.String
                    ? (id.GetString(), new CaseInput(path.GetString()!, length, modified.GetString()!))
                    : default;
        }
        catch (Exception failure) when (failure is JsonException or InvalidOperationException)
        {
            return default;
        }
    }

    private static byte[] PathLine(string id, CaseInput input)
    {
        using var line = new MemoryStream();
        using (var json = new Utf8JsonWriter(line))
        {
            json.WriteStartObject();
            json.WriteString("id", id);
            json.WriteNumber("bytes", input.Bytes);
            json.WriteString("modified", input.Modified);
            json.WriteString("path", input.Path);
            json.WriteEndObject();
        }

        line.WriteByte((byte)'\n');
        return line.ToArray();
    }

    /// <summary>Writes the file anew without the cases of traces that no server gave.</summary>
    private static void TakeOutUnreached(string path)
    {
        using var rest = new OutputFile(path);
        using (FileStream all = File.OpenRead(path))
        {
            CaseLines.Read(all, LongestLine, line =>
            {
                if (ReadLine(path, line).Problem is not { MayPass: true })
                {
                    rest.Content.Write(line);
                    rest.Content.WriteByte((byte)'\n');
                }
            });
        }

        rest.Keep();
    }

    /// <summary>
    /// Reads the lines of a file and cuts off one that is not whole: the run that wrote it was killed. What does not begin as its lines do
    /// is somebody else's, and stays.
    /// </summary>
    /// <returns>Where its last whole line ends.</returns>
    private static long KeepWholeLines(FileStream file, string path, byte[] begin, CaseLines.LineAction take)
    {
        file.Position = 0;
        (long whole, int rest) = CaseLines.Read(file, LongestLine, take);
        if (rest > 0)
        {
            byte[] cut = new byte[Math.Min(rest, begin.Length)];
            file.Position = whole;
            file.ReadExactly(cut);
            if (!begin.AsSpan().StartsWith(cut))
            {
                throw new IOException($"{path} is not a file of 'analyzer blame --format cases': its last line is not one");
            }

            file.SetLength(whole);
        }

        file.Position = whole;
        return whole;
    }
}
