// What viewer/pack.mjs puts in the place of @framework: the scripts of the .NET runtime, as far as the worker uses them.
declare module '@framework/dotnet.js' {
  interface Host {
    withConfig(config: unknown): Host;
    withResourceLoader(load: (type: string, name: string) => Promise<Response> | undefined): Host;
    create(): Promise<{
      Module: { HEAPU8: Uint8Array };
      setModuleImports(name: string, functions: object): void;
      getAssemblyExports(name: string): Promise<any>;
    }>;
  }
  export const dotnet: Host;
}
declare module '@framework/dotnet.native.js';
declare module '@framework/dotnet.runtime.js';
