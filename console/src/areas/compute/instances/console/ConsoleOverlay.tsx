import { useEffect, useState } from 'react'
import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { BadIcon, OfflineIcon, RefreshIcon } from '../../../../ui/icons'
import { ConsoleMessage } from './ConsoleMessage'
import type { ConsoleState } from './use-console'

interface ConsoleOverlayProps {
  state: ConsoleState
  protocol: ConsoleProtocol
  /** Whether the reconnect button takes the focus. An embedded console must not steal the focus. */
  takesFocus: boolean
  onReconnect: () => void
}

/** Covers a disconnected console: shows the connection state and a reconnect button. */
export function ConsoleOverlay({ state, protocol, takesFocus, onReconnect }: ConsoleOverlayProps) {
  const t = useT('console')
  const again = (
    <Button variant="primary" icon={RefreshIcon} autoFocus={takesFocus} onPress={onReconnect}>
      {t('console.reconnect')}
    </Button>
  )
  switch (state.of) {
    case 'connected':
      return null
    case 'connecting':
      return <ConsoleMessage title={t('console.connecting', { protocol })} isBusy />
    case 'disconnected':
      return (
        <ConsoleMessage
          icon={OfflineIcon}
          title={t('console.disconnected')}
          text={<Countdown until={state.retryAt} />}
          action={again}
        />
      )
    case 'error':
      return (
        <ConsoleMessage
          icon={BadIcon}
          title={t('console.failed', { protocol })}
          text={state.message}
          action={again}
          isAlert
        />
      )
  }
}

function Countdown({ until }: { until: number }) {
  const t = useT('console')
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  // screen readers announce the message once, not every second
  return <span aria-live="off">{t('console.retryIn', { seconds: Math.max(0, Math.ceil((until - now) / 1000)) })}</span>
}
