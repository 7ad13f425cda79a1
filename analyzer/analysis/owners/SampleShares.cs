using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// How often each kernel module was on a CPU when a sample was taken: by the sampled instruction or, if that is in the kernel or a library,
/// by the first caller outside them. A module that chance puts at the edge of a blackout is found there about as often.
/// </summary>
internal sealed class SampleShares
{
    private readonly ModuleMap _modules;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly Dictionary<int, long> _hits = [];

    public SampleShares(ModuleMap modules) => _modules = modules;

    /// <summary>Number of samples that did not hit an idle thread.</summary>
    public long Busy { get; private set; }

    /// <summary>How many of the busy samples belong to a module.</summary>
    public long Of(LoadedImage image) => _hits.GetValueOrDefault(image.Number);

    /// <summary>Adds a sample that is already in the CPU's history.</summary>
    public void Add(CpuHistory cpu, in CpuSample sample)
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
