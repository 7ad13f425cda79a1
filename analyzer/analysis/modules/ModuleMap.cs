using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Modules;

/// <summary>Looks up the images of a trace by address, with the role of each.</summary>
internal sealed class ModuleMap
{
    private readonly ImageTable _images;
    private readonly AddressMap _kernel;
    private readonly Dictionary<int, ModuleRole> _roles = [];

    private readonly ModuleCalls _calls;

    /// <param name="images">Complete.</param>
    public ModuleMap(ImageTable images, ModuleCalls calls)
    {
        _images = images;
        _kernel = images.NewKernelMap();
        _calls = calls;
    }

    public ImageTable Images => _images;

    /// <summary>The kernel image mapped at an address at a time; null where there is none.</summary>
    public LoadedImage? Find(ulong address, long ticks) => _kernel.Find(address, ticks);

    /// <summary>The same map for the reading of one CPU: it shares nothing that changes.</summary>
    public ModuleMap OfLane() => new(_images, _calls);

    public ModuleRole RoleOf(LoadedImage image)
    {
        if (!_roles.TryGetValue(image.Number, out ModuleRole role))
        {
            role = _calls.Frameworks.Contains(image.Name) ? ModuleRole.Framework : Frameworks.RoleOf(image.Name);
            _roles.Add(image.Number, role);
        }

        return role;
    }

    /// <summary>Whether a driver that calls others does most of the work itself, according to the stacks of the whole trace.</summary>
    public bool WorksItself(LoadedImage image) => _calls.WorksItself(image.Name);

    /// <summary>
    /// The owner that a kernel stack shows: the innermost driver that was called by the kernel, a framework or a layer, rather than by
    /// another driver; otherwise the innermost layer; otherwise a library that only the kernel called; otherwise null.
    /// </summary>
    /// <param name="frames">Return addresses, innermost first; the first may be the sampled instruction itself.</param>
    /// <param name="depth">Index of the owner's frame; the number of frames where there is none.</param>
    public LoadedImage? OwnerIn(ReadOnlySpan<ulong> frames, long ticks, out int depth)
    {
        LoadedImage? layer = null;
        int layerDepth = frames.Length;
        LoadedImage? library = null;
        int libraryDepth = frames.Length;
        bool isKernelAround = false;
        bool isForFramework = false;
        for (int i = 0; i < frames.Length; i++)
        {
            if (Find(frames[i], ticks) is not { } image)
            {
                continue;
            }

            switch (RoleOf(image))
            {
                case ModuleRole.Driver:
                    // A driver is to blame for helper drivers of other vendors that it calls itself, but not for independent drivers.
                    depth = i;
                    while (!_calls.IsIndependent(image.Name) && CallingDriver(frames, ticks, ref depth) is { } caller)
                    {
                        image = caller;
                    }

                    return image;
                case ModuleRole.Layer or ModuleRole.Firmware when layer is null:
                    layer = image;
                    layerDepth = i;
                    break;
                case ModuleRole.Library when library is null:
                    library = image;
                    libraryDepth = i;
                    break;
                case ModuleRole.Framework:
                    isForFramework = true;
                    break;
                case ModuleRole.Kernel:
                    isKernelAround |= library is not null;
                    break;
            }
        }

        bool isLibrarysOwn = layer is null && isKernelAround && !isForFramework;
        depth = isLibrarysOwn ? libraryDepth : layerDepth;
        return isLibrarysOwn ? library : layer;
    }

    /// <summary>
    /// The innermost module of a stack that is neither kernel nor library, because those work on its behalf; where there is none, the
    /// innermost library.
    /// </summary>
    /// <param name="frames">Return addresses, innermost first; the first may be the sampled instruction itself.</param>
    /// <param name="count">Number of innermost frames up to and including the module's; all frames where there is none.</param>
    public LoadedImage? WorkedFor(ReadOnlySpan<ulong> frames, long ticks, out int count)
    {
        LoadedImage? library = null;
        for (count = 0; count < frames.Length; count++)
        {
            if (Find(frames[count], ticks) is not { } image)
            {
                continue;
            }

            switch (RoleOf(image))
            {
                case ModuleRole.Kernel:
                    break;
                case ModuleRole.Library:
                    library ??= image;
                    break;
                default:
                    count++;
                    return image;
            }
        }

        return library;
    }

    /// <summary>Adds the frameworks that lie further out on a stack than a frame, the nearest first, each once.</summary>
    /// <param name="frames">Return addresses, innermost first.</param>
    public void AddFrameworksOutside(ReadOnlySpan<ulong> frames, int depth, long ticks, List<LoadedImage> through)
    {
        for (int i = depth + 1; i < frames.Length; i++)
        {
            if (Find(frames[i], ticks) is { } image && RoleOf(image) is ModuleRole.Framework or ModuleRole.Firmware
                && !through.Exists(known => known.Number == image.Number))
            {
                through.Add(image);
            }
        }
    }

    /// <summary>The driver that called a frame's driver, directly or through libraries; null where there is none.</summary>
    /// <param name="frames">Return addresses, innermost first.</param>
    /// <param name="depth">Index of the frame; afterwards the index of the caller's frame.</param>
    private LoadedImage? CallingDriver(ReadOnlySpan<ulong> frames, long ticks, ref int depth)
    {
        for (int i = depth + 1; i < frames.Length && Find(frames[i], ticks) is { } caller; i++)
        {
            ModuleRole role = RoleOf(caller);
            if (role == ModuleRole.Driver)
            {
                depth = i;
                return caller;
            }

            if (role != ModuleRole.Library)
            {
                break;
            }
        }

        return null;
    }
}
