namespace Tracer.Analysis;

/// <summary>A module of Windows whose part is known.</summary>
/// <param name="Name">File name, with its ending.</param>
/// <param name="Role">The part it plays.</param>
/// <param name="Note">What it is, in a few words.</param>
/// <param name="Clients">Setup classes of the devices whose drivers stand behind it; empty where it serves any.</param>
internal sealed record KnownModule(string Name, ModuleRole Role, string Note, params SetupClass[] Clients);

/// <summary>Modules that belong together and are documented together.</summary>
/// <param name="Title">What they are for.</param>
/// <param name="Sources">Addresses of the public pages that name them or say what they do.</param>
/// <param name="Modules">The modules.</param>
internal sealed record KnownModuleGroup(string Title, IReadOnlyList<string> Sources, IReadOnlyList<KnownModule> Modules);
