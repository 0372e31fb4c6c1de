import { useMemo } from 'react'
import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { subnets } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { Disclosure } from '../../../ui/Disclosure'
import { networkResource } from '../networks/resource'
import { ModeField, RangeFactsTable, SubnetFields } from './SubnetFields'
import { subnetDraftOf, emptySubnet, fieldOf, subnetFormFaults, type SubnetForm } from './subnet-form'
import css from './subnets.module.css'
import { useFreeRange } from './use-free-range'
import { withFields } from '../../../patterns/form/with-fields'

/** `networks/{id}/add-subnet`: adds a subnet for the IP version that the network does not have yet. */
export default function SubnetAddForm() {
  const { data } = useView(networks.view, { id: useParam('id') }, { kind: networkKind })
  const version = data?.subnets.some(({ ip_version }) => ip_version === 4) ? 6 : 4
  const free = useFreeRange(version === 4 ? 24 : 64, version)
  return data && !free.isLoading ? <Form network={data} version={version} free={free.cidr} /> : null
}

function Form({ network, version, free }: { network: Network; version: 4 | 6; free: string }) {
  const t = useT('networking')
  const schema = useMemo(
    () =>
      z.object({ subnet: z.custom<SubnetForm>() }).superRefine(({ subnet }, context) => {
        for (const { field, message } of subnetFormFaults(subnet, version, t))
          context.addIssue({ code: 'custom', path: ['subnet', field], message })
      }),
    [t, version],
  )
  const create = useCall(subnets.create, {
    refresh: [subnets.list, networks.list, networks.view, networks.addressUse],
    done: ({ cidr }) => toast(t('subnets.added', { cidr })),
  })
  return (
    <FormDialog
      title={t(version === 4 ? 'subnets.add4' : 'subnets.add6')}
      verb={t('subnets.addVerb')}
      schema={schema}
      start={{ subnet: emptySubnet(free) }}
      send={({ subnet }) =>
        create
          .run({ body: { ...subnetDraftOf(subnet, version), network_id: network.id } })
          .catch(withFields((path) => `subnet.${fieldOf(path)}`))
      }
      closeTo={networkResource.paths.view(network.id)}
    >
      <TextField name="subnet.cidr" label={t(version === 4 ? 'subnets.range4' : 'subnets.range6')} isMono autoFocus />
      <RangeFactsTable at="subnet" version={version} />
      {version === 6 && <ModeField at="subnet" />}
      <Disclosure title={t('advanced')}>
        <div className={css.fields}>
          <SubnetFields at="subnet" version={version} />
        </div>
      </Disclosure>
    </FormDialog>
  )
}
