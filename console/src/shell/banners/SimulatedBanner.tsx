import { useState } from 'react'
import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { Banner } from '../../ui/feedback/Banner'

const key = 'mainstay.simulated-read'

/** Stored per tab, so a new tab shows the banner again. */
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
    // the browser blocks storage: the banner returns with the next page load
  }
}

/**
 * Warns that virtual machines are only simulated, until the user closes it. Rendered from the start to avoid a layout
 * shift.
 */
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
