namespace Tracer.Analysis.Modules;

/// <summary>A module of Windows whose role is known.</summary>
/// <param name="Name">File name with extension.</param>
/// <param name="Clients">Setup classes of the devices whose drivers the module serves; empty where it serves any driver.</param>
internal sealed record KnownModule(string Name, ModuleRole Role, string Note, params SetupClass[] Clients);

/// <summary>Modules that belong together and are documented together.</summary>
/// <param name="Sources">Addresses of the public pages that name the modules or describe what they do.</param>
internal sealed record KnownModuleGroup(string Title, IReadOnlyList<string> Sources, IReadOnlyList<KnownModule> Modules);
