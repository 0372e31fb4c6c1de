import type { SweptPage } from './swept-page'

const node = '/nodes/:node'

export const infrastructurePages: Readonly<Record<string, Partial<SweptPage>>> = {
  'nodes/add': { action: 'Validity', isForOperators: true },
  'nodes/$id': { at: node, action: 'Overview', isForOperators: true },
  'nodes/$id/$tab': { at: `${node}/disks`, action: 'Disks', isForOperators: true },
  'nodes/$id/maintenance': { at: `${node}/maintenance`, action: 'Cancel', isForOperators: true },
  'nodes/$id/reinstall': { at: `${node}/reinstall`, action: 'Validity', isForOperators: true },
}
