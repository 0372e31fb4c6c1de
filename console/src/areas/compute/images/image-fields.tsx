import { osDistros } from '@mainstay/contract/compute/image-rules'
import { useT } from '../../../i18n/use-t'
import { Checkbox, ComboBox, NumberField } from '../../../patterns/form/form-fields'
import { useIsAllTenants } from '../../../session/session'
import css from './image-fields.module.css'

// Fields shared by the forms for adding and editing an image.

const distros = osDistros.map(({ id, name }) => ({ id, label: name }))

export function DistroField() {
  const t = useT('images')
  return <ComboBox name="os_distro" label={t('images.distro')} items={distros} />
}

export function MinimumFields() {
  const t = useT('images')
  return (
    <div className={css.pair}>
      <NumberField name="min_disk" label={t('images.minDisk')} unit="GiB" minValue={0} isOptional />
      <NumberField name="min_ram" label={t('images.minRam')} unit="MiB" minValue={0} step={256} isOptional />
    </div>
  )
}

/** Fields for sharing an image with all projects. Shown only to system administrators. */
export function SharingFields() {
  const t = useT('images')
  const isAllTenants = useIsAllTenants()
  return (
    <>
      {isAllTenants && (
        <Checkbox name="shared" help={t('images.sharedHelp')}>
          {t('images.shared')}
        </Checkbox>
      )}
      <Checkbox name="protected" help={t('images.protectedHelp')}>
        {t('images.protected')}
      </Checkbox>
    </>
  )
}
