// What the page and its worker say to each other.

/** The parts of .NET and of the analysis, as viewer/site.mjs packed them: their names, and their bytes one behind the other. */
export interface Engine { config: unknown; files: { name: string; bytes: ArrayBuffer }[] }

export type ToWorker =
  | { kind: 'start'; engine: Engine }
  | { kind: 'analyse'; set: number; files: File[]; settings: string[] }
  | { kind: 'report'; program: string; style: string; licences: string };

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'progress'; share: number }
  | { kind: 'result'; blame: string; page: string; lanes: string; latency: string; notes: string; heapBytes: number }
  | { kind: 'report'; bytes: Uint8Array }
  | { kind: 'problem'; message: string; isEnd: boolean };
