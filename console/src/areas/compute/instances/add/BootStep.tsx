import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { ImagePicker } from '../../../../pickers/ImagePicker'
import { VolumePicker } from '../../../../pickers/VolumePicker'
import { Tabs } from '../../../../ui/Tabs'
import type { Boot } from './instance-form'

/** What to boot from: a disk image, an ISO to install from, or a volume that is there. */
export function BootStep() {
  const t = useT('instances')
  const { value: boot, onChange } = useBound<Boot | null>('boot')
  const { setValue } = useFormContext()
  const [tab, setTab] = useState<Boot['from']>(boot?.from ?? 'image')

  function choose(next: Boot) {
    onChange(next)
    // the size belongs to what was booted before; a volume that was there is rather kept
    setValue('boot_size', null, { shouldDirty: true })
    setValue('boot_rm', next.from !== 'volume', { shouldDirty: true })
  }

  return (
    <Tabs
      label={t('instances.add.boot')}
      selected={tab}
      onChange={setTab}
      items={[
        { id: 'image', label: t('instances.add.image') },
        { id: 'iso', label: t('instances.add.iso') },
        { id: 'volume', label: t('instances.add.existingVolume') },
      ]}
    >
      {tab === 'volume' ? (
        <VolumePicker
          chosen={boot?.from === 'volume' ? [boot.volume.id] : []}
          onChoose={(volume) => choose({ from: 'volume', volume })}
          disabledBecause={({ bootable }) => (bootable ? undefined : t('instances.why.notBootable'))}
        />
      ) : (
        <ImagePicker
          key={tab}
          type={tab === 'iso' ? 'iso' : 'template'}
          chosen={boot?.from === tab ? boot.image.id : null}
          onChoose={(image) => choose({ from: tab, image })}
        />
      )}
    </Tabs>
  )
}
