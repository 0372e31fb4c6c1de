import { useT } from '../../../i18n/use-t'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { InstanceIcon } from '../../../ui/icons'

/** Empty state for a project without virtual machines. */
export function FirstSteps() {
  const t = useT('monitoring')
  return <EmptyState icon={InstanceIcon}>{t('machines.none')}</EmptyState>
}
