import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import type { ConsoleProtocol, Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { StoppedIcon } from '../../../../ui/icons'
import { shownStatus } from '../instance-status'
import { useInstanceActions } from '../use-instance-actions'
import { ConsoleMessage } from './ConsoleMessage'

interface StoppedMessageProps {
  instance: Instance
  protocol: ConsoleProtocol
  /** True if the surrounding page already shows the instance's fault. */
  isEmbedded: boolean
}

/** Shown while an instance has no console: its status, and the action that starts it. */
export function StoppedMessage({ instance, protocol, isEmbedded }: StoppedMessageProps) {
  const t = useT('console')
  const compute = useT('instances')
  const actions = useInstanceActions()
  const isBusy = instanceInProgress(instance)
  const helpful = actions.power(instance).find((action) => action.isLikely && !action.disabledBecause)
  const fault = isEmbedded ? undefined : instance.fault?.message
  const state = compute(shownStatus(instance).text)
  return (
    <ConsoleMessage
      icon={StoppedIcon}
      isBusy={isBusy}
      title={isBusy ? state : t('console.stopped', { protocol, state })}
      text={fault ?? (isBusy ? undefined : t('console.stoppedText', { protocol }))}
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
