import { create, read } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

// the rights are those of the calls, spelled here for the same reason as with SSH keys
const list = 'compute/server-groups'

export const serverGroupRoutes = [
  route(list, () => import('./ServerGroupListPage'), {
    needs: read('compute_server_groups'),
    texts: 'compute',
    title: 'serverGroups.title',
  }),
  route(`${list}/add`, () => import('./ServerGroupAddForm'), {
    needs: create('compute_server_groups'),
    texts: 'compute',
    title: 'serverGroups.add',
    over: list,
  }),
  route(`${list}/$serverGroupId`, () => import('./ServerGroupPage'), {
    needs: read('compute_server_group'),
    texts: 'compute',
    title: 'serverGroups.one',
    over: list,
  }),
]
