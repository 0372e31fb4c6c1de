import { create, read } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

// The rights are those of the calls in the contract. They are spelled here because this table is on the first page that
// everybody loads, and the contract's module would bring its schemas along; a spec holds the two together.
const list = 'compute/ssh-keys'

export const sshKeyRoutes = [
  route(list, () => import('./SshKeyListPage'), {
    needs: read('compute_keys'),
    texts: 'compute',
    title: 'sshKeys.title',
  }),
  route(`${list}/add`, () => import('./SshKeyAddForm'), {
    needs: create('compute_keys'),
    texts: 'compute',
    title: 'sshKeys.add',
    over: list,
  }),
  route(`${list}/$sshKeyId`, () => import('./SshKeyPage'), {
    needs: read('compute_key'),
    texts: 'compute',
    title: 'sshKeys.one',
    over: list,
  }),
]
