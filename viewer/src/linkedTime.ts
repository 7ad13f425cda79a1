// A link to a time: the fragment of the address has the file's name and times, and nothing else of the trace or of what was asked. A
// fragment is not sent to any server.
import type { Blame, Episode } from './data';
import { lengthOf } from './words';

export interface LinkedTime { file: string | null; at: number | null; threshold: string | null; from: string | null; to: string | null }

/** The settings that a link repeats: times. */
const TIMES = ['threshold', 'from', 'to'] as const;

/** Only what says when: 500us, 1.5s, a clock's time; not the name of a mark or an event, which may tell something. */
const IS_TIME = /^[\d.:TZ+-]+(ns|us|ms|s)?$/;

export function linkedTimeOf(hash: string): LinkedTime {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const time = (name: string) => {
    const text = fields.get(name);
    return text !== null && IS_TIME.test(text) ? text : null;
  };
  const at = /^(\d+(?:\.\d+)?)s$/.exec(fields.get('at') ?? '');
  return { file: fields.get('file'), at: at ? Number(at[1]) * 1e6 : null, threshold: time('threshold'), from: time('from'), to: time('to') };
}

/** The link to an episode of a file. */
export function linkTo(file: string, episode: Episode | null, settings: ReadonlyMap<string, string>): string {
  const fields = new URLSearchParams({ file });
  for (const name of TIMES) {
    const text = settings.get(name)?.trim();
    if (text && IS_TIME.test(text)) {
      fields.set(name, text);
    }
  }
  if (episode) {
    fields.set('at', `${(episode.startUs / 1e6).toFixed(9).replace(/\.?0+$/, '')}s`);
  }
  return `#${fields}`;
}

/** The episode that a time lies in, else the one that begins next to it; null where there is none. */
export function episodeAt(blame: Blame, us: number): Episode | null {
  const distance = (one: Episode) => us < one.startUs ? one.startUs - us : Math.max(0, us - one.startUs - lengthOf(one));
  return blame.episodes.reduce<Episode | null>((best, one) =>
    best === null || distance(one) < distance(best)
      || (distance(one) === distance(best) && Math.abs(one.startUs - us) < Math.abs(best.startUs - us)) ? one : best, null);
}
