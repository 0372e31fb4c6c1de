import { useWatch } from 'react-hook-form'
import type { Key } from '../../../../i18n/catalogues'
import { useT } from '../../../../i18n/use-t'
import { QuotaMeter } from '../../../../patterns/QuotaMeter'
import { costNames, costOf, type CostName } from './instance-cost'
import type { InstanceForm } from './instance-form'
import { useProjectQuotas } from './use-project-quotas'
import css from './InstanceCost.module.css'

export const costLabels: Readonly<Record<CostName, Key<'instances'>>> = {
  instances: 'instances.title',
  vcpus: 'instances.vcpus',
  ram: 'instances.memory',
  volumes: 'instances.volumes',
  storage: 'instances.storage',
}

/**
 * Shows how much of the quotas the draft would use, updated on every edit. Reserves its space until the quotas are
 * loaded.
 */
export function InstanceCost() {
  const t = useT('instance')
  const list = useT('instances')
  const form = useWatch() as InstanceForm
  const quotas = useProjectQuotas()
  const cost = costOf(form)
  return (
    <section className={css.cost} aria-label={t('instances.add.cost')}>
      {costNames.map((name) => (
        <QuotaMeter key={name} name={name} label={list(costLabels[name])} quota={quotas?.[name]} added={cost[name]} />
      ))}
    </section>
  )
}
