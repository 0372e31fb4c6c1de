import { useMemo } from 'react'
import { useLanguage } from '../../../i18n/language'
import { useNow } from '../../../lib/use-now'
import { localZone } from '../../../lib/zones'
import type { Clock } from './schedule-words'

const MINUTE_MS = 60_000

/** The clock of the user, updated every minute. */
export function useClock(): Clock {
  const { tag } = useLanguage()
  const minute = Math.floor(useNow() / MINUTE_MS)
  return useMemo(() => ({ tag, zone: localZone(), at: new Date(minute * MINUTE_MS) }), [tag, minute])
}
