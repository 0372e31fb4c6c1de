import { NetworkChange, networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { Checkbox, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useNetworkingCan } from '../../../pickers/use-network-service'
import { MtuField } from './MtuField'
import { isOfProject } from './network-words'
import { networkResource } from './resource'

const Edit = NetworkChange.pick({ name: true, mtu: true, spoofing_protection: true }).required()

/** Edits a network's name, MTU and spoofing protection. */
export default function NetworkEditForm() {
  const { data } = useView(networks.view, { id: useParam('id') }, { kind: networkKind })
  return data ? <Form network={data} /> : null
}

function Form({ network }: { network: Network }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const canSwitch = useNetworkingCan('spoofing_protection')
  const { id, name, mtu, spoofing_protection } = network
  const update = useCall(networks.update, {
    refresh: [networks.list, networks.view],
    done: (it) => toast(t('networks.saved', { name: it.name })),
  })
  return (
    <FormDialog
      title={t('networks.editTitle', { name })}
      verb={patterns('save')}
      schema={Edit}
      start={{ name, mtu, spoofing_protection }}
      send={(form) =>
        update.run({
          params: { id },
          body: {
            ...(form.name !== name && { name: form.name }),
            ...(form.mtu !== mtu && { mtu: form.mtu }),
            ...(form.spoofing_protection !== spoofing_protection && { spoofing_protection: form.spoofing_protection }),
          },
        })
      }
      closeTo={networkResource.paths.view(id)}
    >
      <TextField name="name" label={t('name')} autoFocus />
      <MtuField />
      {canSwitch && isOfProject(network) && (
        <Checkbox name="spoofing_protection" help={t('networks.spoofingHelp')}>
          {t('networks.spoofing')}
        </Checkbox>
      )}
    </FormDialog>
  )
}
