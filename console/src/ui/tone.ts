import { BadIcon, BusyIcon, IdleIcon, OkIcon, WarnIcon, type Icon } from './icons'

/** The meaning of a status. Tone colors are the same in all schemes. */
export type Tone = 'ok' | 'warn' | 'bad' | 'busy' | 'idle'

export const toneIcons: Readonly<Record<Tone, Icon>> = {
  ok: OkIcon,
  warn: WarnIcon,
  bad: BadIcon,
  busy: BusyIcon,
  idle: IdleIcon,
}
