import { volumesToDelete } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { ObjectNames } from '../../../patterns/bulk-run/ObjectGroups'
import RecycledMany from '../../../patterns/recycle-bin/RecycledMany'
import { Bytes } from '../../../ui/values/Bytes'

type Going = Pick<Instance, 'id' | 'name' | 'status' | 'volumes'>

interface ManyDeletionProps {
  instances: readonly Going[]
  /** Number of days for which the instances can be restored; 0 if they are deleted permanently. */
  days: number
}

/** Summarizes a bulk deletion: the instances that are active, and the volumes that are deleted with them. */
export default function ManyDeletion({ instances, days }: ManyDeletionProps) {
  const t = useT('instance')
  const active = instances.filter(({ status }) => status === 'ACTIVE')
  // deduplicate volumes that are attached to several instances
  const volumes = new Map(instances.flatMap((it) => it.volumes.map((volume) => [volume.id, volume])))
  const lost = new Map(instances.flatMap((it) => volumesToDelete(it, null).map((volume) => [volume.id, volume])))
  const bytes = [...lost.values()].reduce((sum, { size }) => sum + size, 0)
  return (
    <>
      {days > 0 && <RecycledMany days={days} />}
      {active.length > 0 && (
        <section>
          <p>{t('instances.deleteMany.active', { count: active.length })}</p>
          <ObjectNames items={active} />
        </section>
      )}
      {lost.size > 0 && (
        <section>
          <p>
            {t(days > 0 ? 'instances.deleteMany.going' : 'instances.deleteMany.volumes', {
              count: lost.size,
              size: <Bytes key="size" of={bytes} />,
            })}
          </p>
          <ObjectNames items={[...lost.values()].map(({ id, name }) => ({ id, name: name || id }))} />
        </section>
      )}
      {volumes.size > 0 && <p>{t('instances.delete.kept', { deleted: lost.size, kept: volumes.size - lost.size })}</p>}
    </>
  )
}
