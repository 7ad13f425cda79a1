namespace Tracer.Analysis;

/// <summary>The images of a trace with the part that each plays, looked up by address.</summary>
internal sealed class ModuleMap
{
    private readonly ImageTable _images;
    private readonly Dictionary<int, ModuleRole> _roles = [];

    /// <summary>Makes a map.</summary>
    public ModuleMap(ImageTable images) => _images = images;

    /// <summary>The images.</summary>
    public ImageTable Images => _images;

    /// <summary>The kernel image that an address lies in at a time; null for none.</summary>
    public LoadedImage? Find(ulong address, long ticks) => _images.Find(address, ticks);

    /// <summary>The part that an image plays.</summary>
    public ModuleRole RoleOf(LoadedImage image)
    {
        if (!_roles.TryGetValue(image.Number, out ModuleRole role))
        {
            role = Frameworks.RoleOf(image.Name);
            _roles.Add(image.Number, role);
        }

        return role;
    }

    /// <summary>
    /// The owner that a kernel stack shows: the innermost driver that kernel, framework or layer called, not what it called itself; else
    /// the innermost layer; else null.
    /// </summary>
    /// <param name="frames">Return addresses, innermost first; the first may be the instruction itself.</param>
    /// <param name="ticks">When.</param>
    /// <param name="depth">Index of the owner's frame; the number of frames where there is none.</param>
    public LoadedImage? OwnerIn(ReadOnlySpan<ulong> frames, long ticks, out int depth)
    {
        LoadedImage? layer = null;
        int layerDepth = frames.Length;
        for (int i = 0; i < frames.Length; i++)
        {
            if (Find(frames[i], ticks) is not { } image)
            {
                continue;
            }

            switch (RoleOf(image))
            {
                case ModuleRole.Driver:
                    // A driver answers for the helpers of others that it calls by itself.
                    for (depth = i; depth + 1 < frames.Length && Find(frames[depth + 1], ticks) is { } caller
                        && RoleOf(caller) == ModuleRole.Driver; depth++)
                    {
                        image = caller;
                    }

                    return image;
                case ModuleRole.Layer or ModuleRole.Firmware when layer is null:
                    layer = image;
                    layerDepth = i;
                    break;
            }
        }

        depth = layerDepth;
        return layer;
    }

    /// <summary>Adds the frameworks that stand further out than a frame, the nearest first, each once.</summary>
    /// <param name="frames">Return addresses, innermost first.</param>
    /// <param name="depth">Index of the owner's frame.</param>
    /// <param name="ticks">When.</param>
    /// <param name="through">Takes them.</param>
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
}
