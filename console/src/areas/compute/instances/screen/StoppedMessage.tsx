import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { StopIcon } from '../../../../ui/icons'
import { shownStatus } from '../instance-status'
import { useInstanceActions } from '../use-instance-actions'
import { ScreenMessage } from './ScreenMessage'

/** A machine without a screen: how it is, and what would give it one. */
export function StoppedMessage({ instance }: { instance: Instance }) {
  const t = useT('compute')
  const actions = useInstanceActions()
  const isBusy = instanceInProgress(instance)
  const helpful = actions.power(instance).find((action) => action.isLikely && !action.disabledBecause)
  const state = t(shownStatus(instance).text)
  return (
    <ScreenMessage
      icon={StopIcon}
      isBusy={isBusy}
      title={isBusy ? state : t('console.stopped', { state })}
      text={instance.fault?.message ?? (isBusy ? undefined : t('console.stoppedText'))}
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
