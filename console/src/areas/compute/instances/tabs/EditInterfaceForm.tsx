import { instances, type Instance, type InstanceInterface } from '@mainstay/contract/compute/instances'
import { parseAddress } from '@mainstay/contract/networking/addresses'
import { portKind, ports } from '@mainstay/contract/networking/ports'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import * as z from 'zod'
import { CallProblem } from '../../../../api/problem'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { Checkbox, TextField } from '../../../../patterns/form/form-fields'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { useBound } from '../../../../patterns/form/use-bound'
import { SecurityGroupPicker } from '../../../../pickers/SecurityGroupPicker'
import { useNetworkingCan } from '../../../../pickers/use-network-service'
import { useMay } from '../../../../session/may'

interface EditInterfaceFormProps {
  instance: Pick<Instance, 'id' | 'name'>
  card: InstanceInterface
  onClose: () => void
}

const words = (text: string) => text.split(/[\s,;]+/).filter((it) => it !== '')
const same = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join(' ') === other.toSorted().join(' ')

/** Edits a network interface's addresses, security groups and spoofing protection. */
export function EditInterfaceForm(props: EditInterfaceFormProps) {
  const may = useMay()
  const canGroups = useNetworkingCan('security_groups') && may(securityGroups.list.needs)
  const isNeeded = canGroups && may(ports.view.needs)
  const { data: port, isLoading } = useView(
    ports.view,
    { id: props.card.port_id },
    { kind: portKind, isEnabled: isNeeded },
  )
  if (isNeeded && isLoading) return null
  return <Form {...props} groups={port ? port.security_groups : null} />
}

function Form({ instance, card, groups, onClose }: EditInterfaceFormProps & { groups: readonly string[] | null }) {
  const t = useT('instance')
  const list = useT('instances')
  const patterns = useT('patterns')
  const canSwitch = useNetworkingCan('spoofing_protection')
  const update = useCall(instances.updateInterface, {
    refresh: [instances.view, instances.list, ports.list, ports.view],
  })
  const before = card.fixed_ips.map(({ ip_address }) => ip_address)
  const schema = z
    .object({
      addresses: z.string().superRefine((typed, context) => {
        const wrong = words(typed).find((it) => parseAddress(it) === null)
        if (wrong !== undefined || words(typed).length === 0)
          context.addIssue({ code: 'custom', message: t('instances.add.addressWrong') })
      }),
      groups: z.array(z.string()),
      spoofing_protection: z.boolean(),
    })
    .refine((form) => groups === null || form.spoofing_protection || form.groups.length === 0, {
      path: ['spoofing_protection'],
      message: t('instances.nic.groupsNeed'),
    })
  return (
    <FormDialog
      title={t('instances.nic.editOf', { network: card.network_name, name: instance.name })}
      verb={patterns('save')}
      schema={schema}
      start={{
        addresses: before.join(', '),
        groups: [...(groups ?? [])],
        spoofing_protection: card.spoofing_protection,
      }}
      send={async (form) => {
        const addresses = words(form.addresses)
        try {
          await update.run({
            params: { id: instance.id, port_id: card.port_id },
            body: {
              ...(!same(addresses, before) && { fixed_ips: addresses.map((ip_address) => ({ ip_address })) }),
              ...(groups && !same(form.groups, groups) && { security_groups: form.groups }),
              ...(form.spoofing_protection !== card.spoofing_protection && {
                spoofing_protection: form.spoofing_protection,
              }),
            },
          })
        } catch (thrown) {
          throw thrown instanceof CallProblem ? inForm(thrown) : thrown
        }
      }}
      onClose={onClose}
    >
      <TextField
        name="addresses"
        label={list('instances.addresses')}
        help={t('instances.nic.addressesHelp')}
        isMono
        autoFocus
      />
      {groups !== null && <Groups />}
      {canSwitch && (
        <Checkbox name="spoofing_protection" help={t('instances.nic.spoofingHelp')}>
          {t('instances.nic.spoofing')}
        </Checkbox>
      )}
    </FormDialog>
  )
}

function Groups() {
  const { value, onChange } = useBound<string[]>('groups')
  return (
    <SecurityGroupPicker
      chosen={value}
      onChoose={({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((it) => it !== id))}
    />
  )
}

/** Maps the field paths of an API problem to form fields. */
function inForm(problem: CallProblem): CallProblem {
  const names: Readonly<Record<string, string>> = { fixed_ips: 'addresses', security_groups: 'groups' }
  const fields = Object.fromEntries(
    Object.entries(problem.fields).map(([path, messages]) => [names[path.split('.')[0] ?? ''] ?? path, messages]),
  )
  return new CallProblem({ ...problem, message: problem.message, fields })
}
