import type { Translate } from '../../i18n/use-t'
import type { Key } from '../../i18n/catalogues'
import type { Status } from '../../patterns/table/columns'
import type { Tone } from '../../ui/tone'

const words: Readonly<Record<string, readonly [Tone, Key<'networking'>]>> = {
  ACTIVE: ['ok', 'is.active'],
  DOWN: ['idle', 'is.down'],
  BUILD: ['busy', 'is.build'],
  ERROR: ['bad', 'is.error'],
  PENDING_CREATE: ['busy', 'is.creating'],
  PENDING_UPDATE: ['busy', 'is.updating'],
  PENDING_DELETE: ['busy', 'is.deleting'],
}

/** Display status of a network, router or port (product notes 03). An object with a fault is never shown as OK. */
export function networkStatus(
  { status, fault }: { status: string; fault?: string | null | undefined },
  t: Translate<'networking'>,
): Status {
  const [tone, key] = words[status] ?? (['idle', undefined] as const)
  return { tone: fault && tone === 'ok' ? 'warn' : tone, text: key ? t(key) : status }
}

export const networkStatuses = Object.keys(words)
export const networkStatusText = (status: string, t: Translate<'networking'>): string =>
  networkStatus({ status }, t).text
