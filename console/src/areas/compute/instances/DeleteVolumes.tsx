import { useState } from 'react'
import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../i18n/use-t'
import { Bytes } from '../../../ui/values/Bytes'
import { Checkbox } from '../../../ui/fields/Checkbox'
import css from './DeleteVolumes.module.css'

interface DeleteVolumesProps {
  volumes: Instance['volumes']
  chosen: readonly string[]
  onChange: (ids: readonly string[]) => void
}

/** The volumes of what is being deleted: what is ticked goes too. */
export function DeleteVolumes({ volumes, chosen: atFirst, onChange }: DeleteVolumesProps) {
  const t = useT('instances')
  const [chosen, setChosen] = useState(atFirst)
  const set = (id: string, on: boolean) => {
    const next = on ? [...chosen, id] : chosen.filter((other) => other !== id)
    setChosen(next)
    onChange(next)
  }
  if (volumes.length === 0) return <p>{t('instances.delete.noVolumes')}</p>
  const kept = volumes.length - chosen.length
  return (
    <fieldset className={css.volumes}>
      <legend>{t('instances.delete.volumes')}</legend>
      {volumes.map(({ id, name, size }) => (
        <Checkbox key={id} isSelected={chosen.includes(id)} onChange={(on) => set(id, on)}>
          <span className={css.line}>
            <bdi className={css.name}>{name || id}</bdi>
            <Bytes of={size} />
          </span>
        </Checkbox>
      ))}
      <p className={css.note} role="status">
        {t('instances.delete.kept', { deleted: chosen.length, kept })}
      </p>
    </fieldset>
  )
}
