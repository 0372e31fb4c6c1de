import { BadIcon, BusyIcon, IdleIcon, OkIcon, WarnIcon, type Icon } from './icons'

/** What a status means for the reader. The colours of tones are the same in all schemes. */
export type Tone = 'ok' | 'warn' | 'bad' | 'busy' | 'idle'

export const toneIcons: Readonly<Record<Tone, Icon>> = {
  ok: OkIcon,
  warn: WarnIcon,
  bad: BadIcon,
  busy: BusyIcon,
  idle: IdleIcon,
}
