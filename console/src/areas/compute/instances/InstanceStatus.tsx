import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { shownStatus } from './instance-status'
import css from './InstanceStatus.module.css'

type Shown = Pick<Instance, 'status' | 'task_state' | 'host_status' | 'fault'>

/** Icon and text for a status. For errors, the tooltip gives a short reason and the details page the full one. */
export function InstanceStatus({ instance }: { instance: Shown }) {
  const t = useT('instances')
  const { tone, icon, text } = shownStatus(instance)
  const badge = (
    <StatusBadge tone={tone} icon={icon}>
      {t(text)}
    </StatusBadge>
  )
  if (!instance.fault || tone !== 'bad') return badge
  return (
    <span className={css.fault} title={instance.fault.message}>
      {badge}
    </span>
  )
}
