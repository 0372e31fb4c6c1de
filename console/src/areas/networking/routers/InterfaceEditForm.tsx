import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import { networks } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { routerKind, routers, type RouterInterface } from '@mainstay/contract/networking/routers'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { Drawer } from '../../../ui/overlays/Drawer'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { withFields } from '../../../patterns/form/with-fields'
import { useSubnets } from '../../../pickers/networking-lists'
import { routerResource } from './resource'

const { paths } = routerResource

/** `routers/{routerId}/interfaces/{itemId}/edit`: edits a router's address in one of its networks. */
export default function InterfaceEditForm() {
  const t = useT('networking')
  const go = useAppNavigate()
  const id = useParam('id')
  const itemId = useParam('itemId')
  const { data } = useView(routers.view, { id }, { kind: routerKind })
  const { isLoading } = useSubnets()
  const card = data?.interfaces_info.find(({ port_id }) => port_id === itemId)
  if (!data || isLoading) return null
  if (!card)
    return (
      <Drawer isOpen isModal title={t('routers.editInterface')} onClose={() => go(paths.view(id))}>
        <ErrorPanel title={t('routers.noInterface')} />
      </Drawer>
    )
  return <Form id={id} card={card} />
}

function Form({ id, card }: { id: string; card: RouterInterface }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const cidrs = useSubnets().rows.filter(({ network_id }) => network_id === card.network_id)
  const update = useCall(ports.update, {
    refresh: [routers.list, routers.view, routers.interfaces, networks.holders, ports.list],
    done: () => toast(t('routers.interfaceSaved', { name: card.network_name })),
  })
  const [first, ...others] = card.fixed_ips
  const within = cidrs.find((it) => it.id === first?.subnet_id)
  const schema = z.object({
    ip_address: z.string().superRefine((typed, context) => {
      const address = parseAddress(typed.trim())
      const range = within && parseRange(within.cidr)
      if (!address) context.addIssue({ code: 'custom', message: t('routers.addressWrong') })
      else if (range && !isInRange(address, range))
        context.addIssue({ code: 'custom', message: t('routers.addressOutside', { cidr: within.cidr }) })
    }),
  })
  return (
    <FormDialog
      title={t('routers.editInterface')}
      verb={patterns('save')}
      schema={schema}
      start={{ ip_address: first?.ip_address ?? '' }}
      send={({ ip_address }) =>
        update
          .run({
            params: { id: card.port_id },
            body: { fixed_ips: [{ ip_address: ip_address.trim() }, ...others] },
          })
          .catch(withFields((path) => (path.startsWith('fixed_ips') ? 'ip_address' : path)))
      }
      closeTo={paths.view(id)}
    >
      <Facts
        rows={[[t('networks.one'), card.network_name], within !== undefined && [t('subnets.range'), within.cidr]]}
      />
      <TextField name="ip_address" label={t('routers.address')} help={t('routers.addressHelp')} isMono autoFocus />
    </FormDialog>
  )
}
