using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Modules;

/// <summary>Names addresses by function where a source of names knows it, otherwise by module and offset.</summary>
internal sealed class AddressNames(TraceFacts facts, ModuleMap modules, IFunctionNames? functions)
{
    /// <summary>
    /// The function that samples hit; where none is known, the offset from the module's base stands for it. Code that lies in no image,
    /// such as that of a JIT compiler, is named by its process.
    /// </summary>
    /// <param name="processId">The process of a user address; 0 where only a thread is known.</param>
    /// <param name="threadId">A thread of the process; null where not known.</param>
    public SampledFunction Function(ulong address, uint processId, long ticks, int count, uint? threadId = null)
    {
        LoadedImage? image;
        string? owner = null;
        if (facts.Images.IsKernelAddress(address))
        {
            image = modules.Find(address, ticks);
        }
        else
        {
            uint process = processId != 0 ? processId : threadId is { } thread ? facts.Threads.ProcessOf(thread, ticks) ?? 0 : 0;
            image = process == 0 ? null : facts.Images.FindUser(process, address, ticks);
            owner = process == 0 ? null : facts.Threads.NameOf(process, ticks);
        }

        return new SampledFunction
        {
            Module = image?.Name,
            Function = image is null
                ? owner is null ? null : $"code of {owner} outside its images"
                : NameIn(image, address - image.Base),
            Count = count,
        };
    }

    private string NameIn(LoadedImage image, ulong offset) =>
        offset <= uint.MaxValue && functions is not null && functions.TryFind(image, (uint)offset, out NamedFunction function)
            ? function.Name
            : string.Create(CultureInfo.InvariantCulture, $"+0x{offset:x}");

    public static SampledFunction Sum(IGrouping<(string? Module, string? Function), SampledFunction> functions) => new()
    {
        Module = functions.Key.Module,
        Function = functions.Key.Function,
        Count = functions.Sum(function => function.Count),
    };
}
