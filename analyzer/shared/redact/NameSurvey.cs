using System.Text;
using Tracer.Etl.Kernel;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// The first look at a trace that is to be redacted: whose names it has, which of its images are the kernel's, and who may keep a name.
/// The whole trace is read, not the part that is kept. Memory is bounded.
/// </summary>
internal sealed class NameSurvey
{
    private const int MostImages = 1 << 18;
    private const int ImageLoad = KernelHook.ImageLoad;
    private const uint SystemProcess = 4;

    private readonly PathRedaction _paths;
    private readonly NameBook _book;
    private readonly HashSet<string> _keptProcesses = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _keptModules = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _services = new(StringComparer.OrdinalIgnoreCase);
    private readonly SortedSet<string> _drivers = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<(uint Process, ulong Base)> _keptImages = [];
    private readonly HashSet<(uint Size, uint Stamp)> _keptFiles = [];
    private readonly HashSet<(uint Size, uint Stamp)> _culpritFiles = [];

    private NameSurvey(BlameReport whole, NameBook book, PathRedaction paths)
    {
        (_book, _paths) = (book, paths);
        foreach (Culprit culprit in whole.Culprits)
        {
            (culprit.Kind == CulpritKind.Process ? _keptProcesses : _keptModules).Add(culprit.Name);
            _keptModules.UnionWith(culprit.Through);
            _keptModules.UnionWith(culprit.Functions.Select(static function => ModuleOf(function.Name)));
        }

        foreach (string name in _keptModules.Concat(_keptProcesses))
        {
            book.Reserve(name);
            book.Reserve(StemOf(name));
        }
    }

    /// <summary>File names of the kernel's images: drivers.</summary>
    public IEnumerable<string> Drivers => _drivers;

    /// <param name="reader">The trace; it can be read again.</param>
    /// <param name="whole">Blame of it: who is to blame keeps the name.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static NameSurvey Of(EtlReader reader, BlameReport whole, NameBook book, PathRedaction paths)
    {
        var survey = new NameSurvey(whole, book, paths);
        survey._paths.Learn(reader.Header.FileName);
        survey._paths.Learn(reader.Header.SessionName);
        var sink = new Sink(survey);
        reader.Read(EtlOrder.Any, ref sink);
        return survey;
    }

    /// <summary>Why the name of a process stays; null where it does not.</summary>
    public string? WhyKeptProcess(string name) => _keptProcesses.Contains(name) ? PathRedaction.ToBlame
        : KnownNames.IsProcess(name) ? PathRedaction.OfWindows
        : null;

    /// <summary>Why the name of a file stays, a module or not; null where it does not.</summary>
    public string? WhyKeptFile(string name) => IsKeptModule(name) ? PathRedaction.ToBlame
        : KnownNames.IsFile(name) ? PathRedaction.OfWindows
        : null;

    /// <summary>Whether the name of a library or driver stays because it is to blame.</summary>
    public bool IsKeptModule(string name) => _keptModules.Contains(name) || _keptProcesses.Contains(name);

    /// <summary>Whether a driver of the trace has the name of a service.</summary>
    public bool IsDriversService(string service) => _services.Contains(service);

    /// <summary>Whether the identity of an image stays: it is the kernel's, or that of a culprit.</summary>
    public bool IsKeptImage(uint process, ulong address, int pointerBytes) =>
        IsKernel(process, address, pointerBytes) || _keptImages.Contains((process, address));

    /// <summary>Whether the version of a file stays.</summary>
    public bool IsKeptFile(uint size, uint stamp) => _keptFiles.Contains((size, stamp));

    /// <summary>Whether a file is of who is to blame, or of a module that is named with them.</summary>
    public bool IsCulpritsFile(uint size, uint stamp) => _culpritFiles.Contains((size, stamp));

    /// <summary>Whether an image is the kernel's: nobody else's, and in the kernel's half; a program may lie there, too.</summary>
    /// <param name="process">Whose image it is; 0 where the record does not tell.</param>
    public static bool IsKernel(uint process, ulong address, int pointerBytes) => process is 0 or SystemProcess
        && (pointerBytes == sizeof(uint) ? address >= 0x8000_0000 : address > long.MaxValue);

    /// <summary>Text of 8 bits: UTF-8 or, where it is none, a character for each byte, as the analysis reads it.</summary>
    public static string Narrow(ReadOnlySpan<byte> text)
    {
        text = text[..Math.Min(text.Length, PayloadBuffer.MostCharacters)];
        return System.Text.Unicode.Utf8.IsValid(text) ? Encoding.UTF8.GetString(text) : Encoding.Latin1.GetString(text);
    }

    /// <summary>UTF-16 text.</summary>
    public static string Wide(ReadOnlySpan<byte> text) =>
        Encoding.Unicode.GetString(text[..Math.Min(text.Length & ~1, 2 * PayloadBuffer.MostCharacters)]);

    public static string FileOf(string path) => path[(path.LastIndexOfAny(['\\', '/']) + 1)..];

    /// <summary>A file name without its ending.</summary>
    public static string StemOf(string file) => file.LastIndexOf('.') is > 0 and int dot ? file[..dot] : file;

    private static string ModuleOf(string function)
    {
        int end = function.IndexOfAny(['!', '+']);
        return end < 0 ? function : function[..end];
    }

    private void Add(in EtlEvent traceEvent)
    {
        if (KernelHook.Of(in traceEvent) is not { } hook)
        {
            AddDescription(in traceEvent);
            return;
        }

        switch (hook)
        {
            case 0x0301 or 0x0302 or 0x0303 or 0x0304 or 0x0327 when ProcessRecord.TryRead(in traceEvent, out ProcessRecord process):
                string name = Narrow(process.ImageFileName);
                _paths.Learn(Wide(process.CommandLine));
                NamedRecords.ProcessName(name, this, _book);
                break;
            case ImageLoad or KernelHook.ImageLoadOfImageGroup or KernelHook.ImageUnload or KernelHook.ImageDCStart
                or KernelHook.ImageDCEnd when ImageRecord.TryRead(in traceEvent, out ImageRecord image):
                AddImage(in image, in traceEvent);
                break;
            case KernelHook.SystemConfigCpu when SystemConfigCpuRecord.TryRead(in traceEvent, out SystemConfigCpuRecord cpu):
                Learn(NameKind.Computer, Wide(cpu.ComputerName));
                Learn(NameKind.Domain, Wide(cpu.DomainName));
                break;
            case 0x0400 or 0x0420 or 0x0423 or 0x0424 when traceEvent.Payload.Length > traceEvent.PointerBytes:
                _paths.Learn(Wide(new RecordPayload(in traceEvent).Utf16(traceEvent.PointerBytes, out _)));
                break;
            default:
                break;
        }
    }

    private void AddDescription(in EtlEvent traceEvent)
    {
        if (traceEvent.IsEventHeader || traceEvent.ProviderId != KernelRecordCatalog.ImageIdClass)
        {
            return;
        }

        if (traceEvent.Opcode == NamedRecords.PdbOpcode && ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord pdb))
        {
            _paths.Learn(Narrow(pdb.PdbFileName));
        }
        else if (traceEvent.Opcode == NamedRecords.InfoOpcode && ImageIdInfoRecord.TryRead(in traceEvent, out ImageIdInfoRecord info)
            && IsKeptImage(info.ProcessId, info.ImageBase, traceEvent.PointerBytes))
        {
            KeepFile(_keptFiles, info.ImageSize, info.TimeDateStamp);
        }
        else if (traceEvent.Opcode == NamedRecords.FileVersionOpcode
            && ImageFileVersionRecord.TryRead(in traceEvent, out ImageFileVersionRecord version)
            && Wide(version.CompanyName) is var company && NameBook.IsReplacement(NameKind.Company, company))
        {
            _book.Reserve(company); // It may be that of who is to blame, and stay.
        }
    }

    private void AddImage(in ImageRecord image, in EtlEvent traceEvent)
    {
        string path = Wide(image.FileName);
        string file = FileOf(path);
        _paths.Learn(path);
        bool isKernels = IsKernel(image.ProcessId ?? 0, image.ImageBase, traceEvent.PointerBytes);
        if (isKernels && _drivers.Count < MostImages)
        {
            _drivers.Add(file);
            _services.Add(StemOf(file));
            if (WhyKeptFile(file) is null && file.Length > 0)
            {
                _book.Replacement(NameKind.Driver, file, NamedRecords.EndingOf(file));
            }
        }

        if (isKernels || IsKeptModule(file))
        {
            KeepFile(_keptFiles, image.ImageSize, image.TimeDateStamp ?? 0);
            if (IsKeptModule(file))
            {
                KeepFile(_culpritFiles, image.ImageSize, image.TimeDateStamp ?? 0);
            }

            if (!isKernels && _keptImages.Count < MostImages)
            {
                _keptImages.Add((image.ProcessId ?? 0, image.ImageBase));
            }
        }
    }

    private static void KeepFile(HashSet<(uint Size, uint Stamp)> files, ulong size, uint stamp)
    {
        if (files.Count < MostImages)
        {
            files.Add(((uint)Math.Min(size, uint.MaxValue), stamp));
        }
    }

    private void Learn(NameKind kind, string name)
    {
        if (name.Length > 0 && !KnownNames.IsWorkgroup(name))
        {
            _book.Replacement(kind, name);
        }
    }

    private readonly struct Sink(NameSurvey survey) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            survey.Add(in traceEvent);
            return true;
        }
    }
}
