using Tracer.Analysis.Facts;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>What threads, routines and addresses are called in exported files. Memory is bounded.</summary>
/// <param name="facts">What a first reading learnt.</param>
internal sealed class ExportNames(TraceFacts facts, IFunctionNames functions)
{
    private const int MostKept = 1 << 16;

    /// <summary>What stands for code outside every image of which nothing is known.</summary>
    public const string Unknown = "unknown";

    private readonly Dictionary<(int Image, ulong Address, bool WithOffset), string> _kept = [];

    /// <summary>A process: <c>audiodg.exe (1234)</c>.</summary>
    public string Process(uint? process, long ticks) => process is { } id
        ? string.Create(CultureInfo.InvariantCulture, $"{facts.Threads.NameOf(id, ticks) ?? "process"} ({id})")
        : "unknown process";

    /// <summary>A thread: its process, its id and, where it has one, its name.</summary>
    public string Thread(uint thread, long ticks)
    {
        string? given = facts.Threads.Find(thread, ticks)?.Name;
        string process = Process(facts.Threads.ProcessOf(thread, ticks), ticks);
        return string.Create(CultureInfo.InvariantCulture, $"{process} thread {thread}{(given is null ? "" : " " + given)}");
    }

    /// <summary>The routine of a span: <c>module!function</c>, or <c>module+0x1234</c> where no function is known.</summary>
    public string Routine(ulong address, long ticks) => Of(address, facts.Images.Find(address, ticks), withOffset: true);

    public string Span(CpuSpan span) => span.Kind == CpuSpanKind.Thread
        ? Thread(span.ThreadId ?? 0, span.StartTicks)
        : $"{Word(span.Kind)} {Routine(span.Routine, span.StartTicks)}";

    /// <summary>The module of an address; null where it lies in none.</summary>
    public LoadedImage? Image(ulong address, uint thread, long ticks) => facts.Images.IsKernelAddress(address)
        ? facts.Images.Find(address, ticks)
        : facts.Threads.ProcessOf(thread, ticks) is { } process ? facts.Images.FindUser(process, address, ticks) : null;

    /// <summary>
    /// A frame of a stack: <c>module!function</c>, or the module alone where no function is known, so that the same code is one frame.
    /// </summary>
    /// <param name="image">Its image; null where it lies in none.</param>
    /// <param name="isReturn">
    /// Whether it is where a call returns to: the call itself, just before it, is what counts.
    /// </param>
    public string Frame(ulong address, LoadedImage? image, bool isReturn) =>
        Of(isReturn && image is not null && address > image.Base ? address - 1 : address, image, withOffset: false);

    private string Of(ulong address, LoadedImage? image, bool withOffset)
    {
        if (image is null)
        {
            return withOffset ? string.Create(CultureInfo.InvariantCulture, $"{Unknown} 0x{address:x}") : Unknown;
        }

        var key = (image.Number, address, withOffset);
        if (!_kept.TryGetValue(key, out string? label))
        {
            ulong offset = address - image.Base;
            label = offset <= uint.MaxValue && functions.TryFind(image, (uint)offset, out NamedFunction function)
                ? $"{image.Name}!{function.Name}"
                : withOffset
                    ? string.Create(CultureInfo.InvariantCulture, $"{image.Name}+0x{offset:x}")
                    : image.Name;
            if (_kept.Count >= MostKept)
            {
                _kept.Clear();
            }

            _kept.Add(key, label);
        }

        return label;
    }

    private static string Word(CpuSpanKind kind) => kind switch
    {
        CpuSpanKind.Isr => "ISR",
        CpuSpanKind.PassiveIsr => "passive ISR",
        CpuSpanKind.Dpc => "DPC",
        CpuSpanKind.TimerDpc => "timer DPC",
        CpuSpanKind.ThreadedDpc => "threaded DPC",
        _ => "thread",
    };
}
