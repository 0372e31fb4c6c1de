import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { MacAddress } from '@mainstay/contract/networking/mac-address'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import * as z from 'zod'
import { CallProblem } from '../../../../api/problem'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { TextField } from '../../../../patterns/form/form-fields'
import { useBound } from '../../../../patterns/form/use-bound'
import { SecurityGroupPicker } from '../../../../pickers/SecurityGroupPicker'
import { useNetworkingCan } from '../../../../pickers/use-network-service'
import { useMay } from '../../../../session/may'
import { Disclosure } from '../../../../ui/Disclosure'
import { NetworkPicker } from '../../../../pickers/NetworkPicker'
import { FieldFault } from '../../../../patterns/form/FieldFault'

interface AddInterfaceFormProps {
  instance: Pick<Instance, 'id' | 'name'>
  onClose: () => void
}

const empty = { network: '', address: '', mac: '', groups: [] as string[] }

export function AddInterfaceForm({ instance: { id, name }, onClose }: AddInterfaceFormProps) {
  const t = useT('instance')
  const list = useT('instances')
  const attach = useCall(instances.attachInterface)
  const schema = z.object({
    network: z.string().min(1, t('instances.nic.choose')),
    address: z.union([z.literal(''), z.ipv4(), z.ipv6()], t('instances.add.addressWrong')),
    mac: z.union([z.literal(''), MacAddress]),
    groups: z.array(z.string()),
  })

  async function send({ network, address, mac, groups }: z.output<typeof schema>) {
    const fixed_ips = address === '' ? [] : [{ ip_address: address }]
    try {
      await attach.run({
        params: { id },
        body: {
          id: network,
          fixed_ips,
          mac: mac === '' ? null : mac,
          ...(groups.length > 0 && { security_groups: groups }),
        },
      })
    } catch (thrown) {
      throw thrown instanceof CallProblem ? inForm(thrown) : thrown
    }
  }

  return (
    <FormDialog
      title={t('instances.nic.addTo', { name })}
      verb={t('instances.nic.add')}
      schema={schema}
      start={empty}
      send={send}
      onClose={onClose}
    >
      <Network />
      <TextField
        name="address"
        label={list('instances.address')}
        placeholder={t('instances.add.automatic')}
        isMono
        isOptional
      />
      <TextField name="mac" label={t('instances.mac')} placeholder={t('instances.add.automatic')} isMono isOptional />
      <Groups />
    </FormDialog>
  )
}

/** Maps the field paths of an API problem to form fields. */
function inForm(problem: CallProblem): CallProblem {
  const names: Readonly<Record<string, string>> = {
    ...{ id: 'network', fixed_ips: 'address', mac: 'mac', security_groups: 'groups' },
  }
  const fields = Object.fromEntries(
    Object.entries(problem.fields).map(([path, messages]) => [names[path.split('.')[0] ?? ''] ?? path, messages]),
  )
  return new CallProblem({ ...problem, message: problem.message, fields })
}

function Network() {
  const { value, onChange, error } = useBound<string>('network')
  return (
    <div>
      <NetworkPicker chosen={value === '' ? [] : [value]} onChoose={({ id }) => onChange(id)} />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}

/** Security groups for the new interface. If none is selected, the project's default group is used. */
function Groups() {
  const t = useT('instance')
  const may = useMay()
  const can = useNetworkingCan('security_groups') && may(securityGroups.list.needs)
  const { value, onChange } = useBound<string[]>('groups')
  if (!can) return null
  return (
    <Disclosure
      title={t('instances.groups')}
      summary={value.length === 0 ? t('instances.add.groupsDefault') : value.length}
    >
      <SecurityGroupPicker
        chosen={value}
        onChoose={({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((it) => it !== id))}
      />
    </Disclosure>
  )
}
