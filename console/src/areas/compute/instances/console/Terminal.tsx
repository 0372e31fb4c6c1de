import { saveAsFile } from '../../../../api/transfers/download'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { IconButton } from '../../../../ui/IconButton'
import { DownloadIcon } from '../../../../ui/icons'
import { ConsoleView } from './ConsoleView'
import type { OpenTerminal } from './open-terminal'
import type { ConsoleKind } from './use-console'
import css from './Terminal.module.css'

const terminalKind: ConsoleKind<OpenTerminal> = {
  protocol: 'serial',
  load: async () => (await import('./open-terminal')).openTerminal,
}

/** An instance's first serial port as a terminal, with text that can be copied, pasted and saved. */
export default function Terminal({ id }: { id: string }) {
  const t = useT('console')
  return (
    <ConsoleView
      id={id}
      kind={terminalKind}
      className={css.terminal}
      tools={({ console, name, isConnected, refocus }) => {
        const notNow = isConnected ? undefined : t('console.notConnected', { protocol: 'serial' })
        return (
          <>
            <Button
              size="small"
              disabledBecause={notNow}
              onPress={() => {
                console.current?.clear()
                refocus()
              }}
            >
              {t('console.clear')}
            </Button>
            <IconButton
              icon={DownloadIcon}
              label={t('console.save')}
              disabledBecause={notNow}
              onPress={() => {
                if (console.current) saveAsFile(`${name}-terminal.txt`, console.current.text())
                refocus()
              }}
            />
          </>
        )
      }}
    />
  )
}
