import { useState } from 'react'
import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { Banner } from '../../ui/feedback/Banner'

const key = 'mainstay.simulated-read'

/** Kept for this tab: the next one says it anew. */
function wasRead(): boolean {
  try {
    return sessionStorage.getItem(key) !== null
  } catch {
    return false
  }
}

function keepRead() {
  try {
    sessionStorage.setItem(key, 'yes')
  } catch {
    // refused by the browser: it comes back with the next page
  }
}

/** That machines are played and not run, until the person has closed it. Stands from the beginning: nothing jumps. */
export function SimulatedBanner() {
  const t = useT('shell')
  const isSimulated = useSession(({ meta }) => meta?.services.compute.simulated === true)
  const [isRead, setRead] = useState(wasRead)
  if (!isSimulated || isRead) return null
  return (
    <Banner
      tone="warn"
      isPageWide
      closeLabel={t('banner.hide')}
      onClose={() => {
        keepRead()
        setRead(true)
      }}
    >
      {t('banner.simulated')}
    </Banner>
  )
}
