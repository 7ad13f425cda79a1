// What the extension and the page in its webview say to each other.

/** A file comes in pieces, each asked for by the page, so that no more than one is on its way. */
export const PIECE = 8 * 1024 * 1024;

export type ToPage =
  | { kind: 'files'; files: { name: string; bytes: number }[] }
  | { kind: 'piece'; file: number; bytes: Uint8Array }
  | { kind: 'problem'; message: string };

export type FromPage =
  | { kind: 'ready' }
  | { kind: 'next'; file: number; at: number }
  | { kind: 'save'; name: string; bytes: Uint8Array };
