import type { Instance } from '@mainstay/contract/compute/instances'
import type { RowAction } from '../../../patterns/table/row-action'
import { Button } from '../../../ui/Button'
import { InstanceStatus } from './InstanceStatus'
import type { useInstanceActions } from './use-instance-actions'
import css from './InstanceHead.module.css'

interface InstanceHeadProps {
  instance: Instance
  actions: Pick<ReturnType<typeof useInstanceActions>, 'screen' | 'power'>
}

/** Under the name: how it is, its screen, and the one change of power that is likely now. */
export function InstanceHead({ instance, actions }: InstanceHeadProps) {
  const all = actions.power(instance)
  const power = all.find(({ disabledBecause }) => disabledBecause === undefined) ?? all[0]
  return (
    <div className={css.head}>
      <InstanceStatus instance={instance} />
      <span className={css.buttons}>
        {[...actions.screen(instance), ...(power ? [power] : [])].map((action) => (
          <ActionButton key={action.label} action={action} />
        ))}
      </span>
    </div>
  )
}

export const ActionButton = ({ action }: { action: RowAction }) => (
  <Button size="small" icon={action.icon} disabledBecause={action.disabledBecause} onPress={() => action.run?.()}>
    {action.label}
  </Button>
)
