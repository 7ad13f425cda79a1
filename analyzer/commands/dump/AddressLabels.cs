using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;
using Tracer.AnalyzerCommand.Common.Symbols;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// Names addresses of code for <c>analyzer dump</c>: <c>module!function+0x..</c>, <c>module+0x..</c> where nothing names the function.
/// </summary>
internal sealed class AddressLabels(ImageSymbols names, TraceModules modules)
{
    private const int MaximumKept = 1 << 16;

    private readonly Dictionary<(int Image, ulong Address, bool IsReturn), string> _made = [];
    private uint _process;
    private uint _thread;
    private long _ticks;

    /// <summary>Turns to an event, whose addresses are asked for next.</summary>
    public void Turn(in EtlEvent traceEvent)
    {
        _ticks = traceEvent.TimestampTicks;
        _process = traceEvent.ProcessId;
        _thread = traceEvent.HookId switch
        {
            KernelHook.SampledProfile when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample) =>
                sample.ThreadId,
            KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord contextSwitch) =>
                contextSwitch.NewThreadId,
            _ => traceEvent.ThreadId,
        };
    }

    /// <returns>Null where it lies in no image.</returns>
    public string? Of(ulong address) => Of(address, isReturn: false);

    /// <summary>Names a frame of a stack.</summary>
    /// <param name="index">
    /// 0 for the innermost. The others return to the instruction behind a call, which may be another function's first if the call never
    /// returns: the call itself is what counts.
    /// </param>
    /// <returns>Null where it lies in no image.</returns>
    public string? OfFrame(ulong address, int index) => Of(address, index > 0);

    private string? Of(ulong address, bool isReturn)
    {
        if (ImageOf(address) is not { } image)
        {
            return null;
        }

        if (_made.TryGetValue((image.Number, address, isReturn), out string? label))
        {
            return label;
        }

        string module = DumpAllowance.Cut(image.Name);
        ulong offset = address - image.Base;
        uint back = isReturn && offset > 0 ? 1u : 0u;
        label = offset <= uint.MaxValue && names.TryFind(image, (uint)offset - back, out NamedFunction function)
            ? string.Create(CultureInfo.InvariantCulture, $"{module}!{function.Name}+0x{function.Offset + back:x}")
            : string.Create(CultureInfo.InvariantCulture, $"{module}+0x{offset:x}");
        if (_made.Count >= MaximumKept)
        {
            _made.Clear();
        }

        _made.Add((image.Number, address, isReturn), label);
        return label;
    }

    private LoadedImage? ImageOf(ulong address)
    {
        if (modules.Images.IsKernelAddress(address))
        {
            return modules.Images.Find(address, _ticks);
        }

        uint? process = _process != EtlEvent.NotInHeader ? _process
            : _thread != EtlEvent.NotInHeader ? modules.Threads.ProcessOf(_thread, _ticks)
            : null;
        return process is { } id ? modules.Images.FindUser(id, address, _ticks) : null;
    }
}
