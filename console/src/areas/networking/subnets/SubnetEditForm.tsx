import { useMemo } from 'react'
import { networks } from '@mainstay/contract/networking/networks'
import { subnetKind, subnets, type Subnet } from '@mainstay/contract/networking/subnets'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Facts } from '../../../patterns/Facts'
import { Mono } from '../../../ui/values/Mono'
import { networkResource } from '../networks/resource'
import { SubnetFields, modeKeys } from './SubnetFields'
import { changeOf, fieldOf, formOf, subnetFormFaults, type SubnetForm } from './subnet-form'
import { withFields } from '../../../patterns/form/with-fields'

/**
 * `networks/{networkId}/editIPv4subnet/{subnetId}` and `…/editIPv6subnet/…`: edits the fields of a subnet that can be
 * changed.
 */
export default function SubnetEditForm() {
  const { data } = useView(subnets.view, { id: useParam('subnetId') }, { kind: subnetKind })
  return data ? <Form subnet={data} /> : null
}

function Form({ subnet }: { subnet: Subnet }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const version = subnet.ip_version
  const start = useMemo(() => formOf(subnet), [subnet])
  const schema = useMemo(
    () =>
      z.object({ subnet: z.custom<SubnetForm>() }).superRefine(({ subnet: form }, context) => {
        for (const { field, message } of subnetFormFaults(form, version, t))
          context.addIssue({ code: 'custom', path: ['subnet', field], message })
      }),
    [t, version],
  )
  const update = useCall(subnets.update, {
    refresh: [subnets.list, subnets.view, networks.list, networks.view, networks.holders],
    done: () => toast(t('subnets.saved', { cidr: subnet.cidr })),
  })
  return (
    <FormDialog
      title={t('subnets.editTitle', { cidr: subnet.cidr })}
      verb={patterns('save')}
      schema={schema}
      start={{ subnet: start }}
      send={({ subnet: form }) =>
        update
          .run({ params: { id: subnet.id }, body: changeOf(start, form) })
          .catch(withFields((path) => `subnet.${fieldOf(path)}`))
      }
      closeTo={networkResource.paths.view(useParam('id'))}
    >
      <Facts
        rows={[
          [t('subnets.range'), <Mono key="cidr">{subnet.cidr}</Mono>],
          version === 6 && [t('subnets.mode'), t(modeKeys[start.mode])],
        ]}
      />
      <SubnetFields at="subnet" version={version} />
    </FormDialog>
  )
}
