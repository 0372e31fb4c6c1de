import { useT } from '../../../i18n/use-t'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { InstanceIcon } from '../../../ui/icons'

/** What a project without machines shows in the place of figures: how to begin. */
export function FirstSteps() {
  const t = useT('monitoring')
  return <EmptyState icon={InstanceIcon}>{t('machines.none')}</EmptyState>
}
