import { lazy, Suspense, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { images } from '@mainstay/contract/compute/images'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { ImagePicker } from '../../../../pickers/ImagePicker'
import { VolumePicker } from '../../../../pickers/VolumePicker'
import { useMay } from '../../../../session/may'
import { Button } from '../../../../ui/Button'
import { DownloadIcon } from '../../../../ui/icons'
import { Tabs } from '../../../../ui/Tabs'
import type { Boot, InstanceForm } from './instance-form'
import { proposedFlavor } from './proposals'
import { useFlavors } from './use-flavors'
import { useProjectQuotas } from './use-project-quotas'

const ImageSources = lazy(() => import('../../images/sources/ImageSources'))

/** The boot source: a disk image, an installation ISO or an existing volume. */
export function BootStep() {
  const t = useT('instance')
  const { value: boot, onChange } = useBound<Boot | null>('boot')
  const { setValue, getValues } = useFormContext<InstanceForm>()
  const { rows: flavors } = useFlavors()
  const quotas = useProjectQuotas()
  const [tab, setTab] = useState<Boot['from'] | 'sources'>(boot?.from ?? 'image')
  const mayAdd = useMay()(images.create.needs)

  function choose(next: Boot) {
    // true if the user has not changed the flavor proposed for the previous boot source
    const isProposed = getValues('flavor')?.id === proposedFlavor(flavors, boot, quotas)?.id
    onChange(next)
    if (isProposed) setValue('flavor', proposedFlavor(flavors, next, quotas), { shouldDirty: true })
    // reset the boot volume's size, which depended on the previous source; existing volumes are kept by default
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
        ...(mayAdd ? [{ id: 'sources' as const, label: t('instances.add.sources') }] : []),
      ]}
    >
      {tab === 'sources' ? (
        <Suspense fallback={null}>
          <ImageSources
            onUse={(image) => {
              const from = image.type === 'iso' ? 'iso' : 'image'
              choose({ from, image })
              setTab(from)
            }}
          />
        </Suspense>
      ) : tab === 'volume' ? (
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
          emptyAction={
            mayAdd && (
              <Button variant="primary" icon={DownloadIcon} onPress={() => setTab('sources')}>
                {t('instances.add.sources')}
              </Button>
            )
          }
        />
      )}
    </Tabs>
  )
}
