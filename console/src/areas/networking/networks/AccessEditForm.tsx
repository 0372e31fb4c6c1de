import { NetworkAccessPolicies, type NetworkAccessPolicy } from '@mainstay/contract/networking/access'
import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { AccessField } from './AccessField'
import { isOfProject } from './network-words'
import { networkResource } from './resource'

const Access = z.object({ rbac_policies: NetworkAccessPolicies })

/** `networks/{networkId}/access-edit`: edits who may use an external network, and in which mode. */
export default function AccessEditForm() {
  const { data } = useView(networks.view, { id: useParam('id') }, { kind: networkKind })
  return data ? <Form network={data} /> : null
}

function Form({ network }: { network: Network }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const { id, name } = network
  const update = useCall(networks.update, {
    refresh: [networks.list, networks.view],
    done: () => toast(t('networks.saved', { name })),
  })
  return (
    <FormDialog
      title={t('access.editTitle', { name })}
      verb={patterns('save')}
      schema={Access}
      start={{ rbac_policies: network.rbac_policies as NetworkAccessPolicy[] }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={networkResource.paths.view(id)}
      barredBecause={isOfProject(network) ? t('access.onlyExternal') : undefined}
    >
      <AccessField name="rbac_policies" />
    </FormDialog>
  )
}
