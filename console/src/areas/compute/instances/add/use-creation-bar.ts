import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useSession } from '../../../../session/session'
import { costOf, exceeded } from './instance-cost'
import type { InstanceForm } from './instance-form'
import { costLabels } from './InstanceCost'
import { useProjectQuotas } from './use-project-quotas'

/**
 * Returns a function that explains why the draft cannot be submitted yet: missing fields first, then exceeded quotas.
 */
export function useCreationBar() {
  const t = useT('instance')
  const list = useT('instances')
  const format = useFormat()
  const quotas = useProjectQuotas()
  const hasProject = useSession(({ project }) => project !== null)
  return (form: InstanceForm): string | undefined => {
    if (!hasProject) return t('instances.add.noProject')
    if (form.name === '') return t('instances.add.nameMissing')
    if (form.boot === null) return t('instances.add.bootMissing')
    if (form.flavor === null) return t('instances.add.flavorMissing')
    if (form.networks.length === 0 && !form.no_network) return t('instances.add.networkMissing')
    const over = exceeded(costOf(form), quotas)
    return over.length > 0
      ? t('instances.add.overQuota', { names: format.list(over.map((name) => list(costLabels[name]))) })
      : undefined
  }
}
