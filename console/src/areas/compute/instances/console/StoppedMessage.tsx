import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import type { ConsoleProtocol, Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { StopIcon } from '../../../../ui/icons'
import { shownStatus } from '../instance-status'
import { useInstanceActions } from '../use-instance-actions'
import { ConsoleMessage } from './ConsoleMessage'

interface StoppedMessageProps {
  instance: Instance
  protocol: ConsoleProtocol
}

/** A machine without a console: how it is, and what would give it one. */
export function StoppedMessage({ instance, protocol }: StoppedMessageProps) {
  const t = useT('console')
  const compute = useT('instances')
  const actions = useInstanceActions()
  const isBusy = instanceInProgress(instance)
  const helpful = actions.power(instance).find((action) => action.isLikely && !action.disabledBecause)
  const state = compute(shownStatus(instance).text)
  return (
    <ConsoleMessage
      icon={StopIcon}
      isBusy={isBusy}
      title={isBusy ? state : t('console.stopped', { protocol, state })}
      text={instance.fault?.message ?? (isBusy ? undefined : t('console.stoppedText', { protocol }))}
      action={
        helpful && (
          <Button variant="primary" icon={helpful.icon} onPress={() => helpful.run?.()}>
            {helpful.label}
          </Button>
        )
      }
    />
  )
}
