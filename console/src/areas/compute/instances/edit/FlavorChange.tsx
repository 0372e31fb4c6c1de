import { countedIn } from '@mainstay/contract/all-quotas'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Instance } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import { useT } from '../../../../i18n/use-t'
import { Facts } from '../../../../patterns/Facts'
import { QuotaMeter } from '../../../../patterns/QuotaMeter'
import { useQuotas } from '../../../../patterns/use-quotas'
import { FlavorSize } from '../FlavorSize'
import css from './FlavorChange.module.css'

/** Current and new size of an instance, and the effect on the project's quota usage. */
export function FlavorChange({ instance, chosen }: { instance: Instance; chosen: Flavor }) {
  const t = useT('instance')
  const list = useT('instances')
  const { data } = useQuotas(instance.project_id)
  const counted = data && countedIn(data)
  const { flavor } = instance
  const meters = [
    ['vcpus', list('instances.vcpus'), chosen.vcpus - flavor.vcpus],
    ['ram', list('instances.memory'), (chosen.ram - flavor.ram) * MiB],
  ] as const
  return (
    <section className={css.change} aria-label={t('instances.resize.change')}>
      <Facts
        rows={[
          [t('instances.resize.now'), <FlavorSize key="now" {...flavor} />],
          [t('instances.resize.then'), <FlavorSize key="then" {...chosen} />],
        ]}
      />
      {/* a smaller size cannot exceed the quota */}
      {meters.map(
        ([name, label, added]) =>
          added > 0 && <QuotaMeter key={name} name={name} label={label} quota={counted?.[name]} added={added} />,
      )}
    </section>
  )
}
