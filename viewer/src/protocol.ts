// What the viewer and its worker say to each other.

/** The parts of .NET and of the analysis, as viewer/pack.mjs packed them: their names and bytes. */
export interface Engine { config: unknown; files: { name: string; bytes: ArrayBuffer }[] }

export type ToWorker =
  | { kind: 'start'; engine: Engine }
  /** `isWhole`: with all that a page shows, not the blame alone. */
  | { kind: 'analyse'; set: number; files: File[]; settings: string[]; isWhole: boolean }
  | { kind: 'report'; program: string; style: string; licences: string };

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'progress'; share: number }
  /** `line` is tracer.judged/1. */
  | { kind: 'judged'; line: string }
  | { kind: 'result'; line: string; blame: string; page: string; lanes: string; latency: string; notes: string; heapBytes: number }
  | { kind: 'report'; bytes: Uint8Array }
  | { kind: 'problem'; message: string; isEnd: boolean };
