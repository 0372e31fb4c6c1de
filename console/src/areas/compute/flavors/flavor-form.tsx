import { FlavorDraft } from '@mainstay/contract/compute/flavors'
import { useT } from '../../../i18n/use-t'
import { NumberField } from '../../../patterns/form/NumberField'
import { TextField } from '../../../patterns/form/TextField'
import { form } from '../../../patterns/resource/form'
import { flavorResource } from './resource'

function Fields() {
  const t = useT('compute')
  return (
    <>
      <TextField name="name" label={t('flavors.name')} help={t('flavors.nameHelp')} autoFocus />
      <NumberField name="vcpus" label={t('flavors.vcpus')} minValue={1} maxValue={240} />
      <NumberField name="ram" label={t('flavors.ram')} unit="MiB" minValue={64} step={64} />
      <NumberField name="swap" label={t('flavors.swap')} help={t('flavors.swapHelp')} unit="MiB" minValue={0} />
    </>
  )
}

export default form(flavorResource, {
  create: { schema: FlavorDraft, start: { name: '', vcpus: 1, ram: 1024, swap: 0 } },
  Fields,
})
