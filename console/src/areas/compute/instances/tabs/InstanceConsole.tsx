import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { ExternalIcon } from '../../../../ui/icons'
import { EmbeddedScreen } from '../console/EmbeddedScreen'
import { whyNot } from '../instance-reasons'
import { openConsole } from '../open-console'
import { useConsoleProtocols } from '../use-engine-can'
import css from './InstanceConsole.module.css'
import type { InstanceTabProps } from './tab-props'

/**
 * The embedded console, with buttons to open the graphical console or terminal in its own browser tab, which is larger
 * and receives all keys.
 */
export default function InstanceConsole({ instance }: InstanceTabProps) {
  const t = useT('instance')
  const list = useT('instances')
  const hasTerminal = useConsoleProtocols().includes('serial')
  const notNow = whyNot('console', instance, list)
  return (
    <div className={css.console}>
      <EmbeddedScreen id={instance.id} />
      <div className={css.buttons}>
        <Button icon={ExternalIcon} disabledBecause={notNow} onPress={() => openConsole(instance.id, 'vnc')}>
          {list('instances.action.console')}
        </Button>
        {hasTerminal && (
          <Button icon={ExternalIcon} disabledBecause={notNow} onPress={() => openConsole(instance.id, 'serial')}>
            {list('instances.action.terminal')}
          </Button>
        )}
      </div>
      <p className={css.note}>
        {t('instances.consoleOpens')} {hasTerminal && t('instances.terminalOpens')}
      </p>
    </div>
  )
}
