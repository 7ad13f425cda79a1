using Tracer.Etl.Kernel;

namespace Tracer.Capture.Doctor;

/// <summary>How many images of the kernel a trace lists, and of how many it says which PDB they have.</summary>
/// <param name="WithIds">Images with an ImageID record that names a PDB.</param>
public readonly record struct KernelImageShare(int Images, int WithIds)
{
    /// <exception cref="IOException">It can't be read.</exception>
    public static KernelImageShare Of(string path)
    {
        using var reader = EtlReader.Open(path);
        var sink = new Sink([], []);
        reader.Read(EtlOrder.Any, ref sink);
        return new KernelImageShare(sink.Images.Count, sink.Images.Count(sink.Ids.Contains));
    }

    private readonly struct Sink(HashSet<ulong> images, HashSet<ulong> ids) : IEtlEventSink
    {
        private const byte PdbOpcode = 36;

        public HashSet<ulong> Images => images;

        public HashSet<ulong> Ids => ids;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId is KernelHook.ImageDCStart or KernelHook.ImageDCEnd or KernelHook.ImageLoad
                    or KernelHook.ImageLoadOfImageGroup
                && traceEvent.IsKernelHook && ImageRecord.TryRead(in traceEvent, out ImageRecord image) && image.ProcessId == 0)
            {
                images.Add(image.ImageBase);
            }
            else if (!traceEvent.IsKernelHook && traceEvent.ProviderId == KernelRecordCatalog.ImageIdClass
                && traceEvent.Opcode == PdbOpcode && ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord pdb)
                && pdb.ProcessId == 0)
            {
                ids.Add(pdb.ImageBase);
            }

            return true;
        }
    }
}
