namespace Tracer.Analysis;

/// <summary>
/// How often each kernel module was on the CPU when a sample came: by the instruction, and where that is the kernel's own or a library's,
/// by the first caller that is neither. What stands at the edge of a blackout by chance stands there as often.
/// </summary>
internal sealed class SampleShares
{
    private readonly ModuleMap _modules;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly Dictionary<int, long> _hits = [];

    /// <summary>Starts with nothing.</summary>
    public SampleShares(ModuleMap modules) => _modules = modules;

    /// <summary>Samples that did not hit an idle thread.</summary>
    public long Busy { get; private set; }

    /// <summary>How many of them are a module's.</summary>
    public long Of(LoadedImage image) => _hits.GetValueOrDefault(image.Number);

    /// <summary>Takes a sample that is in the CPU's history already.</summary>
    public void Add(CpuHistory cpu, in SampleMark sample)
    {
        if (sample.IsIdle)
        {
            return;
        }

        Busy++;
        if (!_modules.Images.IsKernelAddress(sample.Instruction))
        {
            return;
        }

        LoadedImage? image = _modules.Find(sample.Instruction, sample.Ticks);
        if (image is null || _modules.RoleOf(image) is ModuleRole.Kernel or ModuleRole.Library)
        {
            image = _modules.WorkedFor(cpu.FramesOf(in sample, _frames), sample.Ticks, out _) ?? image;
        }

        if (image is not null)
        {
            _hits[image.Number] = _hits.GetValueOrDefault(image.Number) + 1;
        }
    }
}
