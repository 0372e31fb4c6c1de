import { routerKind, type Router, type RouterInterfaces } from '@mainstay/contract/networking/routers'
import { resources } from '@mainstay/contract/resources'
import { serveResource } from '../../http/serve-resource'

/** Interfaces of a router in the format that command-line clients expect. */
const interfacesOf = ({ external_interface, interfaces_info }: Router): RouterInterfaces => ({
  external_interface,
  internal_interfaces: interfaces_info,
})

export const routerRoutes = serveResource(resources.routers, ({ ports }) => ports.networking.routers, {
  put: ({ scope, params, body }, { ports }) => ports.networking.routers.update(scope, params.id, body),
  delete: async ({ scope, params, query }, { ports }) => {
    await ports.networking.routers.delete(scope, params.id, { withInterfaces: query.interfaces === 'remove' })
  },
  interfaces: async ({ scope, params }, { inventory }) =>
    interfacesOf(await inventory.view<Router>(routerKind, scope, params.id)),
  addInterface: async ({ scope, params, body }, { ports }) =>
    interfacesOf(await ports.networking.routers.addInterface(scope, params.id, body)),
  removeInterface: async ({ scope, params, body }, { ports }) =>
    interfacesOf(await ports.networking.routers.removeInterface(scope, params.id, body.network_id)),
})
