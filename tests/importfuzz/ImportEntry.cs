using System.Reflection;
using System.Runtime.InteropServices;
using Tracer.TracerCommand.Commands.Import;

namespace Tracer.ImportFuzz;

/// <summary>What import_fuzzer.c calls in the rewritten assemblies.</summary>
internal static unsafe class ImportEntry
{
    /// <summary>
    /// Assemblies that are rewritten: the importing code, compiled into this one, the reader of records, the writer and reader of traces.
    /// </summary>
    public static readonly string[] Instrumented = ["Tracer.ImportFuzz", "Tracer.Capture", "Tracer.Etl", "Tracer.Contract"];

    /// <summary>Tells all rewritten assemblies where their counters are; nothing of theirs may run before.</summary>
    /// <param name="counters">The first counter.</param>
    /// <returns>0, or 1 where one was not rewritten.</returns>
    [UnmanagedCallersOnly]
    public static int Start(byte* counters)
    {
        foreach (string name in Instrumented)
        {
            FieldInfo? first = Assembly.Load(name).GetType(EdgeCounters.TypeName)?.GetField(EdgeCounters.FieldName);
            if (first is null)
            {
                Console.Error.WriteLine($"{name} has no counters");
                return 1;
            }

            first.SetValue(null, Pointer.Box(counters, typeof(byte*)));
        }

        return 0;
    }

    /// <summary>
    /// Imports a recording as `tracer import` does, and reads the trace to its end. An exception is a fault, and so is a trace that
    /// cannot be read.
    /// </summary>
    /// <returns>0, or 1 after saying what is wrong.</returns>
    [UnmanagedCallersOnly]
    public static int Import(byte* bytes, nint count)
    {
        try
        {
            using var recording = new UnmanagedMemoryStream(bytes, count);
            if (RecordingOverview.Read(recording) is not { } overview)
            {
                return 0;
            }

            recording.Position = 0;
            using var trace = new MemoryStream();
            ImportedTrace imported = ImportedTrace.Write(recording, overview, trace);
            trace.Position = 0;
            using EtlReader reader = EtlReader.Open(trace);
            var sink = new EventCount();
            if (reader.Read(EtlOrder.Time, ref sink) && sink.Events >= imported.Wakeups + imported.Samples + imported.Modules)
            {
                return 0;
            }

            Console.Error.WriteLine($"the trace has {sink.Events} events");
        }
#pragma warning disable CA1031 // Whatever it is, it is what was looked for.
        catch (Exception fault)
#pragma warning restore CA1031
        {
            Console.Error.WriteLine(fault);
        }

        return 1;
    }

    private struct EventCount : IEtlEventSink
    {
        public long Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            return true;
        }
    }
}
