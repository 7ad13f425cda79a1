using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Tests.Facts;

namespace Tracer.Analysis.Tests.Modules;

/// <summary>Images of 1 MB right behind each other, by name.</summary>
internal sealed class MadeModules
{
    public const ulong Size = 0x10_0000;
    private const ulong First = 0xFFFF_F800_1000_0000;

    private readonly string[] _names;

    public MadeModules(params string[] names)
    {
        _names = names;
        var images = new ImageTable(pointerBytes: 8);
        foreach (string name in names)
        {
            byte[] image = MadeEvent.Image(Base(name), Size, 0, @"\SystemRoot\System32\drivers\" + name);
            MadeEvent.Give(MadeEvent.Kernel(KernelHook.ImageDCStart, 3, 0, image), images.Add);
        }

        images.Complete();
        Map = new ModuleMap(images, new ModuleCalls());
    }

    public ModuleMap Map { get; }

    public ulong Base(string name) => First + ((ulong)Array.IndexOf(_names, name) * Size);

    /// <summary>An address, as "nic.sys+0x10"; without an offset 0x100 bytes behind the base.</summary>
    public ulong At(string text) => text.Split('+') is [var name, var offset]
        ? Base(name) + Convert.ToUInt64(offset, 16)
        : Base(text) + 0x100;

    /// <summary>Addresses, with blanks between them.</summary>
    public ulong[] Stack(string text) => [.. text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(At)];

    /// <summary>Adds a sample with its stack; without one where it is a single address.</summary>
    public void Sample(CpuHistory cpu, long ticks, string stack, uint thread = 0, bool isInDpc = false, bool isInIsr = false)
    {
        ulong[] frames = Stack(stack);
        cpu.AddSample(new CpuSample
        {
            Ticks = ticks,
            Instruction = frames[0],
            ThreadId = thread,
            IsInDpc = isInDpc,
            IsInIsr = isInIsr,
        });
        if (frames.Length > 1)
        {
            cpu.AddStack(cpu.Samples.Next - 1, frames);
        }
    }
}
