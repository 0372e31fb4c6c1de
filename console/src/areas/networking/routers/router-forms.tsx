import { useMemo } from 'react'
import { ResourceName } from '@mainstay/contract/core/names'
import { networks } from '@mainstay/contract/networking/networks'
import { routerKind, routers, type Router } from '@mainstay/contract/networking/routers'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { withFields } from '../../../patterns/form/with-fields'
import { useSubnets } from '../../../pickers/networking-lists'
import { connectedOf } from './connected'
import { GatewayFields } from './GatewayFields'
import { InterfaceFields, useConnectable } from './InterfaceFields'
import { gatewayDraft, interfaceDraft, interfaceFaults, routerField, type InterfaceForm } from './router-form'
import { routerResource } from './resource'

const Name = z.object({ name: ResourceName })
const Gateway = z.object({ external: z.string().nullable(), snat: z.boolean() })
const refresh = [routers.list, routers.view, routers.interfaces, networks.list, networks.holders]

interface RouterFormProps {
  router: Router
  closeTo: string
}

/** Renders a form for the router whose ID is in the URL. */
function OfRouter({ Form, closeTo }: { Form: (props: RouterFormProps) => React.ReactNode; closeTo?: string }) {
  const id = useParam('id')
  const { data } = useView(routers.view, { id }, { kind: routerKind })
  return data ? <Form router={data} closeTo={closeTo ?? routerResource.paths.view(id)} /> : null
}

/** Edits a router's name. */
function NameForm({ router: { id, name }, closeTo }: RouterFormProps) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const update = useCall(routers.update, { refresh, done: (it) => toast(t('routers.saved', { name: it.name })) })
  return (
    <FormDialog
      title={t('routers.editTitle', { name })}
      verb={patterns('save')}
      schema={Name}
      start={{ name }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={closeTo}
    >
      <TextField name="name" label={t('name')} autoFocus />
    </FormDialog>
  )
}

/** Edits a router's external gateway. */
function GatewayForm({ router, closeTo }: RouterFormProps) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const { id, name, external_gateway_info: out } = router
  const update = useCall(routers.update, { refresh, done: (it) => toast(t('routers.saved', { name: it.name })) })
  return (
    <FormDialog
      title={t('routers.gatewayOf', { name })}
      verb={patterns('save')}
      schema={Gateway}
      start={{ external: out?.network_id ?? null, snat: out?.enable_snat ?? true }}
      send={(form) =>
        update
          .run({ params: { id }, body: { external_gateway_info: gatewayDraft(form) } })
          .catch(withFields(routerField))
      }
      closeTo={closeTo}
    >
      <GatewayFields />
    </FormDialog>
  )
}

/** Connects a network to a router. Rendered when the available networks are loaded. */
function AddInterfaceForm(props: RouterFormProps) {
  const { isLoading } = useConnectable()
  return isLoading ? null : <AddInterface {...props} />
}

function AddInterface({ router, closeTo }: RouterFormProps) {
  const t = useT('networking')
  const { known } = useConnectable()
  const subnets = useSubnets().rows
  const schema = useMemo(
    () =>
      z
        .object({ network_id: z.string().nullable(), ip_address: z.string() })
        .superRefine((form: InterfaceForm, context) => {
          for (const { field, message } of interfaceFaults([form], known, connectedOf(router, subnets), t))
            context.addIssue({ code: 'custom', path: [field], message })
        }),
    [known, subnets, router, t],
  )
  const add = useCall(routers.addInterface, { refresh })
  return (
    <FormDialog
      title={t('routers.addInterfaceTo', { name: router.name })}
      verb={t('routers.addInterface')}
      schema={schema}
      start={{ network_id: null, ip_address: '' }}
      send={(form) => add.run({ params: { id: router.id }, body: interfaceDraft(form) })}
      closeTo={closeTo}
    >
      <InterfaceFields />
    </FormDialog>
  )
}

const { list } = routerResource.paths

// these forms open over the list: `routers/edit/{routerId}`, `edit-gateway/…` and `add-interface/…`
export const RouterEditOverList = () => <OfRouter Form={NameForm} closeTo={list()} />
export const RouterGatewayOverList = () => <OfRouter Form={GatewayForm} closeTo={list()} />
export const RouterInterfaceOverList = () => <OfRouter Form={AddInterfaceForm} closeTo={list()} />

// these forms open over the router's details
export const RouterEdit = () => <OfRouter Form={NameForm} />
export const RouterGateway = () => <OfRouter Form={GatewayForm} />
export const RouterInterfaceAdd = () => <OfRouter Form={AddInterfaceForm} />
