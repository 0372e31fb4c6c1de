import { create, update } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

// The rights are those of the calls in the contract. They are spelled here because this table is on the first page that
// everybody loads, and the contract's module would bring its schemas along; a spec holds the two together.
const list = 'compute/instances'
const one = `${list}/$instanceId`

export const instanceRoutes = [
  route(list, () => import('./InstanceListPage'), {
    needs: 'compute_servers',
    texts: 'compute',
    title: 'instances.title',
  }),
  // its steps (flavor, image, key, networks, volumes, script) are drawn by the page itself, which keeps what was entered
  route(`${list}/add/{-$step}`, () => import('./add/InstanceAddPage'), {
    needs: create('compute_servers'),
    texts: 'compute',
    title: 'instances.add',
  }),
  route(one, () => import('./InstancePage'), {
    needs: 'compute_server',
    texts: 'compute',
    title: 'instances.one',
    over: list,
  }),
  // the page under it draws its tab; this one only gives the tab an address
  route(`${one}/$tab`, () => import('./InstanceTab'), {
    needs: 'compute_server',
    texts: 'compute',
    title: 'instances.one',
    over: one,
  }),
  route(`${one}/edit/$subject`, () => import('./InstanceEditForm'), {
    needs: update('compute_server'),
    texts: 'compute',
    title: 'instances.edit',
    over: one,
  }),
  // Opens in a window of its own, also from a bookmark: it says itself what is missing, sign-in included (S1§2).
  route('compute/servers/instances/$instanceId/console', () => import('./console/ConsolePage'), {
    needs: 'public',
    texts: 'compute',
    title: 'console.title',
    frame: 'bare',
  }),
]
