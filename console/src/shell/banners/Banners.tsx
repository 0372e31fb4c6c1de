import { useSyncExternalStore } from 'react'
import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { Banner } from '../../ui/feedback/Banner'
import { Button } from '../../ui/Button'
import { OutageBanner } from './OutageBanner'

function subscribe(listener: () => void) {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
const useIsOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine)

/** Banners for conditions that can change while the page is open. */
export function Banners() {
  const t = useT('notices')
  const { meta, panel } = useSession()
  const isOnline = useIsOnline()
  const isOld = Boolean(meta?.version && panel?.version && meta.version !== panel.version)
  return (
    <>
      <OutageBanner />
      {!isOnline && (
        <Banner tone="warn" isPageWide>
          {t('banner.offline')}
        </Banner>
      )}
      {isOld && (
        <Banner tone="busy" isPageWide action={<Button onPress={() => location.reload()}>{t('banner.reload')}</Button>}>
          {t('banner.newVersion')}
        </Banner>
      )}
    </>
  )
}
