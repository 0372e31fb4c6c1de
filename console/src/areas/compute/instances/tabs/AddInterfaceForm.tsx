import { instances, MacAddress, type Instance } from '@mainstay/contract/compute/instances'
import * as z from 'zod'
import { CallProblem } from '../../../../api/problem'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { TextField } from '../../../../patterns/form/TextField'
import { useBound } from '../../../../patterns/form/use-bound'
import { NetworkPicker } from '../../../../pickers/NetworkPicker'
import { FieldFault } from '../../../../patterns/form/FieldFault'

interface AddInterfaceFormProps {
  instance: Pick<Instance, 'id' | 'name'>
  onClose: () => void
}

const empty = { network: '', address: '', mac: '' }

export function AddInterfaceForm({ instance: { id, name }, onClose }: AddInterfaceFormProps) {
  const t = useT('instance')
  const list = useT('instances')
  const attach = useCall(instances.attachInterface)
  const schema = z.object({
    network: z.string().min(1, t('instances.nic.choose')),
    address: z.union([z.literal(''), z.ipv4(), z.ipv6()], t('instances.add.addressWrong')),
    mac: z.union([z.literal(''), MacAddress]),
  })

  async function send({ network, address, mac }: z.output<typeof schema>) {
    const fixed_ips = address === '' ? [] : [{ ip_address: address }]
    try {
      await attach.run({ params: { id }, body: { id: network, fixed_ips, mac: mac === '' ? null : mac } })
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
    </FormDialog>
  )
}

/** The same problem, with its fields as the form calls them. */
function inForm(problem: CallProblem): CallProblem {
  const names: Readonly<Record<string, string>> = { id: 'network', fixed_ips: 'address', mac: 'mac' }
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
