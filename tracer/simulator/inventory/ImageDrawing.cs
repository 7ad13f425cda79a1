using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>Makes the modules of a machine: Windows' own and those of invented vendors.</summary>
/// <param name="member">What it has in common with other machines; null for nothing.</param>
internal sealed class ImageDrawing(
    ulong seed, WindowsBuild build, MachineProfile profile, DriverNames names, bool isInUse, FleetMember? member)
{
    private const string Qualcomm = "Qualcomm Technologies, Inc.";
    private const string Microsoft = "Microsoft Corporation";
    private const string Repository = @"\SystemRoot\System32\DriverStore\FileRepository\";
    private const int PageBytes = 0x1000;
    private const string OtherDescription = "Device Driver";

    /// <summary>The vendors' drivers that every machine has, by role.</summary>
    private static readonly (ImageRole Role, string Description)[] VendorRoles =
    [
        (ImageRole.NetworkMiniport, "Gigabit Ethernet Controller Driver"),
        (ImageRole.DisplayMiniport, "Display Adapter Kernel Mode Driver"),
        (ImageRole.StorageMiniport, "Storage Controller Driver"),
        (ImageRole.AudioMiniport, "High Definition Audio Driver"),
        (ImageRole.FrameworkClient, "Serial Bus Controller Driver"),
        (ImageRole.OtherFrameworkClient, "GPIO Controller Driver"),
        (ImageRole.PlainDriver, "Hardware Monitor Driver"),
        (ImageRole.FilterDriver, "File System Filter Driver"),
    ];

    /// <summary>
    /// What Qualcomm's packages of drivers for its 12 CPUs are called (public lists: WOA-Project/Qualcomm-Reference-Drivers, 8380_CRD).
    /// </summary>
    private static readonly Dictionary<ImageRole, string> Arm64Names = new()
    {
        [ImageRole.NetworkMiniport] = "qcwlanhmt8380.sys",
        [ImageRole.DisplayMiniport] = "qcdx8380.sys",
        [ImageRole.AudioMiniport] = "qcaudminiport8380.sys",
        [ImageRole.FrameworkClient] = "qci2c8380.sys",
        [ImageRole.OtherFrameworkClient] = "qcgpio8380.sys",
        [ImageRole.PlainDriver] = "qcpmic8380.sys",
    };

    private static readonly string[] Arm64Bystanders =
    [
        "qcsubsys8380.sys", "qcsmmu8380.sys", "qcglink8380.sys", "qcipcc8380.sys", "qcscm.sys", "qcpil.sys", "qcslimbus8380.sys",
        "qcbluetooth8380.sys", "qcspi8380.sys", "qcuart8380.sys", "qcspmi8380.sys", "qciommu.sys", "qcsyscache8380.sys",
        "qcpmicgpio8380.sys", "qcbattminiclass8380.sys", "qcppx8380.sys", "QcXhciFilter8380.sys",
    ];

    /// <summary>Windows' own modules, the kernel and the HAL first.</summary>
    public IEnumerable<SimulatedImage> SystemImages()
    {
        foreach (SystemModules.SystemModule module in SystemModules.Of(build, profile, isInUse))
        {
            ulong update = member?.Update ?? seed;
            var random = new RandomSequence(update, "image " + module.FileName);
            string folder = module.FileName.EndsWith(".sys", StringComparison.OrdinalIgnoreCase)
                && module.Role != ImageRole.WindowSystem ? @"\SystemRoot\System32\drivers\" : @"\SystemRoot\system32\";
            long bytes = module.Kilobytes * 1024L * random.Between(95, 110) / 100;
            yield return Make(
                update,
                random,
                module.Role,
                folder + module.FileName,
                bytes,
                Microsoft,
                module.Description,
                $"{build.Major}.{build.Minor}.{build.Number}.{random.Between(1, 4000)}",
                module.Role == ImageRole.Kernel ? "ntkrnlmp.pdb" : null);
        }
    }

    /// <summary>The vendors' drivers: one for each role, and some that only stand by.</summary>
    public IEnumerable<SimulatedImage> VendorImages()
    {
        foreach ((ImageRole role, string description) in VendorRoles)
        {
            yield return member?.Drivers.GetValueOrDefault(role) is { } shared
                ? Shared(shared, role, description)
                : profile == MachineProfile.Arm64 && Arm64Names.GetValueOrDefault(role) is { } known
                ? Vendor(seed, new RandomSequence(seed, "driver " + role), role, description, known, Qualcomm, null)
                : Vendor(seed, names, new RandomSequence(seed, "driver " + role), role, description);
        }

        ulong model = member?.Model ?? seed;
        DriverNames modelNames = member is null ? names : names.OfModel(model);
        var random = new RandomSequence(model, "bystanders");
        int bystanders = (int)(isInUse ? random.Between(18, 34) : random.Between(3, 9));
        for (int i = 0; i < bystanders; i++)
        {
            yield return profile == MachineProfile.Arm64 && i < Arm64Bystanders.Length
                ? Vendor(model, random, ImageRole.VendorOther, OtherDescription, Arm64Bystanders[i], Qualcomm, null)
                : Vendor(model, modelNames, random, ImageRole.VendorOther, OtherDescription);
        }
    }

    /// <summary>A vendor's driver without a role of its own.</summary>
    public SimulatedImage VendorOther(RandomSequence random) => Vendor(seed, names, random, ImageRole.VendorOther, OtherDescription);

    /// <summary>A driver with a given name, as a tool brings it along.</summary>
    public SimulatedImage Named(string fileName) => Make(
        seed,
        new RandomSequence(seed, "image " + fileName),
        ImageRole.VendorOther,
        $@"\??\C:\Windows\System32\drivers\{fileName}",
        64 * 1024,
        "Tracer",
        "Latency measurement",
        "1.0.0.0",
        null);

    /// <param name="company">Who made it; null for Microsoft.</param>
    public SimulatedImage User(string path, int kilobytes, string? company = null)
    {
        var random = new RandomSequence(seed, "image " + path);
        return Make(
            seed,
            random,
            ImageRole.User,
            path,
            kilobytes * 1024L * random.Between(95, 110) / 100,
            company ?? Microsoft,
            company is null ? "Windows component" : "Application",
            $"{build.Major}.{build.Minor}.{build.Number}.{random.Between(1, 4000)}",
            null);
    }

    private SimulatedImage Vendor(ulong source, DriverNames invented, RandomSequence random, ImageRole role, string description)
    {
        string name = invented.Driver(role);
        string company = invented.Company();
        return Vendor(source, random, role, description, name, company, null);
    }

    private SimulatedImage Shared(SharedDriver driver, ImageRole role, string description) => Vendor(
        driver.Seed, new RandomSequence(driver.Seed), role, description, driver.FileName, driver.Company, driver.Version);

    private SimulatedImage Vendor(
        ulong source, RandomSequence random, ImageRole role, string description, string name, string company, string? known)
    {
        string stem = name[..^4];
        string processor = profile == MachineProfile.Arm64 ? "arm64" : "amd64";
        string path = random.NextBelow(build.IsModern ? 4 : 2) switch
        {
            0 => $@"\SystemRoot\system32\DRIVERS\{name}",
            1 => $@"\SystemRoot\System32\drivers\{name}",
            2 => $@"\??\C:\Windows\System32\drivers\{name}",
            _ => $@"{Repository}{stem.ToLowerInvariant()}.inf_{processor}_{random.NextBits():x16}\{name}",
        };
        long kilobytes = role == ImageRole.DisplayMiniport ? random.Between(4_000, build.PointerBytes == 8 ? 60_000 : 9_000)
            : random.Between(90, 1_200);
        string version = $"{random.Between(1, 31)}.{random.Between(0, 20)}.{random.Between(0, 200)}.{random.Between(0, 9999)}";
        string model = $"{company.Split(' ')[0]} {description}";
        return Make(source, random, role, path, kilobytes * 1024, company, model, known ?? version, null);
    }

    private SimulatedImage Make(
        ulong source, RandomSequence random, ImageRole role, string path, long bytes, string company, string description, string version,
        string? pdb)
    {
        uint pages = (uint)((bytes + PageBytes - 1) / PageBytes);
        string fileName = path[(path.LastIndexOf('\\') + 1)..];
        bool isDriver = fileName.EndsWith(".sys", StringComparison.OrdinalIgnoreCase);
        string stem = Path.GetFileNameWithoutExtension(fileName);
        return new SimulatedImage(source, role, path, pages * PageBytes)
        {
            InstructionBytes = profile == MachineProfile.Arm64 ? 4 : 1,
            // Half of today's builds are reproducible: their stamp is a hash.
            TimeDateStamp = random.Happens(0.5) ? (uint)random.NextBits() | 1 : (uint)random.Between(0x4A00_0000, 0x6600_0000),
            Checksum = (uint)((pages * PageBytes) + random.NextBelow(0x1_0000)),
            PdbId = random.NextGuid(),
            PdbAge = (uint)random.Between(1, 3),
            PdbName = pdb ?? stem + ".pdb",
            Company = company,
            Description = description,
            Version = version,
            ServiceName = !isDriver ? "" : random.Happens(0.85) || role < ImageRole.SystemOther ? stem : stem + "Svc",
        };
    }
}
