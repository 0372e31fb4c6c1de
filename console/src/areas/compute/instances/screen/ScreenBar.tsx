import type { RefObject } from 'react'
import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { IconButton } from '../../../../ui/IconButton'
import {
  FullScreenIcon,
  KeyboardIcon,
  LeaveFullScreenIcon,
  PasteIcon,
  PowerIcon,
  ResizeIcon,
} from '../../../../ui/icons'
import { Kbd } from '../../../../ui/Kbd'
import { Menu } from '../../../../ui/Menu'
import { InstanceStatus } from '../InstanceStatus'
import { useInstanceActions } from '../use-instance-actions'
import { combos } from './combos'
import type { Scaling, Screen } from './screen'
import { useFullScreen } from './use-full-screen'
import css from './ScreenBar.module.css'

interface ScreenBarProps {
  ref: RefObject<HTMLElement | null>
  instance: Instance | undefined
  screen: RefObject<Screen | undefined>
  isConnected: boolean
  scaling: Scaling
  onScaling: (scaling: Scaling) => void
  onPaste: () => void
}

/** What one does to a screen. After each press the keys go to the guest again. */
export function ScreenBar({ ref, instance, screen, isConnected, scaling, onScaling, onPaste }: ScreenBarProps) {
  const t = useT('compute')
  const actions = useInstanceActions()
  const [isFull, toggleFull] = useFullScreen()
  const notNow = isConnected ? undefined : t('console.notConnected')
  const power = instance ? actions.power(instance) : []

  const then = (act: () => void) => () => {
    act()
    // a menu gives the focus back to its button first
    requestAnimationFrame(() => screen.current?.focus())
  }
  const send = (keys: (typeof combos)[number]['keys']) => then(() => screen.current?.chord(keys))

  return (
    <header className={css.bar} ref={ref}>
      <div className={css.titles}>
        <h1 className={css.name}>
          <bdi>{instance?.name ?? t('console.title')}</bdi>
        </h1>
        {instance && <InstanceStatus instance={instance} />}
      </div>
      {isConnected && (
        <span className={css.hint}>{t('console.leaveHint', { keys: <Kbd key="keys">Ctrl+Alt+Home</Kbd> })}</span>
      )}
      <div className={css.buttons} role="toolbar" aria-label={t('console.tools')}>
        <Button size="small" disabledBecause={notNow} onPress={send(['control', 'alt', 'delete'])}>
          Ctrl+Alt+Del
        </Button>
        <Menu
          label={t('console.keys')}
          items={combos.map(({ label, keys }) => ({ label, run: send(keys) }))}
          trigger={<IconButton icon={KeyboardIcon} label={t('console.keys')} disabledBecause={notNow} />}
        />
        <IconButton icon={PasteIcon} label={t('console.paste')} disabledBecause={notNow} onPress={onPaste} />
        <IconButton
          icon={ResizeIcon}
          label={t(scaling === 'fit' ? 'console.actualSize' : 'console.fit')}
          onPress={then(() => onScaling(scaling === 'fit' ? 'actual' : 'fit'))}
        />
        <IconButton
          icon={isFull ? LeaveFullScreenIcon : FullScreenIcon}
          label={t(isFull ? 'console.leaveFullScreen' : 'console.fullScreen')}
          onPress={then(toggleFull)}
        />
        {power.length > 0 && (
          <Menu
            label={t('console.power')}
            items={power}
            trigger={<IconButton icon={PowerIcon} label={t('console.power')} />}
          />
        )}
      </div>
    </header>
  )
}
