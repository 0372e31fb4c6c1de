import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { ConsoleIcon, ExternalIcon } from '../../../../ui/icons'
import type { InstanceTabProps } from './tab-props'
import { whyNot } from '../instance-reasons'
import { openConsole } from '../open-console'
import { useConsoleProtocols } from '../use-engine-can'

/** Screen and terminal have a tab of the browser to themselves: they need the keyboard and all the room. */
export default function InstanceConsole({ instance }: InstanceTabProps) {
  const t = useT('instances')
  const hasTerminal = useConsoleProtocols().includes('serial')
  const notNow = whyNot('console', instance, t)
  return (
    <EmptyState
      icon={ConsoleIcon}
      action={
        <>
          <Button
            variant="primary"
            icon={ExternalIcon}
            disabledBecause={notNow}
            onPress={() => openConsole(instance.id, 'vnc')}
          >
            {t('instances.action.console')}
          </Button>
          {hasTerminal && (
            <Button icon={ExternalIcon} disabledBecause={notNow} onPress={() => openConsole(instance.id, 'serial')}>
              {t('instances.action.terminal')}
            </Button>
          )}
        </>
      }
    >
      {t('instances.consoleOpens')} {hasTerminal && t('instances.terminalOpens')}
    </EmptyState>
  )
}
