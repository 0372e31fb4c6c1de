import { useState } from 'react'
import { instances, type Instance, type InstanceDeletion as Deletion } from '@mainstay/contract/compute/instances'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { LockWords } from '../../../patterns/deletion-lock/LockWords'
import { Banner } from '../../../ui/feedback/Banner'
import { Bytes } from '../../../ui/values/Bytes'
import { Checkbox } from '../../../ui/fields/Checkbox'
import css from './InstanceDeletion.module.css'
import { deletedVolumesQuery } from './use-instance-calls'

interface InstanceDeletionProps {
  instance: Pick<Instance, 'id' | 'volumes'>
  chosen: readonly string[]
  /** Whether the deletion bypasses the recycle bin. */
  isPermanent: boolean
  onChange: (ids: readonly string[]) => void
}

/**
 * Shows what the server deletes along with an instance and what it keeps. The user selects which volumes are also
 * deleted.
 */
export function InstanceDeletion({
  instance: { id, volumes },
  chosen: atFirst,
  isPermanent,
  onChange,
}: InstanceDeletionProps) {
  const t = useT('instance')
  const [chosen, setChosen] = useState(atFirst)
  const query = { delete_volumes: deletedVolumesQuery(chosen) }
  const { data, problem } = useView(instances.deletion, { id }, { query })
  // keep showing the previous preview until the new one arrives
  const [told, setTold] = useState<Deletion>()
  if (data && data !== told) setTold(data)

  const set = (volumeId: string, on: boolean) => {
    const next = on ? [...chosen, volumeId] : chosen.filter((other) => other !== volumeId)
    setChosen(next)
    onChange(next)
  }
  const deleted = volumes.filter((volume) => chosen.includes(volume.id))
  const lostBytes = deleted.reduce((sum, { size }) => sum + size, 0)
  return (
    <div className={css.parts}>
      {data?.refusal && <Banner tone="warn">{data.refusal.message}</Banner>}
      {problem && <Banner tone="warn">{t('instances.delete.unchecked')}</Banner>}
      {volumes.length === 0 ? (
        <p>{t('instances.delete.noVolumes')}</p>
      ) : (
        <fieldset className={css.volumes}>
          <legend>{t('instances.delete.volumes')}</legend>
          {volumes.map((volume) => (
            <VolumeChoice
              key={volume.id}
              volume={volume}
              lock={told?.volumes.find((it) => it.id === volume.id)?.deletion_lock}
              isChosen={chosen.includes(volume.id)}
              onChange={(on) => set(volume.id, on)}
            />
          ))}
          <p className={css.note} role="status">
            {deleted.length > 0 &&
              t(isPermanent ? 'instances.delete.lost' : 'instances.delete.going', {
                count: deleted.length,
                size: <Bytes key="size" of={lostBytes} />,
              })}{' '}
            {t('instances.delete.kept', { deleted: chosen.length, kept: volumes.length - chosen.length })}
          </p>
        </fieldset>
      )}
      {told && <Around told={told} isPermanent={isPermanent} />}
    </div>
  )
}

interface VolumeChoiceProps {
  volume: Instance['volumes'][number]
  lock: Deletion['volumes'][number]['deletion_lock'] | undefined
  isChosen: boolean
  onChange: (on: boolean) => void
}

const VolumeChoice = ({ volume: { id, name, size }, lock, isChosen, onChange }: VolumeChoiceProps) => (
  <Checkbox isSelected={isChosen} onChange={onChange}>
    <span className={css.line}>
      <bdi className={css.name}>{name || id}</bdi>
      <Bytes of={size} />
    </span>
    {lock && (
      <span className={css.lock}>
        <LockWords lock={lock} />
      </span>
    )}
  </Checkbox>
)

interface AroundProps {
  told: Deletion
  isPermanent: boolean
}

/** Other effects of the deletion: released addresses and server groups. */
function Around({ told: { addresses, server_groups: groups }, isPermanent }: AroundProps) {
  const t = useT('instance')
  return (
    <>
      {addresses.length > 0 && (
        <div>
          <p>
            {t(isPermanent ? 'instances.delete.addresses' : 'instances.delete.addressesReleased', {
              count: addresses.length,
            })}
          </p>
          <ul className={css.list}>
            {addresses.map(({ network_name, ip_address }) => (
              <li key={ip_address}>
                <bdi>{ip_address}</bdi> <bdi className={css.dim}>{network_name}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {groups.map(({ id, name }) => (
        <p key={id}>{t('instances.delete.group', { name })}</p>
      ))}
    </>
  )
}
