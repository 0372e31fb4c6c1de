import { Description } from '@mainstay/contract/core/names'
import { floatingIpKind, floatingIps } from '@mainstay/contract/networking/floating-ips'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextArea } from '../../../patterns/form/form-fields'
import { floatingIpResource } from './resource'

const Edit = z.object({ description: Description })

/** Edits a floating IP's description. */
export default function FloatingIpEditForm() {
  const t = useT('networking')
  const patterns = useT('patterns')
  const id = useParam('id')
  const { data } = useView(floatingIps.view, { id }, { kind: floatingIpKind })
  const update = useCall(floatingIps.update, { refresh: [floatingIps.list, floatingIps.view] })
  if (!data) return null
  return (
    <FormDialog
      place="middle"
      title={t('floatingIps.editTitle', { address: data.floating_ip_address })}
      verb={patterns('save')}
      schema={Edit}
      start={{ description: data.description }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={floatingIpResource.paths.list()}
    >
      <TextArea name="description" label={t('description')} isOptional rows={2} />
    </FormDialog>
  )
}
