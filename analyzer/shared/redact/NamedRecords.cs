using System.Text.RegularExpressions;
using Tracer.Etl.Kernel;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// Writes the kernel's records that hold names anew, field by field: numbers that are known stay, each text is redacted by what it is the
/// name of, and what no table knows is not copied.
/// </summary>
internal sealed partial class NamedRecords(NameSurvey survey, NameBook book, PathRedaction paths, RedactionCounts counts)
{
    /// <summary>Opcode of an image's identity.</summary>
    public const byte InfoOpcode = 0;

    public const byte PdbOpcode = 36;

    public const byte FileVersionOpcode = 64;

    private const byte ReproducibleOpcode = 40;
    private const byte VolumeMappingOpcode = 35;
    private const int LongestCompany = 100;
    private const int MostParents = 8;
    private const int MostSegments = 16;
    private const string CommonWords = "words that many devices have";

    private static readonly Guid SystemConfigExClass = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");

    /// <summary>What a process is called in the pack.</summary>
    public static string ProcessName(string name, NameSurvey survey, NameBook book)
    {
        string file = NameSurvey.FileOf(name);
        return survey.WhyKeptProcess(file) is { } why
            ? book.Keep(NameKind.Process, file, why)
            : book.Replacement(NameKind.Process, file, file.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) ? ".exe" : "");
    }

    public string DriverName(string file) => file.Length == 0 ? ""
        : survey.WhyKeptFile(file) is { } why ? book.Keep(NameKind.Driver, file, why)
            : book.Replacement(NameKind.Driver, file, EndingOf(file));

    /// <returns>False where it is none of these, or too short.</returns>
    public bool TryWrite(ushort hook, in EtlEvent traceEvent, PayloadBuffer payload)
    {
        switch (hook)
        {
            case 0x0301 or 0x0302 or 0x0303 or 0x0304 or 0x0327 when ProcessRecord.TryRead(in traceEvent, out ProcessRecord process):
                WriteProcess(in process, in traceEvent, payload);
                return true;
            case KernelHook.ImageLoad or KernelHook.ImageLoadOfImageGroup or KernelHook.ImageUnload or KernelHook.ImageDCStart
                or KernelHook.ImageDCEnd when ImageRecord.TryRead(in traceEvent, out ImageRecord image):
                WriteImage(in image, in traceEvent, payload);
                return true;
            case 0x0400 or 0x0420 or 0x0423 or 0x0424 when traceEvent.Payload.Length >= traceEvent.PointerBytes:
                var record = new RecordPayload(in traceEvent);
                payload.Raw(record.Slice(0, record.PointerBytes)).Wide(FilePath(NameSurvey.Wide(record.Utf16(record.PointerBytes, out _))));
                return true;
            case 0x0F22:
                string mark = NameSurvey.Narrow(new RecordPayload(in traceEvent).Text8(0, out _)).Trim();
                payload.Narrow(mark.Length == 0 ? "" : book.Replacement(NameKind.Mark, mark));
                return true;
            case KernelHook.SystemConfigCpu when SystemConfigCpuRecord.TryRead(in traceEvent, out SystemConfigCpuRecord cpu):
                WriteCpu(in cpu, in traceEvent, payload);
                return true;
            case KernelHook.SystemConfigProcessor when ProcessorRecord.TryRead(in traceEvent, out ProcessorRecord processor):
                payload.Raw(traceEvent.Payload[..12]).Wide(Hardware(processor.Name), 64).Wide(Hardware(processor.Identifier), 128)
                    .Wide(Hardware(processor.Vendor), 16);
                return true;
            case KernelHook.SystemConfigPhysicalDisk when PhysicalDiskRecord.TryRead(in traceEvent, out PhysicalDiskRecord disk):
                payload.Raw(traceEvent.Payload[..40]).Wide(DeviceName(disk.Manufacturer), 256).Raw(traceEvent.Payload.Slice(552, 5))
                    .Zeros(11);
                return true;
            case KernelHook.SystemConfigNetworkAdapter when NetworkAdapterRecord.TryRead(in traceEvent, out NetworkAdapterRecord adapter):
                // The hardware address, the interfaces and their addresses are nobody's business.
                payload.Zeros(20).Wide(DeviceName(adapter.Description)).Wide("").Wide("");
                return true;
            case KernelHook.SystemConfigVideoAdapter when VideoAdapterRecord.TryRead(in traceEvent, out VideoAdapterRecord video):
                payload.Raw(traceEvent.Payload[..20]).Wide(Hardware(video.ChipType), 256).Wide("", 256)
                    .Wide(DeviceName(video.AdapterString), 256).Wide("", 256).Wide("", 256).Zeros(4);
                return true;
            case 0x0B16 when PnpDeviceRecord.TryRead(in traceEvent, out PnpDeviceRecord device):
                WriteDevice(in device, in traceEvent, payload);
                return true;
            default:
                return false;
        }
    }

    /// <summary>Writes anew what a merge adds about images and volumes.</summary>
    /// <returns>False where it is none of these, or tells of an image whose name does not stay.</returns>
    public bool TryWriteDescription(in EtlEvent traceEvent, PayloadBuffer payload)
    {
        int pointer = traceEvent.PointerBytes;
        bool isImage = traceEvent.ProviderId == KernelRecordCatalog.ImageIdClass;
        switch (traceEvent.Opcode)
        {
            case InfoOpcode when isImage && ImageIdInfoRecord.TryRead(in traceEvent, out ImageIdInfoRecord info)
                && survey.IsKeptImage(info.ProcessId, info.ImageBase, pointer):
                payload.Pointer(info.ImageBase, pointer).Pointer(info.ImageSize, pointer).U32(info.ProcessId).U32(info.TimeDateStamp)
                    .Wide(FileName(NameSurvey.FileOf(NameSurvey.Wide(info.OriginalFileName)), NameKind.Driver));
                return true;
            case PdbOpcode when isImage && ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord pdb)
                && survey.IsKeptImage(pdb.ProcessId, pdb.ImageBase, pointer):
                payload.Pointer(pdb.ImageBase, pointer).U32(pdb.ProcessId).Raw(pdb.PdbGuid.ToByteArray()).U32(pdb.Age)
                    .Narrow(PdbName(NameSurvey.FileOf(NameSurvey.Narrow(pdb.PdbFileName))));
                return true;
            case ReproducibleOpcode when isImage
                && ImageIdReproducibleRecord.TryRead(in traceEvent, out ImageIdReproducibleRecord reproducible)
                && survey.IsKeptImage(reproducible.ProcessId, reproducible.ImageBase, pointer):
                payload.Pointer(reproducible.ImageBase, pointer).U32(reproducible.ProcessId);
                return true;
            case FileVersionOpcode when isImage && ImageFileVersionRecord.TryRead(in traceEvent, out ImageFileVersionRecord version)
                && survey.IsKeptFile(version.ImageSize, version.TimeDateStamp):
                WriteVersion(in version, payload);
                return true;
            case VolumeMappingOpcode when traceEvent.ProviderId == SystemConfigExClass
                && VolumeMappingRecord.TryRead(in traceEvent, out VolumeMappingRecord mapping):
                payload.Wide(Folders(NameSurvey.Wide(mapping.NtPath))).Wide(Folders(NameSurvey.Wide(mapping.DosPath)));
                return true;
            default:
                return false;
        }
    }

    /// <summary>The method of the firmware that an event of ACPI names: of its path the segments stay that many machines have.</summary>
    public string Method(string name)
    {
        string path = name.TrimStart('\\', '^');
        int up = name.Length - path.Length;
        string[] segments = path.Split('.');
        return up > MostParents || segments.Length > MostSegments
            ? book.Replacement(NameKind.Method, name)
            : name[..up] + string.Join('.', segments.Select(segment => segment.Length == 0 ? ""
                : KnownNames.IsFirmwareSegment(segment) ? book.Keep(NameKind.Method, segment, PathRedaction.OfWindows)
                : book.Replacement(NameKind.Method, segment)));
    }

    /// <summary>The ending of a file where it is a common one; empty otherwise.</summary>
    public static string EndingOf(string file) => file.LastIndexOf('.') is >= 0 and int dot && KnownNames.Endings.Contains(file[dot..])
        ? file[dot..].ToLowerInvariant()
        : "";

    private string Hardware(ReadOnlySpan<byte> text) => book.Keep(NameKind.Device, HardwareText.Of(NameSurvey.Wide(text)), CommonWords);

    private static string VersionText(ReadOnlySpan<byte> text) => Numbers().Match(NameSurvey.Wide(text)).Value;

    private string DeviceName(ReadOnlySpan<byte> utf16)
    {
        string text = NameSurvey.Wide(utf16).Trim();
        string left = text.Length == 0 || NameBook.IsReplacement(NameKind.Device, text) ? "" : book.Without(HardwareText.Of(text));
        return text.Length == 0 || left.Length > 0
            ? book.Keep(NameKind.Device, left, CommonWords)
            : book.Replacement(NameKind.Device, text);
    }

    /// <summary>The name of a module's symbols: it follows that of the module.</summary>
    private string PdbName(string pdb)
    {
        string stem = NameSurvey.StemOf(pdb);
        foreach (string ending in (ReadOnlySpan<string>)[".sys", ".exe", ".dll"])
        {
            if (survey.WhyKeptFile(stem + ending) is { } why)
            {
                return book.Keep(NameKind.File, pdb, why);
            }

            if (book.Has(NameKind.Driver, stem + ending))
            {
                return NameSurvey.StemOf(book.Replacement(NameKind.Driver, stem + ending)) + ".pdb";
            }
        }

        return pdb.Length == 0 ? "" : book.Replacement(NameKind.File, pdb, EndingOf(pdb));
    }

    private string Folders(string path)
    {
        // Each component is a folder here, the last one too.
        RedactedPath redacted = paths.Of(path.EndsWith('\\') || path.Length == 0 ? path : path + '\\');
        return path.EndsWith('\\') || path.Length == 0 ? redacted.Folders : redacted.Folders[..^1];
    }

    private void WriteProcess(in ProcessRecord process, in EtlEvent traceEvent, PayloadBuffer payload)
    {
        int pointer = traceEvent.PointerBytes;
        int numbers = traceEvent.Version switch
        {
            0 => 2 * pointer,
            1 or 2 => pointer + 16,
            3 => (2 * pointer) + 16,
            _ => (2 * pointer) + 20,
        };
        counts.Texts += process.CommandLine.IsEmpty ? 0 : 1;
        counts.Texts += process.Sid.IsEmpty ? 0 : 1;
        counts.Texts += process.PackageFullName.IsEmpty ? 0 : 1;
        payload.Raw(traceEvent.Payload[..numbers]).U32(0).Narrow(ProcessName(NameSurvey.Narrow(process.ImageFileName), survey, book));
        if (traceEvent.Version >= 2)
        {
            payload.Wide("");
        }

        if (traceEvent.Version >= 4)
        {
            payload.Wide("").Wide("");
        }

        if (process.ExitTime is { } exit)
        {
            payload.U64((ulong)exit);
        }
    }

    private void WriteImage(in ImageRecord image, in EtlEvent traceEvent, PayloadBuffer payload)
    {
        int pointer = traceEvent.PointerBytes;
        string path = NameSurvey.Wide(image.FileName);
        bool isKernels = NameSurvey.IsKernel(image.ProcessId ?? 0, image.ImageBase, pointer);
        string written = FilePath(path, isKernels ? NameKind.Driver : NameKind.Module);

        // Size, checksum and time stamp of a program tell which it is to whoever has it: those of others are taken out, but for the size.
        bool isKept = isKernels || survey.IsKeptModule(NameSurvey.FileOf(path))
            || NameSurvey.FileOf(path).Equals(NameSurvey.FileOf(written), StringComparison.Ordinal);
        payload.Pointer(image.ImageBase, pointer);
        if (traceEvent.Version == 0)
        {
            payload.U32((uint)image.ImageSize).Wide(written);
            return;
        }

        payload.Pointer(image.ImageSize, pointer).U32(image.ProcessId.GetValueOrDefault());
        if (traceEvent.Version >= 2)
        {
            payload.U32(isKept ? image.ImageChecksum.GetValueOrDefault() : 0)
                .U32(isKept ? image.TimeDateStamp.GetValueOrDefault() : 0)
                .Zeros(4).Pointer(image.DefaultBase.GetValueOrDefault(), pointer).Zeros(16);
        }

        payload.Wide(written);
    }

    /// <summary>The path of a driver, a program, a library that it loads, or a file that it reads.</summary>
    private string FilePath(string path, NameKind kind = NameKind.File)
    {
        RedactedPath redacted = paths.Of(path);
        return redacted.Folders + FileName(redacted.File, kind);
    }

    /// <summary>What a file is called. Only the name decides whether it stays, never where the file lies.</summary>
    /// <param name="kind">What it was loaded as: a driver, a module of a program; a file where it is not known to have been loaded.</param>
    private string FileName(string file, NameKind kind)
    {
        string ending = EndingOf(file);
        if (file.Length == 0)
        {
            return "";
        }

        if (kind == NameKind.Driver)
        {
            return DriverName(file);
        }

        if (ending == ".exe" || book.Has(NameKind.Process, file))
        {
            return ProcessName(file, survey, book);
        }

        if (survey.WhyKeptFile(file) is { } why)
        {
            return book.Keep(kind, file, why);
        }

        bool isModule = ending is ".dll" or ".drv" or ".ocx" or ".cpl" or ".ax";
        return ending == ".sys" || book.Has(NameKind.Driver, file)
            ? DriverName(file)
            : book.Replacement(isModule ? NameKind.Module : NameKind.File, file, ending);
    }

    private void WriteCpu(in SystemConfigCpuRecord cpu, in EtlEvent traceEvent, PayloadBuffer payload)
    {
        int domainCharacters = traceEvent.Version == 0 ? 132 : 134;
        int tailAt = 532 + (2 * domainCharacters);
        int tail = traceEvent.Version >= 3 ? (2 * traceEvent.PointerBytes) + 12 : traceEvent.PointerBytes;
        string computer = NameSurvey.Wide(cpu.ComputerName);
        string domain = NameSurvey.Wide(cpu.DomainName);
        domain = domain.Length == 0 ? ""
            : KnownNames.IsWorkgroup(domain) ? book.Keep(NameKind.Domain, domain, "machines without a domain have it")
            : book.Replacement(NameKind.Domain, domain);
        payload.Raw(traceEvent.Payload[..20])
            .Wide(computer.Length == 0 ? "" : book.Replacement(NameKind.Computer, computer), 256)
            .Wide(domain, domainCharacters)
            .Raw(traceEvent.Payload.Slice(tailAt, tail));
    }

    private void WriteDevice(in PnpDeviceRecord device, in EtlEvent traceEvent, PayloadBuffer payload)
    {
        string id = book.Keep(NameKind.Device, HardwareText.OfId(NameSurvey.Wide(device.DeviceID)), "says which hardware, not whose");
        string description = DeviceName(device.DeviceDescription);
        string friendly = DeviceName(device.FriendlyName);
        if (traceEvent.Version < 4)
        {
            payload.U32((uint)id.Length + 1).U32((uint)description.Length + 1).U32((uint)friendly.Length + 1)
                .Wide(id).Wide(description).Wide(friendly);
            if (traceEvent.Version == 3)
            {
                payload.Wide("");
            }

            return;
        }

        payload.Raw(traceEvent.Payload[..(traceEvent.Version >= 5 ? 32 : 24)])
            .Wide(id).Wide(description).Wide(friendly).Wide("").Wide(Service(device.ServiceName));
        int offset = new RecordPayload(in traceEvent).Utf16End(traceEvent.Version >= 5 ? 32 : 24, 5);
        ulong filters = (ulong)device.UpperFilterCount + device.LowerFilterCount;
        for (ulong i = 0; i < filters && offset < traceEvent.Payload.Length; i++)
        {
            payload.Wide(Service(new RecordPayload(in traceEvent).Utf16(offset, out offset)));
        }
    }

    private string Service(ReadOnlySpan<byte> utf16)
    {
        string service = NameSurvey.Wide(utf16);
        return service.Length == 0 ? ""
            : survey.IsDriversService(service) ? NameSurvey.StemOf(DriverName(service + ".sys"))
            : book.Replacement(NameKind.Service, service);
    }

    private void WriteVersion(in ImageFileVersionRecord version, PayloadBuffer payload)
    {
        string company = NameSurvey.Wide(version.CompanyName);
        company = company[..Math.Min(company.Length, LongestCompany)];
        string made = company.Length == 0 ? ""
            : survey.IsCulpritsFile(version.ImageSize, version.TimeDateStamp)
                ? book.Keep(NameKind.Company, book.Without(company), PathRedaction.ToBlame)
            : KnownNames.IsCompany(company) ? book.Keep(NameKind.Company, company, PathRedaction.OfWindows)
            : book.Replacement(NameKind.Company, company);
        string number = VersionText(version.FileVersion);
        string binary = VersionText(version.BinFileVersion);
        payload.U32(version.ImageSize).U32(version.TimeDateStamp).Wide("").Wide("")
            .Wide(number.Length > 0 ? number : binary).Wide(binary).Wide("").Wide("")
            .Wide(made).Wide("").Wide("").Wide("");
    }

    /// <summary>The version of a file: numbers of 16 bits, as its resource has them.</summary>
    [GeneratedRegex("^[0-9]{1,5}(?:[.,] ?[0-9]{1,5}){1,3}(?![0-9])", RegexOptions.CultureInvariant)]
    private static partial Regex Numbers();
}
