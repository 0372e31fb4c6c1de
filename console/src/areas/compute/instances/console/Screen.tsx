import { useCallback, useRef, useState } from 'react'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { IconButton } from '../../../../ui/IconButton'
import { KeyboardIcon, PasteIcon, ResizeIcon } from '../../../../ui/icons'
import { Menu } from '../../../../ui/overlays/Menu'
import { combos } from './combos'
import { ConsoleView, type ConsoleTools } from './ConsoleView'
import { keepScaling, keptScaling } from './kept-choices'
import { PasteDialog } from './PasteDialog'
import type { OpenScreen, Scaling } from './open-screen'
import type { ConsoleKind } from './use-console'

const screenKind: ConsoleKind<OpenScreen> = {
  protocol: 'vnc',
  load: async () => (await import('./open-screen')).openScreen,
}

/** An instance's graphical console, which also sends keyboard input to the guest. */
export default function Screen({ id, isEmbedded }: { id: string; isEmbedded?: boolean }) {
  const scaling = useRef(keptScaling())
  const onConnected = useCallback((screen: OpenScreen) => screen.setScaling(scaling.current), [])
  return (
    <ConsoleView
      id={id}
      kind={screenKind}
      isEmbedded={isEmbedded}
      onConnected={onConnected}
      tools={(tools) => (
        <ScreenTools
          {...tools}
          initialScaling={scaling.current}
          onScaling={(next) => {
            scaling.current = next
            tools.console.current?.setScaling(next)
            keepScaling(next)
          }}
        />
      )}
    />
  )
}

interface ScreenToolsProps extends ConsoleTools<OpenScreen> {
  initialScaling: Scaling
  onScaling: (scaling: Scaling) => void
}

/** Toolbar buttons for a graphical console. Each click returns the keyboard focus to the guest. */
function ScreenTools({ console, isConnected, refocus, initialScaling, onScaling }: ScreenToolsProps) {
  const t = useT('console')
  const [scaling, setScaling] = useState(initialScaling)
  const [isPasting, setPasting] = useState(false)
  const notNow = isConnected ? undefined : t('console.notConnected', { protocol: 'vnc' })

  const send = (keys: (typeof combos)[number]['keys']) => () => {
    console.current?.chord(keys)
    refocus()
  }
  function rescale() {
    const next = scaling === 'fit' ? 'actual' : 'fit'
    setScaling(next)
    onScaling(next)
    refocus()
  }

  return (
    <>
      <Button size="small" disabledBecause={notNow} onPress={send(['control', 'alt', 'delete'])}>
        Ctrl+Alt+Del
      </Button>
      <Menu
        label={t('console.keys')}
        items={combos.map(({ label, keys }) => ({ label, run: send(keys) }))}
        trigger={<IconButton icon={KeyboardIcon} label={t('console.keys')} disabledBecause={notNow} />}
      />
      <IconButton
        icon={PasteIcon}
        label={t('console.paste')}
        disabledBecause={notNow}
        onPress={() => setPasting(true)}
      />
      <IconButton
        icon={ResizeIcon}
        label={t(scaling === 'fit' ? 'console.actualSize' : 'console.fit')}
        onPress={rescale}
      />
      {isPasting && (
        <PasteDialog
          screen={console}
          onClose={() => {
            setPasting(false)
            refocus()
          }}
        />
      )}
    </>
  )
}
