using Tracer.Etl.Kernel;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Records about images: where they are loaded and, in merged files, what they are.</summary>
internal sealed class ImageRecords(MachineInventory machine, SessionController controller, bool isMerged)
{
    private const byte FileVersionOpcode = 64;
    private const byte ImageIdVersion = 2;
    private const byte PortablePdbOpcode = 38;

    private const ulong LinkedBase = 0x1_0000;

    private readonly HashSet<SimulatedImage> _versionsTold = [];
    private readonly HashSet<(SimulatedImage Image, ulong Base, uint ProcessId)> _identitiesTold = [];

    /// <summary>A kernel module or an image of a process, with what a merged file adds.</summary>
    /// <param name="processId">The process it is in; 0 for a kernel module.</param>
    public IEnumerable<MachineRecord> Of(ushort hook, SimulatedImage image, uint processId)
    {
        bool isUserRundown = hook is KernelHook.ImageDCStart or KernelHook.ImageDCEnd && processId != 0;
        yield return isUserRundown
            ? controller.PerfInfo(hook, machine.Build.ImageVersion, (ref p) => Image(ref p, image, processId))
            : controller.System(hook, machine.Build.ImageVersion, (ref p) => Image(ref p, image, processId));
        if (!isMerged || !_identitiesTold.Add((image, image.Base, processId)))
        {
            yield break;
        }

        Guid idClass = KernelRecordCatalog.ImageIdClass;
        yield return controller.Full(
            idClass, KernelPayloadWriter.ImageIdInfoOpcode, ImageIdVersion, processId, sharesTime: true, (ref p) =>
        {
            p.Pointer(image.Base);
            p.Pointer(image.Bytes);
            p.UInt32(processId);
            p.UInt32(image.TimeDateStamp);
            p.Utf16(image.FileName);
        });
        yield return controller.Full(
            idClass, KernelPayloadWriter.ImageIdRsdsOpcode, ImageIdVersion, processId, sharesTime: true, (ref p) =>
        {
            p.Pointer(image.Base);
            p.UInt32(processId);
            p.Guid(image.PdbId);
            p.UInt32(image.PdbAge);
            p.Utf8(image.PdbName);
        });
        yield return controller.Full(idClass, PortablePdbOpcode, ImageIdVersion, processId, sharesTime: true, (ref p) =>
        {
            p.Pointer(image.Base);
            p.UInt32(processId);
            p.UInt32(image.TimeDateStamp);
            p.UInt16(0);
            p.UInt16(0);
        });
        if (_versionsTold.Add(image))
        {
            yield return controller.Full(idClass, FileVersionOpcode, 0, processId, sharesTime: true, (ref p) => Version(ref p, image));
        }
    }

    private static void Image(ref PayloadSpan payload, SimulatedImage image, uint processId)
    {
        payload.Pointer(image.Base);
        payload.Pointer(image.Bytes);
        payload.UInt32(processId);
        payload.UInt32(image.Checksum);
        payload.UInt32(image.TimeDateStamp);
        payload.UInt32(0); // Signature level and type of version 3: not checked.
        payload.Pointer(image.Role == ImageRole.User ? image.Base : LinkedBase);
        payload.Zeros(16);
        payload.Utf16(image.Path);
    }

    private static void Version(ref PayloadSpan payload, SimulatedImage image)
    {
        payload.UInt32(image.Bytes);
        payload.UInt32(image.TimeDateStamp);
        string product = image.Company.StartsWith("Microsoft", StringComparison.Ordinal)
            ? "Microsoft\u00AE Windows\u00AE Operating System"
            : image.Description;
        string[] texts =
        [
            image.FileName, image.Description, image.Version, image.Version, "English (United States)", product, image.Company,
            image.Version, "", "",
        ];
        foreach (string text in texts)
        {
            payload.Utf16(text);
        }
    }
}
