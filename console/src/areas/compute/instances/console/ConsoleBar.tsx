import type { ReactNode, RefObject } from 'react'
import type { ConsoleProtocol, Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { Button } from '../../../../ui/Button'
import { IconButton } from '../../../../ui/IconButton'
import { FullScreenIcon, LeaveFullScreenIcon, PowerIcon } from '../../../../ui/icons'
import { Kbd } from '../../../../ui/values/Kbd'
import { Menu } from '../../../../ui/overlays/Menu'
import { InstanceStatus } from '../InstanceStatus'
import { consolePath } from '../resource'
import { useConsoleProtocols } from '../use-engine-can'
import { useInstanceActions } from '../use-instance-actions'
import { useFullScreen } from './use-full-screen'
import css from './ConsoleBar.module.css'

interface ConsoleBarProps {
  ref: RefObject<HTMLElement | null>
  instance: Instance | undefined
  protocol: ConsoleProtocol
  isConnected: boolean
  /** True if the surrounding page shows the instance name and power actions. */
  isEmbedded: boolean
  refocus: () => void
  /** Buttons that are specific to the console type. */
  children: ReactNode
}

/** Console toolbar. Each click returns the keyboard focus to the guest. */
export function ConsoleBar({ ref, instance, protocol, isConnected, isEmbedded, refocus, children }: ConsoleBarProps) {
  const t = useT('console')
  const go = useAppNavigate()
  const actions = useInstanceActions()
  const protocols = useConsoleProtocols()
  const [isFull, toggleFull] = useFullScreen()
  const power = instance ? actions.power(instance) : []
  const other = protocol === 'vnc' ? 'serial' : 'vnc'
  const Bar = isEmbedded ? 'div' : 'header'

  return (
    <Bar className={css.bar} ref={ref as never}>
      {!isEmbedded && (
        <div className={css.titles}>
          <h1 className={css.name}>
            <bdi>{instance?.name ?? t('console.title', { protocol })}</bdi>
          </h1>
          {instance && <InstanceStatus instance={instance} />}
        </div>
      )}
      {isConnected && (
        <span className={css.hint}>
          {t(isEmbedded ? 'console.enterHint' : 'console.leaveHint', {
            protocol,
            keys: <Kbd key="keys">Ctrl+Alt+Home</Kbd>,
          })}
        </span>
      )}
      <div className={css.buttons} role="toolbar" aria-label={t('console.tools', { protocol })}>
        {children}
        {instance && !isEmbedded && protocols.includes(other) && (
          <Button
            size="small"
            onPress={() => go(consolePath(instance.id), { search: { protocol: other }, replace: true })}
          >
            {t('console.switch', { protocol: other })}
          </Button>
        )}
        {!isEmbedded && (
          <IconButton
            icon={isFull ? LeaveFullScreenIcon : FullScreenIcon}
            label={t(isFull ? 'console.leaveFullScreen' : 'console.fullScreen')}
            onPress={() => {
              toggleFull()
              refocus()
            }}
          />
        )}
        {!isEmbedded && power.length > 0 && (
          <Menu
            label={t('console.power')}
            items={power}
            trigger={<IconButton icon={PowerIcon} label={t('console.power')} />}
          />
        )}
      </div>
    </Bar>
  )
}
