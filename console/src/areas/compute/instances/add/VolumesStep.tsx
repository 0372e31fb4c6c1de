import { useState } from 'react'
import { GiB } from '@mainstay/contract/core/bytes'
import { useT } from '../../../../i18n/use-t'
import { Checkbox } from '../../../../patterns/form/form-fields'
import { useBound } from '../../../../patterns/form/use-bound'
import { useWatched } from '../../../../patterns/form/use-watched'
import { VolumePicker } from '../../../../pickers/VolumePicker'
import { Button } from '../../../../ui/Button'
import { Bytes } from '../../../../ui/values/Bytes'
import { Checkbox as PlainCheckbox } from '../../../../ui/fields/Checkbox'
import { IconButton } from '../../../../ui/IconButton'
import { AddIcon, AttachIcon, DeleteIcon, VolumeIcon } from '../../../../ui/icons'
import { NumberField } from '../../../../ui/fields/NumberField'
import { bootBytes, leastBootBytes, type Boot, type Disk } from './instance-form'
import css from './step.module.css'

const newDiskGib = 10
const mostGib = 512 * 1024

/** The boot volume and additional volumes. */
export function VolumesStep() {
  const t = useT('instance')
  const { value: disks, onChange } = useBound<Disk[]>('volumes')
  const [isAttaching, setAttaching] = useState(false)
  const change = (index: number, part: Partial<Disk>) =>
    onChange(disks.map((disk, at) => (at === index ? ({ ...disk, ...part } as Disk) : disk)))
  const attached = disks.flatMap((disk) => (disk.source === 'volume' ? [disk.volume.id] : []))

  return (
    <div className={css.step}>
      <BootDisk />
      {disks.map((disk, index) => {
        const name = disk.source === 'volume' ? disk.volume.name : t('instances.add.newVolumeNo', { number: index + 1 })
        return (
          <section key={index} className={css.card} aria-label={name}>
            <div className={css.cardHead}>
              <VolumeIcon />
              <bdi>{name}</bdi>
              {disk.source === 'volume' && <Bytes of={disk.volume.size} />}
              <IconButton
                icon={DeleteIcon}
                size="small"
                label={t('instances.add.removeWhat', { name })}
                onPress={() => onChange(disks.filter((_, at) => at !== index))}
              />
            </div>
            {disk.source === 'blank' && (
              <NumberField
                label={t('instances.size')}
                unit="GiB"
                minValue={1}
                maxValue={mostGib}
                value={disk.size / GiB}
                onChange={(gib) => change(index, { size: Math.max(1, Math.round(gib ?? 1)) * GiB })}
              />
            )}
            <PlainCheckbox isSelected={disk.rm} onChange={(rm) => change(index, { rm })}>
              {t('instances.deleteWith')}
            </PlainCheckbox>
          </section>
        )
      })}
      <div className={css.buttons}>
        <Button
          icon={AddIcon}
          onPress={() => onChange([...disks, { source: 'blank', size: newDiskGib * GiB, rm: true }])}
        >
          {t('instances.add.addVolume')}
        </Button>
        {!isAttaching && (
          <Button icon={AttachIcon} onPress={() => setAttaching(true)}>
            {t('instances.add.attachVolume')}
          </Button>
        )}
      </div>
      {isAttaching && (
        <VolumePicker
          isMultiple
          chosen={attached}
          onChoose={(volume, isChosen) =>
            onChange(
              isChosen
                ? [...disks, { source: 'volume', volume, rm: false }]
                : disks.filter((disk) => disk.source === 'blank' || disk.volume.id !== volume.id),
            )
          }
        />
      )}
    </div>
  )
}

function BootDisk() {
  const t = useT('instance')
  const boot = useWatched<Boot | null>('boot')
  const size = useBound<number | null>('boot_size')
  if (!boot) return <p className={css.note}>{t('instances.add.volumesLater')}</p>
  const isVolume = boot.from === 'volume'
  return (
    <section className={css.card} aria-label={t('instances.add.bootVolume')}>
      <div className={css.cardHead}>
        <VolumeIcon />
        <span>{boot.from === 'iso' ? t('instances.add.installVolume') : t('instances.add.bootVolume')}</span>
        {isVolume && <Bytes of={boot.volume.size} />}
      </div>
      {!isVolume && (
        <NumberField
          label={t('instances.size')}
          unit="GiB"
          minValue={1}
          maxValue={mostGib}
          value={bootBytes({ boot, boot_size: size.value }) / GiB}
          onChange={(gib) => size.onChange(gib === null ? null : Math.round(gib) * GiB)}
          onBlur={size.onBlur}
          help={t('instances.add.bootLeast', { least: leastBootBytes(boot) / GiB })}
          {...(size.error !== undefined && { error: size.error })}
        />
      )}
      <Checkbox name="boot_rm">{t('instances.deleteWith')}</Checkbox>
    </section>
  )
}
