import { useEffect, useState } from 'react'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { BadIcon, OfflineIcon, RefreshIcon } from '../../../../ui/icons'
import { ScreenMessage } from './ScreenMessage'
import type { ScreenState } from './use-screen'

/** Over the screen while there is none to see: what is going on, and the way out. */
export function ScreenOver({ state, onReconnect }: { state: ScreenState; onReconnect: () => void }) {
  const t = useT('compute')
  const again = (
    <Button variant="primary" icon={RefreshIcon} autoFocus onPress={onReconnect}>
      {t('console.reconnect')}
    </Button>
  )
  switch (state.of) {
    case 'connected':
      return null
    case 'connecting':
      return <ScreenMessage title={t('console.connecting')} isBusy />
    case 'disconnected':
      return (
        <ScreenMessage
          icon={OfflineIcon}
          title={t('console.disconnected')}
          text={<Countdown until={state.retryAt} />}
          action={again}
        />
      )
    case 'error':
      return <ScreenMessage icon={BadIcon} title={t('console.failed')} text={state.message} action={again} isAlert />
  }
}

function Countdown({ until }: { until: number }) {
  const t = useT('compute')
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  // read out once, not every second
  return <span aria-live="off">{t('console.retryIn', { seconds: Math.max(0, Math.ceil((until - now) / 1000)) })}</span>
}
