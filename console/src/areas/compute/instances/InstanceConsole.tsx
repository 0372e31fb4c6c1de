import { useT } from '../../../i18n/use-t'
import { Button } from '../../../ui/Button'
import { EmptyState } from '../../../ui/EmptyState'
import { ConsoleIcon, ExternalIcon } from '../../../ui/icons'
import type { InstanceTabProps } from './tab-props'
import { whyNot } from './instance-reasons'
import { openConsole } from './open-console'

/** The screen has a tab of the browser to itself: it needs the keyboard and all the room. */
export default function InstanceConsole({ instance }: InstanceTabProps) {
  const t = useT('compute')
  return (
    <EmptyState
      icon={ConsoleIcon}
      action={
        <Button
          variant="primary"
          icon={ExternalIcon}
          disabledBecause={whyNot('console', instance, t)}
          onPress={() => openConsole(instance.id)}
        >
          {t('instances.action.console')}
        </Button>
      }
    >
      {t('instances.consoleOpens')}
    </EmptyState>
  )
}
