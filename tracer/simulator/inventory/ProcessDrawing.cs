using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>Makes the processes that every Windows machine runs.</summary>
internal static class ProcessDrawing
{
    private readonly record struct Program(string Name, string CommandLine, uint Session, int Threads, int Priority);

    /// <param name="random">Which ones beyond those that all have.</param>
    public static void AddUsual(MachineInventory machine, RandomSequence random, DriverNames names, bool isInUse)
    {
        InventoryProcess system = machine.SystemProcess;
        int workers = 12 + (4 * machine.CpuCount);
        for (int i = 0; i < Math.Min(workers, 120); i++)
        {
            machine.AddThread(system, (int)random.OneOf<long>(8, 12, 12, 13, 15, 16));
        }

        const string System32 = @"C:\Windows\system32\";
        List<Program> programs =
        [
            new("smss.exe", @"\SystemRoot\System32\smss.exe", 0, 2, 11),
            new("csrss.exe", @"%SystemRoot%\system32\csrss.exe ObjectDirectory=\Windows SharedSection=1024,20480,768", 0, 9, 14),
            new("wininit.exe", "wininit.exe", 0, 2, 13),
            new("csrss.exe", @"%SystemRoot%\system32\csrss.exe ObjectDirectory=\Windows SharedSection=1024,20480,768", 1, 11, 14),
            new("winlogon.exe", "winlogon.exe", 1, 4, 13),
            new("services.exe", System32 + "services.exe", 0, 6, 9),
            new("lsass.exe", System32 + "lsass.exe", 0, 8, 9),
            new("dwm.exe", "\"dwm.exe\"", 1, 10, 13),
            new("spoolsv.exe", System32 + "spoolsv.exe", 0, 7, 8),
            new("explorer.exe", @"C:\Windows\Explorer.EXE", 1, 24, 8),
            new("audiodg.exe", System32 + "AUDIODG.EXE 0x" + random.Between(0x100, 0xFFF).ToString("x", null), 0, 6, 8),
            new("SearchIndexer.exe", System32 + "SearchIndexer.exe /Embedding", 0, 9, 8),
            new("cmd.exe", "\"" + System32 + "cmd.exe\"", 1, 1, 8),
        ];
        string[] services = ["DcomLaunch", "RPCSS", "netsvcs", "LocalService", "NetworkService", "LocalSystemNetworkRestricted"];
        foreach (string service in services)
        {
            programs.Add(new("svchost.exe", $"{System32}svchost.exe -k {service}", 0, (int)random.Between(5, 16), 8));
        }

        if (isInUse)
        {
            programs.AddRange(Further(random, System32));
        }

        int others = (int)(isInUse ? random.Between(36, 46) : random.Between(2, 5));
        for (int i = 0; i < others; i++)
        {
            string name = names.Program();
            int threads = (int)(isInUse ? random.Between(2, 19) : random.Between(1, 9));
            programs.Add(new(name, $"\"C:\\Program Files\\{name[..^4]}\\{name}\"", 1, threads, 8));
        }

        foreach (Program program in programs)
        {
            InventoryProcess process = machine.AddProcess(program.Name, program.CommandLine, program.Session);
            for (int i = 0; i < program.Threads; i++)
            {
                machine.AddThread(process, program.Priority);
            }
        }
    }

    /// <summary>What runs besides on a machine in use: more services and helpers of Windows, consoles.</summary>
    private static IEnumerable<Program> Further(RandomSequence random, string folder)
    {
        string[] services =
        [
            "LocalServiceNoNetwork", "LocalServiceNetworkRestricted", "LocalServiceAndNoImpersonation", "NetworkServiceNetworkRestricted",
            "imgsvc", "secsvcs", "wcssvc",
        ];
        foreach (string service in services)
        {
            yield return new("svchost.exe", $"{folder}svchost.exe -k {service}", 0, (int)random.Between(6, 24), 8);
        }

        string[] helpers =
        [
            "lsm.exe", "taskhost.exe", "WmiPrvSE.exe", "WmiPrvSE.exe", "dllhost.exe", "wuauclt.exe", "SearchProtocolHost.exe",
            "SearchFilterHost.exe", "taskeng.exe", "msdtc.exe", "sppsvc.exe", "WUDFHost.exe", "splwow64.exe", "rundll32.exe",
        ];
        foreach (string helper in helpers)
        {
            yield return new(helper, folder + helper, helper[0] == 't' ? 1u : 0u, (int)random.Between(4, 20), 8);
        }

        for (int i = 0; i < 5; i++)
        {
            yield return new("conhost.exe", $@"\??\{folder}conhost.exe", 1, 2, 8);
        }
    }
}
