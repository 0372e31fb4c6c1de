import { useMemo } from 'react'
import { routerKind, routers, type Router } from '@mainstay/contract/networking/routers'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Drawer } from '../../../ui/overlays/Drawer'
import { withFields } from '../../../patterns/form/with-fields'
import { useSubnets } from '../../../pickers/networking-lists'
import { connectedOf } from './connected'
import { routeForm, routesWith } from './route-form'
import { destinationOf } from './router-words'
import { routerResource } from './resource'

const { paths } = routerResource

/** `routers/{routerId}/routes/add` adds a route; `…/routes/{itemId}/edit` edits the route with this destination. */
export default function RouteForm() {
  const t = useT('networking')
  const go = useAppNavigate()
  const id = useParam('id')
  const itemId = useOptionalParam('itemId')
  const { data } = useView(routers.view, { id }, { kind: routerKind })
  const subnets = useSubnets()
  if (!data || subnets.isLoading) return null
  const edited = itemId === undefined ? null : destinationOf(itemId)
  if (edited !== null && !data.routes.some(({ destination }) => destination === edited))
    return (
      <Drawer isOpen isModal title={t('routers.editRoute')} onClose={() => go(paths.below(id, 'routes'))}>
        <ErrorPanel title={t('routers.noRoute', { destination: edited })} />
      </Drawer>
    )
  return <Form router={data} edited={edited} />
}

function Form({ router, edited }: { router: Router; edited: string | null }) {
  const t = useT('networking')
  const patterns = useT('patterns')
  const subnets = useSubnets().rows
  const connected = useMemo(() => connectedOf(router, subnets), [router, subnets])
  const { routes } = router
  const schema = useMemo(() => routeForm(t, { routes, edited, connected }), [t, routes, edited, connected])
  const update = useCall(routers.update, {
    refresh: [routers.list, routers.view],
    done: ({ name }) => toast(t('routers.saved', { name })),
  })
  return (
    <FormDialog
      title={t(edited === null ? 'routers.addRoute' : 'routers.editRoute')}
      verb={edited === null ? t('routers.addRoute') : patterns('save')}
      schema={schema}
      start={routes.find(({ destination }) => destination === edited) ?? { destination: '', nexthop: '' }}
      send={(route) =>
        update
          .run({ params: { id: router.id }, body: { routes: routesWith(routes, edited, route) } })
          .catch(withFields((path) => path.split('.').at(-1) ?? path))
      }
      closeTo={paths.below(router.id, 'routes')}
    >
      <TextField
        name="destination"
        label={t('routers.destination')}
        help={t('routers.destinationHelp')}
        placeholder="10.30.0.0/16"
        isMono
        autoFocus
      />
      <TextField
        name="nexthop"
        label={t('routers.hop')}
        help={
          connected.length === 0
            ? t('routers.hopNone')
            : t('routers.hopHelp', { cidrs: connected.map(({ cidr }) => cidr).join(', ') })
        }
        isMono
      />
    </FormDialog>
  )
}
