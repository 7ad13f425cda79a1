using Tracer.Simulator.Draws;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Inventory;

/// <summary>
/// What a simulated machine is made of: Windows, processors, modules with their routines, devices, processes and threads. Everything
/// follows the seed; the same seed and options give the same machine.
/// </summary>
public sealed class MachineInventory
{
    // The kernel's own threads, which it makes for each CPU, have the low ids.
    private const uint LeastId = 200;
    private const uint IdsForEachCpu = 80;
    private const int SharedLine = 16;

    private readonly Dictionary<ImageRole, SimulatedImage> _byRole = [];
    private readonly Dictionary<uint, InventoryThread> _threads = [];
    private readonly Dictionary<string, SimulatedImage> _userImages = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<SimulatedImage> _modules = [];
    private readonly List<InventoryProcess> _processes = [];
    private readonly List<InventoryDevice> _devices = [];
    private readonly KernelAddressSpace _kernelSpace;
    private readonly ImageDrawing _drawing;
    private readonly DriverNames _names;
    private readonly ThreadIds _ids;
    private readonly RandomSequence _random;
    private readonly bool _hasManyPrograms;
    private ulong _nextUserBase;

    /// <param name="options">What is fixed about it; a machine with four CPUs when left out.</param>
    public MachineInventory(ulong seed, InventoryOptions? options = null)
    {
        options ??= new InventoryOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Cpus, 1);
        Seed = seed;
        FaultSeed = options.Member?.Fault ?? seed;
        CpuCount = options.Cpus;
        HasHypervisor = options.HasHypervisor;
        HasModernStandby = options.HasModernStandby;
        _random = new RandomSequence(seed, "inventory");
        Build = options.Build ?? Choose(options);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.Cpus, Build.PointerBytes == 4 ? 32 : 2048);
        bool isPlain = HasHypervisor || options.HasFewPrograms || !options.IsInUse;
        Profile = options.Profile ?? MachineProfiles.Of(Build, seed, isPlain);
        _names = new DriverNames(new RandomSequence(seed, "names"), options.Member?.Programs ?? []);
        foreach (SharedDriver shared in options.Member?.Drivers.Values ?? [])
        {
            _names.Reserve(shared.FileName);
        }

        uint withIds = (uint)Math.Min(CpuCount, ProcessorGroups.MostCpus);
        _ids = new ThreadIds(new RandomSequence(seed, "ids"), LeastId + (IdsForEachCpu * withIds));
        _kernelSpace = new KernelAddressSpace(new RandomSequence(seed, "addresses"), Build.PointerBytes);
        _hasManyPrograms = options.IsInUse && !options.HasFewPrograms;
        _drawing = new ImageDrawing(seed, Build, Profile, _names, options.IsInUse, options.Member);
        LoadModules();
        Hardware = MachineHardware.Draw(seed, options.Member?.Model, _names);
        Hardware = IsArm64 ? Hardware.OfArm64() : Hardware;
        _devices.AddRange(DeviceDrawing.Draw(seed, Build, Hardware, IsArm64, role => this[role]));
        _nextUserBase = Build.PointerBytes == 8
            ? 0x7FF8_0000_0000 + (ulong)(0x1_0000 * _random.NextBelow(0x1_0000))
            : (_hasManyPrograms ? 0x3000_0000UL : 0x7000_0000) + (ulong)(0x1_0000 * _random.NextBelow(0x100));
        IdleProcess = AddKernelProcess(0, "Idle");
        for (int cpu = 0; cpu < CpuCount; cpu++)
        {
            IdleProcess.Add(MakeThread(0, IdleProcess, 0, "", 0, group: ProcessorGroups.Of(cpu)));
        }

        SystemProcess = AddKernelProcess(ThreadIds.SystemProcess, "System");
        ProcessDrawing.AddUsual(this, new RandomSequence(seed, "processes"), _names, _hasManyPrograms);
    }

    public ulong Seed { get; }

    /// <summary>What scenarios draw on it follows this.</summary>
    public ulong FaultSeed { get; }

    public WindowsBuild Build { get; }

    /// <summary>The measured machine that it is like.</summary>
    public MachineProfile Profile { get; }

    /// <summary>Whether its processor is of ARM64, and not of x86.</summary>
    public bool IsArm64 => Profile == MachineProfile.Arm64;

    public int CpuCount { get; }

    /// <summary>Whether it is a guest of a hypervisor, and its kernel knows.</summary>
    public bool HasHypervisor { get; }

    /// <summary>Whether it sleeps by Modern Standby, and not by firmware.</summary>
    public bool HasModernStandby { get; }

    /// <summary>Where the kernel has the page through which it calls the hypervisor.</summary>
    public ulong HypercallPage => this[ImageRole.Kernel].Base - 0x1_0000;

    public MachineHardware Hardware { get; }

    /// <summary>Kernel modules in the order they were loaded, whether they still are or not.</summary>
    public IReadOnlyList<SimulatedImage> Modules => _modules;

    public IReadOnlyList<InventoryDevice> Devices => _devices;

    /// <summary>Its processes, the idle process first, whether they still run or not.</summary>
    public IReadOnlyList<InventoryProcess> Processes => _processes;

    /// <summary>The process of the idle threads: id 0.</summary>
    public InventoryProcess IdleProcess { get; }

    /// <summary>The process of the kernel's own threads: id 4.</summary>
    public InventoryProcess SystemProcess { get; }

    /// <summary>The module that has a role; the first of several.</summary>
    public SimulatedImage this[ImageRole role] => _byRole[role];

    /// <summary>A kernel module by its file name.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public SimulatedImage Module(string fileName) =>
        _modules.First(module => module.FileName.Equals(fileName, StringComparison.OrdinalIgnoreCase));

    public ulong Routine(ImageRole role, string name) => this[role].Routine(name);

    /// <summary>Address of an instruction in a routine.</summary>
    public ulong Inside(ImageRole role, string name, RandomSequence random) => this[role].Inside(name, random);

    /// <summary>The device that a module runs; null where it has none.</summary>
    public InventoryDevice? DeviceOf(ImageRole role) => Devices.FirstOrDefault(device => device.Driver == this[role]);

    /// <summary>The first process with an image name.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public InventoryProcess Process(string name) =>
        _processes.First(process => process.Name.Equals(name, StringComparison.OrdinalIgnoreCase));

    /// <summary>A thread by its id; null for an unknown id, and for the idle threads.</summary>
    public InventoryThread? FindThread(uint threadId) => _threads.GetValueOrDefault(threadId);

    /// <summary>The process of a thread; 0 for the idle thread and unknown ones.</summary>
    public uint ProcessIdOf(uint threadId) => FindThread(threadId)?.Process.Id ?? 0;

    /// <summary>
    /// The CPUs that threads of a process use unless one of them asks for others, one bit each: of those of the kernel all. Before Windows
    /// 11 a program's threads stay in the group that its process is in; processes go to one group after the other.
    /// </summary>
    public UInt128 CpusOf(InventoryProcess process)
    {
        ArgumentNullException.ThrowIfNull(process);
        int groups = ProcessorGroups.Count(CpuCount);
        return groups == 1 || process.Images.Count == 0 || Build.SpreadsOverGroups
            ? UInt128.MaxValue
            : (UInt128)ulong.MaxValue << (GroupOf(process) * ProcessorGroups.CpusOfFullGroup);
    }

    /// <summary>Invents the name of a program that nothing on the machine has.</summary>
    public string InventProgramName() => _names.KnownProgram() ?? _names.Program();

    /// <summary>Adds a driver without a role of its own, not loaded yet: <see cref="Load"/> gives it a place.</summary>
    /// <param name="fileName">Its file name; null for an invented one.</param>
    public SimulatedImage AddDriver(string? fileName = null)
    {
        SimulatedImage driver = fileName is null ? _drawing.VendorOther(_random) : _drawing.Named(fileName);
        driver.IsLoaded = false;
        _modules.Add(driver);
        return driver;
    }

    /// <summary>Puts the devices of two drivers on one interrupt line, that of the first.</summary>
    public void ShareInterrupt(ImageRole first, ImageRole second)
    {
        InventoryDevice owner = DeviceOf(first)!;
        int line = owner.InterruptLine is > 0 ? owner.InterruptLine.Value : SharedLine;
        for (int i = 0; i < _devices.Count; i++)
        {
            if (_devices[i].Driver == this[first] || _devices[i].Driver == this[second])
            {
                _devices[i] = _devices[i] with { InterruptLine = line, Vector = owner.Vector };
            }
        }
    }

    /// <summary>Gives a module that is not loaded a new place and marks it loaded; <see cref="KernelLogWriter"/> logs it.</summary>
    public void Load(SimulatedImage module)
    {
        ArgumentNullException.ThrowIfNull(module);
        if (module.IsLoaded)
        {
            throw new InvalidOperationException($"{module.FileName} is loaded already.");
        }

        module.MoveTo(_kernelSpace.Take(module.Bytes));
        module.IsLoaded = true;
    }

    /// <summary>Adds a process with its usual images and no threads.</summary>
    /// <param name="commandLine">Its command line; the name when left out.</param>
    /// <param name="sessionId">Its terminal session: 0 for services, 1 for the user.</param>
    public InventoryProcess AddProcess(string name, string? commandLine = null, uint sessionId = 1)
    {
        ArgumentNullException.ThrowIfNull(name);
        bool isWindows = commandLine?.Contains("system32", StringComparison.OrdinalIgnoreCase) ?? false;
        string folder = isWindows || !(commandLine?.Contains("Program Files", StringComparison.Ordinal) ?? true)
            ? @"\Windows\System32\" : $@"\Program Files\{Path.GetFileNameWithoutExtension(name)}\";
        string volume = @"\Device\HarddiskVolume" + new RandomSequence(Seed, "volume").Between(1, 4);
        string windows = volume + @"\Windows\System32\";
        SimulatedImage program = UserImage(volume + folder + name, 200, folder[1] == 'W' ? null : _names.Company());
        List<SimulatedImage> images = [program, UserImage(windows + "ntdll.dll", 1_900)];
        if (name != "smss.exe")
        {
            images.Add(UserImage(windows + "kernel32.dll", 700));
            images.Add(UserImage(windows + (Build.Number >= 7600 ? "KernelBase.dll" : "advapi32.dll"), 2_600));
            images.Add(UserImage(windows + "msvcrt.dll", 620));
            images.AddRange(_hasManyPrograms ? FurtherImages(windows, volume + folder) : []);
        }

        var process = new InventoryProcess(_ids.Next(), name, commandLine ?? name, images)
        {
            ParentId = _processes.Count > 3 ? _random.OneOf(_processes.Skip(2).ToArray()).Id : ThreadIds.SystemProcess,
            SessionId = sessionId,
            Key = _kernelSpace.PoolAddress(0x80),
            DirectoryTable = (ulong)_random.NextBelow(0x4_0000) * 0x1000,
        };
        _processes.Add(process);
        return process;
    }

    /// <param name="basePriority">Its base priority, 1 to 31.</param>
    /// <param name="affinity">The CPUs it may use, one bit each; 0 for those that its process uses.</param>
    /// <param name="startAddress">Where it began; 0 for where threads of its process usually do.</param>
    public InventoryThread AddThread(
        InventoryProcess process, int basePriority, string name = "", UInt128 affinity = default, ulong startAddress = 0)
    {
        ArgumentNullException.ThrowIfNull(process);
        ArgumentNullException.ThrowIfNull(name);
        InventoryThread thread = MakeThread(_ids.Next(), process, basePriority, name, affinity, startAddress);
        process.Add(thread);
        _threads.Add(thread.Id, thread);
        return thread;
    }

    /// <summary>Adds a thread that the kernel has made itself, with the id that it has given it.</summary>
    /// <param name="threadId">Its id; nothing happens where it is known.</param>
    /// <param name="basePriority">Its base priority, 1 to 31.</param>
    /// <param name="affinity">The CPUs it may use, one bit each.</param>
    public void AddKernelThread(uint threadId, int basePriority, UInt128 affinity)
    {
        if (threadId != 0 && !_threads.ContainsKey(threadId))
        {
            InventoryThread thread = MakeThread(threadId, SystemProcess, basePriority, "", affinity);
            SystemProcess.Add(thread);
            _threads.Add(threadId, thread);
        }
    }

    private WindowsBuild Choose(InventoryOptions options) => _random.OneOf(
        WindowsBuild.All.Where(build => (build.PointerBytes == 8 || options.Cpus <= 32)
            && (build.IsModern || !options.MustBeModern) && (options.Suits?.Invoke(build) ?? true)).ToArray());

    private void LoadModules()
    {
        foreach (SystemModules.SystemModule module in SystemModules.Of(Build, Profile, isInUse: true))
        {
            _names.Reserve(module.FileName);
        }

        _modules.AddRange(_drawing.SystemImages());
        _modules.AddRange(_drawing.VendorImages());
        foreach (SimulatedImage module in _modules)
        {
            _byRole.TryAdd(module.Role, module);
        }

        // The kernel and the HAL are loaded first; the rest as the machine pleases. Addresses have an order of their own.
        _random.ShuffleFrom(_modules, 2);
        List<SimulatedImage> places = [.. _modules];
        _random.ShuffleFrom(places, 0);
        foreach (SimulatedImage module in places)
        {
            module.MoveTo(_kernelSpace.Take(module.Bytes));
        }
    }

    /// <summary>The libraries of a program in use: those of Windows as often as they are found, and some of its own.</summary>
    private IEnumerable<SimulatedImage> FurtherImages(string windows, string own)
    {
        // From 15 in the smallest program to 230 in the largest, as many below 47 as above.
        double size = Math.Clamp(Spread.LogNormal(1_000, 0.45, 5_000).Next(_random) / 1_000.0, 0.3, 5);
        foreach (UsualLibraries.Library library in UsualLibraries.All)
        {
            if (_random.Happens(Math.Min(0.98, library.Share * size)))
            {
                yield return UserImage(windows + library.Name, library.Kilobytes);
            }
        }

        string company = _names.Company();
        for (long left = _random.Between(1, 2 + (long)(14 * size)); left > 0; left--)
        {
            yield return UserImage(own + _names.Library(), (int)_random.Between(20, 900), company);
        }
    }

    private InventoryProcess AddKernelProcess(uint id, string name)
    {
        var process = new InventoryProcess(id, name, "", [])
        {
            ParentId = 0,
            SessionId = id == 0 || !Build.IsModern ? uint.MaxValue : 0,
            Key = id == 0 ? this[ImageRole.Kernel].Routine("KiInitialProcess") : _kernelSpace.PoolAddress(0x80),
            DirectoryTable = (ulong)_random.NextBelow(0x4000) * 0x1000,
        };
        _processes.Add(process);
        return process;
    }

    private InventoryThread MakeThread(
        uint id,
        InventoryProcess process,
        int basePriority,
        string name,
        UInt128 affinity,
        ulong startAddress = 0,
        int? group = null)
    {
        bool isUser = process.Images.Count > 0;
        return new InventoryThread(id, process)
        {
            BasePriority = basePriority,
            Name = name,
            Affinity = MaskInGroup(affinity, group ?? GroupOf(process)),
            StartAddress = startAddress != 0 ? startAddress
                : isUser ? process.Images[0].Routine("start") : this[ImageRole.Kernel].Routine("ExpWorkerThread"),
            KernelStack = _kernelSpace.PoolAddress(0x1000),
            UserStack = !isUser ? 0 : Build.PointerBytes == 8
                ? 0x10_0000_0000 + (ulong)(0x1_0000 * _random.NextBelow(0x100_0000))
                : 0x10_0000 + (ulong)(0x1_0000 * _random.NextBelow(0x1000)),
            EnvironmentBlock = !isUser ? 0 : Build.PointerBytes == 8
                ? 0x20_0000_0000 + (ulong)(0x2000 * _random.NextBelow(0x10_0000)) : 0x7EF0_0000 + (ulong)(0x1000 * _random.NextBelow(0xF0)),
        };
    }

    /// <summary>The group of a process: one after the other is given to each new one; the kernel's own are in the first.</summary>
    private int GroupOf(InventoryProcess process) =>
        ProcessorGroups.Count(CpuCount) is var groups && (groups == 1 || process.Images.Count == 0)
            ? 0 : _processes.IndexOf(process) % groups;

    /// <summary>The CPUs of a set as records of threads have them, which do not tell the group: of the one that the thread is in.</summary>
    private ulong MaskInGroup(UInt128 affinity, int group)
    {
        if (affinity == 0)
        {
            return ProcessorGroups.MaskOf(CpuCount, group);
        }

        ulong mask = ProcessorGroups.MaskOf(affinity, group);
        return mask != 0 ? mask : ProcessorGroups.MaskOf(affinity, 0) is not 0 and var first ? first : ProcessorGroups.MaskOf(affinity, 1);
    }

    private SimulatedImage UserImage(string path, int kilobytes, string? company = null)
    {
        if (!_userImages.TryGetValue(path, out SimulatedImage? image))
        {
            image = _drawing.User(path, kilobytes, company);
            image.MoveTo(_nextUserBase);
            _nextUserBase += (((ulong)image.Bytes + 0xFFFF) & ~0xFFFFUL) + (ulong)(0x1_0000 * _random.NextBelow(16));
            _userImages.Add(path, image);
        }

        return image;
    }
}
