using Microsoft.Data.Sqlite;
using Tracer.Analysis.Facts;
using Tracer.AnalyzerCommand.Common.Sqlite;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Writes a database of SQLite: the analysis, and what each CPU ran, row by row as it is read. The library wants a file of its own, so the
/// database is made in a temporary folder and copied when it is whole.
/// </summary>
internal sealed class SqliteDatabase : IScheduleWriter, IDisposable
{
    private const string Schema = "sqlite.sql";

    private readonly ExportedTrace _trace;
    private readonly SqliteInsert _span;
    private readonly SqliteInsert _wakeup;
    private readonly SqliteInsert _power;
    private readonly SqliteInsert _sample;
    private readonly Dictionary<int, int> _depths = [];

    private SqliteDatabase(ExportedTrace trace, SqliteConnection connection)
    {
        _trace = trace;
        _span = new SqliteInsert(connection, "slices", 14);
        _wakeup = new SqliteInsert(connection, "wakeups", 5);
        _power = new SqliteInsert(connection, "power", 4);
        _sample = new SqliteInsert(connection, "samples", 9);
    }

    /// <param name="content">Takes the bytes.</param>
    /// <exception cref="IOException">The storage failed, or SQLite's library is not here.</exception>
    public static void Write(ExportedTrace trace, Stream content)
    {
        using var folder = new ScratchFolder("export");
        try
        {
            string path = Path.Combine(folder.Path, "draft.sqlite");
            Make(trace, path);
            using FileStream made = File.OpenRead(path);
            made.CopyTo(content);
        }
        catch (SqliteException fault)
        {
            throw new IOException($"the database could not be written to {folder.Path}: {fault.Message}", fault);
        }
        catch (Exception fault) when (fault is TypeInitializationException or DllNotFoundException)
        {
            throw new IOException("SQLite's library e_sqlite3 is not beside this program; use the whole folder of a release", fault);
        }
    }

    public void Dispose()
    {
        _span.Dispose();
        _wakeup.Dispose();
        _power.Dispose();
        _sample.Dispose();
    }

    public void Open(CpuSpan span)
    {
        int depth = _depths.GetValueOrDefault(span.Cpu);
        _depths[span.Cpu] = depth + 1;
        bool isThread = span.Kind == CpuSpanKind.Thread;
        (uint? process, string? name) = span.ThreadId is { } thread ? ProcessOf(thread, span.StartTicks) : default;
        _span.Add(
            null,
            span.Cpu,
            KebabCase.Of(span.Kind),
            At(span.StartTicks),
            _trace.Clock.NanosecondsOf(span.EndTicks - span.StartTicks),
            depth,
            isThread ? null : _trace.Facts.Images.Find(span.Routine, span.StartTicks)?.Name,
            isThread ? null : _trace.Names.Routine(span.Routine, span.StartTicks),
            span.Vector,
            process,
            span.ThreadId,
            name,
            isThread ? span.Priority : null,
            span.ReadyTicks is { } ready ? _trace.Clock.NanosecondsOf(span.StartTicks - ready) : null);
    }

    public void Close(CpuSpan span) => _depths[span.Cpu]--;

    public void Ready(int cpu, long ticks, uint threadId, ulong flow)
    {
        (uint? process, string? name) = ProcessOf(threadId, ticks);
        _wakeup.Add(At(ticks), cpu, process, threadId, name);
    }

    public void Idle(int cpu, long ticks, uint? state) => _power.Add(At(ticks), cpu, "idle-state", state);

    public void Speed(int cpu, long ticks, uint frequency) => _power.Add(At(ticks), cpu, "frequency", frequency);

    public void Sample(in ExportedSample sample, in EventStack stack)
    {
        LoadedImage? image = _trace.Names.Image(sample.Instruction, sample.ThreadId, sample.Ticks);
        string label = _trace.Names.Frame(sample.Instruction, image, isReturn: false);
        (uint? process, string? name) = ProcessOf(sample.ThreadId, sample.Ticks);
        _sample.Add(
            At(sample.Ticks),
            sample.Cpu,
            sample.IsInIsr ? "isr" : sample.IsInDpc ? "dpc" : "thread",
            image?.Name,
            image is not null && label.Length > image.Name.Length ? label[(image.Name.Length + 1)..] : null,
            process,
            sample.ThreadId,
            name,
            sample.Count);
    }

    private static void Make(ExportedTrace trace, string path)
    {
        // No pool: the file is read and removed when the connection is closed.
        using var connection = new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ToString());
        connection.Open();
        Run(connection, "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;");
        using (var schema = new StreamReader(typeof(SqliteDatabase).Assembly.GetManifestResourceStream(Schema)!))
        {
            Run(connection, schema.ReadToEnd());
        }

        WriteReport(trace, connection);
        using (var database = new SqliteDatabase(trace, connection))
        {
            trace.ReadSchedule(database);
        }

        Run(connection, "CREATE INDEX slices_by_time ON slices (cpu, start_ns); CREATE INDEX samples_by_time ON samples (cpu, start_ns); "
            + "CREATE INDEX dpcs_by_time ON slices (cpu, start_ns) WHERE kind IN ('dpc', 'timer-dpc'); COMMIT;");
    }

    private static void WriteReport(ExportedTrace trace, SqliteConnection connection)
    {
        BlameReport report = trace.Report;
        using var facts = new SqliteInsert(connection, "trace", 2);
        facts.Add("file", Path.GetFileName(trace.Path));
        facts.Add("verdict", KebabCase.Of(report.Summary.Verdict));
        facts.Add("conclusion", report.Summary.Conclusion);
        facts.Add("threshold_ns", report.Settings.Threshold.Nanoseconds);
        facts.Add("probes", report.Summary.Probes);
        using var culprits = new SqliteInsert(connection, "culprits", 9);
        foreach (Culprit one in report.Culprits)
        {
            culprits.Add(
                one.Rank, one.Name, KebabCase.Of(one.Kind), KebabCase.Of(one.Mechanism), one.Share, one.Blamed.Nanoseconds,
                one.Worst.Nanoseconds, one.Episodes, KebabCase.Of(one.Confidence));
        }

        using var drivers = new SqliteInsert(connection, "drivers", 7);
        foreach (DriverActivity one in report.Drivers)
        {
            drivers.Add(
                one.Name, one.Isr?.Count, one.Isr?.Total.Nanoseconds, one.Isr?.Max.Nanoseconds, one.Dpc?.Count, one.Dpc?.Total.Nanoseconds,
                one.Dpc?.Max.Nanoseconds);
        }

        using var episodes = new SqliteInsert(connection, "episodes", 18);
        using var causes = new SqliteInsert(connection, "causes", 6);
        foreach (Episode one in report.Episodes)
        {
            episodes.Add(
                one.Id, one.Start.Nanoseconds, one.Latency.Nanoseconds, KebabCase.Of(one.Probe), one.Cpu, one.Thread?.Pid, one.Thread?.Tid,
                one.Thread?.Process, one.Thread?.Priority, one.Unexplained.Nanoseconds, one.Secondary ? 1 : 0,
                one.Job?.Due?.Nanoseconds, one.Job?.Ready?.Nanoseconds, one.Job?.Run.Nanoseconds, one.Job?.Work.Nanoseconds,
                one.Job?.Lost.Nanoseconds, one.Job?.End.Nanoseconds, one.Job?.Deadline?.Nanoseconds);
            for (int i = 0; i < one.Causes.Count; i++)
            {
                Cause cause = one.Causes[i];
                causes.Add(one.Id, i, cause.Culprit, KebabCase.Of(cause.Mechanism), cause.Time.Nanoseconds, cause.Routine);
            }
        }

        using var glitches = new SqliteInsert(connection, "glitches", 8);
        foreach (Glitch one in report.Glitches ?? [])
        {
            glitches.Add(
                one.Number, one.At.Nanoseconds, one.Sound ? 1 : 0, KebabCase.Of(one.Side), one.Process, one.Episode, one.Culprit, one.Says);
        }
    }

    private static void Run(SqliteConnection connection, string commands)
    {
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // The text is ours: nothing of the trace is in it.
        command.CommandText = commands;
#pragma warning restore CA2100
        command.ExecuteNonQuery();
    }

    private (uint? Process, string? Name) ProcessOf(uint thread, long ticks)
    {
        uint? process = _trace.Facts.Threads.ProcessOf(thread, ticks);
        return (process, process is { } id ? _trace.Facts.Threads.NameOf(id, ticks) : null);
    }

    private long At(long ticks) => _trace.Clock.NanosecondsFromHeader(ticks);
}
