import { useLive } from '../../api/live-state'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { useNow } from '../../lib/use-now'
import { Banner } from '../../ui/feedback/Banner'

/**
 * Warns that the data may be out of date because the cloud has not responded since a given time. The page stays
 * readable.
 */
export function OutageBanner() {
  const t = useT('notices')
  const format = useFormat()
  const now = useNow()
  const outage = useLive((live) => live.outage)
  if (!outage) return null
  const [part = 'other', ...more] = outage.parts
  const isToday = new Date(outage.since).toDateString() === new Date(now).toDateString()
  const since = isToday ? format.time(outage.since) : format.dateTime(outage.since)
  return (
    <Banner tone="busy" isPageWide>
      {t('banner.outage', { part: more.length > 0 ? 'several' : part.replaceAll(' ', '_'), since })}
    </Banner>
  )
}
